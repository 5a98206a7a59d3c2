"""Plugs and sockets: how a user's function becomes native code that other code calls by a symbol.

Not hardware. A user's function is compiled by Numba's own rules, with Python's division and with checked indices, inside a *plug* that
examines its result. What goes wrong in it leaves native code as Numba's exceptions do, as a pointer to a description; `mistake_of` makes
a sentence of that. The code that calls it is compiled with a *socket*, a call of a symbol that is resolved when the code is loaded.
"""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from warploom.machine.engine.native.piece import Plug
from warploom.machine.engine.users import DIVISION, UnitError, WrongResult, in_words, place, shown_file, unit_name

OUTSIDE = "index is out of bounds"  # Numba's whole message
UNNAMED = "a unit"  # a function whose `def` Numba does not find: without a name it would forget the line too
STRICT = {"error_model": "python", "boundscheck": True}  # a user's mistake is the same in both engines


class _Description(ctypes.Structure):
    """What Numba's calling convention says of an exception: `excinfo_t` of numba/core/callconv.py."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_int32),
        ("hash", ctypes.c_void_p),
        ("unwrap", ctypes.c_void_p),
        ("arguments", ctypes.c_int32),
    )


class Mailbox:
    """Where native code leaves which user's function is at work and what it returned, since its exceptions carry constants only."""

    def __init__(self) -> None:
        self._words = np.zeros(5, np.int64)
        self._plugs: list[Plug] = []

    def number(self, plug: Plug) -> int:
        """The number of a plug, by which it is named in the mailbox."""
        self._plugs.append(plug)
        return len(self._plugs) - 1

    def address(self, word: int) -> int:
        """Where the number of the function is (0), its result (1), or an index that is too large, the size and the axis (2, 3, 4)."""
        return int(self._words.ctypes.data) + 8 * word

    def mistake_of(self, description: int | None) -> UnitError | None:
        """The sentence for what has gone wrong in native code; None where it was not a user's function. description: see `_Description`."""
        if not description or not self._plugs:
            return None
        found = _Description.from_address(description)
        kind, arguments, where = pickle.loads(ctypes.string_at(found.data, found.size))
        socket = self._plugs[int(self._words[0])].socket
        here = f"{shown_file(where[1])}:{where[2]}" if where and where[2] > 0 else place(socket.function)
        if issubclass(kind, WrongResult):
            return UnitError(f"{place(socket.function)}: {unit_name(socket.function)} {socket.refusal(int(self._words[1]))}")
        if issubclass(kind, ZeroDivisionError):
            return UnitError(f"{here}: {DIVISION}")
        if issubclass(kind, IndexError) and arguments == (OUTSIDE,):
            return UnitError(f"{here}: {self._index_error()}")
        return UnitError(f"{here}: {in_words(kind(*(arguments or ())))}")

    def _index_error(self) -> str:
        """NumPy's words for an index outside of an array."""
        index, size, axis = map(int, self._words[2:5])
        index -= size if index < 0 else 0  # a negative index counts from the end, which has been added already
        return f"IndexError: index {index} is out of bounds for axis {axis} with size {size}"


def plug_function(plug: Plug, users: Any, accepts: Any, wrong: Any, begin: Any, mailbox: Mailbox) -> Callable[..., Any]:
    """What is compiled for a user's function: it, and what examines its result, or what it has done. users, ...: Numba's dispatchers.

    begin: what is called before it; None for nothing.
    """
    names = ", ".join(f"a{number}" for number in range(len(plug.socket.kinds[plug.number][1])))
    lines = [
        f"def plug({names}):",
        "    set_word(CURRENT, NUMBER)",
        *(["    begin()"] if begin is not None else []),
        f"    result = users({names})",
    ]
    if accepts is not None:
        lines += [f"    if not accepts(result, {names}):", "        set_word(RESULT, result)", "        raise WrongResult"]
    if wrong is not None:
        lines += [f"    found = wrong({names})", "    if found != 0:", "        set_word(RESULT, found)", "        raise WrongResult"]
    if plug.socket.kinds[plug.number][0] is not None:
        lines.append("    return result")
    known = {"users": users, "accepts": accepts, "wrong": wrong, "begin": begin, "set_word": _setter(), "WrongResult": WrongResult}
    known |= {"CURRENT": mailbox.address(0), "RESULT": mailbox.address(1), "NUMBER": mailbox.number(plug)}
    exec("\n".join(lines), known)  # one text for any number of arguments: natively a call takes no `*arguments` of different types
    function: Callable[..., Any] = known["plug"]
    return function


@contextlib.contextmanager
def exceptions_in_full(mailbox: Mailbox) -> Iterator[None]:
    """Numba says the line of a `raise`, and not of a division or of an index: here of those too. Of an index the mailbox has the number."""
    from unittest import mock

    from llvmlite import ir
    from numba.core import cgutils
    from numba.core.callconv import CPUCallConv
    from numba.core.lowering import Lower

    lower, describe = Lower.lower_inst, CPUCallConv.set_static_user_exc
    at: list[Any] = [None]

    def lower_inst(self: Any, statement: Any) -> Any:
        at[0] = statement.loc
        return lower(self, statement)

    def set_static_user_exc(self: Any, builder: Any, exc: Any, exc_args: Any = None, loc: Any = None, func_name: Any = None) -> Any:
        return describe(self, builder, exc, exc_args, loc or at[0], func_name or UNNAMED)

    check_bounds = cgutils.do_boundscheck

    def do_boundscheck(context: Any, builder: Any, index: Any, size: Any, axis: Any = None) -> None:
        number = ir.IntType(64)
        outside = builder.or_(builder.icmp_signed("<", index, index.type(0)), builder.icmp_signed(">=", index, size))
        with cgutils.if_unlikely(builder, outside):
            for word, value in enumerate((index, size, axis if isinstance(axis, ir.Value) else number(axis or 0)), 2):
                builder.store(value, builder.inttoptr(number(mailbox.address(word)), number.as_pointer()))
        check_bounds(context, builder, index, size, axis)

    with (
        mock.patch.object(Lower, "lower_inst", lower_inst),
        mock.patch.object(CPUCallConv, "set_static_user_exc", set_static_user_exc),
        mock.patch.object(cgutils, "do_boundscheck", do_boundscheck),
    ):
        yield


def _setter() -> Any:
    """`set_word(address, value)`: write a number to a place in memory."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def set_word(typing_context: Any, address: Any, value: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.store(arguments[1], builder.inttoptr(arguments[0], ir.IntType(64).as_pointer()))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), code

    return set_word


def socket_call(symbol: Callable[[int], str], signatures: list[Any]) -> Any:
    """A function for Numba that calls a symbol: the one whose arguments have the types of the call. signatures: Numba's, by number."""
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    def fits(given: Any, asked: Any) -> bool:
        if isinstance(asked, types.Array):
            return isinstance(given, types.Array) and given.dtype == asked.dtype
        return bool(given == asked) if isinstance(asked, types.Record) else isinstance(given, types.Number)

    def call(typing_context: Any, *given: Any) -> Any:
        for number, signature in enumerate(signatures):
            if all(fits(one, other) for one, other in zip(given, signature.args, strict=True)):
                return signature, _code_for(number)
        return None

    def _code_for(number: int) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = context.call_conv.get_function_type(signature.return_type, signature.args)
            function = cgutils.get_or_insert_function(builder.module, kind, symbol(number))
            status, result = context.call_conv.call_function(builder, function, signature.return_type, signature.args, arguments)
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return result

        return code

    count = len(signatures[0].args)
    names = ["typing_context", *(f"a{number}" for number in range(count))]
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return intrinsic(call)
