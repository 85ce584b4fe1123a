"""`verify` refuses what is not true of soft margins and free intercepts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from certificates import weights
from maxmargin.certificate import InvalidCertificate
from objectives import INTERCEPTS, LOSSES, Problem, attempt, certificate, optimum, problem


def multipliers(c):
    return c.dual_weights.toarray().ravel()


def with_entry(values, k, value):
    values = np.array(values)
    values[k] = value
    return values


REFUSED = {
    "lower": (lambda c: {"lower": c.lower * (1 + 1e-9)}, r"^lower=\d.* does not hold for these"),
    "lower infinite": (lambda c: {"lower": np.inf}, r"^lower=inf does not hold"),
    "lower undefined": (lambda c: {"lower": np.nan}, r"^lower=nan does not hold"),
    "upper": (lambda c: {"upper": c.upper * (1 - 1e-9)}, r"^upper=\d.* does not hold for these"),
    "upper zero": (lambda c: {"upper": 0.0}, r"^upper=0\.0 does not hold"),
    "upper undefined": (lambda c: {"upper": np.nan}, r"^upper=nan does not hold"),
    "margin": (lambda c: {"margin": c.margin + 1e-8}, r"^margin=.* does not hold for"),
    "margin_upper": (
        lambda c: {"margin_upper": c.margin_upper * (1 - 1e-9)},
        r"^margin_upper=\d.* does not hold",
    ),
    "radius": (lambda c: {"radius": c.radius * 1.0001}, r"^radius=\d.* does not hold"),
    "separable": (lambda c: {"separable": True}, r"^separable=True does not hold"),
    "inseparable": (lambda c: {"separable": False}, r"^separable=False is not proven"),
    "longer": (lambda c: {"coef": c.coef * 1.1}, r"^(lower|margin)=.* does not hold"),
    "shorter": (lambda c: {"coef": c.coef * 0.9}, r"^(lower|margin)=.* does not hold"),
    "reversed": (lambda c: {"coef": -c.coef}, r"^lower=.* does not hold"),
    "undefined": (lambda c: {"coef": c.coef * np.nan}, r"^coef or intercept is not finite\.$"),
    "intercept": (lambda c: {"intercept": c.intercept + 1.0}, r"^(lower|intercept)=.* (does|with)"),
    "intercept infinite": (lambda c: {"intercept": np.inf}, r"^(coef or inter|intercept=inf with)"),
    "intercept a word": (lambda c: {"intercept": "1"}, r"^intercept='1' is no number"),
    "multipliers": (
        lambda c: {"dual_weights": weights((c.costs > 0) / np.count_nonzero(c.costs))},
        r"^(margin_)?upper=\d.* does not hold",
    ),
    "multipliers of one class": (
        lambda c: {"dual_weights": weights(with_entry(0.0 * c.costs, 0, 1.0))},
        r"^(margin_)?upper=\d.* does not hold",
    ),
    "no multipliers": (
        lambda c: {"dual_weights": weights(0.0 * c.costs)},
        r"^upper=.* found .*upper=inf",
    ),
    "multipliers twice": (
        lambda c: {"dual_weights": c.dual_weights * 2.0},
        r"^dual_weights has the sum [12]\.\d+, not 1\.$",
    ),
    "multiplier of a row that does not count": (
        lambda c: {"dual_weights": weights(with_entry(multipliers(c), 2, 1e-12))},
        r"^dual_weights counts a pattern whose cost is zero\.$",
    ),
    "cheaper": (lambda c: {"costs": c.costs / 2.0}, r"^upper=\d.* does not hold"),
    "dearer": (lambda c: {"costs": c.costs * 2.0}, r"^lower=\d.* does not hold"),
    "one cheaper": (
        lambda c: {"costs": with_entry(c.costs, np.argmax(multipliers(c)), 1e-9)},
        r"^(lower|upper)=\d.* does not hold",
    ),
    "one that counts after all": (
        lambda c: {"costs": with_entry(c.costs, 2, 1.0)},
        r"^(lower|radius|margin)=.* does not hold",
    ),
    "cost negative": (
        lambda c: {"costs": with_entry(c.costs, 0, -1e-300)},
        r"^costs has an entry that is negative or not finite\.$",
    ),
    "cost undefined": (
        lambda c: {"costs": with_entry(c.costs, 2, np.nan)},
        r"^costs has an entry that is negative or not finite\.$",
    ),
    "cost infinite": (
        lambda c: {"costs": with_entry(c.costs, 0, np.inf)},
        r"^costs has an entry that is negative or not finite\.$",
    ),
    "costs of half the rows": (lambda c: {"costs": c.costs[::2]}, r"^costs is no vector of 8 fl"),
    "costs as a column": (
        lambda c: {"costs": c.costs[:, None]},
        r"^costs is no vector of 8 floats",
    ),
    "costs as a list": (lambda c: {"costs": c.costs.tolist()}, r"^costs is no vector of 8 floats"),
    "a single cost": (lambda c: {"costs": 1.0}, r"^costs is no vector of 8 floats"),
    "costs of integers": (lambda c: {"costs": np.ones(8, int)}, r"^costs is no vector of 8 floats"),
    "costs of words": (lambda c: {"costs": np.full(8, "1")}, r"^costs is no vector of 8 floats"),
    "costs of zero for a class": (
        lambda c: {"costs": c.costs * (np.arange(8) % 2), "dual_weights": weights(np.zeros(8))},
        r"^All costs on one side of 1 are zero\.$",
    ),
    "costs too large": (lambda c: {"costs": c.costs * 1e250}, r"^costs are out of all proportion"),
    "one cost too small": (
        lambda c: {"costs": with_entry(c.costs, 0, 5e-324)},
        r"^costs are out of all proportion to the data\.$",
    ),
    "costs without a loss": (
        lambda c: {"loss": None},
        r"^costs without a loss must be zero or infinite\.$",
    ),
    "loss without costs": (lambda c: {"costs": None}, r"^loss='(squared_)?hinge' without costs\.$"),
    "loss unknown": (
        lambda c: {"loss": "log"},
        r"^loss='log' is none of None, 'squared_hinge' and 'hinge'\.$",
    ),
    "loss no word": (lambda c: {"loss": np.ones(2)}, r"^loss=array\(\[1., 1.\]\) is none of None"),
    "other loss": (
        lambda c: {"loss": {"hinge": "squared_hinge", "squared_hinge": "hinge"}[c.loss]},
        r"^(lower|upper)=\d.* does not hold",
    ),
    "free or not": (
        lambda c: {"free_intercept": not c.free_intercept},
        r"^(rho=.* with free_intercept=True: a free intercept has no rho|intercept=.* without a "
        r"rho|upper=.* does not hold)",
    ),
    "both": (
        lambda c: {"free_intercept": True, "rho": 1.5},
        r"^rho=1\.5 with free_intercept=True: a free intercept has no rho\.$",
    ),
    "free 1": (lambda c: {"free_intercept": 1}, r"^free_intercept=1 is neither True nor False\.$"),
    "other rho": (
        lambda c: {"rho": c.rho * 2.0} if c.rho else {"rho": -1.0},
        r"^(upper|rho)=.*(does not hold|is no positive number)",
    ),
}


@pytest.fixture(
    scope="module",
    params=[(loss, intercept) for loss in LOSSES[1:] for intercept in INTERCEPTS],
    ids=str,
)
def proven(request):
    """Rows that no hyperplane through the gap separates, and the best one for them."""
    rng = np.random.default_rng(7)
    y = np.array([-1, 1] * 4)
    X = rng.normal(size=(8, 2)) + np.outer(y, [1.0, 0.3]) + 0.5
    X[0], X[1], X[2] = X[1] + 0.1, X[1] - 0.1, 9.0
    loss, intercept = request.param
    costs = np.array([1.0, 2.0, 0.0, 0.5, 1.0, 1.5, 0.7, 1.0])
    rho = 0.8 if intercept == "augmented" else None
    p = Problem(X, y, loss, rho, intercept == "free", costs)
    return X, y, certificate(p, *optimum(p), separable=None)


@pytest.mark.parametrize("what", REFUSED)
def test_verify_refuses_what_was_tampered_with(proven, what):
    X, y, c = proven
    assert c.margin < 0.0 and abs(c.gap) < 1e-6
    c.verify(X, y)
    change, message = REFUSED[what]
    with pytest.raises(InvalidCertificate, match=message):
        replace(c, **change(c)).verify(X, y)


def test_verify_refuses_other_data(proven):
    X, y, c = proven
    ignored = with_entry(X, 2, 1e9)
    c.verify(ignored, with_entry(y, 2, 1))
    for other_X, other_y, message in [
        (with_entry(X, 0, X[0] * 3.0), y, r"^(lower|upper|margin|margin_upper|radius)=.* does not"),
        (X, with_entry(y, 0, 1), r"^(lower|upper|margin|margin_upper)=.* does not hold"),
        (with_entry(X, (0, 0), np.nan), y, r"does not hold for data that are not finite"),
        (X, with_entry(y, 2, 7), r"^y has labels that the certificate does not know\.$"),
        (X[:-1], y[:-1], r"^The certificate is about X of shape \(8, 2\) with one label a row"),
    ]:
        with pytest.raises(InvalidCertificate, match=message):
            c.verify(other_X, other_y)


BAD_WEIGHTS = {
    "too few": (lambda C: C[1:], r"^sample_weight has the shape \(7,\), not \(8,\)"),
    "a column": (lambda C: C[:, None], r"^sample_weight has the shape \(8, 1\), not \(8,\)"),
    "one number": (lambda C: 1.0, r"^sample_weight has the shape \(\), not \(8,\)"),
    "negative": (lambda C: with_entry(C, 0, -1.0), r"^sample_weight has an entry that is neg"),
    "undefined": (lambda C: with_entry(C, 0, np.nan), r"^sample_weight has an entry that is neg"),
    "infinite": (lambda C: with_entry(C, 0, np.inf), r"^sample_weight has an entry that is neg"),
    "one more": (lambda C: with_entry(C, 2, 1.0), r"^costs are zero where sample_weight is not"),
    "one less": (lambda C: with_entry(C, 0, 0.0), r"^costs are not proportional to sample_wei"),
    "none": (lambda C: 0.0 * C, r"^costs are not proportional to sample_weight in each class"),
    "all the same": (lambda C: np.where(C, 1.0, 0.0), r"^costs are not proportional to sample_w"),
    "almost": (
        lambda C: with_entry(C, 0, C[0] * (1 + 3e-9)),
        r"^costs are not proportional to sample_weight in each class\.$",
    ),
}


@pytest.mark.parametrize("what", BAD_WEIGHTS)
def test_verify_refuses_other_sample_weights(proven, what):
    X, y, c = proven
    c.verify(X, y, c.costs)
    c.verify(X, y, with_entry(c.costs, 0, c.costs[0] * (1 + 3e-10)))
    change, message = BAD_WEIGHTS[what]
    with pytest.raises(InvalidCertificate, match=message):
        c.verify(X, y, change(c.costs))


# --- free intercepts ----------------------------------------------------------


def hard_and_free(seed=2):
    rng = np.random.default_rng(seed)
    p = problem(rng, None, "free", distance=9.0)
    w, _, alpha = attempt(rng, p)
    w = w + 10.0 * np.eye(len(w))[0]
    positive, negative = (p.X @ w)[p.signs > 0].min(), (p.X @ w)[p.signs < 0].max()
    assert positive > negative
    return p, certificate(p, w, -(positive + negative) / 2, alpha)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: {"lower": c.lower * (1 + 1e-9)}, r"^lower=\d.* does not hold"),
        (lambda c: {"upper": c.upper * (1 - 1e-9)}, r"^upper=\d.* does not hold"),
        (lambda c: {"margin_upper": c.upper * (1 - 1e-9)}, r"^margin_upper=\d.* does not hold"),
        (lambda c: {"intercept": c.intercept * 1.1}, r"^margin=\d.* does not hold"),
        (lambda c: {"intercept": 1e300}, r"^margin=\d.* does not hold"),
        (lambda c: {"coef": -c.coef}, r"^lower=\d.* does not hold"),
        (lambda c: {"separable": False}, r"^separable=False is not proven"),
        (lambda c: {"coef": c.coef * 5e-324, "intercept": 1.0}, r"^intercept=1\.0 is out of all p"),
        (lambda c: {"free_intercept": False}, r"^intercept=.* without a rho\.$"),
        (
            lambda c: {"costs": np.ones(c.dual_weights.shape[1])},
            r"^costs without a loss must be zero or infinite\.$",
        ),
    ],
)
def test_verify_refuses_what_is_not_true_of_a_free_intercept(change, message):
    p, c = hard_and_free()
    c.verify(p.X, p.signs)
    with pytest.raises(InvalidCertificate, match=message):
        replace(c, **change(c)).verify(p.X, p.signs)


def test_an_intercept_that_separates_nothing_is_not_separable():
    p, c = hard_and_free()
    moved = replace(c, intercept=c.intercept + 1e6, margin=-1e9, separable=None)
    assert moved.verify(p.X, p.signs).lower == pytest.approx(c.lower, rel=1e-12)
    with pytest.raises(InvalidCertificate, match=r"^separable=True does not hold"):
        replace(moved, separable=True).verify(p.X, p.signs)


def test_a_margin_of_a_free_intercept_is_not_a_matter_of_rounding():
    """Both rows are the same, but for the rounding errors of their products."""
    X, y = np.array([[1.0, 1e8, 1.0], [1.0, 1e8, 1.0]]), np.array([1, -1])
    p = Problem(X, y, None, None, True, None)
    c = certificate(p, [1.0, 1e8, 1.0], 0.0, np.array([0.5, 0.5]))
    assert c.lower == c.upper == 0.0
    c.verify(X, y)
    with pytest.raises(InvalidCertificate, match=r"^lower=1e-300 does not hold"):
        replace(c, lower=1e-300).verify(X, y)


@pytest.mark.parametrize("loss", LOSSES[1:])
def test_classes_that_multipliers_pass_over_prove_nothing(loss):
    """The multipliers of a class must be numbers that can be balanced."""
    X, y = np.array([[-1.0], [1.0], [2.0]]), np.array([-1, 1, 1])
    p = Problem(X, y, loss, None, True, np.full(3, 0.1))
    honest = certificate(p, [0.2], 0.0, np.array([0.5, 0.5, 0.0]))
    honest.verify(X, y)
    for tiny in (0.0, 5e-324, 1e-310, 1e-200):
        alpha = np.array([tiny, 1.0, 0.0])
        forged = replace(honest, dual_weights=weights(alpha), margin_upper=np.inf)
        with pytest.raises(InvalidCertificate, match=r"^upper=\d.* found .*upper=inf"):
            forged.verify(X, y)
