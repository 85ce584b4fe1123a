"""What has to be set before SciPy is imported."""

import os

# scikit-learn checks array-API input only where SciPy was told to accept it.
os.environ["SCIPY_ARRAY_API"] = "1"
