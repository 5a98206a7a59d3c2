"""Comparators: many words compared at once, as hardware does with a comparator for each.

In hardware: the tags of a set, the entries of a queue, the lanes of a warp are compared side by side, and a tree of what was found gives
a mask, the least, or the place of the first. Natively each of these is a few vector instructions of the host, which LLVM does not find
in a loop; the plain-Python form says what they compute.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from warploom.machine.engine.unit import native_twin

PLACES = 16  # numbers that are compared at once
MATCHED = 32  # ... by `matching`


@native_twin("warploom.machine.engine.comparators:native_exceeding")
def exceeding(row: Any, less: Any, limit: Any) -> Any:
    """The mask of the places in which `row` less `less`, two rows of PLACES signed 64-bit numbers, is more than a limit."""
    return np.uint64(sum(1 << place for place in range(PLACES) if row[place] - less[place] > limit))


def native_exceeding() -> Any:
    """The native form: all comparisons at once, as the comparators of hardware."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def compared(typing_context: Any, row: Any, less: Any, limit: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            rows = zip(signature.args[:2], arguments[:2], strict=True)
            first, second = (_row_of(context, builder, kind, array, ir.Constant(ir.IntType(64), 0), PLACES) for kind, array in rows)
            more = builder.icmp_signed(">", builder.sub(first, second), _spread(builder, arguments[2], PLACES))
            return builder.zext(builder.bitcast(more, ir.IntType(PLACES)), ir.IntType(64))

        return types.uint64(row, less, types.int64), code

    return compared


@native_twin("warploom.machine.engine.comparators:native_not_after")
def not_after(times: Any, first: Any, now: Any) -> Any:
    """The mask of the places in which PLACES signed 64-bit numbers of a table, from index `first` on, are at most `now`."""
    return np.uint64(sum(1 << place for place in range(PLACES) if times[first + place] <= now))


def native_not_after() -> Any:
    """The native form: all comparisons at once."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def compared(typing_context: Any, times: Any, first: Any, now: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            row = _row_of(context, builder, signature.args[0], arguments[0], arguments[1], PLACES)
            reached = builder.icmp_signed("<=", row, _spread(builder, arguments[2], PLACES))
            return builder.zext(builder.bitcast(reached, ir.IntType(PLACES)), ir.IntType(64))

        return types.uint64(times, types.int64, types.int64), code

    return compared


@native_twin("warploom.machine.engine.comparators:native_extremes")
def extremes(row: Any, more: Any, chosen: Any) -> Any:
    """(smallest, largest, OR) of PLACES unsigned 32-bit numbers, those for which `chosen` has all ones; of none (2**32 - 1, 0, 0).

    The numbers are those of `row`, and `more` to each, modulo 2**32. `chosen` is a row too, with 0 in all other places.
    """
    there = [(int(row[place]) + int(more)) & 0xFFFFFFFF for place in range(PLACES) if chosen[place] != 0]
    return np.int64(min(there, default=0xFFFFFFFF)), np.int64(max(there, default=0)), np.int64(functools.reduce(operator.or_, there, 0))


def native_extremes() -> Any:
    """The native form: in four steps of eight, four, two comparisons and one, as a tree of comparators."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    word = ir.IntType(64)

    @intrinsic
    def reduced(typing_context: Any, row: Any, more: Any, chosen: Any) -> Any:
        answer = types.UniTuple(types.int64, 3)

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            rows = zip(signature.args[::2], arguments[::2], strict=True)
            values, mask = (_row_of(context, builder, kind, array, ir.Constant(word, 0), PLACES) for kind, array in rows)
            values = builder.add(values, _spread(builder, arguments[1], PLACES))
            there = builder.and_(values, mask)
            found = []
            for name, vector in (("umin", builder.or_(values, builder.not_(mask))), ("umax", there), ("or", there)):
                found.append(builder.zext(_reduced(builder, name, vector), word))
            return context.make_tuple(builder, answer, found)

        return answer(row, types.uint32, chosen), code

    return reduced


@native_twin("warploom.machine.engine.comparators:native_matching")
def matching(table: Any, first: Any, wanted: Any) -> Any:
    """The mask of the places in which MATCHED words of a table of 32 bits, from index `first` on, are the one that is wanted."""
    return np.uint64(sum(1 << place for place in range(MATCHED) if table[first + place] == wanted))


def native_matching() -> Any:
    """The native form: all comparisons at once."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def matched(typing_context: Any, table: Any, first: Any, wanted: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            row = _row_of(context, builder, signature.args[0], arguments[0], arguments[1], MATCHED)
            same = builder.icmp_unsigned("==", row, _spread(builder, arguments[2], MATCHED))
            return builder.zext(builder.bitcast(same, ir.IntType(MATCHED)), ir.IntType(64))

        return types.uint64(table, types.int64, types.uint32), code

    return matched


@native_twin("warploom.machine.engine.comparators:native_least")
def least(table: Any, first: Any, count: Any) -> Any:
    """Which of `count` words of a table of 32 bits without signs, from index `first` on, is the least, from 0; of several the lowest.

    There are 1 to PLACES of them; the table goes on for PLACES, whatever lies there.
    """
    return np.int64(min(range(count), key=lambda place: table[first + place]))


def native_least() -> Any:
    """The native form: a tree of comparators finds the least, and as many as there are words find whose it is."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    word, mask = ir.IntType(32), ir.IntType(PLACES)
    words = ir.VectorType(word, PLACES)

    @intrinsic
    def least_of(typing_context: Any, table: Any, first: Any, count: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            row = _row_of(context, builder, signature.args[0], arguments[0], arguments[1], PLACES)
            places = ir.Constant(words, list(range(PLACES)))
            counted = builder.icmp_unsigned("<", places, _spread(builder, arguments[2], PLACES))
            row = builder.select(counted, row, ir.Constant(words, [0xFFFFFFFF] * PLACES))
            same = builder.icmp_unsigned("==", row, _spread(builder, _reduced(builder, "umin", row), PLACES))
            found = builder.zext(builder.bitcast(same, mask), ir.IntType(64))
            return builder.cttz(found, ir.Constant(ir.IntType(1), 1))

        return types.int64(table, types.int64, types.uint32), code

    return least_of


def _row_of(context: Any, builder: Any, kind: Any, table: Any, first: Any, count: int) -> Any:
    """`count` words of a table, from index `first` on, as a vector."""
    from llvmlite import ir
    from numba.np.arrayobj import make_array

    place = builder.gep(make_array(kind)(context, builder, table).data, [first])
    words = ir.VectorType(place.type.pointee, count)
    return builder.load(builder.bitcast(place, words.as_pointer()), align=kind.dtype.bitwidth // 8)


def _spread(builder: Any, value: Any, count: int) -> Any:
    """A vector of a value, `count` times."""
    from llvmlite import ir

    words = ir.Constant(ir.VectorType(value.type, count), ir.Undefined)
    words = builder.insert_element(words, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(words, words, ir.Constant(ir.VectorType(ir.IntType(32), count), None))


def _reduced(builder: Any, name: str, vector: Any) -> Any:
    """What a tree of comparators or gates makes of a vector: "umin", "umax", "or"."""
    from llvmlite import ir
    from numba.core.cgutils import get_or_insert_function

    number, count = vector.type.element, vector.type.count
    kind = ir.FunctionType(number, [vector.type])
    return builder.call(get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.{name}.v{count}i{number.width}"), [vector])
