"""`@vectorize(target="cuda")` of Numba: a function of numbers becomes a kernel that calls it once for each item of its arrays.

One thread has one item. Arrays have exactly the types of a signature, as on NVIDIA's GPUs, and are broadcast as NumPy does it; an array
of one item is read by all threads from its one place. Numbers take the types of a signature. `place.in_numbas_place` hands these classes
to Numba's decorators.

Source: Numba documentation, "CUDA Ufuncs and Generalized Ufuncs".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import sigutils, types

from warploom.kernel.device.arrays import DeviceArray
from warploom.kernel.launch.compile import result_type
from warploom.kernel.launch.launch import Kernel
from warploom.kernel.launch.signature import kind_of
from warploom.kernel.library.gufuncs import CUDAGUFuncVectorize
from warploom.kernel.library.reduction import Reduce
from warploom.kernel.library.vector_text import (
    check_count,
    check_outs,
    check_place,
    dtype_of,
    kernel_name,
    made,
    on_device,
    one_for_all,
    refuse_options,
    said,
)

__all__ = ["CUDAGUFuncVectorize", "CUDAVectorize", "Ufunc"]

Types = tuple[np.dtype[Any], ...]
_NUMBERS = int | float | complex | np.number | np.bool_


class CUDAVectorize:
    """What Numba's `vectorize` hands a function to: signatures are added, then the function of arrays is built."""

    def __init__(
        self, func: Callable[..., Any], identity: Any = None, cache: bool = False, targetoptions: dict[str, Any] | None = None
    ) -> None:
        refuse_options("vectorize", cache, targetoptions or {})
        self._function = func
        self._versions: dict[Types, np.dtype[Any]] = {}

    def add(self, sig: Any) -> None:
        """A signature. Where it has no type for the result, that is found by compiling the function."""
        given, returned = sigutils.normalize_signature(sig)
        check_count(self._function, sig, len(given))
        kinds = tuple(dtype_of(one) for one in given)
        if returned not in (None, types.none):
            self._versions[kinds] = dtype_of(returned)
        else:
            probe = made(f"def probe({_names(len(kinds))}):\n    result = __core__({_items(len(kinds), '0')})\n", self._function)
            try:
                self._versions[kinds] = result_type(probe, [kind_of(np.zeros(1, one)) for one in kinds], "result")
            except TypeError:
                raise TypeError(f"{self._function.__name__}: vectorize wants a function that returns one number") from None

    def disable_compile(self) -> None:
        """A kernel is compiled at its first launch, for the types of a signature."""

    def build_ufunc(self) -> Ufunc:
        """The function of arrays. Raises TypeError where it has no signature."""
        if not self._versions:
            raise TypeError(
                f'{self._function.__name__}: vectorize(target="cuda") needs signatures, as @vectorize(["float32(float32)"], target="cuda")'
            )
        return Ufunc(self._function, self._versions)


class Ufunc:
    """A function of arrays. versions: of each signature the types of its arguments and of its result. kernel: what is launched."""

    def __init__(self, function: Callable[..., Any], versions: dict[Types, np.dtype[Any]]) -> None:
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self._function, self._versions = function, versions
        self._count = len(next(iter(versions)))
        self._reduce: Reduce | None = None
        self.kernel = Kernel(made(
            f"def {kernel_name(function)}({_names(self._count)}, out):\n"
            "    item = __cuda__.grid(1)\n"
            "    if item < out.size:\n"
            f"        out[item] = __core__({_items(self._count, 'item')})\n", function))  # fmt: skip

    def __call__(self, *args: Any, out: Any = None, stream: Any = 0) -> Any:
        """The results: on the device where an argument or `out` is there, else an array of the host's.

        Raises TypeError for types that no signature has, ValueError for shapes that do not fit.
        """
        if len(args) != self._count:
            raise TypeError(f"{self.__name__}() takes {self._count} arguments, {len(args)} are given")
        given = [one if isinstance(one, DeviceArray | _NUMBERS) else np.asarray(one) for one in args]
        kinds = self._version(given)
        (out,) = out if isinstance(out, tuple) and len(out) == 1 else (out,)
        check_outs(self.__name__, [out], 1)
        arrays = [np.array([one], kind) if isinstance(one, _NUMBERS) else one for one, kind in zip(given, kinds, strict=True)]
        shape = np.broadcast_shapes(*(one.shape for one in arrays))
        result = self._place(out, shape, self._versions[kinds])
        free = result.is_c_contiguous() and not any(_seen_elsewhere(one, result) for one in arrays)
        flat = result.reshape(-1) if free else DeviceArray.empty(result.size, result.dtype)
        self.kernel.forall(flat.size, stream=stream)(*(_read(one, shape) for one in arrays), flat)
        if flat.allocation is not result.allocation:
            result.copy_to_device(flat.reshape(shape))
        if isinstance(out, DeviceArray) or (out is None and any(isinstance(one, DeviceArray) for one in arrays)):
            return result
        return result.copy_to_host(out)

    def reduce(self, arg: Any, stream: Any = 0) -> Any:
        """The function over all items of an array of one dimension. Raises TypeError."""
        if self._count != 2:
            raise TypeError(f"{self.__name__}.reduce: a function of two numbers reduces, not of {self._count}")
        arg = arg if isinstance(arg, DeviceArray) else np.asarray(arg)
        if not arg.size:
            raise TypeError(f"{self.__name__}.reduce: an array without items has no result")
        self._reduce = self._reduce or Reduce(self._function)
        return self._reduce(arg[1:], init=arg[0])

    def _place(self, out: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> DeviceArray:
        if out is None:
            return DeviceArray.empty(shape, dtype)
        check_place(self.__name__, out, shape, dtype)
        return out if isinstance(out, DeviceArray) else DeviceArray.empty(shape, dtype)

    def _version(self, args: list[Any]) -> Types:
        """The types of the signature for arguments: numbers count with their own types first, and then with any."""
        own = tuple(np.asarray(one).dtype if isinstance(one, _NUMBERS) else np.dtype(one.dtype) for one in args)
        if own in self._versions:
            return own
        fitting = [
            one
            for one in self._versions
            if all(isinstance(arg, _NUMBERS) or kind == mine for arg, kind, mine in zip(args, one, own, strict=True))
        ]
        there = "; ".join(said(one) for one in self._versions)
        if not fitting:
            raise TypeError(
                f"{self.__name__}: no signature for ({said(own)}); there are: {there}."
                ' With target="cuda" arrays have exactly the types of a signature: convert them with astype, or add one'
            )
        if len(fitting) > 1:
            raise TypeError(
                f"{self.__name__}: several signatures fit ({said(own)}): {there}. Give a number its type, as np.{fitting[0][0].name}(1)"
            )
        return fitting[0]


def _seen_elsewhere(array: Any, result: DeviceArray) -> bool:
    """Whether items of a result may be those that other threads read."""
    return (
        isinstance(array, DeviceArray)
        and array.allocation is result.allocation
        and (array.offset, array.shape, array.strides) != (result.offset, result.shape, result.strides)
    )


def _read(array: Any, shape: tuple[int, ...]) -> DeviceArray:
    """An argument as one item for each thread."""
    count = int(np.prod(shape, dtype=np.int64))
    if array.size == 1:
        return one_for_all(on_device(array, array.shape, (1,)), count)
    return on_device(array, shape, (count,))


def _names(count: int) -> str:
    return ", ".join(f"a{number}" for number in range(count))


def _items(count: int, index: str) -> str:
    return ", ".join(f"a{number}[{index}]" for number in range(count))
