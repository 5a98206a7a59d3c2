"""`@guvectorize(target="cuda")` of Numba: a function of small arrays becomes a kernel that calls it once for each of them.

The layout, as "(m,n),(n)->(m)", says which dimensions of an argument belong to a call; those before them say how many calls there are, and
one thread makes each. An argument without such dimensions is the same for all calls.

Source: NumPy documentation, "Generalized universal function API"; Numba documentation, "CUDA Ufuncs and Generalized Ufuncs".
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core import sigutils, types
from numba.np.ufunc.sigparse import parse_signature

from warploom.kernel.device.arrays import DeviceArray
from warploom.kernel.launch.launch import Kernel, KernelWarning
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

FEW_CALLS, LONG_ROW = 32, 4096  # fewer calls than a warp has lanes, and items of one, from which on that is worth a word

Shape = tuple[int, ...]
Types = tuple[np.dtype[Any], ...]


class CUDAGUFuncVectorize:
    """What Numba's `guvectorize` hands a function to: signatures are added, then the function of arrays is built."""

    def __init__(
        self, func: Callable[..., Any], sig: str, identity: Any = None, cache: bool = False,
        targetoptions: dict[str, Any] | None = None, writable_args: Sequence[int] = (),
    ) -> None:  # fmt: skip
        options = {name: value for name, value in (targetoptions or {}).items() if name != "is_dynamic"}
        refuse_options("guvectorize", cache, options | ({"writable_args": writable_args} if writable_args else {}))
        self._function, self._layout = func, sig
        self._dimensions: tuple[list[tuple[str, ...]], list[tuple[str, ...]]] = parse_signature(sig)
        self._versions: dict[Types, Kernel] = {}

    def add(self, sig: Any) -> None:
        """A signature: arrays, or numbers for what the layout gives no dimension. Raises TypeError, ValueError."""
        given, returned = sigutils.normalize_signature(sig)
        if returned not in (None, types.none):
            raise TypeError(f"{self._function.__name__}: guvectorize wants functions that store their results, {sig} returns {returned}")
        dimensions = [*self._dimensions[0], *self._dimensions[1]]
        if len(given) != len(dimensions):
            raise ValueError(
                f"{self._function.__name__}: {sig} has {len(given)} arguments, the layout {self._layout} has {len(dimensions)}"
            )
        items = [self._item(f"a{place}", one, len(inner)) for place, (one, inner) in enumerate(zip(given, dimensions, strict=True))]
        check_count(self._function, sig, len(given))
        text = (
            f"def {kernel_name(self._function)}({', '.join(f'a{place}' for place in range(len(given)))}):\n"
            "    call = __cuda__.grid(1)\n"
            f"    if call < a{len(given) - 1}.shape[0]:\n"
            f"        __core__({', '.join(items)})\n"
        )
        self._versions[tuple(dtype_of(one) for one in given)] = Kernel(made(text, self._function))

    def _item(self, name: str, kind: Any, inner: int) -> str:
        """What one call is handed of an argument."""
        extent = getattr(kind, "ndim", 0)
        if extent == inner:
            return f"{name}[{', '.join(['call', *':' * inner])}]"
        if extent == 1 and not inner:
            return f"{name}[call : call + 1]"  # a number as an array of one
        raise ValueError(f"{self._function.__name__}: {kind} has {extent} dimensions, the layout {self._layout} gives it {inner}")

    def disable_compile(self) -> None:
        """A kernel is compiled at its first launch, for the types of a signature."""

    def build_ufunc(self) -> GeneralizedUfunc:
        """The function of arrays. Raises TypeError where it has no signature."""
        if not self._versions:
            raise TypeError(
                f'{self._function.__name__}: guvectorize(target="cuda") needs signatures,'
                ' as @guvectorize(["void(float32[:], float32[:])"], "(n)->(n)", target="cuda")'
            )
        return GeneralizedUfunc(self._function, self._dimensions, self._versions)


class GeneralizedUfunc:
    """A function of arrays of small arrays. dimensions: names of each input's and each output's. versions: a kernel for each signature."""

    def __init__(self, function: Callable[..., Any], dimensions: tuple[Any, Any], versions: dict[Types, Kernel]) -> None:
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self._inputs, self._outputs = dimensions
        self._versions = versions

    def __call__(self, *args: Any, out: Any = None, stream: Any = 0) -> Any:
        """The results, one or a tuple; results may follow the arguments, or be `out`. On the device where one of all those is there.

        Raises TypeError for types that no signature has, ValueError for shapes that do not fit.
        """
        count = len(self._inputs)
        if len(args) not in (count, count + len(self._outputs)):
            raise TypeError(f"{self.__name__}() takes {count} arguments and {len(self._outputs)} for results, {len(args)} are given")
        outs = list(args[count:]) or (list(out) if isinstance(out, tuple) else [out] * len(self._outputs))
        check_outs(self.__name__, outs, len(self._outputs))
        given = [one if isinstance(one, DeviceArray) else np.asarray(one) for one in args[:count]]
        kinds = self._version([np.dtype(one.dtype) for one in given])
        loop, sizes = self._shapes([one.shape for one in given])
        calls = int(np.prod(loop, dtype=np.int64))
        self._warn_of_long_rows(calls, sizes)
        inputs = [self._input(one, kind, len(names), calls) for one, kind, names in zip(given, kinds, self._inputs, strict=False)]
        shapes = [(*loop, *(sizes[name] for name in names)) for names in self._outputs]
        places = [self._place(one, shape, kind) for one, shape, kind in zip(outs, shapes, kinds[count:], strict=True)]
        read = [one.allocation for one in inputs]
        apart = [one.copy_to_host() if any(one.allocation is held for held in read) else one for one in places]  # no thread sees another's
        rows = [on_device(one, shape, (calls, *shape[len(loop) :])) for one, shape in zip(apart, shapes, strict=True)]
        self._versions[kinds].forall(calls, stream=stream)(*inputs, *rows)
        stays = any(isinstance(one, DeviceArray) for one in (*given, *outs))
        found = [self._result(*one, stays) for one in zip(outs, places, rows, shapes, strict=True)]
        return found[0] if len(found) == 1 else tuple(found)

    def _warn_of_long_rows(self, calls: int, sizes: dict[str, int]) -> None:
        """A call is one thread, however long its small arrays are."""
        items = int(np.prod(list(sizes.values()), dtype=np.int64))
        if calls < FEW_CALLS and items >= LONG_ROW:
            warnings.warn(
                f"{self.__name__}: each of the {calls} small arrays is one thread's, which walks through {items} items; write a kernel in "
                "which threads share a row, or use cuda.reduce",
                KernelWarning, stacklevel=3,
            )  # fmt: skip

    def _result(self, out: Any, place: DeviceArray, rows: DeviceArray, shape: Shape, stays: bool) -> Any:
        if rows.allocation is not place.allocation:
            place.copy_to_device(rows.reshape(shape))
        if isinstance(out, np.ndarray):
            return place.copy_to_host(out)
        return place if stays else place.copy_to_host()

    def _input(self, array: Any, kind: np.dtype[Any], inner: int, calls: int) -> DeviceArray:
        """An argument as one small array for each call, which is the same one where it has a single one."""
        if array.dtype != kind:
            array = (array.host_view if isinstance(array, DeviceArray) else array).astype(kind)
        own = array.shape[len(array.shape) - inner :]
        there = int(np.prod(array.shape[: len(array.shape) - inner], dtype=np.int64))
        found = on_device(array, array.shape, (there, *own))
        return one_for_all(found, calls) if there == 1 else found

    def _shapes(self, shapes: Sequence[Shape]) -> tuple[Shape, dict[str, int]]:
        """The dimensions before those of a call, and the size of each name of the layout."""
        sizes: dict[str, int] = {}
        loops = []
        for place, (shape, names) in enumerate(zip(shapes, self._inputs, strict=True)):
            if len(shape) < len(names):
                raise ValueError(f"{self.__name__}: argument {place} has {len(shape)} dimensions, a call takes {len(names)} of them")
            loops.append(shape[: len(shape) - len(names)])
            for name, size in zip(names, shape[len(shape) - len(names) :], strict=True):
                if sizes.setdefault(name, size) != size:
                    raise ValueError(f"{self.__name__}: argument {place} has {name} = {size}, an argument before it {sizes[name]}")
        loop = max(loops, key=lambda one: (int(np.prod(one, dtype=np.int64)), len(one)))
        for place, one in enumerate(loops):
            if one not in (loop, (), (1,)):
                raise ValueError(f"{self.__name__}: argument {place} has {one} small arrays, another argument {loop}")
        return loop, sizes

    def _place(self, out: Any, shape: Shape, dtype: np.dtype[Any]) -> DeviceArray:
        if out is not None:
            check_place(self.__name__, out, shape, dtype)
        if isinstance(out, DeviceArray):
            return out
        found = DeviceArray.empty(shape, dtype)
        if out is not None:
            found.copy_to_device(out)
        return found

    def _version(self, own: Sequence[Any]) -> Types:
        """The first signature whose types the arguments have, or can take without loss, or else as narrower floats."""
        for fits in (_alike, _without_loss, _as_floats):
            for kinds in self._versions:
                if all(fits(np.dtype(mine), np.dtype(kind)) for mine, kind in zip(own, kinds, strict=False)):
                    return kinds
        there = "; ".join(said(one[: len(own)]) for one in self._versions)
        raise TypeError(f"{self.__name__}: no signature for ({said(own)}); there are: {there}")


def _alike(mine: np.dtype[Any], kind: np.dtype[Any]) -> bool:
    return bool(np.can_cast(mine, kind, "no"))


def _without_loss(mine: np.dtype[Any], kind: np.dtype[Any]) -> bool:
    return bool(np.can_cast(mine, kind, "safe"))


def _as_floats(mine: np.dtype[Any], kind: np.dtype[Any]) -> bool:
    return _without_loss(mine, kind) or (kind.kind in "fc" and bool(np.can_cast(mine, kind, "same_kind")))
