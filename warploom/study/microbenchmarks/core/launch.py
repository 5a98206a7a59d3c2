"""What a launch costs: a kernel that does nothing, and one block after the other on each core."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.isa.program import Program
from warploom.machine.config.schema import Config
from warploom.study.kernels import GLOBAL, Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.memory import pointer_chase
from warploom.study.microbenchmarks.microbenchmark import Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, WORD

ADDRESS, VALUE = BODY, BODY + 1
BLOCKS = 8  # a core; twice as many are timed too


def program(bench: Bench, blocks: int, access: str = "") -> Program:
    """Blocks of one warp; where there is shared memory, so large that a core holds one of them at a time."""
    lanes = bench.device.lanes
    k = Kernel()
    k.op("mul", ADDRESS, GLOBAL, imm=2 * WORD)
    if access == "load":
        k.load(VALUE, ADDRESS)
        k.op("add", VALUE, VALUE, imm=1)
    elif access == "store":
        k.store(ADDRESS, GLOBAL)
    k.exit()
    threads = blocks * bench.device.cores * lanes
    shared = bench.device.shared_bytes // 2 + 1024
    return k.program(f"{blocks} blocks per core", threads=threads, block=lanes, memory_bytes=threads * 2 * WORD, shared_bytes=shared)


def turnover(bench: Bench, access: str) -> float:
    """Cycles from one block to the next on a core that holds one at a time."""
    short, long = (bench.run(program(bench, blocks, access)).cycles for blocks in (BLOCKS, 2 * BLOCKS))
    return (long - short) / BLOCKS


def measure(bench: Bench) -> Finding:
    """An empty kernel, and a block after the other."""
    k = Kernel()
    k.exit()
    empty = bench.run(k.program("nothing", threads=1, block=1)).cycles
    readings = [Reading("launch.empty", "a kernel that does nothing, cycles", empty)]
    if bench.device.shared_bytes:
        readings += [
            Reading("launch.turnover-store", "block after block, a store each, cycles", turnover(bench, "store")),
            Reading("launch.turnover-load", "block after block, a load each, cycles", turnover(bench, "load")),
        ]
    return Finding(tuple(readings))


def configured(config: Config) -> Mapping[str, float]:
    """No setting is all of it."""
    return {}


MICROBENCHMARK = Microbenchmark(
    "launch",
    "an empty kernel, and block after block",
    "Blocks of one warp that fill shared memory, so that a core holds one at a time; twice as many, and the difference.",
    measure,
    configured,
    pointer_chase.lacks,
    whole=True,
)
