"""What holds while units are translated and Numba does not know: rules of units, and shortcuts that they allow.

Not hardware. Each rule is a function of Numba's and what stands in its place, with the reason. A user's own functions are
compiled as Numba would.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest import mock

from llvmlite import ir as ir_lowered
from numba.core import base, callconv, cgutils, event, interpreter, ir, transforms, types
from numba.core.base import BaseContext
from numba.core.dispatcher import _DispatcherBase
from numba.core.postproc import PostProcessor
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction
from numba.core.types.misc import unliteral
from numba.core.types.npytypes import Record
from numba.np import arrayobj

from warploom.machine.engine.native.library import UnitCompiler

_find_call_type = BaseFunction.get_call_type
_call_template = _DispatcherBase.get_call_template
_refresh = BaseContext.refresh
_size = BaseContext.get_abi_sizeof
_text_of_record = Record.__repr__

# ---- rules of units: the code is better for them


def _plain_index(context: Any, builder: Any, kind: Any, index: Any, _size: Any) -> Any:
    """An index as it stands: none is negative. Numba's own form of it counts such a one from the end, which takes three instructions."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


def _plain_slot(builder: Any, kind: Any, size: Any = None, name: str = "", zfill: bool = False) -> Any:
    """A place on the stack: nothing reads one before it is written. Numba's own is filled with zeros whenever its function is entered."""
    with builder.goto_entry_block():
        place = builder.alloca(kind, size=size, name=name)
    if zfill:
        builder.store(kind(None), place)
    return place


def _plain_status(_self: Any, builder: Any, code: Any, excinfoptr: Any) -> Any:
    """What a call returns beside its result: 0, or the number of an exception. Numba's own form has one more number, for `Optional`."""
    is_error = builder.icmp_signed("!=", code, callconv.RETCODE_OK)
    return callconv.Status(
        code=code,
        is_ok=builder.not_(is_error),
        is_error=is_error,
        is_python_exc=builder.icmp_signed("==", code, callconv.RETCODE_EXC),
        is_none=ir_lowered.Constant(ir_lowered.IntType(1), 0),
        is_user_exc=builder.icmp_signed(">=", code, callconv.RETCODE_USEREXC),
        is_stop_iteration=builder.icmp_signed("==", code, callconv.RETCODE_STOPIT),
        excinfoptr=excinfoptr,
    )


# ---- shortcuts: the code is the same without them, and takes twice as long to compile


def _wide_template(self: Any, args: Any, kws: Any) -> Any:
    """A unit's form for these arguments: one for all constants and all widths of signed numbers, since they compute alike."""
    if issubclass(self._compiler.pipeline_class, UnitCompiler):
        args = [unliteral(kind) for kind in args]
        args = [types.int64 if kind in types.signed_domain else kind for kind in args]
    return _call_template(self, args, kws)


def _remembered_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """What an operation gives for these types, found out once: Numba tries all forms of `&` at every `&`."""
    known = self.__dict__.setdefault("_call_types", {})
    key = (tuple(args), tuple(sorted(kws.items())))
    if key not in known:
        known[key] = _find_call_type(self, context, args, kws)
    return known[key]


def _hash_of_options(self: Any) -> int:
    """Of the options that are set: Numba hashes all seventy, thousands of times."""
    return hash(tuple(sorted((name, str(value)) for name, value in self._values.items())))


def _variables(_self: Any, value: Any) -> list[Any]:
    """The variables in a part of an instruction, as Numba finds them, the commonest kinds of part first."""
    kind = type(value)
    if kind is ir.Var:
        return [value]
    if kind is str or kind is int or kind is ir.Loc or value is None:
        return []
    if isinstance(value, ir.Inst):
        return list(value.list_vars())
    if isinstance(value, list | tuple):
        return [found for part in value for found in _variables(None, part)]
    if isinstance(value, dict):
        return [found for part in value.values() for found in _variables(None, part)]
    return []


def _no_lifetimes(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """How long a variable lives matters only where references are counted."""
    self.func_ir.blocks = transforms.canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.generator_info = None


def _no_exits(func_ir: Any) -> Any:
    """Numba looks for what `with` leaves behind in every statement. A unit has none."""
    return func_ir


def _refresh_what_is_new(self: Any) -> None:
    """Take in what has been registered since, if there is anything: Numba looks for it several times a unit, in thirty lists."""
    count = sum(len(entries) for context in (self, self.typing_context) for entries in _registered(context))
    if self.__dict__.get("_registered_count") != count:
        _refresh(self)
        self._registered_count = sum(len(entries) for context in (self, self.typing_context) for entries in _registered(context))


def _remembered_size(self: Any, kind: Any) -> int:
    """Bytes of a type, found out once: Numba has LLVM read a module for each question."""
    known = self.__dict__.setdefault("_sizes", {})
    if kind not in known:
        known[kind] = _size(self, kind)
    return known[kind]


def _remembered_text(self: Any) -> str:
    """A record's type as text, written once: Numba puts it into every error, and tries forms until one makes none."""
    if "_text" not in self.__dict__:
        self._text = _text_of_record(self)
    return self._text


def _registered(context: Any) -> Iterator[list[Any]]:
    """The lists of what each registry of a context holds."""
    for registry, loader in context._registries.items():
        for name in loader.registry_items:
            yield getattr(registry, name)


def _no_event(kind: str, data: Any = None, exc_details: Any = None) -> None:
    """Numba reports every call of LLVM to those that measure it: here nobody does."""


RULES = (
    (arrayobj, "fix_integer_index", _plain_index),
    (cgutils, "alloca_once", _plain_slot),
    (callconv.CPUCallConv, "_get_return_status", _plain_status),
    (_DispatcherBase, "get_call_template", _wide_template),
    (BaseFunction, "get_call_type", _remembered_call_type),
    (TargetConfig, "__hash__", _hash_of_options),
    (base, "_has_loc", cache(base._has_loc)),  # Numba reads the signature of an implementation whenever it is used
    (BaseContext, "refresh", _refresh_what_is_new),
    (BaseContext, "get_abi_sizeof", _remembered_size),
    (Record, "__repr__", _remembered_text),
    (interpreter, "peep_hole_delete_with_exit", _no_exits),
    (ir.Inst, "_rec_list_vars", _variables),
    (PostProcessor, "run", _no_lifetimes),
    (event, "start_event", _no_event),
    (event, "end_event", _no_event),
)


@contextlib.contextmanager
def rules_of_units() -> Iterator[None]:
    """What holds while units are translated."""
    with contextlib.ExitStack() as rules:
        for owner, name, rule in RULES:
            rules.enter_context(mock.patch.object(owner, name, rule))
        yield
