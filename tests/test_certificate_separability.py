"""Separable, inseparable or not known: a certificate says only what is proven."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from certificates import FAMILY, overlapping, quiet, seeded, weights
from maxmargin import Perceptron
from maxmargin.certificate import InvalidCertificate


def many_epochs(model):
    return seeded(model, 0, max_iter=2000)


@pytest.mark.parametrize("model", FAMILY, ids=repr)
@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e12])
def test_xor_is_proven_inseparable(model, scale):
    X, y = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]) * scale, [0, 0, 1, 1]
    certificate = quiet(many_epochs(model), X, y).certificate_
    assert certificate.separable is False
    certificate.verify(X, y)


TOUCHING = [
    # Quasi-separable: a common boundary point, an edge shared by two squares, a zero pattern.
    # False may be said of them, too: it excludes strict separation only.
    ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], True),
    ([[0, 0], [1, 0], [0, 1], [1, 1], [1, 0], [2, 0], [1, 1], [2, 1]], [0] * 4 + [1] * 4, True),
    ([[0.0, 0.0], [1.0, 1.0], [-1.0, -2.0]], [0, 1, 0], False),
]


@pytest.mark.parametrize("model", FAMILY, ids=repr)
@pytest.mark.parametrize("case", range(len(TOUCHING)))
def test_quasi_separable_data_are_never_called_separable(model, case):
    X, y, fit_intercept = TOUCHING[case]
    if getattr(model, "length", "") == "fixed" and not fit_intercept:
        return  # "auto" would be a length of zero
    model = many_epochs(model).set_params(fit_intercept=fit_intercept)
    certificate = quiet(model, X, y).certificate_
    assert certificate.separable is not True and not certificate.lower > 0.0
    certificate.verify(X, y)


@pytest.mark.parametrize("model", FAMILY, ids=repr)
@pytest.mark.parametrize("slit", [1e-6, 1e-9, 1e-12, 1e-15])
def test_a_slit_is_never_called_inseparable(model, slit):
    X, y = np.array([[0.0], [1.0], [1.0 + slit], [2.0]]), [0, 0, 1, 1]
    assert X[2, 0] > 1.0
    certificate = quiet(many_epochs(model), X, y).certificate_
    assert certificate.separable is not False
    assert certificate.margin_upper >= (X[2, 0] - 1.0) / 2.0


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("model", FAMILY, ids=repr)
def test_nothing_but_zeros(model, fit_intercept):
    X, y = np.zeros((3, 2)), [0, 1, 1]
    model = seeded(model, 0, fit_intercept=fit_intercept, max_iter=20)
    try:
        certificate = quiet(model, X, y).certificate_
    except ValueError as error:  # a refusal that says why
        assert "margin" in str(error) and not fit_intercept
        return
    assert certificate.separable is not True and not certificate.lower > 0.0
    assert np.isnan(certificate.margin) and certificate.radius == 0.0
    assert certificate.upper >= 0.0 and certificate.margin_upper >= 0.0
    certificate.verify(X, y)


def test_verify_refuses_separability_of_inseparable_data():
    X, y = overlapping()
    certificate = quiet(Perceptron(random_state=0, max_iter=300), X, y).certificate_
    assert certificate.separable is False
    certificate.verify(X, y)
    with pytest.raises(InvalidCertificate, match=r"^separable=True does not hold for these data"):
        replace(certificate, separable=True).verify(X, y)
    # To say less is allowed.
    replace(certificate, separable=None).verify(X, y)


def test_verify_refuses_inseparability_without_its_proof():
    X, y = overlapping()
    certificate = quiet(Perceptron(random_state=0, max_iter=300), X, y).certificate_
    one = np.zeros(len(y))
    one[0] = 1.0
    loose = replace(certificate, upper=np.inf, margin_upper=np.inf, dual_weights=weights(one))
    replace(loose, separable=None).verify(X, y)
    with pytest.raises(InvalidCertificate, match=r"^separable=False is not proven by the mult"):
        loose.verify(X, y)
