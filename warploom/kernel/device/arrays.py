"""Arrays in a device's memory, with the names of numba.cuda: `to_device`, `copy_to_host`, slices that are views."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from warploom.device import Device
from warploom.kernel.device.context import CURRENT
from warploom.kernel.device.host import OnTheHost


class Allocation:
    """A piece of a device's memory, given back when no array is in it any more."""

    def __init__(self, device: Device, size: int) -> None:
        self.device, self.size = device, size
        self.address = device.allocate(max(size, 1))
        self._unwritten: np.ndarray | None = np.ones(size, np.bool_)
        weakref.finalize(self, device.free, self.address)

    def unwritten(self) -> np.ndarray:
        """bool[bytes]: 1 where neither the host nor a kernel with checks has written. A kernel without checks is taken to write all."""
        return np.zeros(self.size, np.bool_) if self._unwritten is None else self._unwritten

    def note_written(self, where: np.ndarray | None = None) -> None:
        """Some bytes have been written; without any said, all of them."""
        if self._unwritten is not None:
            left = None if where is None else self._unwritten & ~where
            self._unwritten = left if left is not None and left.any() else None


class Borrowed(Allocation):
    """A piece of a device's memory that an object of another package holds. owner: that object, which lives as long as this one."""

    def __init__(self, device: Device, address: int, size: int, owner: Any) -> None:
        self.device, self.address, self.size, self.owner = device, address, size, owner
        self._unwritten = None


def borrowed_array(thing: Any) -> DeviceArray:
    """The device array of an object with `__cuda_array_interface__`, on the same memory; a DeviceArray as it is.

    Raises TypeError without that interface, NotImplementedError for masked arrays, ValueError for memory that is not this device's.
    Source: Numba's documentation, "CUDA Array Interface (Version 3)".
    """
    if isinstance(thing, DeviceArray):
        return thing
    offered = getattr(thing, "__cuda_array_interface__", None)
    if offered is None:
        raise TypeError(f"a value of type {type(thing).__name__} has no __cuda_array_interface__: it is not in the device's memory")
    if offered.get("mask") is not None:
        raise NotImplementedError("masked arrays are not supported")
    dtype, shape, (address, read_only) = np.dtype(offered["typestr"]), tuple(offered["shape"]), offered["data"]
    strides = offered.get("strides")
    if strides is None:
        strides = tuple(dtype.itemsize * int(np.prod(shape[axis + 1 :], dtype=np.int64)) for axis in range(len(shape)))
    steps = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)] if 0 not in shape else []
    low = sum(step for step in steps if step < 0)
    size = sum(step for step in steps if step > 0) - low + dtype.itemsize if 0 not in shape else 0
    device = CURRENT.context.device
    if size and not 0 <= address + low <= address + low + size <= device.memory_bytes:
        raise ValueError(f"an array at address {address:#x} is not in the memory of this GPU, which has {device.memory_bytes} bytes")
    found = DeviceArray(Borrowed(device, address + low, size, thing), -low, shape, strides, dtype)
    found.writable = not read_only
    return found


class DeviceArray(OnTheHost):
    """An array in a device's memory. shape, strides (bytes), dtype: as NumPy's."""

    def __init__(self, allocation: Allocation, offset: int, shape: Sequence[int], strides: Sequence[int], dtype: Any) -> None:
        self.allocation, self.offset = allocation, offset
        self.shape, self.strides, self.dtype = tuple(int(one) for one in shape), tuple(int(one) for one in strides), np.dtype(dtype)
        self.ndim = len(self.shape)
        self.size = int(np.prod(self.shape, dtype=np.int64))
        self.writable = True

    @classmethod
    def like(cls, array: Any, device: Device | None = None) -> DeviceArray:
        """Room for an array of the host's, which lies there as it does here, without gaps between its items."""
        host = np.asarray(array)
        order = "F" if host.flags.f_contiguous and not host.flags.c_contiguous else "C"
        return cls.empty(host.shape, host.dtype, order, device)

    @classmethod
    def empty(cls, shape: Any, dtype: Any = np.float64, order: str = "C", device: Device | None = None) -> DeviceArray:
        """Room for an array."""
        sizes = tuple(int(one) for one in (shape if isinstance(shape, tuple | list) else (shape,)))
        if min(sizes, default=0) < 0:
            raise ValueError(f"an array of shape {sizes}: no dimension is negative")
        dtype = np.dtype(dtype)
        strides, step = [0] * len(sizes), dtype.itemsize
        for axis in range(len(sizes)) if order == "F" else reversed(range(len(sizes))):
            strides[axis] = step
            step *= sizes[axis]
        size = int(np.prod(sizes, dtype=np.int64)) * dtype.itemsize
        return cls(Allocation(device or CURRENT.context.device, size), 0, sizes, strides, dtype)

    # ---- where it is

    @property
    def address(self) -> int:
        """Of its first item."""
        return self.allocation.address + self.offset

    @property
    def nbytes(self) -> int:
        """Bytes of its items."""
        return self.size * self.dtype.itemsize

    @property
    def alloc_size(self) -> int:
        """Bytes that are allocated for it."""
        return self.nbytes

    @property
    def host_view(self) -> np.ndarray:
        """The device's own bytes as an array: what is written here is there."""
        held = self.allocation.device.held.bytes
        start = self.allocation.address
        piece = held[start : start + max(self.allocation.size, 1)]
        if self.size == 0:
            return np.empty(self.shape, self.dtype)
        return np.ndarray(self.shape, self.dtype, piece.data, self.offset, self.strides)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """What other packages see of it. Who has this may write: all bytes count as written from here on."""
        self._note_written()
        strides = None if self.is_c_contiguous() else self.strides
        data = self.address if self.size else 0, not self.writable
        return {"shape": self.shape, "strides": strides, "data": data, "typestr": self.dtype.str, "stream": None, "version": 3}

    # ---- copies

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> np.ndarray:
        """Its items as an array of the host's; into `ary`, where that is given."""
        if ary is None:
            return self.host_view.copy(order="F" if self.is_f_contiguous() and not self.is_c_contiguous() else "C")
        if np.asarray(ary).dtype != self.dtype:
            raise TypeError(f"incompatible dtype: an array of {np.asarray(ary).dtype} takes none of {self.dtype}")
        if np.shape(ary) != self.shape:
            raise ValueError(f"an array of shape {np.shape(ary)} has no room for one of {self.shape}")
        ary[...] = self.host_view
        return np.asarray(ary)

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Take the items of an array of the host's or the device's."""
        given = ary.host_view if isinstance(ary, DeviceArray) else np.asarray(ary)
        if given.dtype != self.dtype and given.size:
            raise TypeError(f"incompatible dtype: {given.dtype} and {self.dtype}")
        if given.shape != self.shape:
            raise ValueError(f"incompatible shape: {given.shape} and {self.shape}")
        self.host_view[...] = given
        self._note_written()

    def _note_written(self) -> None:
        """The host has written here: of a slice all bytes of its memory count, which says nothing too much."""
        self.allocation.note_written()

    # ---- shapes

    def is_c_contiguous(self) -> bool:
        """Whether its items follow one another, the last dimension's first."""
        return bool(self.host_view.flags.c_contiguous)

    def is_f_contiguous(self) -> bool:
        """Whether its items follow one another, the first dimension's first."""
        return bool(self.host_view.flags.f_contiguous)

    def _of(self, view: np.ndarray) -> DeviceArray:
        """The device array of a view of `host_view`."""
        held = self.allocation.device.held.bytes
        offset = view.__array_interface__["data"][0] - held.__array_interface__["data"][0] - self.allocation.address if view.size else 0
        return DeviceArray(self.allocation, offset, view.shape, view.strides, view.dtype)

    def __getitem__(self, index: Any) -> Any:
        """A slice is a view on the same memory; an item comes to the host."""
        found = self.host_view[index]
        return self._of(found) if isinstance(found, np.ndarray) and found.ndim else found

    def __setitem__(self, index: Any, value: Any) -> None:
        self.host_view[index] = value.host_view if isinstance(value, DeviceArray) else value
        self._note_written()

    setitem = __setitem__
    getitem = __getitem__

    def reshape(self, *shape: Any, order: str = "C") -> DeviceArray:
        """The same items in other dimensions."""
        sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        view = self.host_view
        found = view.reshape(sizes, order=order)  # type: ignore[call-overload]
        if not np.shares_memory(found, view) and view.size:
            raise NotImplementedError("reshape would require copy")
        return self._of(found)

    def ravel(self, order: str = "C", stream: Any = 0) -> DeviceArray:
        """The same items in one dimension."""
        return self.reshape(-1, order=order)

    def view(self, dtype: Any) -> DeviceArray:
        """The same bytes as other items."""
        return self._of(self.host_view.view(dtype))

    def transpose(self, axes: Any = None) -> DeviceArray:
        """The same items with their dimensions in another order."""
        return self._of(self.host_view.transpose(axes))

    @property
    def T(self) -> DeviceArray:
        """Its dimensions the other way round."""
        return self.transpose()

    def split(self, section: int, stream: Any = 0) -> Iterator[DeviceArray]:
        """Pieces of so many items."""
        for start in range(0, self.size, section):
            yield self[start : start + section]

    def bind(self, stream: Any = 0) -> DeviceArray:
        """Streams keep their order by themselves."""
        return self

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.host_view, dtype=dtype)

    def __repr__(self) -> str:
        return f"<device array of {self.dtype}, shape {self.shape}>"
