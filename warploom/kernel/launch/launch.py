"""Launches: `kernel[grid, block, stream, shared](...)`.

The arguments' kinds choose a compiled program, or have it compiled. Arrays of the host are copied to the device's memory and, when
the kernel has ended, back; arrays of the device stay. Then the program gets its scalars, the places of its arrays, and its grid,
and runs.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import update_wrapper
from typing import Any

import numpy as np

from warploom.gpu import GPU
from warploom.isa.diagnostics import render_all
from warploom.kernel.device.arrays import DeviceArray
from warploom.kernel.device.context import CURRENT, NVIDIA, Context
from warploom.kernel.device.host import KernelWarning
from warploom.kernel.launch.arguments import Prepared, check_count, check_dates, extents, host_of, kind_of_argument, with_defaults
from warploom.kernel.launch.compile import Built, build
from warploom.kernel.launch.declared import as_declared, chosen, kinds_of_declared, result_of
from warploom.kernel.launch.inspecting import Inspected, types_of
from warploom.kernel.launch.listing import listing
from warploom.kernel.launch.signature import kind_of
from warploom.kernel.syntax.frozen import Frozen
from warploom.result import Result

__all__ = ["Checked", "Idle", "Kernel", "KernelError", "KernelWarning", "Launchable", "Overloads", "Prepared", "extents"]


class KernelError(RuntimeError):
    """A kernel stopped with a fault. result: of the run. ended: the exit status of a program that went on and ended by itself."""

    def __init__(self, message: str, result: Result, ended: int | None = None) -> None:
        super().__init__(message)
        self.result, self.ended = result, ended


class Overloads(Mapping[Any, "Overloads"]):
    """`kernel.overloads[signature]`: the same for every signature, because kernels are compiled for the arguments of a launch.

    Its keys are the signatures that the kernel was launched with.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def __getitem__(self, signature: Any) -> Overloads:
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(self._signatures())

    def __len__(self) -> int:
        return len(self._signatures())

    def _signatures(self) -> list[Any]:
        return list(self.kernel.get_regs_per_thread()) if self.kernel.programs else []

    def max_cooperative_grid_blocks(self, blockdim: Any) -> int:
        """Blocks that the machine's warp slots hold at the same time."""
        config = self.kernel.context.gpu.config
        warps = -(-int(np.prod(extents(blockdim, "block"))) // config.core.lanes)
        return int(config.gpu.cores * (config.core.warps // warps))


class Launchable:
    """A kernel with a grid: call it with its arguments."""

    def __init__(self, kernel: Kernel, grid: Any, block: Any, shared: int) -> None:
        self.kernel, self.grid, self.block, self.shared = kernel, extents(grid, "grid"), extents(block, "block"), shared

    def __call__(self, *args: Any, **named: Any) -> None:
        """Launch it, and wait until it has ended. Raises TypeError for arguments by name, which a launch does not take."""
        if named:
            raise TypeError(f"{self.kernel.__name__}: a launch takes its arguments by position: give {next(iter(named))} without its name")
        self.kernel.launch(self.grid, self.block, self.shared, args)


class Idle(Launchable):
    """A launch without threads."""

    def __call__(self, *args: Any, **named: Any) -> None:
        """Nothing is launched."""


class Kernel(Inspected):
    """A kernel, or a function for kernels (`device`). result: of its last launch. kept: what that keeps, as options of `Device.run`."""

    def __init__(
        self, function: Callable[..., Any], *, device: bool = False, context: Context | None = None, kept: Mapping[str, bool] | None = None,
        **options: Any,
    ) -> None:  # fmt: skip
        update_wrapper(self, function)
        self.py_func, self.device, self.options, self._context, self._kept = function, device, options, context, dict(kept or {})
        self.result: Result | None = None
        self.compile_seconds = 0.0
        self.programs: dict[Any, Built] = {}
        self.launches: list[Result] = []
        self.without_checks: dict[Any, Built] = {}

    def __getitem__(self, configuration: Any) -> Launchable:
        """`kernel[grid, block, stream, shared]`."""
        given = configuration if isinstance(configuration, tuple) else (configuration,)
        if not 2 <= len(given) <= 4:
            raise ValueError("a launch has a grid and a block: kernel[blocks, threads](...)")
        return self.configure(*given)

    def configure(self, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0) -> Launchable:
        """The same as brackets."""
        if self.device:
            raise TypeError(f"{self.py_func.__name__} is a function for kernels (device=True): it cannot be launched")
        return Launchable(self, griddim, blockdim, int(sharedmem))

    def forall(self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0) -> Launchable:
        """As many blocks as so many threads need; for none nothing is launched. Raises ValueError for fewer than none."""
        if ntasks < 0:
            raise ValueError(f"forall({ntasks}): a number of threads is not negative")
        block = tpb or 128
        found = self.configure(max(-(-ntasks // block), 1), block, stream, sharedmem)
        return found if ntasks else Idle(self, 1, block, 0)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """A function for kernels runs as Python; a kernel needs a grid."""
        if self.device:
            return self.py_func(*args, **named)
        raise ValueError(f"{self.py_func.__name__} is a kernel: say its grid, as {self.py_func.__name__}[blocks, threads](...)")

    def on(self, gpu: Any = None, *, tracing: bool | None = None, recording: bool | None = None) -> Kernel:
        """The same kernel on a GPU, or on a preset's. Arrays of the host only: a device array lies in the memory of one GPU.

        Without a GPU it stays where it is. tracing, recording: `result` keeps what pictures and the explorer show, as for `GPU.run`;
        None: where this kernel's does.
        """
        context = self._context if gpu is None else Context(gpu if isinstance(gpu, GPU) else GPU(gpu))
        asked = {"tracing": tracing, "recording": recording}
        kept = self._kept | {name: wanted for name, wanted in asked.items() if wanted is not None}
        return Kernel(self.py_func, device=self.device, context=context, kept=kept, **self.options)

    @property
    def context(self) -> Context:
        """The GPU that it runs on."""
        return self._context or CURRENT.context

    @property
    def overloads(self) -> Overloads:
        """By signature what programs ask of a compiled kernel."""
        return Overloads(self)

    # ---- programs

    @property
    def frozen(self) -> Frozen | None:
        """What names meant where it was decorated; None without a signature."""
        return self.options.get("frozen")

    def compile_declared(self) -> None:
        """Compile it for its signatures, as far as their types are known here: for what that finds, and to fix what names mean.

        Raises SourceError for its mistakes, TypeError for a signature that it cannot have.
        """
        for kinds in kinds_of_declared(self.py_func, self.options["signature"], device=self.device):
            if kinds is not None and not self.device:
                build(self.py_func, kinds, self.options)
        if self.device and self.frozen is not None:
            self.frozen.look_up(self.py_func)

    def declared_types(self, kinds: Sequence[Any]) -> tuple[list[Any], Any] | None:
        """Of a function for kernels the types of its arguments and of its result, by its signatures; None where it has none.

        kinds: of the arguments, `signature.kind_of`. Raises ArgumentError where no signature takes them.
        """
        signature = self.options.get("signature")
        wanted = chosen(self.py_func.__name__, signature, kinds) if signature is not None else None
        return None if wanted is None else (wanted, result_of(signature, wanted))

    def built(self, args: Sequence[Any], *, printing: bool = False, check: bool = False) -> Built:
        """The program for arguments, which is compiled when it is first wanted. Raises SourceError, ArgumentError, NoSource."""
        kinds = tuple(kind_of_argument(self.py_func, place, one) for place, one in enumerate(args))
        product = self.context.gpu.config.name if CURRENT.compiler == NVIDIA else ""
        key = (kinds, product or printing, check and not product)
        if key not in self.programs:
            check_count(self.py_func, args)
            start = time.perf_counter()
            found = self._compiled(kinds, product, printing=printing, check=check)
            self.compile_seconds = time.perf_counter() - start
            self.programs[key] = found
            if found.warnings:
                warnings.warn("\n" + render_all(found.warnings, *found.program.sources), KernelWarning, stacklevel=5)
        return self.programs[key]

    def _compiled(self, kinds: tuple[Any, ...], product: str, *, printing: bool, check: bool) -> Built:
        """The program for kinds of arguments. product: the preset that NVIDIA's compiler makes machine code for; "": our own compiler."""
        if product:
            from warploom.kernel.launch.numba_compiler import build_machine_code, views_of

            return build_machine_code(self.py_func, types_of(kinds), tuple(views_of(self.py_func, kinds)), self.options, product)
        return build(self.py_func, kinds, self.options | ({"check": True} if check else {}), printing=printing)

    def _taken(self, args: Sequence[Any]) -> list[Any]:
        """What a launch hands over: arguments, defaults of those that are not given, numbers in a declared signature's types."""
        given = [host_of(one) for one in with_defaults(self.py_func, args)]
        check_dates(self.py_func, given)
        signature = self.options.get("signature")
        if signature is None:
            return given
        kinds = [kind_of_argument(self.py_func, place, one) for place, one in enumerate(given)]
        wanted = chosen(self.py_func.__name__, signature, kinds)
        return given if wanted is None else [as_declared(one, kind) for one, kind in zip(given, wanted, strict=True)]

    def listing(self, *args: Any) -> str:
        """The kernel as source, SSA and micro-ops, for arguments; without any as it was compiled last. Raises ValueError for neither."""
        if not args and not self.programs:
            raise ValueError("the kernel has not been compiled yet: launch it, or give arguments")
        kinds = tuple(kind_of(host_of(one)) for one in args) if args else list(self.programs)[-1][0]
        return listing(build(self.py_func, kinds, self.options, printing=True))

    # ---- launches

    @property
    def check(self) -> Checked:
        """`kernel.check[grid, block](...)`: run it with checks; gives a `checks.check.Report`."""
        return Checked(self)

    def launch(self, grid: tuple[int, ...], block: tuple[int, ...], shared: int, args: Sequence[Any], **more: Any) -> Result:
        """Run it. more: options of `Device.run`. Raises KernelError for a fault, LaunchError for what the GPU cannot start."""
        asked = CURRENT.check(self.py_func.__name__) if CURRENT.check is not None else None
        if asked is not None and CURRENT.checked is not None:
            report, found = self._launch_checked(grid, block, shared, args, **asked)
            CURRENT.checked(report)
            return self._deliver(report.result, found)
        context = self.context
        kept = frozenset(id(host_of(one)) for one in args if getattr(one, "only_in", False))
        args = self._taken(args)
        found = self.built(args, check=CURRENT.asking, printing=CURRENT.compiled is not None)
        if CURRENT.compiled is not None:
            CURRENT.compiled(found)
        args = [*args, *found.captured]
        prepared = Prepared(context, args, kept)
        program = found.launched(prepared, grid, block, shared, self.py_func.__name__)
        if CURRENT.asking:
            from warploom.kernel.launch.checked_launch import asking

            program = asking(found, program)
        try:
            options = CURRENT.before(program, context.device) if CURRENT.before is not None else {}
            result = context.device.run(program, **(self._kept | options | more))
            prepared.write_back()
        finally:
            prepared.release()
        for one in args:
            if isinstance(one, DeviceArray):
                one.allocation.note_written()
        context.note(result)
        return self._deliver(result, found)

    def _deliver(self, result: Result, found: Built) -> Result:
        """What a launch that has ended prints and raises."""
        self.result = result
        if CURRENT.watch is not None:
            CURRENT.watch(result)
        error = found.delivered(result)
        if error is not None:
            raise error
        if result.status != "done":
            more = "; --max-cycles allows more" if result.status == "timeout" else ""
            raise KernelError("\n".join([result.summary() + more, *result.messages]), result)
        return result

    def launch_checked(self, grid: tuple[int, ...], block: tuple[int, ...], shared: int, args: Sequence[Any], **options: Any) -> Any:
        """Run it with checks; gives a `checks.check.Report`. options: of `checks.check.run_checked`."""
        return self._launch_checked(grid, block, shared, args, **options)[0]

    def _launch_checked(
        self, grid: tuple[int, ...], block: tuple[int, ...], shared: int, args: Sequence[Any], **options: Any
    ) -> tuple[Any, Built]:
        """The report, and what has run."""
        from warploom.kernel.launch.checked_launch import checked_launch

        context = self.context
        kept = frozenset(id(host_of(one)) for one in args if getattr(one, "only_in", False))
        args = self._taken(args)
        found = self.built(args, check=True)
        args = [*args, *found.captured]
        prepared = Prepared(context, args, kept)
        program = found.launched(prepared, grid, block, shared, self.py_func.__name__)
        try:
            report = checked_launch(
                context, found, program, [one for one in args if isinstance(one, DeviceArray)], **(self._kept | options)
            )
            prepared.write_back()
        finally:
            prepared.release()
        context.note(report.result)
        self.result = report.result
        return report, found


class Checked:
    """`kernel.check`: brackets with a grid give what runs the kernel with checks."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def __getitem__(self, configuration: Any) -> Callable[..., Any]:
        """`kernel.check[grid, block, stream, shared]`."""
        launch = self.kernel[configuration]

        def run(*args: Any, **options: Any) -> Any:
            return self.kernel.launch_checked(launch.grid, launch.block, launch.shared, args, **options)

        return run
