"""The papers' theorems, tried on random problems.

What they say of an algorithm is asked of its slow reference and of the package's estimator, on
dense and on sparse data: `runs` makes the runs, `data` the problems.
"""
