"""Launches: `kernel[grid, block, stream, shared](...)`.

The arguments' kinds choose a compiled program, or have it compiled. Arrays of the host are copied to the device's memory and, when
the kernel has ended, back; arrays of the device stay. Then the program gets its scalars, the places of its arrays, and its grid,
and runs.
"""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import update_wrapper
from typing import Any

import numpy as np

from warploom.gpu import GPU
from warploom.isa.diagnostics import render_all
from warploom.isa.launch import Launch
from warploom.isa.program import Program
from warploom.kernel import types as ty
from warploom.kernel.arrays import DeviceArray
from warploom.kernel.checked_launch import asking, checked_launch
from warploom.kernel.compile import Built, build
from warploom.kernel.context import CURRENT, Context
from warploom.kernel.inspecting import MOST_BLOCK, Inspected
from warploom.kernel.listing import listing
from warploom.kernel.notes import deliver
from warploom.kernel.signature import ArgumentError, Placed, kind_of, view_rows, view_shape, words_of
from warploom.kernel.values import counted
from warploom.result import Result

RED_ZONE = 256  # bytes after each array that belong to no other


class KernelError(RuntimeError):
    """A kernel stopped with a fault. result: of the run."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result


class KernelWarning(UserWarning):
    """What is allowed in a kernel and most likely not meant."""


class Overloads:
    """`kernel.overloads[signature]`: the same for every signature, because kernels are compiled for the arguments of a launch."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def __getitem__(self, signature: Any) -> Overloads:
        return self

    def max_cooperative_grid_blocks(self, blockdim: Any) -> int:
        """Blocks that the machine's warp slots hold at the same time."""
        config = self.kernel.context.gpu.config
        warps = -(-int(np.prod(extents(blockdim, "block"))) // config.core.lanes)
        return int(config.gpu.cores * (config.core.warps // warps))


class Launchable:
    """A kernel with a grid: call it with its arguments."""

    def __init__(self, kernel: Kernel, grid: Any, block: Any, shared: int) -> None:
        self.kernel, self.grid, self.block, self.shared = kernel, extents(grid, "grid"), extents(block, "block"), shared

    def __call__(self, *args: Any) -> None:
        """Launch it, and wait until it has ended."""
        self.kernel.launch(self.grid, self.block, self.shared, args)


class Idle(Launchable):
    """A launch without threads."""

    def __call__(self, *args: Any) -> None:
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

    def built(self, args: Sequence[Any], *, printing: bool = False, check: bool = False) -> Built:
        """The program for arguments, which is compiled when it is first wanted. Raises SourceError, ArgumentError, NoSource."""
        kinds = tuple(_kind(self.py_func, place, one) for place, one in enumerate(args))
        key = (kinds, printing, check)
        if key not in self.programs:
            _check_count(self.py_func, args)
            start = time.perf_counter()
            found = build(self.py_func, kinds, self.options | ({"check": True} if check else {}), printing=printing)
            self.compile_seconds = time.perf_counter() - start
            self.programs[key] = found
            if found.warnings:
                warnings.warn("\n" + render_all(found.warnings, *found.program.sources), KernelWarning, stacklevel=5)
        return self.programs[key]

    def listing(self, *args: Any) -> str:
        """The kernel as source, SSA and micro-ops, for arguments; without any as it was compiled last. Raises ValueError for neither."""
        if not args and not self.programs:
            raise ValueError("the kernel has not been compiled yet: launch it, or give arguments")
        kinds = tuple(kind_of(_host(one)) for one in args) if args else list(self.programs)[-1][0]
        return listing(build(self.py_func, kinds, self.options, printing=True))

    # ---- launches

    @property
    def check(self) -> Checked:
        """`kernel.check[grid, block](...)`: run it with checks; gives a `checks.check.Report`."""
        return Checked(self)

    def launch(self, grid: tuple[int, ...], block: tuple[int, ...], shared: int, args: Sequence[Any]) -> Result:
        """Run it. Raises KernelError for a fault, LaunchError for what the GPU cannot start."""
        asked = CURRENT.check(self.py_func.__name__) if CURRENT.check is not None else None
        if asked is not None and CURRENT.checked is not None:
            report, found = self._launch_checked(grid, block, shared, args, **asked)
            CURRENT.checked(report)
            return self._deliver(report.result, found)
        context = self.context
        kept = frozenset(id(_host(one)) for one in args if getattr(one, "only_in", False))
        args = [_host(one) for one in args]
        args = [_as_declared(one, kind) for one, kind in zip(args, declared(self.options.get("signature"), len(args)), strict=True)]
        found = self.built(args, check=CURRENT.asking)
        args = [*args, *found.captured]
        prepared = Prepared(context, args, kept)
        program = prepared.program(found, grid, block, shared, self.py_func.__name__)
        if CURRENT.asking:
            program = asking(found, program)
        try:
            options = CURRENT.before(program, context.device) if CURRENT.before is not None else {}
            result = context.device.run(program, **(self._kept | options))
            prepared.write_back()
        finally:
            prepared.release()
        for one in args:
            if isinstance(one, DeviceArray):
                one.allocation.note_written()
        context.launches += 1
        return self._deliver(result, found)

    def _deliver(self, result: Result, found: Built) -> Result:
        """What a launch that has ended prints and raises."""
        self.result = result
        if CURRENT.watch is not None:
            CURRENT.watch(result)
        error = deliver(result, found.resources.notes)
        if error is not None:
            raise error
        if result.status != "done":
            raise KernelError("\n".join([result.summary(), *result.messages]), result)
        return result

    def launch_checked(self, grid: tuple[int, ...], block: tuple[int, ...], shared: int, args: Sequence[Any], **options: Any) -> Any:
        """Run it with checks; gives a `checks.check.Report`. options: of `checks.check.run_checked`."""
        return self._launch_checked(grid, block, shared, args, **options)[0]

    def _launch_checked(
        self, grid: tuple[int, ...], block: tuple[int, ...], shared: int, args: Sequence[Any], **options: Any
    ) -> tuple[Any, Built]:
        """The report, and what has run."""
        context = self.context
        kept = frozenset(id(_host(one)) for one in args if getattr(one, "only_in", False))
        args = [_host(one) for one in args]
        args = [_as_declared(one, kind) for one, kind in zip(args, declared(self.options.get("signature"), len(args)), strict=True)]
        found = self.built(args, check=True)
        args = [*args, *found.captured]
        prepared = Prepared(context, args, kept)
        program = prepared.program(found, grid, block, shared, self.py_func.__name__)
        try:
            report = checked_launch(
                context, found, program, [one for one in args if isinstance(one, DeviceArray)], **(self._kept | options)
            )
            prepared.write_back()
        finally:
            prepared.release()
        context.launches += 1
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


class Prepared:
    """The arguments of one launch, and their arrays in the device's memory. kept: ids of those that are not copied back (`cuda.In`)."""

    def __init__(self, context: Context, args: Sequence[Any], kept: frozenset[int] = frozenset()) -> None:
        self.device = context.device
        self.args, self.kept = args, kept
        self.kinds = [kind_of(one) for one in args]
        self.placed: dict[int, Placed] = {}
        self.order: list[tuple[Placed, bool]] = []
        self._copied: list[tuple[Any, Placed]] = []
        self._starts: list[int] = []
        for one, kind in zip(args, self.kinds, strict=True):
            self._place(one, kind)

    def _place(self, argument: Any, kind: Any) -> None:
        if kind[0] == "tuple":
            for one, inner in zip(argument, kind[2], strict=True):
                self._place(one, inner)
        elif kind[0] in ("array", "record"):
            placed = self.placed.get(id(argument)) or self._array(argument, kind)
            self.placed[id(argument)] = placed
            self.order.append((placed, kind[2] if kind[0] == "record" else kind[4]))

    def _array(self, argument: Any, kind: Any) -> Placed:
        if isinstance(argument, DeviceArray):
            if argument.allocation.device is not self.device:
                raise ArgumentError(f"{argument!r} lies in the memory of a different GPU: copy it to the host, and to this one from there")
            return Placed(argument, argument.address, argument.allocation.address, max(argument.allocation.size, 1))
        host = np.asarray(argument) if kind[0] == "array" else np.array([argument], kind[1])
        low = sum((extent - 1) * stride for extent, stride in zip(host.shape, host.strides, strict=True) if stride < 0 and extent)
        high = sum((extent - 1) * stride for extent, stride in zip(host.shape, host.strides, strict=True) if stride > 0 and extent)
        size = (high - low + host.dtype.itemsize) if host.size else 0
        start = self.device.allocate(size + RED_ZONE)
        self._starts.append(start)
        placed = Placed(host, start - low, start, max(size, 1))
        if host.size:
            self._view(placed)[...] = host
        if (kind[2] if kind[0] == "record" else host.flags.writeable) and id(argument) not in self.kept:
            self._copied.append((argument if kind[0] == "record" else host, placed))
        return placed

    def _view(self, placed: Placed) -> np.ndarray:
        """An array's items as they are in the device's memory now."""
        host = placed.array
        piece = self.device.held.bytes[placed.start : placed.start + placed.size]
        return np.ndarray(host.shape, host.dtype, piece.data, placed.base - placed.start, host.strides)

    def program(self, found: Built, grid: tuple[int, ...], block: tuple[int, ...], shared: int, name: str) -> Program:
        """The compiled program with its arguments and its grid."""
        fixed = -(-found.resources.shared_bytes // 16) * 16
        words = [fixed, shared]
        for one, kind in zip(self.args, self.kinds, strict=True):
            words += words_of(one, kind, self.placed.get(id(one)), self.placed)
        whole = grid if len(grid) > 1 else grid[0]
        launch = Launch(
            block=block if len(block) > 1 else block[0], grid=whole, shared_bytes=fixed + shared,
            local_bytes=-(-found.compiled.local_bytes // 8) * 8, scalars=tuple(words), name=name,
        )  # fmt: skip
        placed = [one for one, _ in self.order]
        return replace(
            found.program, launch=launch, views=view_rows(placed, [writes for _, writes in self.order]), view_names=found.views,
            view_shapes=tuple(view_shape(one) for one in placed),
        )  # fmt: skip

    def write_back(self) -> None:
        """Copy what the kernel has stored to the arrays of the host."""
        for host, placed in self._copied:
            if isinstance(host, np.void):
                for name in host.dtype.names or ():
                    host[name] = self._view(placed)[0][name]
            elif host.size:
                host[...] = self._view(placed)

    def release(self) -> None:
        """Give the memory back."""
        for start in self._starts:
            self.device.free(start)
        self._starts = []


def _host(argument: Any) -> Any:
    """What stands for an argument: `cuda.In` and their like hold arrays; other packages' device arrays offer theirs."""
    inner = getattr(argument, "kernel_argument", None)
    return inner if inner is not None else argument


def declared(signature: Any, count: int) -> list[Any]:
    """Of each argument the type that a signature says it has; None where it says none of a number."""
    names: list[str] = []
    if isinstance(signature, str):
        inside = signature[signature.find("(") + 1 : signature.rfind(")")] if "(" in signature else signature
        depth, names = 0, [""]
        for letter in inside:
            depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(letter, 0)
            if letter == "," and depth == 0:
                names.append("")
            else:
                names[-1] += letter
    elif signature is not None:
        args = getattr(signature, "args", signature)
        names = [getattr(one, "name", str(one)) for one in args] if isinstance(args, tuple | list) else []
    kinds = [ty.BY_NAME.get(name.strip().removeprefix("types.")) for name in names]
    return kinds if len(kinds) == count else [None] * count


def _as_declared(argument: Any, kind: Any) -> Any:
    """A number as the type that a signature has for it."""
    if kind is None or not isinstance(argument, int | float | complex | np.generic):
        return argument
    return np.array(argument).astype(kind.dtype)[()]


def _kind(function: Callable[..., Any], place: int, argument: Any) -> Any:
    try:
        return kind_of(argument)
    except ArgumentError as error:
        names = list(inspect.signature(function).parameters)
        name = names[place] if place < len(names) else str(place)
        raise ArgumentError(f"{function.__name__}: the argument {name!r}: {error}") from None


def _check_count(function: Callable[..., Any], args: Sequence[Any]) -> None:
    try:
        inspect.signature(function).bind(*args)
    except TypeError:
        wanted = list(inspect.signature(function).parameters)
        raise TypeError(
            f"{function.__name__}() takes {counted(len(wanted), 'argument')} ({', '.join(wanted)}), {len(args)} are given"
        ) from None


def extents(value: Any, name: str) -> tuple[int, ...]:
    """A grid or a block as one to three numbers. Raises ValueError, TypeError."""
    sizes = tuple(value) if isinstance(value, tuple | list | np.ndarray) else (value,)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"{name} = {value!r}: it has one to three dimensions")
    found = []
    for one in sizes:
        if isinstance(one, float | np.floating) or not isinstance(one, int | np.integer):
            raise TypeError(f"{name} = {value!r}: a number of {'blocks' if name == 'grid' else 'threads'} is whole; use // for division")
        if one < 1:
            raise ValueError(f"{name} = {value!r}: every dimension is at least 1")
        found.append(int(one))
    while len(found) > 1 and found[-1] == 1:
        found.pop()
    if name == "block" and int(np.prod(found)) > MOST_BLOCK:
        raise ValueError(f"block = {value!r}: a block has at most {MOST_BLOCK} threads")
    return tuple(found)
