"""Compiles functions and the units that they reach into machine code, with Numba.

Not hardware. How units are translated is in library.py and rules.py, their types in types.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from types import CellType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba import types

from warploom.isa.host.collector import no_collector
from warploom.machine.engine.call_counts import begin_call, begins_calls
from warploom.machine.engine.loop_bound import bounded
from warploom.machine.engine.native import types as native_types
from warploom.machine.engine.native.library import (
    EntryCompiler,
    LanewiseCompiler,
    OutOfLineCompiler,
    PlugCompiler,
    UnitCompiler,
    UsersCompiler,
)
from warploom.machine.engine.native.piece import ANY, Array, Bundle, Fit, Hook, Piece, Plug, is_ours
from warploom.machine.engine.native.plug import STRICT, Mailbox, exceptions_in_full, plug_function, socket_call
from warploom.machine.engine.native.refusals import not_compiled, returned_kind
from warploom.machine.engine.native.rules import rules_of_units
from warploom.machine.engine.swaps import Socket, Swaps
from warploom.machine.engine.users import UnitError, line_of_print, place, unit_name

# Without `_nrt` Numba counts no references to arrays: a call that passes ten arrays on would cost more than a warp
# instruction. The caller of an entry owns all arrays; a unit allocates none and returns none.
OPTIONS = {"error_model": "numpy", "nogil": True, "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class Compiler:
    """Makes pieces. It keeps what it knows of units from one to the next.

    swaps: what stands in the place of which units. fit: which machines they are for.
    """

    def __init__(self, swaps: Swaps = (), fit: Fit = ANY) -> None:
        self._swaps = dict(swaps)
        self._settings = fit.by_kind()
        self._globals: dict[str, dict[str, Any]] = {}
        self._dispatchers: dict[Any, Any] = {}
        self._types: dict[Any, Any] = {}
        self._bundles: set[type[Bundle]] = set()

    def compile(self, hook: Hook, bundles: Iterable[Bundle]) -> Piece:
        """The machine code of a hook. bundles: what it, or a unit that it reaches, may be handed: their hooks too."""
        for bundle in bundles:
            self._describe(bundle)
        function = self._instead_of(hook.function)
        signature: Any = tuple(self._type(kind) for kind in hook.arguments)
        if hook.returns is not ...:
            signature = self._type(hook.returns)(*signature)
        with no_collector(), rules_of_units():
            dispatcher = self._dispatcher_of(function, pipeline_class=EntryCompiler)
            dispatcher.compile(signature)  # has no effect where it is compiled already
        (compiled,) = dispatcher.overloads.values()
        result = types.unliteral(compiled.signature.return_type)
        returns = "" if result is types.none else np.dtype(str(result) if result is not types.boolean else bool).str
        return Piece(compiled.fndesc.llvm_func_name, returns, compiled.library._get_compiled_object())

    def compile_plug(self, plug: Plug, mailbox: Mailbox) -> Piece:
        """The machine code of a user's function for one of its socket's kinds. Raises UnitError."""
        socket = plug.socket
        returns, arguments = socket.kinds[plug.number]
        socket.check()
        self._forget_users()
        kinds = tuple(self._type(kind) for kind in arguments)
        function = bounded(socket.function, answers=returns is not None)
        users = self._dispatcher_of(function, pipeline_class=UsersCompiler, **STRICT)
        begin = self._unit(begin_call) if begins_calls(function) else None
        accepts, wrong = (asked and self._dispatcher_of(asked, pipeline_class=UsersCompiler) for asked in (socket.accepts, socket.wrong))
        with no_collector(), exceptions_in_full(mailbox):
            self._check_users(socket.function, users, kinds, returns is not None)
            plugged = plug_function(plug, users, accepts, wrong, begin, mailbox)
            dispatcher = numba.njit(**{**OPTIONS, **STRICT, "pipeline_class": PlugCompiler})(plugged)
            try:
                dispatcher.compile(self._type(returns)(*kinds))
            except Exception as error:  # as there
                raise not_compiled(socket.function, error) from error
        (compiled,) = dispatcher.overloads.values()
        return Piece(compiled.fndesc.llvm_func_name, "", compiled.library._get_compiled_object())

    def _check_users(self, function: Callable[..., Any], dispatcher: Any, kinds: tuple[Any, ...], returns: bool) -> None:
        """Raises UnitError where a user's function cannot be compiled, or returns no whole number where one is wanted."""
        if line := line_of_print(function):  # Numba would print through the interpreter, for which native code does not wait
            raise UnitError(
                f"{place(function, line)}: {unit_name(function)} prints, which native code cannot; add --engine python to see it"
            )
        try:
            result = dispatcher.get_call_template(kinds, {})[0].cases[0].return_type
        except Exception as error:  # Numba's own errors, and what its parts raise before they notice
            raise not_compiled(function, error) from error
        result = types.unliteral(result)
        if returns and not isinstance(result, types.Integer):
            given = f"returns {returned_kind(str(result))}"
            raise UnitError(f"{place(function)}: {unit_name(function)} {given}; the result is a whole number")

    def _instead_of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function that is compiled for a unit: its native form, or what stands in its place."""
        while function in self._swaps:
            instead = self._swaps[function]
            assert not isinstance(instead, Socket)
            function = instead
        return native_form(function)

    def _type(self, kind: Any) -> Any:
        """The Numba type of a kind of argument."""
        if kind is None:
            return types.void
        if isinstance(kind, type) and issubclass(kind, Bundle):
            if kind not in self._bundles:
                self._describe(kind())
            return native_types.Bundle(kind.__name__)
        if isinstance(kind, Hook):
            return types.FunctionType(self._type(kind.returns)(*(self._type(argument) for argument in kind.arguments)))
        if kind not in self._types:
            if isinstance(kind, Array):
                element = self._type(kind.dtype)
                made = types.Array(element, kind.dimensions, kind.order, readonly=not kind.writeable, aligned=kind.aligned)
            else:
                made = native_types.record_type(kind, self._settings) if kind.names else numba.from_dtype(kind)
            self._types[kind] = made
        return self._types[kind]

    def _describe(self, bundle: Bundle) -> None:
        """Say what a bundle holds."""
        self._bundles.add(type(bundle))
        members = {}
        for number, (name, member) in enumerate(bundle.members().items()):
            if name in bundle.layout:
                kind, columns = bundle.layout[name]
                array = self._type(Array(np.dtype(kind), 2 if columns else 1))
                members[name] = native_types.Member(array, 2 * number, columns)
            elif member is not None:
                members[name] = native_types.Member(self._type(member), 2 * number)
        native_types.describe(type(bundle).__name__, members)

    def _dispatcher_of(self, function: Callable[..., Any], **options: Any) -> Any:
        """Numba's compiler for a function."""
        linked = self._linked(sys.modules[function.__module__])
        closure = tuple(CellType(self._linked_value(cell.cell_contents)) for cell in function.__closure__ or ())
        twin = FunctionType(function.__code__, linked, function.__name__, None, closure)
        twin.__qualname__, twin.__module__ = function.__qualname__, function.__module__
        return numba.njit(**{**OPTIONS, **options})(twin)

    def _linked(self, module: ModuleType) -> dict[str, Any]:
        """A copy of a module's globals in which every unit is its native form."""
        name = module.__name__
        if name not in self._globals:
            linked = self._globals[name] = dict(module.__dict__)
            for key, value in module.__dict__.items():
                linked[key] = self._linked_value(value)
        return self._globals[name]

    def _linked_value(self, value: Any) -> Any:
        """What a name stands for: of a unit its native form."""
        return self._unit(value) if type(value) is FunctionType and hasattr(value, "__warploom_unit__") else value

    def _forget_users(self) -> None:
        """Names of a user's modules are looked up anew for each function: in a notebook they change from one to the next."""
        for name in [name for name in self._globals if not name.startswith("warploom.")]:
            del self._globals[name]
        for function in [known for known in self._dispatchers if not is_ours(known)]:
            del self._dispatchers[function]

    def _unit(self, function: Callable[..., Any]) -> Any:
        socket = self._swaps.get(function)
        if isinstance(socket, Socket):
            if socket not in self._dispatchers:
                signatures = [self._type(returns)(*map(self._type, arguments)) for returns, arguments in socket.kinds]
                self._dispatchers[socket] = socket_call(lambda number: Plug(socket, number).symbol, signatures)
            return self._dispatchers[socket]
        function = self._instead_of(function)
        factory = getattr(function, "__warploom_native__", None)
        self._linked(sys.modules[function.__module__])  # first: it may reach this very function
        if function not in self._dispatchers:
            if factory is not None:
                module, name = factory.split(":")
                self._dispatchers[function] = getattr(import_module(module), name)()
            else:
                inside = hasattr(function, "__warploom_inlined__")
                kinds = {"__warploom_out_of_line__": OutOfLineCompiler, "__warploom_lanewise__": LanewiseCompiler}
                compiler = next((kind for mark, kind in kinds.items() if hasattr(function, mark)), UnitCompiler)
                options = (
                    {"forceinline": inside, "pipeline_class": compiler}
                    if is_ours(function)
                    else {**STRICT, "pipeline_class": UsersCompiler}
                )
                self._dispatchers[function] = self._dispatcher_of(function, **options)
        return self._dispatchers[function]


def native_form(function: Callable[..., Any]) -> Callable[..., Any]:
    """The unit that stands for another one natively, or the function itself where there is none."""
    twin = getattr(function, "__warploom_native__", None)
    return twin if callable(twin) else function
