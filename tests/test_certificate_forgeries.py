"""`verify` refuses whatever a certificate claims and the data do not bear out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from certificates import apart, certified_apart, weights
from maxmargin import MinOverPerceptron, Perceptron
from maxmargin.certificate import InvalidCertificate


def out_of_range(matrix):
    broken = matrix.copy()
    broken.indices[-1] = matrix.shape[1]
    return broken


def moved(c, k, by):
    values = c.dual_weights.toarray().ravel()
    values[k] += by
    return weights(values)


REFUSED = {
    "lower": (lambda c: {"lower": c.lower * 1.0001}, r"^lower=0\.\d+|^lower=\d"),
    "lower infinite": (lambda c: {"lower": np.inf}, r"^lower=inf does not hold"),
    "lower undefined": (lambda c: {"lower": np.nan}, r"^lower=nan does not hold"),
    "upper": (lambda c: {"upper": c.upper * 0.9999}, r"^upper=.* does not hold for these data"),
    "upper zero": (lambda c: {"upper": 0.0}, r"^upper=0\.0 does not hold"),
    "upper undefined": (lambda c: {"upper": np.nan}, r"^upper=nan does not hold"),
    "margin": (lambda c: {"margin": c.margin * 1.0001}, r"^margin=.* does not hold for"),
    "margin undefined": (lambda c: {"margin": np.nan}, r"^margin=nan does not hold"),
    "margin_upper": (
        lambda c: {"margin_upper": c.margin_upper * 0.9999},
        r"^margin_upper=.* does not hold for",
    ),
    "margin_upper undefined": (lambda c: {"margin_upper": np.nan}, r"^margin_upper=nan does"),
    "radius larger": (lambda c: {"radius": c.radius * 1.0001}, r"^radius=.* does not hold"),
    "radius smaller": (lambda c: {"radius": c.radius * 0.9999}, r"^radius=.* does not hold"),
    "inseparable": (lambda c: {"separable": False}, r"^separable=False is not proven by the"),
    "negative multiplier": (
        lambda c: {"dual_weights": moved(c, 0, -1.0 - c.dual_weights[0, 0])},
        r"^dual_weights has a negative entry\.$",
    ),
    "undefined multiplier": (lambda c: {"dual_weights": moved(c, 0, np.nan)}, r"^dual_weights|^up"),
    "infinite multiplier": (lambda c: {"dual_weights": moved(c, 0, np.inf)}, r"^dual_weights|^up"),
    "equal multipliers": (
        lambda c: {"dual_weights": weights(np.full(30, 1 / 30))},
        r"^upper=.* does not hold for",
    ),
    "one multiplier moved": (
        lambda c: {"dual_weights": moved(c, 0, 1.0) / 2.0},
        r"^(margin_)?upper=.* does not hold for",
    ),
    "no multipliers": (
        lambda c: {"dual_weights": weights(np.zeros(c.dual_weights.shape[1]))},
        r"^upper=.* does not hold for.* found .*upper=inf",
    ),
    "coef": (
        lambda c: {"coef": c.coef + np.array([0.0, np.abs(c.coef).max()])},
        r"^lower=.* does not hold",
    ),
    "coef reversed": (lambda c: {"coef": -c.coef}, r"^lower=.* does not hold"),
    "coef zero": (lambda c: {"coef": 0.0 * c.coef, "intercept": 0.0}, r"^lower=.* found .*nan"),
    "coef undefined": (lambda c: {"coef": np.nan * c.coef}, r"^coef or intercept is not finite"),
    "nothing defined": (
        lambda c: {
            "coef": np.inf * c.coef,
            **dict.fromkeys(["lower", "upper", "margin", "margin_upper"], np.nan),
        },
        r"^coef or intercept is not finite\.$",
    ),
    "upper negative": (lambda c: {"upper": -1e-300}, r"^upper=-1e-300 does not hold"),
    "vanishing multipliers": (
        lambda c: {"dual_weights": c.dual_weights * 1e-322, "upper": 1e-3, "margin_upper": 1e-3},
        r"^dual_weights has the sum \d.*e-32\d, not 1\.$",
    ),
    "multipliers twice": (
        lambda c: {"dual_weights": c.dual_weights * 2.0},
        r"^dual_weights has the sum (2\.0|1\.99999\d*), not 1\.$",
    ),
    "multipliers out of range": (
        lambda c: {"dual_weights": out_of_range(c.dual_weights)},
        r"^dual_weights cannot be read: .* out of range",
    ),
    "multipliers of another kind": (
        lambda c: {"dual_weights": c.dual_weights.toarray()},
        r"^dual_weights cannot be read",
    ),
    "large rho": (
        lambda c: {"rho": 1e12, "lower": 5.0, "margin": 5.0, "upper": np.inf, "margin_upper": 0.0},
        r"^(lower=5|intercept=|margin_upper=0)",
    ),
    "separable 0": (lambda c: {"separable": 0}, r"^separable=0 is none of True, False and None"),
    "separable 1": (lambda c: {"separable": 1}, r"^separable=1 is none of True, False and None"),
    "separable of NumPy": (
        lambda c: {"separable": np.False_},
        r"^separable=np.False_ is none of True, False and None\.$",
    ),
    "positive unknown": (
        lambda c: {
            "positive": "nobody",
            "coef": 0.0 * c.coef,
            "intercept": -1.0 if c.rho else 0.0,
            "lower": c.rho or 0.0,
            "upper": np.inf,
            "margin": np.nan,
            "margin_upper": np.inf,
        },
        r"^positive='nobody' is none of the classes\.$",
    ),
    "other side": (lambda c: {"positive": c.classes[0]}, r"^lower=.* does not hold"),
}


@pytest.fixture(scope="module", params=[True, False], ids=["intercept", "no intercept"])
def proven(request):
    return certified_apart(request.param)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NaN and infinity among the multipliers
@pytest.mark.parametrize("what", REFUSED)
def test_verify_refuses_what_was_tampered_with(proven, what):
    X, y, certificate = proven
    certificate.verify(X, y)
    change, message = REFUSED[what]
    tampered = replace(certificate, **change(certificate))
    with pytest.raises(InvalidCertificate, match=message):
        tampered.verify(X, y)


def test_verify_refuses_another_intercept():
    X, y = apart()
    certificate = MinOverPerceptron(target=400.0).fit(X, y).certificate_
    size = float(np.linalg.norm(certificate.coef))
    for by in (-0.1, 0.1):
        with pytest.raises(InvalidCertificate, match=r"^(lower|margin)=.* does not hold"):
            replace(certificate, intercept=certificate.intercept + by * size).verify(X, y)


def test_verify_refuses_an_intercept_that_the_problem_does_not_have():
    X, y = apart()
    certificate = MinOverPerceptron(fit_intercept=False).fit(X, y).certificate_
    with pytest.raises(InvalidCertificate, match="intercept"):
        replace(certificate, intercept=1e3).verify(X, y)
    for rho in (0.0, -0.0, False):
        with pytest.raises(InvalidCertificate, match=r"^rho="):
            replace(certificate, rho=rho, intercept=1e6, margin_upper=np.inf).verify(X, y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("rho", [-1.0, 0.0, np.nan, np.inf, 1e308, 5e-324])
def test_verify_refuses_a_rho_that_is_none(rho):
    X, y = apart()
    certificate = MinOverPerceptron().fit(X, y).certificate_
    with pytest.raises(InvalidCertificate, match=r"^rho="):
        replace(certificate, rho=rho).verify(X, y)


def re_escape(text):
    for character in "()[].":
        text = text.replace(character, "\\" + character)
    return text


def test_verify_refuses_other_data(proven):
    X, y, certificate = proven
    shape = re_escape("about X of shape (30, 2) with one label a row")
    farther = X.copy()
    farther[3] *= 3.0
    nearer = X.copy()
    nearer[3] *= 0.01
    flipped = y.copy()
    flipped[3] *= -1
    unknown = y.copy()
    unknown[3] = 7
    for other_X, other_y, message in [
        (farther, y, r"^(radius|lower|margin)=.* does not hold"),
        (nearer, y, r"^(lower|margin)=.* does not hold"),
        (0.5 * X, y, r"^lower=.* does not hold"),
        (2.0 * X, y, r"^(upper|radius)=.* does not hold"),
        (-X, y, r"^lower=.* does not hold"),
        (X * np.nan, y, r"does not hold for data that are not finite"),
        (np.where(X == X[3, 0], np.inf, X), y, r"does not hold for data that are not finite"),
        (X, flipped, r"^lower=.* does not hold"),
        (X, -y, r"^lower=.* does not hold"),
        (X[:-1], y[:-1], shape + re_escape(", got X of shape (29, 2) and y of shape (29,).")),
        (X[:, :1], y, shape),
        (X, y[:-1], shape),
        (X, y[None], shape),
        (X, np.abs(y), r"^All labels in y are on one side of 1\.$"),
        (X, -np.abs(y), r"^All labels in y are on one side of 1\.$"),
        (X[0], y, shape),
        (X, unknown, r"^y has labels that the certificate does not know\.$"),
    ]:
        with pytest.raises(InvalidCertificate, match=message):
            certificate.verify(other_X, other_y)
        if np.ndim(other_X) == 2:
            with pytest.raises(InvalidCertificate, match=message):
                certificate.verify(sparse.csr_array(other_X), other_y)


def test_verify_accepts_weaker_claims(proven):
    X, y, certificate = proven
    weaker = replace(
        certificate,
        lower=certificate.lower * 0.9,
        upper=certificate.upper * 1.1,
        margin=certificate.margin * 0.9,
        margin_upper=certificate.margin_upper * 1.1,
        separable=None,
    )
    assert weaker.verify(X, y) == certificate.verify(X, y)


def test_an_invalid_certificate_is_a_value_error():
    assert issubclass(InvalidCertificate, ValueError)


@pytest.mark.parametrize(
    "field", ["lower", "upper", "margin", "margin_upper", "radius", "rho", "intercept"]
)
def test_what_is_no_number_is_refused(field):
    X, y = apart()
    certificate = Perceptron(shuffle=False).fit(X, y).certificate_
    with pytest.raises(InvalidCertificate, match=f"{field}='1' is no number"):
        replace(certificate, **{field: "1"}).verify(X, y)
    for coef in (None, np.array(["1", "2"]), certificate.coef[None, :]):
        with pytest.raises(InvalidCertificate, match="coef is no vector of floats"):
            replace(certificate, coef=coef).verify(X, y)
