"""`from warploom import cuda`: the names of numba.cuda, for the host.

Kernels, arrays in the device's memory, streams and events. Streams keep the order of their launches, and every launch has ended
when its call returns: what waits has nothing to wait for.
"""

from __future__ import annotations

import contextlib
import importlib
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from warploom.kernel.device.arrays import DeviceArray, borrowed_array
from warploom.kernel.device.context import CURRENT
from warploom.kernel.launch.launch import Kernel, KernelError, KernelWarning
from warploom.kernel.library.stubs import Intrinsic
from warploom.kernel.syntax.frozen import Frozen
from warploom.kernel.syntax.known_names import starts
from warploom.kernel.syntax.tree import plain
from warploom.kernel.types.types import BY_NAME

__all__ = ["DeviceArray", "Kernel", "KernelError", "KernelWarning", "declare_device", "device_array", "jit", "to_device"]

kernel_name = "cuda"  # what a kernel takes this module for
_IGNORED = frozenset(
    ("fastmath", "opt", "lineinfo", "inline", "link", "cache", "lto", "forceinline", "launch_bounds", "extensions", "abi_info")
)
_KNOWN = frozenset(("debug", "max_registers", "fma", "error_model", "boundscheck"))


def jit(function_or_signature: Any = None, device: bool = False, **options: Any) -> Any:
    """`@cuda.jit`, `@cuda.jit("void(float32[:])")`, `@cuda.jit(device=True)`.

    Signatures are not needed: a kernel is compiled for the arguments that it is launched with. Where there are some (a list has several)
    other arrays than theirs are a TypeError, numbers get their types, and the kernel is compiled where it is decorated: its mistakes are
    found there, and the module's variables have the values of then. Functions for kernels take and give the types of theirs.
    max_registers: registers a thread may have, raised with a warning where a kernel needs more; the rest goes to local memory.
    debug: errors that a kernel raises reach the host. fma=False: products and sums are rounded one by one. What only changes how NVIDIA's
    compiler works is ignored. Raises TypeError for an option that there is not.
    """
    for name in options:
        if name not in _IGNORED | _KNOWN:
            raise TypeError(f"jit() has no option {name!r}")
    kept = {name: value for name, value in options.items() if name in _KNOWN}

    def make(function: Callable[..., Any]) -> Kernel:
        made = Kernel(plain(function), device=device, **kept)
        if "signature" in kept:
            made.compile_declared()
        return made

    if callable(function_or_signature) and hasattr(plain(function_or_signature), "__code__"):
        return make(function_or_signature)
    if function_or_signature is not None:
        kept |= {"signature": function_or_signature, "frozen": Frozen()}
    return make


def declare_device(name: str, sig: Any, **_: Any) -> Any:
    """A function that is linked from elsewhere: there is nothing to link to."""
    raise NotImplementedError(f"{name}: functions in CUDA C++ cannot be linked to a kernel here; write it in Python")


# ---------------------------------------------------------------------------------------------------------
# Arrays


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: DeviceArray | None = None) -> DeviceArray:
    """A copy of an array in the device's memory."""
    if isinstance(obj, DeviceArray):
        return obj
    target = to if to is not None else DeviceArray.like(obj)
    if copy:
        target.copy_to_device(np.asarray(obj))
    return target


def device_array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C", stream: Any = 0) -> DeviceArray:
    """Room for an array in the device's memory; what it holds is left as it was."""
    return DeviceArray.empty(shape, dtype, order)


def device_array_like(ary: Any, stream: Any = 0) -> DeviceArray:
    """Room for an array like another one."""
    if isinstance(ary, DeviceArray):
        return DeviceArray.empty(ary.shape, ary.dtype, "F" if ary.is_f_contiguous() and not ary.is_c_contiguous() else "C")
    return DeviceArray.like(ary)


def pinned_array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: Any = "C") -> np.ndarray:
    """An array of the host's: there is no bus on which pinned pages would be faster."""
    return np.empty(shape, dtype, order=order)


def pinned_array_like(ary: Any) -> np.ndarray:
    """`pinned_array` like another array."""
    return np.empty_like(ary)


def mapped_array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C", **_: Any) -> np.ndarray:
    """An array that kernels and the host see: it is copied for each launch."""
    return pinned_array(shape, dtype, strides, order)


managed_array = mapped_array


@contextlib.contextmanager
def pinned(*arrays: Any) -> Iterator[None]:
    """Arrays whose pages stay where they are, as they do here anyway."""
    yield


def as_cuda_array(obj: Any, sync: bool = True) -> Any:
    """The device array of an object with `__cuda_array_interface__`, on the same memory. Raises TypeError for any other."""
    return borrowed_array(obj)


def is_cuda_array(obj: Any) -> bool:
    """Whether something is in the device's memory: a device array, or an object of another package that offers one."""
    return isinstance(obj, DeviceArray) or hasattr(obj, "__cuda_array_interface__")


class InOut:
    """An array that is copied to the device and back, as one without this is."""

    only_in = False

    def __init__(self, array: Any) -> None:
        self.kernel_argument = array


class In(InOut):
    """An array that is copied to the device, and not back."""

    only_in = True


class Out(InOut):
    """An array that is copied back."""


# ---------------------------------------------------------------------------------------------------------
# Streams, events, devices


class Stream:
    """Launches in their order."""

    def synchronize(self) -> None:
        """Everything has ended already."""

    @contextlib.contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """Nothing is left to wait for at the end."""
        yield self

    def add_callback(self, callback: Callable[..., Any], arg: Any = None) -> None:
        """Call it now: what was before it has ended."""
        callback(self, 0, arg)

    def __int__(self) -> int:
        return 0


class Event:
    """A point in the time of the simulated GPU, which launches alone take."""

    def __init__(self, timing: bool = True) -> None:
        self.at = 0.0

    def record(self, stream: Any = 0) -> None:
        """It is now."""
        self.at = CURRENT.context.milliseconds

    def query(self) -> bool:
        """It has come."""
        return True

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def wait(self, stream: Any = 0) -> None:
        """Nothing to wait for."""

    def elapsed_time(self, other: Event) -> float:
        """Milliseconds of the simulated GPU, at its preset's clock. What the host does in between takes none."""
        return other.at - self.at


def stream() -> Stream:
    """A stream."""
    return Stream()


def default_stream() -> Stream:
    """The stream that launches without one are in."""
    return Stream()


legacy_default_stream = per_thread_default_stream = default_stream


def event(timing: bool = True) -> Event:
    """An event."""
    return Event(timing)


def event_elapsed_time(start: Event, end: Event) -> float:
    """Milliseconds between two events."""
    return start.elapsed_time(end)


def synchronize() -> None:
    """Every launch has ended when its call returns."""


def is_available() -> bool:
    """A simulated GPU always is."""
    return True


def use(gpu: Any = None) -> None:
    """Run kernels on another GPU from here on: a `warploom.GPU`, a preset's name, or None for the usual one. Device arrays do not move."""
    CURRENT.use(gpu)


class _Device:
    """The simulated device, as programs ask for it."""

    id = 0
    compute_capability = (9, 0)
    supports_float16 = True

    @property
    def name(self) -> bytes:
        """The preset's name."""
        return f"warploom {CURRENT.context.gpu.config.name}".encode()

    def __repr__(self) -> str:
        return f"<CUDA device {self.id} {self.name!r}>"

    @property
    def uuid(self) -> str:
        """An identifier as NVIDIA's GPUs have one, made from the configuration: the same in every process that has this GPU."""
        return f"GPU-{uuid.uuid5(uuid.NAMESPACE_OID, repr(CURRENT.context.gpu.config))}"

    @property
    def WARP_SIZE(self) -> int:
        """Lanes of a warp."""
        return int(CURRENT.context.gpu.config.core.lanes)

    @property
    def MULTIPROCESSOR_COUNT(self) -> int:
        """Its cores."""
        return int(CURRENT.context.gpu.config.gpu.cores)

    MAX_THREADS_PER_BLOCK = 1024
    MAX_BLOCK_DIM_X = MAX_BLOCK_DIM_Y = 1024
    MAX_BLOCK_DIM_Z = 64
    MAX_GRID_DIM_X = (1 << 31) - 1
    MAX_GRID_DIM_Y = MAX_GRID_DIM_Z = 65535
    MAX_SHARED_MEMORY_PER_BLOCK = 48 << 10

    def reset(self) -> None:
        """Nothing to do."""

    def __enter__(self) -> _Device:
        """`with cuda.gpus[0]:`: it is the one device anyway."""
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to do."""


def get_current_device() -> _Device:
    """The simulated device."""
    return _Device()


def select_device(device_id: int = 0) -> _Device:
    """There is one device. Raises ValueError for another one."""
    if device_id != 0:
        raise ValueError(f"there is no device {device_id}: there is one, 0")
    return _Device()


def detect() -> bool:
    """Say which device there is."""
    print(f"found 1 simulated device: {_Device().name.decode()}")
    return True


def list_devices() -> list[_Device]:
    """The devices."""
    return [_Device()]


class _Devices(tuple[_Device, ...]):
    """`cuda.gpus`: the devices, also as `lst`, and the one that is used, `current`."""

    __slots__ = ()

    @property
    def lst(self) -> list[_Device]:
        """All of them."""
        return list(self)

    @property
    def current(self) -> _Device:
        """The simulated device."""
        return self[0]


gpus = _Devices((_Device(),))


def close() -> None:
    """Forget the device's memory."""
    CURRENT.use(None)


def current_context(devnum: Any = None) -> Any:
    """The context: its memory and nothing else."""
    return CURRENT.context


@contextlib.contextmanager
def defer_cleanup() -> Iterator[None]:
    """Nothing is put off."""
    yield


@contextlib.contextmanager
def profiling() -> Iterator[None]:
    """Every launch can be looked at anyway."""
    yield


def profile_start() -> None:
    """Nothing to do."""


def profile_stop() -> None:
    """Nothing to do."""


def __getattr__(name: str) -> Any:
    """The names of kernels, loaded when they are first asked for."""
    if name == "random":
        return importlib.import_module("warploom.kernel.library.random")
    if name == "types":
        return importlib.import_module("numba.core.types")
    if name in ("reduce", "Reduce"):
        return importlib.import_module("warploom.kernel.library.reduction").Reduce
    if name in BY_NAME and name != "bool":
        return getattr(importlib.import_module("numba.core.types"), name)
    if starts(f"cuda.{name}") and not name.startswith("_"):
        return Intrinsic(f"cuda.{name}")
    raise AttributeError(f"warploom's cuda has no {name!r}")
