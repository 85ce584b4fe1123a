"""What has to be set before other modules are imported."""

import os

import pytest

# scikit-learn checks array-API input only where SciPy was told to accept it.
os.environ["SCIPY_ARRAY_API"] = "1"

# A check that fails in a helper module of several tests says as much as one that fails in a test.
pytest.register_assert_rewrite("certificates", "inputs", "judges")
