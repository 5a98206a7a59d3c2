"""`cuda.reduce`: a function of two numbers over all items of an array in the device's memory.

Each thread takes every n-th item, the threads of a block halve their number until one is left, and a second launch of one block does the
same with what the blocks have found. The function must not care about order or grouping, as a sum or a maximum does not.

Source: Harris, "Optimizing Parallel Reduction in CUDA", NVIDIA 2007.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.kernel.device.arrays import DeviceArray
from warploom.kernel.launch.launch import Kernel, KernelWarning
from warploom.kernel.library.stubs import Intrinsic
from warploom.kernel.syntax.tree import plain

BLOCK = 256
MOST_BLOCKS = 64
cuda: Any = Intrinsic("cuda")
TRIED = ((5, 1, 4), (1, 6, 2), (2, 3, 7))  # whole numbers, on which neither a sum nor a product is rounded


class Reduce:
    """`@cuda.reduce` above a function of two numbers. Call it with an array of one dimension."""

    def __init__(self, functor: Callable[[Any, Any], Any]) -> None:
        self._functor = plain(functor)
        self._kernels: dict[np.dtype[Any], Kernel] = {}
        if not regroups(self._functor):
            name = getattr(self._functor, "__name__", "the function")
            warnings.warn(
                f"cuda.reduce: {name} gives other results in another grouping, as a - b does, and threads group the items as they like; "
                "reduce with a sum or a maximum, and apply the rest to its result",
                KernelWarning, stacklevel=2,
            )  # fmt: skip

    def __call__(self, arr: Any, size: int | None = None, res: Any = None, init: Any = 0, stream: Any = 0) -> Any:
        """`init` and the first `size` items as one number; into item 0 of the device array `res`, where that is given. Raises TypeError."""
        if arr.ndim != 1:
            raise TypeError(f"an array of {arr.ndim} dimensions: what is reduced has one; ravel() makes it so")
        items = arr if isinstance(arr, DeviceArray) else np.ascontiguousarray(arr)
        items = items if size is None else items[:size]
        start = items.dtype.type(init)
        if items.size < 1:
            return start
        kernel = self._kernel(items.dtype)
        blocks = min(-(-items.size // BLOCK), MOST_BLOCKS)
        found = DeviceArray.empty(blocks, items.dtype)
        kernel[blocks, BLOCK](items, found, start, blocks == 1)
        if blocks > 1:
            kernel[1, BLOCK](found, found, start, True)
        if res is None:
            return found[0]
        res[:1].copy_to_device(found[:1])
        return None

    def _kernel(self, dtype: np.dtype[Any]) -> Kernel:
        if dtype not in self._kernels:
            self._kernels[dtype] = Kernel(_reduction(self._functor, dtype))
        return self._kernels[dtype]


def regroups(functor: Callable[[Any, Any], Any]) -> bool:
    """Whether f(f(a, b), c) is f(a, f(b, c)) for a few numbers, up to rounding; also where Python itself cannot call the function."""
    try:
        return all(bool(np.isclose(functor(functor(a, b), c), functor(a, functor(b, c)), rtol=1e-6)) for a, b, c in TRIED)
    except Exception:  # whatever a function of the user's raises
        return True


def _reduction(functor: Callable[[Any, Any], Any], dtype: np.dtype[Any]) -> Callable[..., None]:
    def reduce(items: Any, found: Any, start: Any, last: Any) -> None:
        held = cuda.shared.array(BLOCK, dtype)
        place = cuda.threadIdx.x
        live = min(items.size - cuda.blockIdx.x * cuda.blockDim.x, cuda.blockDim.x)
        first = cuda.grid(1)
        if place < live:
            value = items[first]
            for number in range(first + cuda.gridsize(1), items.size, cuda.gridsize(1)):
                value = functor(value, items[number])
            held[place] = value
        step = BLOCK // 2
        while step > 0:
            cuda.syncthreads()
            if place < step and place + step < live:
                held[place] = functor(held[place], held[place + step])
            step //= 2
        if place == 0:
            found[cuda.blockIdx.x] = functor(start, held[0]) if last else held[0]

    return reduce
