"""One intrinsic: ask the processor for a cache line before it is needed.

Visiting rows in random order is bound by memory latency, not by arithmetic; a prefetch a few
rows ahead makes it nearly as fast as visiting them in order. This module is the only place
that knows about LLVM; without a compiler the function does nothing.
"""

from __future__ import annotations

from typing import Any

import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["prefetch"]


def _nothing(array: Any, index: Any) -> None:
    """Stand in for the intrinsic where the loops run as plain Python."""


@intrinsic
def _prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    from llvmlite import ir

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_type, index_type = signature.args
        view = context.make_array(array_type)(context, builder, arguments[0])
        position = context.cast(builder, arguments[1], index_type, types.intp)
        # No wrap-around test and no bounds: the hint never faults, whatever the address.
        address = cgutils.get_item_pointer(
            context, builder, array_type, view, [position], wraparound=False
        )
        byte_pointer, int32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte_pointer, int32, int32, int32]),
            "llvm.prefetch.p0i8",
        )
        read, keep_close, data = int32(0), int32(3), int32(1)
        builder.call(function, [builder.bitcast(address, byte_pointer), read, keep_close, data])
        return context.get_dummy_value()

    return types.void(array, index), codegen


prefetch = _nothing if numba.config.DISABLE_JIT else _prefetch
