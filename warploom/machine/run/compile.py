"""Compiling a machine: its native pieces, made by several processes at the same time.

Not hardware. An entry, and each function that is handed to one by pointer, is a piece of its own. Pieces serve all machines, a family of
them, or one (engine/native/fitting.py): a machine takes those for itself where they lie in the cache, else those of its family.
"""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from warploom.isa.host.children import ISOLATED
from warploom.isa.host.collector import no_collector
from warploom.isa.host.user_cache import make_directory
from warploom.machine.engine.native.cache import cache_directory, forget_old_caches, forget_old_fits, has_fits
from warploom.machine.engine.native.fitting import fit_to, fitted_arguments
from warploom.machine.engine.native.loader import Native, native
from warploom.machine.engine.native.piece import ANY, Bundle, Fit, Hook, entry_hook, is_ours
from warploom.machine.engine.swaps import reached
from warploom.machine.run.probe import probed
from warploom.machine.run.runnable import Notice, Runnable


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
        plain, arguments = machine.entry, machine.arguments(native=False)
        if machine.probes or machine.swaps:
            plain, arguments = probed(plain, arguments, machine.probes, lambda: machine.cycle, machine.swaps)
        return lambda limit: plain(*arguments, limit)
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


def _compile(machine: Runnable, form: Form, notice: Notice | None) -> None:
    """Fill the cache with a form of a machine, unless it is there."""
    code = native()
    code.declare_units(form.arguments)
    if form.is_compiled:
        return
    code.compile_users(form.arguments, form.pieces)  # first: a mistake in one is said before the machine is compiled
    if notice is not None:
        what = "native code for this machine" if form.fit.is_of_one else "the native engine"
        notice(f"compiling {what}, once; about {machine.compile_seconds:.0f} s")
    if code.untrusted:
        warnings.warn(f"{code.untrusted}; what is compiled now lasts as long as this process", NativeCacheWarning, stacklevel=1)
    else:
        forget_old_caches()
    _compile_pieces(machine, code, form, notice or (lambda text: None))


MOST_PROCESSES = 4  # the longest piece is a quarter of the work
LONGEST_FIRST = ("execute", "access", "control", "step", "sampler", "load_store", "memory_system")
_HELPER = """import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from warploom.machine.run.compile import help_to_compile
help_to_compile()"""


def _compile_pieces(machine: Runnable, code: Native, form: Form, notice: Notice) -> None:
    """Fill the cache with the pieces of a machine. Each process compiles the longest piece that nobody has claimed.

    What the others have left in the end, because they were stopped or were at work for somebody else, is compiled here.
    """
    pieces = form.pieces
    helpers = [] if code.untrusted else _helpers(machine, form)

    def tell(doing: str) -> None:
        """What is compiled, and how far it is."""
        if len(pieces) > 1:
            notice(f"compiled {sum(map(code.is_compiled, pieces))} of {len(pieces)} pieces; {doing}")

    def make(piece: Hook) -> None:
        tell(f"now {piece.function.__name__.replace('_', ' ')}")
        code.pointer(piece)

    with no_collector():
        for piece in pieces:
            if code.is_compiled(piece):
                continue
            if not helpers or _claim(code.file_name(piece)):
                make(piece)
        for helper in helpers:
            if helper.poll() is None:
                tell("the rest is being compiled by other processes")
            if status := helper.wait():
                notice(f"a process that helped to compile has ended with status {status}; its part is compiled here")
        for piece in pieces:
            if not code.is_compiled(piece):
                make(piece)


def _helpers(machine: Runnable, form: Form) -> list[subprocess.Popen[bytes]]:
    """Start other processes that compile; none where that is not possible."""
    helpers: list[subprocess.Popen[bytes]] = []
    try:
        order = pickle.dumps((type(machine), machine.config, machine.program, machine.stand_ins(), form.fit))
        shutil.rmtree(_claims(), ignore_errors=True)
        make_directory(_claims())
        for _ in range(min(os.cpu_count() or 1, len(form.pieces), MOST_PROCESSES) - 1):
            helper = subprocess.Popen(
                [sys.executable, *ISOLATED, "-c", _HELPER], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            helpers.append(helper)
            assert helper.stdin is not None
            with helper.stdin:
                helper.stdin.write(pickle.dumps(sys.path) + order)
    except (OSError, AttributeError, TypeError, pickle.PicklingError):
        pass
    return helpers


def help_to_compile() -> None:
    """What another process does: build the same machine, and compile those pieces of the same form that nobody has claimed."""
    kind, config, program, units, fit = pickle.load(sys.stdin.buffer)
    machine = kind(config, program, **units)
    form = _form_for(machine, machine.arguments(native=True), fit)
    code = native()
    code.declare_units(form.arguments)
    with no_collector():
        for piece in form.pieces:
            if _claim(code.file_name(piece)):
                code.pointer(piece)


def _pieces(machine: Runnable, arguments: tuple[Any, ...], fit: Fit = ANY) -> list[Hook]:
    """What is compiled for a machine once for all its runs, the longest first. A user's own function is not among them."""
    found = {}
    for units in arguments:
        if isinstance(units, Bundle) and not units.layout:
            hooks = {name: hook for name, hook in units.members().items() if hook is not None and is_ours(hook.function)}
            found = {name: hooks[name] for name in sorted(hooks, key=lambda name: (*LONGEST_FIRST, name).index(name))}
    return [*found.values(), entry_hook(machine.entry, (*arguments, 0), reached(machine.entry, machine.swaps), fit)]


def _claims() -> Path:
    return cache_directory() / "claims"


def _claim(name: str) -> bool:
    """Whether this process is the one that compiles a piece: the first to create a file of its name."""
    try:
        (_claims() / name).open("x").close()
    except OSError:
        return False
    return True
