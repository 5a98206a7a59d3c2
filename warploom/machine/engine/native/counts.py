"""The words of call_counts.py in native code: read and written where they lie.

Not hardware.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from warploom.machine.engine.words import WORDS

NUMBER = ir.IntType(64)


def _place(builder: Any, index: Any) -> Any:
    address = builder.add(NUMBER(WORDS.ctypes.data), builder.mul(index, NUMBER(WORDS.itemsize)))
    return builder.inttoptr(address, NUMBER.as_pointer())


@cache
def word() -> Any:
    """The native form of `word`."""

    @intrinsic
    def read(typing_context: Any, index: Any) -> Any:
        return types.int64(types.int64), lambda context, builder, signature, given: builder.load(_place(builder, given[0]))

    return read


@cache
def set_word() -> Any:
    """The native form of `set_word`."""

    @intrinsic
    def write(typing_context: Any, index: Any, value: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            builder.store(given[1], _place(builder, given[0]))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), code

    return write
