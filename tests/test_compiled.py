"""Loops are compiled once per rule and kept on disk, never stale, and run without a compiler."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import textwrap
import types
from typing import NamedTuple

import numba
import numpy as np
import pytest

from maxmargin import loops
from maxmargin.compiled import compile_loop, fingerprint
from maxmargin.rows import DenseRows
from maxmargin.rules import FixedMargin, Rule, StandardMargin

FIT = """
    import warnings
    import numba
    from sklearn.datasets import load_iris
    from maxmargin import Perceptron

    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            model = Perceptron(shuffle=False).fit(X, y == 0)
    print(model.n_updates_)
    print([str(w.message) for w in caught])
"""


def run(code, **environment):
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def cache_files(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*.nb?")}


def test_a_second_process_finds_the_compiled_code(tmp_path):
    first = run(FIT, NUMBA_CACHE_DIR=str(tmp_path))
    files = cache_files(tmp_path)
    assert any("one_by_one.StandardMargin.DenseRows" in path.name for path in files)
    assert run(FIT, NUMBA_CACHE_DIR=str(tmp_path)) == first == ["31", "[]"]
    assert cache_files(tmp_path) == files


def test_without_a_compiler_the_result_is_the_same():
    assert run(FIT, NUMBA_DISABLE_JIT="1") == ["31", "[]"]


def test_without_a_cache_folder_it_compiles_and_warns_once():
    refuse = """
        from numba.core import caching

        def nowhere(self, *arguments, **keywords):
            raise RuntimeError(f"cannot cache function {arguments}: no locator available")

        caching.CacheImpl.__init__ = nowhere
    """
    updates, messages = run(textwrap.dedent(refuse) + textwrap.dedent(FIT))
    assert updates == "31"
    assert messages.count("Compiled code cannot be kept on disk") == 1
    assert "NUMBA_CACHE_DIR" in messages


SMALL_DISK = """
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # files can be made, but not written to
"""
ROOM_FOR_THE_INDEX = """
    from numba.core import caching

    def full(*arguments):
        raise OSError(28, "No space left on device")

    caching.IndexDataCacheFile._save_data = full
"""


@pytest.mark.parametrize("disk", [SMALL_DISK, ROOM_FOR_THE_INDEX], ids=["full", "almost full"])
def test_on_a_full_disk_it_compiles_and_warns_once(disk, tmp_path):
    if disk is SMALL_DISK:
        pytest.importorskip("resource")
    code = textwrap.dedent(disk) + textwrap.dedent(FIT)
    updates, messages = run(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert updates == "31"
    assert messages.startswith("['Compiled code cannot be kept on disk")
    assert messages.count("NUMBA_CACHE_DIR") == 1 and "', '" not in messages
    # What is left behind does no harm once there is room.
    assert run(FIT, NUMBA_CACHE_DIR=str(tmp_path)) == ["31", "[]"]
    files = cache_files(tmp_path)
    assert run(FIT, NUMBA_CACHE_DIR=str(tmp_path)) == ["31", "[]"]
    assert cache_files(tmp_path) == files


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_files_of_the_cache_are_replaced(suffix, tmp_path):
    first = run(FIT, NUMBA_CACHE_DIR=str(tmp_path))
    damages = itertools.cycle(
        [lambda kept: b"", lambda kept: kept[: len(kept) // 2], lambda kept: bytes(len(kept))]
    )
    for path, damage in zip(sorted(tmp_path.rglob(f"*{suffix}")), damages, strict=False):
        path.write_bytes(damage(path.read_bytes()))
    updates, messages = run(FIT, NUMBA_CACHE_DIR=str(tmp_path))
    assert updates == "31"
    assert messages.startswith("['Compiled code on disk cannot be read") and "', '" not in messages
    assert run(FIT, NUMBA_CACHE_DIR=str(tmp_path)) == first == ["31", "[]"]


def test_loops_are_called_without_a_detour():
    assert isinstance(compile_loop(loops.lengths, DenseRows), numba.core.dispatcher.Dispatcher)


class Half(Rule, NamedTuple("_Parameters", [("margin", float)])):
    __slots__ = ()

    def threshold(self, now):
        return 0.5


def changed(method, old, new):
    """Return a rule like Half with one constant of one method replaced."""
    code = method.__code__
    constants = tuple(new if constant == old else constant for constant in code.co_consts)
    copy = types.FunctionType(
        code.replace(co_consts=constants), method.__globals__, method.__name__
    )
    copy.__qualname__ = method.__qualname__
    return type("Half", Half.__bases__, {"__slots__": (), method.__name__: copy})


def test_an_edited_rule_has_another_fingerprint():
    original = fingerprint(loops.one_by_one, Half, DenseRows)
    assert len(original) == 12
    assert original == fingerprint(loops.one_by_one, Half, DenseRows)
    assert original == fingerprint(loops.one_by_one, changed(Half.threshold, 0.5, 0.5), DenseRows)
    # the bytecode is the same, only the constant differs
    assert original != fingerprint(loops.one_by_one, changed(Half.threshold, 0.5, 0.25), DenseRows)
    assert original != fingerprint(loops.one_by_one, StandardMargin, DenseRows)
    assert original != fingerprint(loops.worst_first, Half, DenseRows)


def test_an_edited_helper_has_another_fingerprint(monkeypatch):
    original = fingerprint(loops.one_by_one, FixedMargin, DenseRows)
    monkeypatch.setattr(loops, "_AHEAD", np.uint64(4))
    assert original != fingerprint(loops.one_by_one, FixedMargin, DenseRows)
    monkeypatch.undo()
    monkeypatch.setattr(loops, "prefetch", lambda array, index: None)
    assert original != fingerprint(loops.one_by_one, FixedMargin, DenseRows)


def test_importing_is_lazy():
    code = """
        import sys
        import maxmargin
        print("numba" in sys.modules, "sklearn" in sys.modules, "numpy" in sys.modules)
        maxmargin.theory
        print("numba" in sys.modules, "sklearn" in sys.modules)
    """
    assert run(code) == ["False False False", "False False"]


@pytest.mark.parametrize("rule", [StandardMargin(0.5), FixedMargin(0.5)])
def test_rules_are_their_own_reference(rule):
    now = loops.State(scale=1.0, square=4.0, mass=3.0, updates=2.0, slack=0.0, anchor=0.0)
    expected = 0.5 if isinstance(rule, StandardMargin) else 1.0
    assert rule.threshold(now) == expected
    assert rule.violates(expected, expected) and not rule.violates(expected + 1e-9, expected)
