"""What a certificate says: its gaps, its primal and dual values, and its table."""

from __future__ import annotations

import math

import numpy as np
import pytest

from certificates import example
from maxmargin import Perceptron


def test_gaps_primal_and_dual():
    certificate = example()
    assert certificate.gap == pytest.approx(0.2, rel=1e-14)
    assert certificate.margin_gap == pytest.approx(0.25, rel=1e-14)
    assert certificate.primal == pytest.approx(1 / (2 * 0.4**2), rel=1e-14)
    assert certificate.dual == pytest.approx(1 / (2 * 0.5**2), rel=1e-14)
    assert certificate.dual < certificate.primal
    assert example(lower=-0.4).primal == example(lower=0.0).primal == math.inf
    assert example(lower=np.nan).primal == math.inf
    assert example(upper=0.0).dual == math.inf
    assert example(upper=np.inf).gap == 1.0 and example(upper=np.inf).dual == 0.0
    assert example(lower=-0.5).gap == 2.0
    assert np.isnan(example(lower=np.nan).gap) and np.isnan(example(margin=np.nan).margin_gap)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [float, np.float64])
def test_primal_and_dual_of_extreme_bounds(number):
    for bound, minimum in [
        (1e300, 0.0),
        (1e170, 0.0),
        (1e-170, math.inf),
        (1e-300, math.inf),
        (5e-324, math.inf),
        (math.inf, 0.0),
    ]:
        certificate = example(lower=number(bound), upper=number(bound))
        assert certificate.primal == certificate.dual == minimum
    assert example(lower=number(1e-150)).primal == pytest.approx(5e299, rel=1e-14)
    assert example(upper=number(1e150)).dual == pytest.approx(5e-301, rel=1e-14)


def test_repr_is_a_table():
    assert repr(example()) == (
        "Certificate: strictly separable? yes, proven\n"
        "  margin            achieved  best possible <=         gap\n"
        "  geometric             0.45               0.6        0.25\n"
        "  directional            0.4               0.5         0.2\n"
        "  radius 2, rho 1.5, proof on 2 of 3 patterns"
    )
    assert repr(
        example(separable=False, rho=None, margin=np.nan, margin_upper=np.inf, lower=-1e-20)
    ) == (
        "Certificate: strictly separable? no, proven\n"
        "  margin            achieved  best possible <=         gap\n"
        "  geometric              nan               inf           -\n"
        "  directional         -1e-20               0.5           -\n"
        "  radius 2, no intercept, proof on 2 of 3 patterns"
    )
    assert repr(example(separable=None)).startswith("Certificate: strictly separable? not known\n")


def test_repr_of_a_fit():
    X, y = [[3.0], [1.0], [-1.0]], [1, 1, 0]
    model = Perceptron(rho=1.0, shuffle=False).fit(X, y)
    # a = (3, 1) after the first pattern, and that is all: scores 10, 4, 2
    assert model.coef_.tolist() == [[3.0]] and model.intercept_.tolist() == [1.0]
    assert repr(model.certificate_) == (
        "Certificate: strictly separable? yes, proven\n"
        "  margin            achieved  best possible <=         gap\n"
        "  geometric         0.666667               inf           1\n"
        "  directional       0.632456           3.16228         0.8\n"
        "  radius 3, rho 1, proof on 1 of 3 patterns"
    )
