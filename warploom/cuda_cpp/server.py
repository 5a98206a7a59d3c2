"""The device that answers a host program: memory, modules, launches, simulated time."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from warploom.cuda_cpp.allocations import Allocations
from warploom.cuda_cpp.arrays import arrays_of
from warploom.cuda_cpp.compiler import HEADER
from warploom.cuda_cpp.libraries import library
from warploom.cuda_cpp.modules import Kernel, Module, Sources, read_module
from warploom.cuda_cpp.properties import STATIC_SHARED, USUAL_CLOCK, device_properties, most_block_threads, most_shared
from warploom.cuda_cpp.protocol import COOPERATIVE, LAUNCH, VERSION, Kind, Reply, Request, Status
from warploom.device import Device, DeviceError
from warploom.isa.diagnostics import SourceError, render_all
from warploom.isa.program import Program
from warploom.isa.reading import regular_text
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.schema import ConfigError
from warploom.machine.occupancy.residency import Demand, limits_of, residency
from warploom.ptx import DEVICE_WINDOW
from warploom.ptx.module import shown_name
from warploom.ptx.notes import Stopped
from warploom.ptx.recursion import STACK_BYTES
from warploom.result import Result

HOST_BYTES_PER_MICROSECOND = 31_500  # PCI Express 4.0, 16 lanes: 31.5 GB/s
WINDOW = 1 << 32
NOWHERE = 0xFC00_0000  # an address of the device where there never is memory
POINTER = struct.Struct("<Q")
USUAL_STACK = 1024  # bytes of cudaLimitStackSize
BESIDE = 256  # bytes: where an allocation begins
MOST_TEXT = 1024  # characters of one %s
# By kind of fault (machine/accounting/faults.py) what a CUDA program is told; anything else is a failure of the launch.
FAULTS = {
    "misaligned": Status.MISALIGNED,
    "deadlock": Status.TIMEOUT,
    "livelock": Status.TIMEOUT,
    "illegal": Status.ILLEGAL_INSTRUCTION,
    "trap": Status.LAUNCH_FAILURE,
}
ADDRESS = "address"  # in the names of faults that are about one

Launch = Callable[[Program, Allocations], Result]


class Server:
    """Answers the requests of one program.

    launch: runs a Program, over memory in which there are allocations, and gives its Result. checked: launches are checked. line: of a
    place in the host program, "file:line", or "" where that is not known. said: is handed sentences for the user. sources: reads the files
    that the program names as its own. `failed`: the first launch that ended with a fault. `launches`: how many there were.
    """

    def __init__(
        self, device: Device, launch: Launch, line: Callable[[int], str], said: Callable[[str], None], checked: bool = False,
        sources: Sources | None = None,
    ) -> None:  # fmt: skip
        self.device, self.launch, self.line, self.said = device, launch, line, said
        self.checked, self.sources = checked, sources
        self.nanoseconds = 0.0
        self.modules: list[Module] = []
        self.kernels: list[Kernel] = []
        self.allocations = Allocations(checked, sources=sources or regular_text)
        self.failed: Result | None = None
        self.launches = 0
        self._answers: dict[int, Callable[[Request], Reply]] = {kind: getattr(self, f"_{kind.name.lower()}") for kind in Kind}

    def answer(self, request: Request) -> Reply:
        """The reply to a request. Raises SourceError for a kernel that cannot be compiled: what is printed without it would be wrong."""
        known = self._answers.get(request.kind)
        if known is None:
            return Reply(Status.INVALID_VALUE)
        try:
            return known(request)
        except DeviceError:
            return Reply(Status.INVALID_VALUE)

    # ---- what there is

    def _hello(self, request: Request) -> Reply:
        if request.a != VERSION:
            self.said("error: the program was built by a different version of warploom: build it once more")
            return Reply(Status.INVALID_VALUE)
        properties = device_properties(self.device.config, self.device.memory_bytes)
        return Reply(0, self.device.memory_bytes, bytes(properties))

    def _module(self, request: Request) -> Reply:
        text = request.data.rstrip(b"\0").decode("utf-8", "replace")
        try:
            module = read_module(text, self._warned, self.sources)
        except SourceError as error:
            if text.startswith(HEADER):  # of the program's own source
                raise
            self.said(str(error))
            return Reply(Status.INVALID_PTX)
        module.place(self.device)
        module.all = self.modules
        self.modules.append(module)
        return Reply(0, len(self.modules) - 1)

    def _warned(self, warnings: Any) -> None:
        for one in warnings:
            self.said(one if isinstance(one, str) else render_all([one], *getattr(warnings, "sources", ())))

    def _symbol(self, request: Request) -> Reply:
        module, name = self.modules[request.a], request.data.decode()
        if name not in module.addresses:
            return Reply(Status.INVALID_SYMBOL)
        return Reply(0, module.addresses[name], struct.pack("<Q", module.form.variables[name].size))

    def _function(self, request: Request) -> Reply:
        module, name = self.modules[request.a], request.data.decode()
        if name not in module.form.kernels:
            return Reply(Status.INVALID_FUNCTION)
        form = module.form.kernels[name]
        kernel = Kernel(module, name, form, max(STACK_BYTES, request.b * STACK_BYTES // USUAL_STACK), self.checked)
        built = kernel.compiled()
        self.kernels.append(kernel)
        most = most_block_threads(self.device.config)
        about = [built.registers, built.shared_bytes, 0, built.local_bytes, min(form.most_threads or most, most)]
        about += [number for one in form.parameters for number in (one.offset, one.size)]
        return Reply(0, len(self.kernels) - 1, struct.pack(f"<{len(about)}Q", *about))

    def _time(self, request: Request) -> Reply:
        return Reply(0, int(self.nanoseconds))

    def _elapse(self, request: Request) -> Reply:
        self.nanoseconds += request.a
        return Reply()

    def _message(self, request: Request) -> Reply:
        self.said(request.data.decode("utf-8", "replace"))
        return Reply()

    # ---- memory

    def _allocate(self, request: Request) -> Reply:
        if request.c > request.a:
            return Reply(Status.INVALID_VALUE)
        try:
            address = self.device.allocate(request.a + self.allocations.gap, request.b)
        except (DeviceError, ValueError):
            return Reply(Status.OUT_OF_MEMORY)
        self.allocations.add(address, request.c or request.a, self.line(request.d), bool(request.c))
        return Reply(0, address)

    def _library(self, request: Request) -> Reply:
        name, _, data = bytes(request.data).partition(b"\0")
        made = library(name.decode("utf-8", "replace"))
        if made is None:
            return Reply(Status.NOT_SUPPORTED)
        try:
            words = made(data, request.a, request.b).view(np.uint8)
        except ValueError as error:
            line = self.line(request.c)
            self.said(f"{line + ': ' if line else ''}error: {error}")
            return Reply(Status.INVALID_VALUE)
        place = self._allocate(Request(request.kind, len(words), BESIDE, 0, request.c, bytearray()))
        if place.status == Status.SUCCESS:
            self.device.write(place.value, words)
            self.allocations.written(place.value, len(words))
            self._moved(len(words))
        return place

    def _free(self, request: Request) -> Reply:
        if self.allocations.held.pop(request.a, None) is None:
            return Reply(Status.INVALID_VALUE)
        self.device.free(request.a)
        return Reply()

    def _write(self, request: Request) -> Reply:
        self.device.write(request.a, np.frombuffer(request.data, np.uint8))
        self.allocations.written(request.a, len(request.data))
        self._moved(len(request.data))
        return Reply()

    def _read(self, request: Request) -> Reply:
        self._moved(request.b)
        try:
            return Reply(0, 0, self.device.read(request.a, request.b).data)
        except DeviceError:
            return Reply(Status.INVALID_VALUE)

    def _fill(self, request: Request) -> Reply:
        if request.c > self.device.memory_bytes:
            return Reply(Status.INVALID_VALUE)
        self.device.write(request.a, np.full(request.c, request.b, np.uint8))
        self.allocations.written(request.a, request.c)
        return Reply()

    def _copy(self, request: Request) -> Reply:
        self.device.write(request.a, self.device.read(request.b, request.c))
        self.allocations.copied(request.a, request.b, request.c)
        return Reply()

    def _moved(self, count: int) -> None:
        """Bytes that pass between host and device take their time."""
        self.nanoseconds += count * 1000 / HOST_BYTES_PER_MICROSECOND

    def _memory(self, request: Request) -> Reply:
        return Reply(0, self.device.memory_bytes - self.device.taken_bytes)

    def _reset(self, request: Request) -> Reply:
        for address in list(self.allocations.held):
            self.device.free(address)
        self.allocations.held.clear()
        for module in self.modules:
            for address in module.addresses.values():
                self.device.free(address)
            module.place(self.device)
        for kernel in self.kernels:
            kernel.built, kernel.dynamic = None, 0
        return Reply()

    def _fault(self, request: Request) -> Reply:
        """The host has accessed memory of the device."""
        self.said(self.about_access(request.a, self.line(request.b), bool(request.c)))
        return Reply()

    def about_access(self, address: int, line: str, write: bool) -> str:
        """A sentence about an access of the host to memory of the device."""
        before = f"{line}: " if line else ""
        did = "writes to" if write else "reads"
        found = self.allocations.around(address)
        if found is None:
            return f"{before}error: the host {did} memory of the device, which it cannot access: copy it with cudaMemcpy"
        of = f" that cudaMalloc gave at {found.line}" if found.line else " that cudaMalloc gave"
        return (
            f"{before}error: the host {did} byte {address - found.address} of {found.size} bytes of device memory{of}; "
            "copy them with cudaMemcpy, or allocate them with cudaMallocManaged"
        )

    # ---- kernels

    def _largest(self, request: Request) -> Reply:
        self.kernels[request.a].dynamic = request.b
        return Reply()

    def _occupancy(self, request: Request) -> Reply:
        built = self.kernels[request.a].compiled()
        limits = limits_of(self.device.config)
        try:
            found = residency(limits, Demand(request.b, built.registers if limits.registers else 0, built.shared_bytes + request.c))
        except ConfigError:
            return Reply(Status.INVALID_VALUE)
        return Reply(0, found.blocks)

    def _launch(self, request: Request) -> Reply:
        kernel = self.kernels[request.a]
        *extents, shared, flags = LAUNCH.unpack_from(request.data)
        grid, block = tuple(extents[:3]), tuple(extents[3:])
        built = kernel.compiled()
        refused, why = self._refused(kernel, grid, block, shared, bool(flags & COOPERATIVE))
        if refused:
            line = self.line(request.c)
            self.said(f"{line + ': ' if line else ''}warning: {shown_name(kernel.name)} is not launched: {why}")
            return Reply(refused)
        parameters, foreign = device_pointers(kernel, request.data[LAUNCH.size :])
        program = built.launch(grid, block, bytes(parameters), shared)
        program = replace(program, **arrays_of(program, kernel.form.parameters, bytes(parameters), self.allocations))
        self.launches += 1
        try:
            result = self.launch(program, self.allocations)
        except LaunchError as error:
            self.said(f"error: {error}")
            return Reply(Status.OUT_OF_RESOURCES)
        took = result.cycles * 1000 / (self.device.config.gpu.clock or USUAL_CLOCK)
        self.nanoseconds += took
        sys.stdout.write(built.printed(result, self._string))
        sys.stdout.flush()
        if result.status == "done":
            return Reply(0, int(took))
        self.failed = self.failed or result
        status = status_of(result)
        if foreign and status == Status.ILLEGAL_ADDRESS:
            self.said(foreign)
        stopped = [one for one in (built.notes[note.number] for note in result.notes) if isinstance(one, Stopped)]
        return Reply(status if not stopped else Status.STACK if stopped[0].stack else Status.ASSERT)

    def _string(self, address: int) -> str:
        """The text at an address of the device's memory, up to its end."""
        held = self.device.held
        data = held.bytes[address & (WINDOW - 1) : min((address & (WINDOW - 1)) + MOST_TEXT, held.used)].tobytes()
        return data.partition(b"\0")[0].decode("utf-8", "replace")

    def _refused(self, kernel: Kernel, grid: tuple[int, ...], block: tuple[int, ...], shared: int, cooperative: bool) -> tuple[int, str]:
        """Why a launch cannot be, as an error code and in words; 0 where it can."""
        config, built = self.device.config, kernel.built
        properties = device_properties(config, self.device.memory_bytes)
        for what, sizes, most in (("grid", grid, properties.maxGridSize), ("block", block, properties.maxThreadsDim)):
            if any(not 1 <= size <= limit for size, limit in zip(sizes, most, strict=True)):
                said = f"a {what} of {_extents(sizes)}, where 1 to {_extents(most)} can be"
                return Status.INVALID_CONFIGURATION if 0 in sizes else Status.INVALID_VALUE, said
        threads = prod(block)
        if threads > properties.maxThreadsPerBlock:
            return Status.INVALID_VALUE, f"{threads} threads a block, where {properties.maxThreadsPerBlock} can be"
        if kernel.form.most_threads and threads > kernel.form.most_threads:
            return Status.OUT_OF_RESOURCES, f"{threads} threads a block, where __launch_bounds__ says {kernel.form.most_threads}"
        most_bytes = max(min(STATIC_SHARED, most_shared(config)), built.shared_bytes + kernel.dynamic if kernel.dynamic else 0)
        if built.shared_bytes + shared > most_bytes:
            said = (
                f"{built.shared_bytes + shared} bytes of shared memory a block, where {most_bytes} can be; cudaFuncSetAttribute allows more"
            )
            return Status.INVALID_VALUE, said
        limits = limits_of(config)
        found = residency(limits, Demand(threads, built.registers if limits.registers else 0, built.shared_bytes + shared))
        if not found.blocks:
            return (
                Status.OUT_OF_RESOURCES,
                f"a block of {threads} threads with {built.registers} registers each does not fit a multiprocessor",
            )
        if cooperative and prod(grid) > found.blocks * config.gpu.cores:
            said = f"{prod(grid)} blocks of a cooperative launch, where {found.blocks * config.gpu.cores} run at a time"
            return Status.COOPERATIVE_TOO_LARGE, said
        return 0, ""


def _extents(sizes: Any) -> str:
    return "x".join(str(size) for size in sizes)


def device_pointers(kernel: Kernel, parameters: bytearray) -> tuple[bytearray, str]:
    """A kernel's parameters, where each pointer to memory of the host points to where there is no memory; and a sentence about the first.

    Addresses of the device have 32 bits here, so without this such a pointer would be taken for one of the device.
    """
    said = ""
    for number, one in enumerate(kernel.form.parameters):
        if not one.pointer or one.size != POINTER.size:
            continue
        (value,) = POINTER.unpack_from(parameters, one.offset)
        if value and value // WINDOW != DEVICE_WINDOW // WINDOW:
            POINTER.pack_into(parameters, one.offset, DEVICE_WINDOW + NOWHERE)
            said = said or (
                f"error: argument {number + 1} of the kernel, {value:#x}, is memory of the host, which kernels cannot access: "
                "copy it to memory that cudaMalloc gave, or allocate it with cudaMallocManaged"
            )
    return parameters, said


def status_of(result: Result) -> int:
    """The error code of a launch that has not ended well."""
    if result.status == "timeout":
        return Status.TIMEOUT
    kind = getattr(result, "fault_kind", "") or ""
    if ADDRESS in kind or "out_of_range" in kind or "unmapped" in kind or "address" in (result.fault or ""):
        return Status.ILLEGAL_ADDRESS
    return FAULTS.get(kind, Status.LAUNCH_FAILURE)
