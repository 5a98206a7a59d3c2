"""What a multiprocessor of each NVIDIA compute capability has room for.

Sources, column by column:
* 7.5 and later: CUDA C++ Programming Guide, appendix "Compute Capabilities", tables "Technical Specifications per Compute Capability"
  and the sections on shared memory. `partitions`, `register_unit`, `shared_unit` and `reserved`: cuda_occupancy.h of
  the CUDA toolkit (11.x), which stops at 8.6; later ones are carried over from 8.x.
* 3.0 to 7.0: cuda_occupancy.h, and the table of github.com/xmartlabs/cuda-calculator (2020).
* Registers a block (32 Ki on 5.3 and 6.2, 64 Ki elsewhere): the same tables of the CUDA C++ Programming Guide.

The two differ in one thing: the calculator calls the number of partitions the warp allocation granularity. It is the same.
"""

from __future__ import annotations

from warploom.machine.engine.sizes import CARVEOUTS
from warploom.machine.occupancy.residency import Limits

KI = 1024


def _row(
    warps: int,
    blocks: int,
    shared: int,
    shared_per_block: int,
    sizes: tuple[int, ...] = (),
    *,
    registers: int = 64,
    registers_per_block: int = 64,
    registers_per_thread: int = 255,
    partitions: int = 4,
    shared_unit: int = 256,
    reserved: int = 0,
) -> Limits:
    """One line of the table. Registers are given in Ki; shared memory, its sizes and `reserved` in KiB; shared_unit in bytes."""
    return Limits(
        lanes=32,
        warps=warps,
        blocks=blocks,
        block_threads=1024,
        registers=registers * KI,
        registers_per_block=registers_per_block * KI,
        registers_per_thread=registers_per_thread,
        register_unit=256,
        partitions=partitions,
        shared=shared * KI,
        shared_per_block=shared_per_block * KI,
        shared_unit=shared_unit,
        shared_reserved=reserved * KI,
        shared_sizes=tuple(size * KI for size in sizes),
    )


def _ampere(warps: int, blocks: int, shared: int, sizes: tuple[int, ...]) -> Limits:
    """8.0 and later: 1 KiB of a block's shared memory is the system's own, and it is handed out in finer pieces."""
    return _row(warps, blocks, shared, shared - 1, sizes, shared_unit=128, reserved=1)


CAPABILITIES: dict[str, Limits] = {
    "3.0": _row(64, 16, 48, 48, registers_per_thread=63),
    "3.5": _row(64, 16, 48, 48),
    "3.7": _row(64, 16, 112, 48, registers=128),
    "5.0": _row(64, 32, 64, 48),
    "5.2": _row(64, 32, 96, 48),
    "5.3": _row(64, 32, 64, 48, registers_per_block=32),
    "6.0": _row(64, 32, 64, 48, partitions=2),
    "6.1": _row(64, 32, 96, 48),
    "6.2": _row(64, 32, 64, 48, registers_per_block=32),
    "7.0": _row(64, 32, 96, 96, CARVEOUTS["7.0"]),
    "7.5": _row(32, 16, 64, 64, CARVEOUTS["7.5"]),
    "8.0": _ampere(64, 32, 164, CARVEOUTS["8.0"]),
    "8.6": _ampere(48, 16, 100, CARVEOUTS["8.6"]),
    "8.7": _ampere(48, 16, 164, CARVEOUTS["8.0"]),
    "8.9": _ampere(48, 24, 100, CARVEOUTS["8.6"]),
    "9.0": _ampere(64, 32, 228, CARVEOUTS["9.0"]),
    "10.0": _ampere(64, 32, 228, CARVEOUTS["9.0"]),
    "10.3": _ampere(64, 32, 228, CARVEOUTS["9.0"]),
    "11.0": _ampere(48, 24, 228, CARVEOUTS["9.0"]),
    "12.0": _ampere(48, 24, 100, CARVEOUTS["8.6"]),
    "12.1": _ampere(48, 24, 100, CARVEOUTS["8.6"]),
}

# cuda_occupancy.h: a block that would not fit the four partitions of 6.1 is not run by the two of 6.0 either.
ALSO_CHECKED = {"6.0": "6.1"}
