"""The GPU that kernels run on, and what a program with many launches sees of each of them.

One GPU is current: the preset `sm`, unless a command or `cuda.use` says otherwise. Its memory lives as long as the program, with
device arrays in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from warploom.device import Device
from warploom.gpu import GPU
from warploom.isa.program import Program
from warploom.result import Result

PRESET = "sm"
OWN, NVIDIA = "own", "nvidia"  # compilers of kernels
MEMORY_BYTES = 1 << 28
USUAL_CLOCK = 1000  # MHz


class MemoryInfo(NamedTuple):
    """Bytes of a device's memory."""

    free: int
    total: int


class Context:
    """A GPU with its memory."""

    def __init__(self, gpu: GPU | None = None, memory_bytes: int = MEMORY_BYTES) -> None:
        self.gpu = gpu or GPU(PRESET)
        self.memory_bytes = memory_bytes
        self._device: Device | None = None
        self.launches = 0
        self.cycles = 0  # of all launches, which follow one another

    @property
    def device(self) -> Device:
        """Its memory, made when it is first wanted."""
        if self._device is None:
            self._device = self.gpu.device(self.memory_bytes)
        return self._device

    def get_memory_info(self) -> MemoryInfo:
        """Bytes of its memory that are free, and all of them."""
        return MemoryInfo(self.memory_bytes - self.device.taken_bytes, self.memory_bytes)

    def note(self, result: Result) -> None:
        """A launch has ended."""
        self.launches += 1
        self.cycles += result.cycles

    @property
    def milliseconds(self) -> float:
        """Simulated time since the first launch, at the preset's clock; one without a clock counts as USUAL_CLOCK."""
        return self.cycles / ((self.gpu.config.gpu.clock or USUAL_CLOCK) * 1e3)

    def synchronize(self) -> None:
        """A launch has ended when it returns: there is nothing to wait for."""


class Current:
    """Which GPU is current, and who looks at launches: `before` gives options for `Device.run`, `watch` gets the result.

    check: asked before a launch of a kernel of this name: options of `checks.check.run_checked`, or None for a launch without checks.
    compiled: is handed what a launch has compiled, with the texts of all passes. checked: is handed the report of a launch with checks.
    asking: kernels are compiled for checks, of a launch that is captured. compiler: what compiles kernels in Python.
    """

    def __init__(self) -> None:
        self._context: Context | None = None
        self.memory_bytes = MEMORY_BYTES  # of GPUs that become current from now on
        self.watch: Callable[[Result], None] | None = None
        self.before: Callable[[Program, Device], dict[str, Any]] | None = None
        self.check: Callable[[str], dict[str, Any] | None] | None = None
        self.checked: Callable[[Any], None] | None = None
        self.compiled: Callable[[Any], None] | None = None
        self.asking = False
        self.compiler = OWN

    @property
    def context(self) -> Context:
        """The current GPU."""
        if self._context is None:
            self._context = Context(memory_bytes=self.memory_bytes)
        return self._context

    def use(self, gpu: GPU | str | None, memory_bytes: int = 0) -> None:
        """Make a GPU current, or a preset's name; None: the usual one. memory_bytes: of its memory, where nothing else was said."""
        size = memory_bytes if memory_bytes and self.memory_bytes == MEMORY_BYTES else self.memory_bytes
        usual = gpu is None and size == self.memory_bytes
        self._context = None if usual else Context(GPU(gpu) if isinstance(gpu, str) else gpu, size)

    @contextmanager
    def shown(self, compiled: Callable[[Any], None] | None) -> Iterator[None]:
        """For a while what every launch has compiled goes to `compiled`."""
        before, self.compiled = self.compiled, compiled
        try:
            yield
        finally:
            self.compiled = before

    @contextmanager
    def watched(self, watch: Callable[[Result], None], gpu: GPU | None = None) -> Iterator[None]:
        """For a while every launch's result goes to `watch`, and `gpu` is current where one is given; then all is as before."""
        before = self._context, self.watch
        self.watch = watch
        if gpu is not None:
            self._context = Context(gpu, self.memory_bytes)
        try:
            yield
        finally:
            self.watch = before[1]
            if gpu is not None:
                self._context = before[0]


CURRENT = Current()
