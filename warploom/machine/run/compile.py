"""Compiling a machine: which native pieces it has, and the entry that a run calls. How they are made, by several processes: helpers.py.

Not hardware. An entry, and each function that is handed to one by pointer, is a piece of its own. Pieces serve all machines, a family of
them, or one (engine/native/fitting.py): a machine takes those for itself where they lie in the cache, else those of its family.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from warploom.isa.host.collector import no_collector
from warploom.machine.engine.native.cache import forget_old_caches, forget_old_fits, has_fits
from warploom.machine.engine.native.fitting import fit_to, fitted_arguments
from warploom.machine.engine.native.loader import native
from warploom.machine.engine.native.piece import ANY, Bundle, Fit, Hook, entry_hook, is_ours
from warploom.machine.engine.swaps import reached
from warploom.machine.run.helpers import Beside, Order, Report, compile_if_free, compile_pieces
from warploom.machine.run.plain import plain_call
from warploom.machine.run.runnable import Notice, Runnable

HELPER = "from warploom.machine.run.compile import help_to_compile\nhelp_to_compile()"  # what other processes run


class NativeCacheWarning(UserWarning):
    """Native code is compiled and not kept, because somebody else could change what is kept. Said once a process."""


class Form(NamedTuple):
    """A native form of a machine: the arguments of its entry, and its pieces, the longest first. fit: which machines it is for."""

    arguments: tuple[Any, ...]
    pieces: list[Hook]
    fit: Fit = ANY

    @property
    def is_compiled(self) -> bool:
        """Whether all of it lies in the cache."""
        return all(native().is_compiled(piece) for piece in self.pieces)


def is_compiled(machine: Runnable) -> bool:
    """Whether a native form of a machine lies in the on-disk cache, so that a run may start natively in a fraction of a second."""
    return not machine.probes and _best_form(machine).is_compiled


def is_fitted(machine: Runnable) -> bool:
    """Whether a run of this machine takes code that is fitted to it."""
    return not machine.probes and _best_form(machine).fit.is_of_one


def compile_native(machine: Runnable, notice: Notice | None = None) -> None:
    """Fill the on-disk cache with the native form of a machine, the one for all machines or for those of its family."""
    _compile(machine, _form(machine), notice)


def compile_fitted(machine: Runnable, notice: Notice | None = None) -> None:
    """Fill the on-disk cache with native code for this machine, which later runs of it take, also over other data.

    Raises ValueError for one that writes events down, since that may change from one cycle to the next.
    """
    if machine.tracing:
        raise ValueError("a traced run takes no code for one machine: fit one that is not traced")
    form, code = _fitted_form(machine), native()
    if not code.untrusted:
        forget_old_fits()
    _compile(machine, form, notice)
    for piece in form.pieces:  # one that is damaged is compiled again
        code.pointer(piece)


def entry_call(machine: Runnable, engine: str, notice: Notice | None = None, *, fitted: bool = True) -> Callable[[int], int]:
    """The entry with all arguments but the limit in place. engine: "python" or "native". fitted: code for this machine alone is
    taken where it lies ready.

    Raises ValueError for a probe of a unit that the machine does not reach, and for a native run with probes.
    """
    if engine == "python":
        return plain_call(machine)
    if machine.probes:
        raise ValueError("probes listen to plain Python: run it with engine='python'")
    form, code = _best_form(machine) if fitted else _form(machine), native()
    _compile(machine, form, notice)
    entry = code.entry(machine.entry, (*form.arguments, 0), reached(machine.entry, machine.swaps), form.fit)
    placed = tuple(code.place(argument) for argument in form.arguments)
    return lambda limit: entry(*placed, limit)


def _best_form(machine: Runnable) -> Form:
    """The form that a run takes: the fitted one where it lies ready, else that of the machine's family, else that for all machines."""
    arguments = machine.arguments(native=True)
    settings = fit_to(arguments)
    if not machine.tracing and has_fits():
        fitted = _form_for(machine, arguments, settings)
        if fitted.is_compiled:
            return fitted
    return _form_for(machine, arguments, _family(machine, settings))


def _form(machine: Runnable) -> Form:
    """The form for the machine's family, or for all machines."""
    arguments = machine.arguments(native=True)
    return _form_for(machine, arguments, _family(machine, fit_to(arguments)))


def _family(machine: Runnable, settings: Fit) -> Fit:
    """What is known of the machine's family, or of all machines."""
    return next((family for family in machine.families if family.covers(settings)), ANY)


def _fitted_form(machine: Runnable) -> Form:
    """The form for this machine alone."""
    arguments = machine.arguments(native=True)
    return _form_for(machine, arguments, fit_to(arguments))


def _form_for(machine: Runnable, arguments: tuple[Any, ...], fit: Fit) -> Form:
    arguments = fitted_arguments(arguments, fit)
    return Form(arguments, _pieces(machine, arguments, fit), fit)


def compile_beside(machine: Runnable, notice: Notice | None = None) -> Beside:
    """Have other processes compile the native form of a machine while it runs on in plain Python.

    Raises UnitError for a mistake in a user's function. Where other processes are of no use, the answer has ended already, and whoever
    asks for the native entry compiles it.
    """
    form, code = _form(machine), native()
    code.declare_units(form.arguments)
    code.compile_users(form.arguments, form.pieces)  # first: a mistake in one is said before the machine is compiled
    if not code.untrusted:
        forget_old_caches()
    order = Order(machine, form.fit, HELPER)
    return Beside(code, form.pieces, order, Report(code, form.pieces, machine.compile_seconds, notice, beside=True))


def _compile(machine: Runnable, form: Form, notice: Notice | None) -> None:
    """Fill the cache with a form of a machine, unless it is there."""
    code = native()
    code.declare_units(form.arguments)
    if form.is_compiled:
        return
    code.compile_users(form.arguments, form.pieces)  # first: a mistake in one is said before the machine is compiled
    report = Report(code, form.pieces, machine.compile_seconds, notice)
    report.begin("native code for this machine" if form.fit.is_of_one else "the native engine")
    if code.untrusted:
        warnings.warn(f"{code.untrusted}; what is compiled now lasts as long as this process", NativeCacheWarning, stacklevel=1)
    else:
        forget_old_caches()
    compile_pieces(code, form.pieces, Order(machine, form.fit, HELPER), report)


def help_to_compile() -> None:
    """What another process does: build the same machine, and compile those pieces of the same form that nobody is compiling."""
    kind, config, program, units, fit = pickle.load(sys.stdin.buffer)
    machine = kind(config, program, **units)
    form = _form_for(machine, machine.arguments(native=True), fit)
    code = native()
    code.declare_units(form.arguments)
    with no_collector():
        for piece in form.pieces:
            compile_if_free(code, piece)


LONGEST_FIRST = ("execute", "access", "control", "step", "sampler", "load_store", "memory_system")


def _pieces(machine: Runnable, arguments: tuple[Any, ...], fit: Fit = ANY) -> list[Hook]:
    """What is compiled for a machine once for all its runs, the longest first. A user's own function is not among them."""
    found = {}
    for units in arguments:
        if isinstance(units, Bundle) and not units.layout:
            hooks = {name: hook for name, hook in units.members().items() if hook is not None and is_ours(hook.function)}
            found = {name: hooks[name] for name in sorted(hooks, key=lambda name: (*LONGEST_FIRST, name).index(name))}
    return [*found.values(), entry_hook(machine.entry, (*arguments, 0), reached(machine.entry, machine.swaps), fit)]
