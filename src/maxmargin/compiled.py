"""Compile a loop once for each combination of types it runs on, and keep it on disk.

The loops of this package are ordinary Python: they call methods of named tuples (a rule, the
rows of a data matrix), and run uncompiled too. :func:`compile_loop` hands them to Numba, which
resolves ``rule.threshold(now)`` to the method of that very class and inlines it.

Numba's disk cache looks at the file of the loop alone. A rule edited in another file would
silently run in its old form, so every compiled loop carries a *fingerprint* of all the code
it can reach in its name, and with it in the name of its cache file.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numba
from numba.core import types as numba_types
from numba.core.caching import FunctionCache
from numba.core.datamodel import default_manager
from numba.core.datamodel.models import TupleModel
from numba.extending import overload_method, typeof_impl

from maxmargin import __version__

__all__ = ["FLAGS", "INLINED", "Compilable", "compile_loop", "fingerprint"]

#: ``nnan`` and ``ninf`` are left out on purpose: they would break tests for NaN and infinity;
#: ``arcp`` too: x / x must be 1.
FLAGS: dict[str, Any] = {
    "fastmath": {"reassoc", "contract", "nsz"},
    "nogil": True,
    "error_model": "numpy",
}
#: For helpers: LLVM alone would call the longer ones, passing each array in seven parts.
INLINED = {"forceinline": True}
_LOCK = threading.Lock()
_WARNED: set[str] = set()
_NOT_READ = "Compiled code on disk cannot be read; it is replaced by code compiled anew."
_NOT_KEPT = (
    "Compiled code cannot be kept on disk, so every process compiles it anew. Set NUMBA_CACHE_DIR "
    "to a folder that can be written to."
)


class Record(numba_types.NamedTuple):  # type: ignore[name-defined]
    """Numba's type of a :class:`Compilable`; a type of our own leaves other tuples alone."""


default_manager.register(Record, TupleModel)


class Compilable:
    """A named tuple whose methods may be called from compiled loops.

    Deriving from this class makes every public method visible to Numba; the methods stay
    plain Python and can be read, tested and stepped through as such.
    """

    __slots__ = ()
    #: Whether loops over it must round each operation as written, so that sums are no vectors.
    exact_arithmetic = False

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for name, member in vars(cls).items():
            if inspect.isfunction(member) and not name.startswith("_"):
                _expose(name, tuple(inspect.signature(member).parameters))


@typeof_impl.register(Compilable)
def _typeof(record: Any, context: Any) -> Record:
    return Record([typeof_impl(value, context) for value in record], type(record))


@functools.cache
def _expose(name: str, parameters: tuple[str, ...]) -> None:
    """Let Numba find the method ``name`` on the class of any :class:`Compilable`.

    Methods of one name have the same parameters in every class, or Numba refuses the second.
    """

    def resolve(record: Any, *arguments: Any) -> Any:
        return getattr(record.instance_class, name, None)

    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    resolve.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(parameter, positional) for parameter in parameters]
    )
    overload_method(Record, name, strict=False, jit_options=INLINED)(resolve)


def compile_loop(loop: Callable[..., Any], *record_types: type[Compilable]) -> Callable[..., Any]:
    """Return ``loop`` compiled for arguments of the given record types, cached on disk.

    Parameters
    ----------
    loop : function
        A module-level function.
    *record_types : type
        The :class:`Compilable` classes among its arguments.

    Returns
    -------
    callable
        A Numba dispatcher, or ``loop`` itself under ``NUMBA_DISABLE_JIT=1``.
    """
    if numba.config.DISABLE_JIT:
        return loop
    with _LOCK:  # or threads that arrive together would all compile
        return _dispatcher(loop, record_types)


@functools.cache
def _dispatcher(loop: Any, record_types: Any) -> Callable[..., Any]:
    copy = types.FunctionType(loop.__code__, loop.__globals__, loop.__name__)
    copy.__module__ = loop.__module__
    names = [loop.__name__, *(cls.__name__ for cls in record_types)]
    copy.__qualname__ = ".".join([*names, fingerprint(loop, *record_types)])
    dispatcher = numba.njit(**_flags(record_types))(copy)
    try:
        dispatcher._cache = _Cache(copy)  # what cache=True does, with Numba's own
    except (RuntimeError, OSError) as error:  # no folder that Numba may write to
        _warn_once(_NOT_KEPT, error)
    return dispatcher


class _Cache(FunctionCache):
    """Numba's cache on disk, as something that a loop does without if it fails.

    Asked once for each combination of types, so that calls cost nothing more.
    """

    def load_overload(self, *request: Any) -> Any:
        """Return the compiled code that is asked for, None to have it compiled."""
        with self._dispensable(_NOT_READ):
            return super().load_overload(*request)

    def save_overload(self, *result: Any) -> None:
        """Keep compiled code if that is possible."""
        with self._dispensable(_NOT_KEPT):
            super().save_overload(*result)

    @contextlib.contextmanager
    def _dispensable(self, trouble: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # a full disk; from half a pickle, anything
            with contextlib.suppress(OSError):
                self.flush()  # or the next process would meet the same file again
            _warn_once(trouble, error)


def _flags(record_types: tuple[type[Compilable], ...]) -> dict[str, Any]:
    if not any(cls.exact_arithmetic for cls in record_types):
        return FLAGS
    return {**FLAGS, "fastmath": FLAGS["fastmath"] - {"reassoc", "contract"}}


def _warn_once(trouble: str, error: Exception) -> None:
    if trouble in _WARNED:
        return
    _WARNED.add(trouble)
    reason = f"{type(error).__name__}: {error}"
    warnings.warn(f"{trouble} ({reason})", RuntimeWarning, stacklevel=2)


def fingerprint(loop: Callable[..., Any], *record_types: type[Compilable]) -> str:
    """Return 12 hex digits that change whenever the code behind a compiled loop does.

    Bytecode, constants and names of the loop, of every method of the record types, and of
    every helper of this package they refer to, however indirectly; the compiler flags and the
    version of the package too.
    """
    flags = {**_flags(record_types), **INLINED}
    digest = hashlib.sha256(__version__.encode())
    digest.update("".join(f"{k}={_stable(v)}" for k, v in flags.items()).encode())
    seen: set[Any] = set()
    for function in [loop, *_methods(record_types)]:
        for part in _parts(function, seen):
            digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:12]


def _methods(record_types: tuple[type, ...]) -> Iterator[Callable[..., Any]]:
    for record_type in record_types:
        for cls in record_type.__mro__:
            if issubclass(cls, Compilable):
                yield from (m for m in vars(cls).values() if inspect.isfunction(m))


def _parts(function: Any, seen: set[Any]) -> Iterator[str]:
    """Yield what identifies a function and everything it refers to."""
    function = _python(function)
    if function in seen:
        return
    seen.add(function)
    yield function.__qualname__
    yield repr(function.__defaults__)
    codes = [function.__code__]
    for code in codes:
        yield code.co_code.hex()
        yield repr(code.co_names + code.co_varnames)
        for constant in code.co_consts:
            if inspect.iscode(constant):
                codes.append(constant)
            else:
                yield _stable(constant)
        for name in code.co_names:
            yield from _global_parts(name, function.__globals__, seen)


def _python(function: Any) -> Any:
    """Return the Python function behind what Numba made of it: compiled code or an intrinsic."""
    return getattr(function, "py_func", getattr(function, "_defn", function))


def _stable(value: Any) -> str:
    """Return a text that does not depend on the hash seed of the process, as that of sets does."""
    return repr(sorted(value)) if isinstance(value, set | frozenset) else repr(value)


def _global_parts(name: str, namespace: dict[str, Any], seen: set[Any]) -> Iterator[str]:
    if name not in namespace:  # an attribute, a method or a builtin
        return
    value = namespace[name]
    if callable(value) and hasattr(_python(value), "__code__"):
        yield from _parts(value, seen)
    elif not inspect.ismodule(value):
        yield f"{name}={value!r}"
