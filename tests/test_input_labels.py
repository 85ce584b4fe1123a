"""Labels of every kind and names of columns: kept as given, or refused clearly."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from inputs import THREE, X, Y, assert_refused, assert_separates, each_member, fitted

LABELS = {
    "0/1": Y,
    "-1/1": np.where(Y == 1, 1, -1),
    "floats": Y.astype(np.float64),
    "bool": Y == 1,
    "strings": np.where(Y == 1, "ham", "spam"),
    "objects": np.where(Y == 1, "ham", "spam").astype(object),
    "list": Y.tolist(),
    "large": np.where(Y == 1, 2**64 - 1, 2**63).astype(np.uint64),
    "Series": pd.Series(np.where(Y == 1, "ham", "spam"), index=np.arange(24)[::-1]),
    "Categorical": pd.Categorical(np.where(Y == 1, "ham", "spam"), categories=["x", "spam", "ham"]),
    "three strings": THREE,
    "three integers": np.repeat([7, -1, 3], 8),
}


@each_member
@pytest.mark.parametrize("labels", LABELS)
def test_labels(model, labels):
    y = LABELS[labels]
    rows = X.copy()
    if labels.startswith("three"):
        rows = np.column_stack([np.repeat([9.0, -9.0, 0.0], 8), np.repeat([0.0, 0.0, 9.0], 8)])
    model = fitted(model, rows, y)
    values = np.asarray(y)
    np.testing.assert_array_equal(model.classes_, np.unique(values))
    assert model.predict(rows).dtype == model.classes_.dtype
    assert_separates(model, rows, values)
    positives = [certificate.positive for certificate in model.certificates_]
    np.testing.assert_array_equal(positives, model.classes_[-len(positives) :])


@each_member
def test_names_of_the_columns_of_a_data_frame(model):
    table = pd.DataFrame(X, columns=["one", "two", "three"])
    model = clone(model).fit(table, Y)
    assert model.feature_names_in_.tolist() == ["one", "two", "three"]
    assert model.n_features_in_ == 3
    assert_separates(model, table, Y)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        model.predict(table[["two", "one", "three"]])


@each_member
@pytest.mark.parametrize(
    ("labels", "error"),
    [
        (np.array(["spam", 7] * 12, object), TypeError),
        (np.array(["spam", None] * 12, object), TypeError),
        (np.array([b"spam", b"ham"] * 12), TypeError),
        (pd.Series(["spam", None] * 12, dtype="string"), TypeError),
        (np.array(["spam", np.nan] * 12, object), ValueError),
        (np.array([10**30, 3] * 12, object), ValueError),
    ],
    ids=["number", "None", "bytes", "NA", "NaN", "large"],
)
def test_labels_that_cannot_be_told_apart(model, labels, error):
    assert_refused(model, "^The labels in y cannot be told apart", X, labels, error=error)
