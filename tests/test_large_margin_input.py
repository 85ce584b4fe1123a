"""What users pass to LargeMarginClassifier: it works, warns, or says what is wrong."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from certificates import blobs
from inputs import THREE, X, Y, assert_refused, of_long_indices
from maxmargin import LargeMarginClassifier

MODEL = LargeMarginClassifier(random_state=0)
OVERLAPPING = blobs(np.random.default_rng(2), 60, 3, 1.0)
each_solver = pytest.mark.parametrize("solver", ["newton", "ascent"])

# --- parameters ---------------------------------------------------------------------------------

NO_NUMBER = [np.nan, -np.inf, "something", [1.0], 1j, True, False, None]
NOT_POSITIVE = [0, 0.0, -1.0, *NO_NUMBER]
NO_BOOL = ["yes", None, 2, 0.0]
BAD = {
    "C": NOT_POSITIVE,
    "loss": ["something", "squared", "hard", 1, None],
    "tol": [0, 1, -0.1, 1.5, np.inf, *NO_NUMBER],
    "fit_intercept": NO_BOOL,
    "rho": [np.inf, *[value for value in NOT_POSITIVE if value is not None]],
    "solver": ["something", "liblinear", 1, None],
    "class_weight": ["something", 1.0, [1.0, 2.0]],
    "n_jobs": [1.5, "something", np.nan, True],
    "warm_start": NO_BOOL,
    "max_iter": [0, -1, 1.5, np.nan, np.inf, "something", None, True],
    "random_state": [-1, 1.5, "something", True],
    "verbose": [-1, 1.5, "something"],
}


def test_every_parameter_has_values_that_are_refused():
    assert BAD.keys() == MODEL.get_params().keys()
    good = LargeMarginClassifier(random_state=0).fit(X, Y)
    for name, values in BAD.items():
        message = rf"The '{name}' parameter of LargeMarginClassifier must be .* Got .* instead"
        for value in values:
            model = LargeMarginClassifier(**{name: value})
            assert_refused(model, f"(?s){message}", good=good)


def test_numbers_that_are_no_floats():
    assert_refused(LargeMarginClassifier(C=10**400), "The 'C' parameter .* in the range of floats")
    assert_refused(LargeMarginClassifier(n_jobs=0), "n_jobs == 0")


def test_newton_for_too_many_features_says_who_can():
    rows = sparse.csr_array(([1.0, -1.0], ([0, 1], [0, 10**6 - 1])), shape=(2, 10**6))
    model = LargeMarginClassifier(solver="newton")
    message = (
        r"solver='newton' keeps .* 7451 GiB each for 1000001 of them\. solver='ascent' needs none"
    )
    assert_refused(model, message, rows, [0, 1])
    for solver in ("ascent", "auto"):
        model = LargeMarginClassifier(solver=solver, random_state=0).fit(rows, [0, 1])
        assert model.solver_ == "ascent" and model.certificate_.gap <= model.tol


@pytest.mark.parametrize("C", [1e-200, 1e-155, 1e155, 1e308])
def test_costs_out_of_all_proportion(C):
    radius = np.sqrt((X**2).sum(axis=1).max())
    message = re.escape(f"C={C:g} (with the weights) is out of all proportion to the data, whose ")
    assert_refused(LargeMarginClassifier(C), f"{message}.*{radius:.6g}. Scale the data")
    assert_refused(MODEL, "C=1 .* out of all proportion to the data", X * 1e100)


@each_solver
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("C", [1e-140, 1e-30, 1e10, 1e140])
def test_extreme_costs_are_never_silently_wrong(C, loss, solver):
    model = LargeMarginClassifier(C, loss=loss, solver=solver, max_iter=100, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, Y)
    model.certificate_.verify(X, Y)
    assert (model.certificate_.gap <= model.tol) == (caught == [])


# --- weights ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.append(np.ones(23), -1e-9), "Negative values in data passed to `sample_weight`"),
        (np.zeros(24), "Sample weights must contain at least one non-zero number"),
        (np.ones(23), r"sample_weight.shape == \(23,\), expected \(24,\)"),
        (np.ones((24, 2)), "Sample weights must be 1D array or scalar"),
        (np.append(np.ones(23), np.nan), "Input sample_weight contains NaN"),
        (np.append(np.ones(23), np.inf), "Input sample_weight contains infinity"),
        (np.append(np.ones(23), 1e300), "C=1 .with the weights. is out of all proportion"),
        (["a"] * 24, "could not convert string to float: 'a'"),
    ],
)
def test_sample_weights_that_are_none(weight, message):
    assert_refused(MODEL, message, X, Y, weight)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({0: -1.0}, "class_weight has a weight that is negative or not finite"),
        ({0: np.nan}, "class_weight has a weight that is negative or not finite"),
        ({0: np.inf}, "class_weight has a weight that is negative or not finite"),
        ({5: 1.0}, r"The classes, \[0, 1\], are not in class_weight"),
        ({0: 0.0, 1: 0.0}, "The product of sample_weight and class_weight is zero for every row"),
        ({0: 0.0}, "at least 2 classes in y, with positive weights.*only one class: 1"),
    ],
)
def test_class_weights_that_are_none(class_weight, message):
    assert_refused(LargeMarginClassifier(class_weight=class_weight), message)


def test_one_class_alone():
    for labels, weight in ((np.ones(24, int), None), (Y, Y), (Y, (Y == 1) * 0.5)):
        message = "at least 2 classes in y, with positive weights, but .* only one class: 1"
        assert_refused(MODEL, message, X, labels, weight)
    assert_refused(MODEL, "only one class: 'a'", X, THREE, THREE == "a")


# --- data ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(kind, value):
    rows = X.copy()
    rows[3, 1] = value
    assert_refused(MODEL, "Input X contains (NaN|infinity)", kind(rows))
    weight = np.ones(24)
    weight[3] = 0.0
    assert_refused(MODEL, "Input X contains (NaN|infinity)", kind(rows), Y, weight)


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (np.empty((0, 3)), [], r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        (np.empty((24, 0)), Y, r"0 feature\(s\) \(shape=\(24, 0\)\)"),
        (X, Y[:-1], r"inconsistent numbers of samples: \[24, 23\]"),
        (X[:, 0], Y, "Expected 2D array, got 1D array"),
        (X.astype(complex), Y, "Complex data not supported"),
        (X, np.where(Y == 1, np.nan, 0.0), "Input y contains NaN"),
        (X, Y + 0.5, "Unknown label type: continuous"),
        (X, np.column_stack([Y, Y]), "y should be a 1d array"),
        (X, None, "requires y to be passed"),
        (X * 1e305, Y, "out of all proportion|too long"),
        (sparse.coo_array(X[:, 0]), Y, r"rows and columns, got a sparse array of shape \(24,\)"),
    ],
)
def test_data_that_are_no_problem_to_learn(rows, labels, message):
    assert_refused(MODEL, message, rows, labels)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("indices", 5, 3), "has the column index 3, out of range for 3"),
        (("indices", 5, -1), "has the column index -1, out of range for 3"),
        (("indptr", 3, 10**6), "X.indptr of the sparse X is not a non-decreasing sequence"),
    ],
)
def test_sparse_matrices_that_do_not_fit_together(change, message):
    rows, (name, place, value) = sparse.csr_array(X), change
    array = getattr(rows, name).copy()
    array[place] = value
    setattr(rows, name, array)
    assert_refused(MODEL, re.escape(message), rows)


def reference(solver):
    return LargeMarginClassifier(solver=solver, random_state=0).fit(*OVERLAPPING)


LAYOUTS = {
    "Fortran order": np.asfortranarray,
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "the other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "list": lambda X: X.tolist(),
    "objects": lambda X: X.astype(object),
}
SPARSE = {
    "csr_matrix": sparse.csr_matrix,
    "csr_matrix of int64": of_long_indices(sparse.csr_matrix),
    "csr_array of int64": of_long_indices(sparse.csr_array),
    "csc_array": sparse.csc_array,
    "coo_array": sparse.coo_array,
    "lil_array": sparse.lil_array,
}


@each_solver
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_the_same_numbers_give_the_same_model(layout, solver):
    rows, y = OVERLAPPING
    model = LargeMarginClassifier(solver=solver, random_state=0).fit(LAYOUTS[layout](rows), y)
    np.testing.assert_array_equal(model.coef_, reference(solver).coef_)
    model.certificate_.verify(np.asarray(rows), y)


@each_solver
@pytest.mark.parametrize("layout", SPARSE)
def test_kinds_of_sparse_matrices_give_the_same_model(layout, solver):
    rows, y = OVERLAPPING
    expected = LargeMarginClassifier(solver=solver, random_state=0).fit(sparse.csr_array(rows), y)
    matrix = SPARSE[layout](rows)
    model = LargeMarginClassifier(solver=solver, random_state=0).fit(matrix, y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.predict(matrix), expected.predict(rows))
    model.certificate_.verify(matrix, y)


@each_solver
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, bool])
def test_kinds_of_numbers(dtype, kind, solver):
    rows = kind((np.abs(OVERLAPPING[0]) * 2.0).astype(dtype))
    model = LargeMarginClassifier(solver=solver, random_state=0).fit(rows, OVERLAPPING[1])
    same = LargeMarginClassifier(solver=solver, tol=1e-6, random_state=0)
    same.fit(rows.astype(np.float64), OVERLAPPING[1])
    assert model.certificate_.gap <= model.tol
    assert model.certificate_.lower <= same.certificate_.upper
    assert same.certificate_.lower <= model.certificate_.upper
    model.certificate_.verify(rows, OVERLAPPING[1])


@each_solver
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_read_only_memory_maps(dtype, solver, tmp_path):
    rows, y = OVERLAPPING
    np.save(tmp_path / "rows.npy", rows.astype(dtype))
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert not mapped.flags.writeable
    model = LargeMarginClassifier(solver=solver, random_state=0).fit(mapped, y)
    expected = LargeMarginClassifier(solver=solver, random_state=0).fit(rows.astype(dtype), y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    model.certificate_.verify(mapped, y)


@each_solver
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_nothing_that_was_given_is_changed(kind, solver):
    rows, y, weight = kind(OVERLAPPING[0]), OVERLAPPING[1].copy(), np.arange(60.0)
    before = rows.copy()
    LargeMarginClassifier(solver=solver, random_state=0).fit(rows, y, weight)
    assert abs(rows - before).max() == 0.0
    np.testing.assert_array_equal(y, OVERLAPPING[1])
    np.testing.assert_array_equal(weight, np.arange(60.0))


# --- warnings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("solver", "max_iter", "advice"),
    [
        ("auto", 1, "Raise max_iter."),
        ("newton", 1, "Raise max_iter."),
        ("ascent", 1, 'Use solver="auto".'),
        ("ascent", 1000, 'Use solver="auto".'),
    ],
)
def test_a_fit_cut_short_states_the_gap_and_what_to_change(solver, max_iter, advice):
    model = LargeMarginClassifier(C=1e6, solver=solver, max_iter=max_iter, tol=1e-5, random_state=0)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(*OVERLAPPING)
    certificate = model.certificate_
    assert [str(warning.message) for warning in caught] == [
        f"LargeMarginClassifier was stopped by max_iter={max_iter} iterations at a certified gap "
        f"of {certificate.gap:.3g}, more than tol=1e-05: its margin is at least "
        f"{certificate.lower:.6g}, and no hyperplane has more than {certificate.upper:.6g}. "
        f"{advice}"
    ]
    assert certificate.gap > 1e-5
    certificate.verify(*OVERLAPPING)


def test_of_classes_that_are_cut_short_the_farthest_is_warned_of():
    rows, labels = OVERLAPPING[0], np.arange(60) % 3
    model = LargeMarginClassifier(solver="ascent", max_iter=1, tol=1e-5, random_state=0)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(rows, labels)
    label = int(np.argmax([certificate.gap for certificate in model.certificates_]))
    [warning] = caught
    expected = f"LargeMarginClassifier for class {label} against the others was stopped by"
    assert str(warning.message).startswith(expected)
    assert str(warning.message).endswith(' Use solver="auto". (The farthest of 3 such classes.)')
    assert warning.filename == __file__


XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([-1, -1, 1, 1])
CONFLICT = np.vstack([X, X[:1]]), np.append(Y, 1 - Y[0])


@each_solver
@pytest.mark.parametrize(
    ("rows", "labels"), [XOR, CONFLICT, OVERLAPPING], ids=["XOR", "conflict", "overlapping"]
)
@pytest.mark.parametrize("rho", [None, 2.0])
def test_a_hard_margin_of_what_provably_has_none(rows, labels, rho, solver):
    model = LargeMarginClassifier(np.inf, rho=rho, solver=solver, random_state=0)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(rows, labels)
    assert len(caught) == 1
    assert re.fullmatch(
        r"LargeMarginClassifier: it is proven that no hyperplane separates the data, so there is "
        r"no hard margin; none can be larger than \S+\. Use a finite C\.",
        str(caught[0].message),
    )
    assert model.certificate_.separable is False
    model.certificate_.verify(rows, labels)


def test_no_warning_for_conflicts_in_a_soft_margin():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for solver in ("newton", "ascent"):
            model = LargeMarginClassifier(solver=solver, random_state=0).fit(*CONFLICT)
            model.certificate_.verify(*CONFLICT)
