"""Limits of a launch: what a block may have, and how many blocks and warps one core holds at a time.

A block that finds its core's clock before any other block there has ended was there together with them: they are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from warploom.isa.launch import Extent
from warploom.isa.program import Program
from warploom.machine.config.schema import Config
from warploom.machine.occupancy.residency import limits_of
from warploom.study.kernels import GLOBAL, Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.memory import pointer_chase
from warploom.study.microbenchmarks.microbenchmark import Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, PAGE, WORD

OUT, BEGIN, END, CORE, VALUE = range(BODY, BODY + 5)
STAY = 20_000  # cycles for which a block stays
LOADS = 8  # ... between two looks at the clock, each at the address that the one before has loaded
ROW = 16  # bytes that a thread writes
MOST_BLOCKS = 1 << 20  # of a grid in y or z that is tried


def largest(fits: Callable[[int], bool], upper: int) -> int:
    """The largest number up to `upper` that fits; 0 where none does. What fits is taken to be everything up to a limit."""
    low, high = 0, upper + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def trivial(block: Extent = 1, registers: int = 16, shared: int = 0, grid: Extent = 1, constants: int = 0) -> Program:
    """Blocks that do nothing. shared, constants: bytes."""
    k = Kernel()
    k.special(VALUE, "thread_z")  # so that threads and blocks are numbered in three dimensions
    k.exit()
    data = np.zeros(constants, np.uint8)
    return k.program("nothing", block=block, grid=grid, shared_bytes=shared, constants=data, registers=registers)


def largest_launch(bench: Bench, upper: int, **demand: Callable[[int], Any]) -> int:
    """The largest number up to `upper` for which the machine starts a launch. demand: of `trivial`, by name."""
    one_warp = {"block": bench.device.lanes}
    return largest(lambda n: not bench.refuses(trivial(**one_warp | {name: of(n) for name, of in demand.items()})), upper)


def resident(bench: Bench, threads: int, registers: int = 16) -> int:
    """Blocks of so many threads that one core holds at a time."""
    device = bench.device
    blocks = device.cores * (device.warps * device.lanes // threads + 1)
    zero = blocks * threads * ROW
    k = Kernel()
    k.special(BEGIN, "cycle")
    k.special(CORE, "core")
    k.op("mul", OUT, GLOBAL, imm=ROW)
    k.mov(VALUE, 0)
    k.label("STAY")
    for _ in range(LOADS):  # so that the warps that stay leave issue slots and pipes to those that come
        k.load(VALUE, VALUE, offset=zero)
    k.special(END, "cycle")
    k.op("sub", END, END, BEGIN)
    k.op("sltu", END, END, imm=STAY)
    k.branch(END, "STAY")
    k.special(END, "cycle")
    k.store(OUT, CORE)
    k.store(OUT, BEGIN, offset=WORD)
    k.store(OUT, END, offset=2 * WORD)
    k.exit()
    program = k.program(f"blocks of {threads}", threads=blocks * threads, block=threads, registers=registers,
                        memory_bytes=zero + PAGE)  # fmt: skip
    rows = bench.run(program).words[: blocks * threads * ROW // WORD].reshape(blocks, threads, -1)
    core, begin, end = rows[:, 0, 0], rows[:, :, 1].min(axis=1), rows[:, :, 2].max(axis=1)
    here = core == core[0]
    return int((begin[here] < np.min(end[here])).sum())


def measure(bench: Bench) -> Finding:
    """All limits."""
    device = bench.device
    lanes = device.lanes
    readings = [
        Reading("limits.block-threads", "threads per block", largest_launch(bench, 4096, block=int)),
        Reading("limits.block-z", "threads per block in z", largest_launch(bench, device.block_threads, block=lambda n: (1, 1, n))),
        Reading("limits.grid-y", "blocks per grid in y", largest_launch(bench, MOST_BLOCKS, grid=lambda n: (1, n))),
        Reading("limits.grid-z", "blocks per grid in z", largest_launch(bench, MOST_BLOCKS, grid=lambda n: (1, 1, n))),
        Reading("limits.registers", "registers per thread", largest_launch(bench, 512, registers=int)),
        Reading("limits.shared", "shared memory per block, bytes", largest_launch(bench, 1 << 18, shared=int)),
        Reading("limits.constants", "constants per program, bytes", largest_launch(bench, 1 << 18, constants=int)),
        Reading("limits.blocks", "blocks of one warp on a core", resident(bench, lanes)),
    ]
    block = min(8 * lanes, device.block_threads)
    readings.append(Reading("limits.warps", f"warps on a core, in blocks of {block // lanes}", resident(bench, block) * block // lanes))
    return Finding(tuple(readings))


def configured(config: Config) -> Mapping[str, float]:
    """As the settings have them."""
    limits = limits_of(config)
    threads = limits.threads or limits.warps * limits.lanes
    found = {
        "limits.blocks": float(min(limits.blocks, limits.warps)),
        "limits.warps": float(limits.warps),
        "limits.block-threads": float(min(limits.block_threads or threads, threads)),
    }
    limited = {
        "limits.block-z": config.core.block_z,
        "limits.grid-y": config.gpu.grid_y,
        "limits.grid-z": config.gpu.grid_z,
        "limits.constants": config.constant.space,
    }
    found |= {key: float(most) for key, most in limited.items() if most}
    if limits.registers_per_thread:
        found["limits.registers"] = float(limits.registers_per_thread)
    if limits.shared:
        found["limits.shared"] = float(limits.shared_per_block or limits.shared)
    return found


MICROBENCHMARK = Microbenchmark(
    "limits",
    "of a launch: a block's, and what a core holds",
    "Launches of growing size, until one is refused; blocks that stay, and write down their core and when they were there.",
    measure,
    configured,
    pointer_chase.lacks,
)
