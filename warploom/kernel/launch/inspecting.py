"""What programs ask of a compiled kernel: its registers and its memory, by numba.cuda's names."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from warploom.kernel.device.context import Context
from warploom.kernel.launch.arguments import MOST_BLOCK
from warploom.kernel.launch.compile import Built, build
from warploom.kernel.types.values import ALIGNED


class Inspected:
    """Asks the programs that a kernel's launches have compiled, one for each signature; of a launch with checks the one without them.

    signature: of numba, its text or its types: a number is the answer. Without one it is a dict of numbers by the types of the arguments,
    as Numba gives it; of a field that is packed the type says aligned=False. Where several programs are of the same types, as for whole
    numbers below zero and others, the largest number counts.
    """

    py_func: Callable[..., Any]
    options: dict[str, Any]
    programs: dict[Any, Built]
    without_checks: dict[Any, Built]

    @property
    def context(self) -> Context:
        """The GPU that the kernel runs on."""
        raise NotImplementedError

    def get_regs_per_thread(self, signature: Any = None) -> Any:
        """Vector registers, of 32 bits in each lane."""
        return self._asked(signature, lambda built: int(built.program.counted_registers or built.program.registers))

    def get_shared_mem_per_block(self, signature: Any = None) -> Any:
        """Bytes of shared arrays whose sizes are known when the kernel is compiled."""
        return self._asked(signature, lambda built: int(built.resources.shared_bytes))

    def get_local_mem_per_thread(self, signature: Any = None) -> Any:
        """Bytes of local arrays, and of registers that had to be put into memory."""
        return self._asked(signature, lambda built: int(built.compiled.local_bytes))

    def get_const_mem_size(self, signature: Any = None) -> Any:
        """Bytes of constant arrays."""
        return self._asked(signature, lambda built: len(built.resources.constants))

    def get_max_threads_per_block(self, signature: Any = None) -> Any:
        """Threads that a block may have: as many as a core holds, and no more than CUDA allows."""
        core = self.context.gpu.config.core
        limits = [MOST_BLOCK, core.warps * core.lanes, *(one for one in (core.threads, core.block_threads) if one)]
        return self._asked(signature, lambda built: min(limits))

    def _asked(self, signature: Any, of: Callable[[Built], int]) -> Any:
        found: dict[tuple[Any, ...], int] = {}
        for kinds, built in self._programs_without_checks():
            found[types_of(kinds)] = max(of(built), found.get(types_of(kinds), 0))
        if not found:
            raise ValueError("the kernel has not been compiled yet: launch it first")
        if signature is None:
            return found
        wanted = _types_in(signature)
        for same in (_plain, _of_any_layout, _packed_or_not):
            alike = [number for types, number in found.items() if _each(same, types) == _each(same, wanted)]
            if alike:
                return max(alike)
        known = " or ".join(map(_shown, found))
        raise ValueError(f"the kernel has been compiled for {known}, not for {_shown(wanted)}: launch it with such arguments first")

    def _programs_without_checks(self) -> list[tuple[tuple[Any, ...], Built]]:
        """The kinds of arguments of all launches, and their programs; of one that had checks, the one that it would have had."""
        plain = {kinds: built for (kinds, _, check), built in self.programs.items() if not check}
        for kinds in [one for one, _, _ in self.programs if one not in plain]:
            if kinds not in self.without_checks:
                self.without_checks[kinds] = build(self.py_func, kinds, self.options)
            plain[kinds] = self.without_checks[kinds]
        return list(plain.items())

    def __getattr__(self, name: str) -> Any:
        """What NVIDIA's compiler alone has."""
        if name.startswith("inspect_"):
            raise AttributeError(f"a kernel has no {name} here, it becomes no PTX: kernel.listing() shows its source, SSA and micro-ops")
        raise AttributeError(f"a kernel has no {name!r}")


def types_of(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numba's types of a kernel's arguments. kinds: of `signature.kind_of`."""
    return tuple(map(_type_of, kinds))


def _type_of(kind: tuple[Any, ...]) -> Any:
    from numba import typeof
    from numba.np.numpy_support import from_dtype

    types = _numba_types()
    if kind[0] == "number":
        return types.boolean if kind[1] == "bool" else getattr(types, kind[1])
    if kind[0] == "array":
        _, dtype, dimensions, layout, writable, align = kind
        return types.Array(from_dtype(dtype), dimensions, layout, readonly=not writable, aligned=align >= min(dtype.alignment, ALIGNED))
    if kind[0] == "tuple":
        return types.BaseTuple.from_types(types_of(kind[2]), kind[1] if kind[1] is not tuple else None)
    return from_dtype(kind[1]) if kind[0] == "record" else typeof(kind[1])


def _numba_types() -> Any:
    return importlib.import_module("numba.core.types")


def _types_in(signature: Any) -> tuple[Any, ...]:
    """The types of a signature's arguments. Raises ValueError."""
    from numba.core import sigutils

    try:
        return tuple(sigutils.normalize_signature(signature)[0])
    except Exception:  # it evaluates the text, which may hold anything
        raise ValueError(f'{signature!r} is not a signature: write a tuple of types or its text, as "(float64[:],)"') from None


def _each(same: Callable[[Any], Any], types: tuple[Any, ...]) -> list[Any]:
    """What `same` makes of each type; of those in tuples, too."""
    tuples = _numba_types().BaseTuple
    return [(getattr(one, "instance_class", None), _each(same, one.types)) if isinstance(one, tuples) else same(one) for one in types]


def _plain(one: Any) -> Any:
    """A type as a kernel knows it: a member of an IntEnum, a date and a time are whole numbers."""
    types = _numba_types()
    if isinstance(one, types.IntEnumMember):
        return one.dtype
    return types.int64 if isinstance(one, types.NPDatetime | types.NPTimedelta) else one


def _of_any_layout(one: Any) -> Any:
    """A type without how an array lies in memory, which a signature hardly ever says: its `float32[:]` stands for any."""
    return (one.dtype, one.ndim, one.aligned) if isinstance(one, _numba_types().Array) else _plain(one)


def _packed_or_not(one: Any) -> Any:
    """A type without how an array is aligned either: Numba's `typeof` calls every array aligned, and text has no word for it."""
    return (one.dtype, one.ndim) if isinstance(one, _numba_types().Array) else _plain(one)


def _shown(types: tuple[Any, ...]) -> str:
    return f"({', '.join(map(str, types))})"
