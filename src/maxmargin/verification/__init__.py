"""What a certificate claims, recomputed from the data in plain NumPy, with bounds of its rounding.

No hyperplane and no multipliers are found here. A bound that a claimant has widened by the
rounding errors of *its own* sums is accepted: those of the sums made here are all in its favour.
Where they are not, a claimant has to ask before it claims:

- ``separable=True`` and positive margins need every score, for a free intercept every ``l_k w.x_k``
  too, to exceed its error, :func:`rounding_of_scores` times ``|w|.|x_k| + |b|``;
- ``separable=False`` needs what :func:`hulls_meet` asks for, of a combination whose length is
  rounded up by :func:`rounding_of_sums`. To the rows a free intercept appends the norm of the
  longest.

Rounding errors are those of any order of summation: BLAS chooses its own. Where a product may
vanish, ``TINY`` is added to what its error is proportional to, as ``EPSILON * TINY`` is the
smallest number there is.
"""

from maxmargin.verification.hulls import hulls_meet
from maxmargin.verification.reading import LabelledRows, largest_entry
from maxmargin.verification.rounding import rounding_of_scores, rounding_of_sums
from maxmargin.verification.soft import SoftMargin
from maxmargin.verification.sums import Recomputed, VerifiedBounds, recompute

__all__ = [
    "LabelledRows",
    "Recomputed",
    "SoftMargin",
    "VerifiedBounds",
    "hulls_meet",
    "largest_entry",
    "recompute",
    "rounding_of_scores",
    "rounding_of_sums",
]
