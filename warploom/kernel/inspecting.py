"""What programs ask of a compiled kernel: its registers and its memory, by numba.cuda's names."""

from __future__ import annotations

from typing import Any

from warploom.kernel.compile import Built

MOST_BLOCK = 1024  # threads


class Inspected:
    """Asks the program that was compiled last. signature: is not needed, since kernels are compiled for the arguments of a launch."""

    programs: dict[Any, Built]

    def get_regs_per_thread(self, signature: Any = None) -> int:
        """Vector registers, of 32 bits in each lane."""
        return int(self._last().program.registers)

    def get_shared_mem_per_block(self, signature: Any = None) -> int:
        """Bytes of shared arrays whose sizes are known when the kernel is compiled."""
        return int(self._last().resources.shared_bytes)

    def get_local_mem_per_thread(self, signature: Any = None) -> int:
        """Bytes of local arrays, and of registers that had to be put into memory."""
        return int(self._last().compiled.local_bytes)

    def get_const_mem_size(self, signature: Any = None) -> int:
        """Bytes of constant arrays."""
        return len(self._last().resources.constants)

    def get_max_threads_per_block(self, signature: Any = None) -> int:
        """Threads that a block may have."""
        return MOST_BLOCK

    def _last(self) -> Built:
        if not self.programs:
            raise ValueError("the kernel has not been compiled yet: launch it first")
        return list(self.programs.values())[-1]

    def __getattr__(self, name: str) -> Any:
        """What NVIDIA's compiler alone has."""
        if name.startswith("inspect_"):
            raise AttributeError(f"a kernel has no {name} here, it becomes no PTX: kernel.listing() shows its source, SSA and micro-ops")
        raise AttributeError(f"a kernel has no {name!r}")
