"""Atomic operations: latency of one thread's, and the cycles of a warp's on one word and on words that lie apart."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.machine.config.schema import Config
from warploom.study.kernels import GLOBAL, LANE, Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.core.throughput import most_warps
from warploom.study.microbenchmarks.memory import pointer_chase
from warploom.study.microbenchmarks.microbenchmark import Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, PAGE, WORD, data_base, each

ADDRESS, ZERO = BODY, BODY + 1
VALUES = range(BODY + 2, BODY + 10)
COUNT, ROUNDS = 8, 4


def dependent(bench: Bench) -> float:
    """Cycles of one thread's atomic add of nothing to a word that holds its own address."""
    base = data_base(1)

    def prepare(k: Kernel) -> None:
        k.mov(ADDRESS, base)
        k.mov(ZERO, 0)
        k.store(ADDRESS, ADDRESS)

    def body(k: Kernel, count: int) -> None:
        for _ in range(count):
            k.atomic("atomic_add", ADDRESS, ADDRESS, ZERO)

    return each(bench, body, 8, threads=1, block=1, prepare=prepare, memory_bytes=base + PAGE)


def cycles_a_warp(bench: Bench, cores: int, warps: int, apart: int, own: bool) -> float:
    """Cycles between two warps' atomics, of all cores together. apart: bytes between lanes' words. own: each warp has words of its own."""
    lanes = bench.device.lanes
    threads = cores * warps * lanes
    base = data_base(threads)
    reach = max(apart, WORD) * lanes

    def prepare(k: Kernel) -> None:
        k.mov(ZERO, 1)
        k.op("mul", ADDRESS, LANE, imm=apart)
        if own:
            k.op("div", VALUES[0], GLOBAL, imm=lanes)
            k.op("mul", VALUES[0], VALUES[0], imm=reach)
            k.op("add", ADDRESS, ADDRESS, VALUES[0])
        k.op("add", ADDRESS, ADDRESS, imm=base)

    def body(k: Kernel, count: int) -> None:
        for number in range(count):
            k.atomic("atomic_add", VALUES[number % len(VALUES)], ADDRESS, ZERO)

    room = base + reach * (cores * warps if own else 1) + PAGE
    frame = {"threads": threads, "block": warps * lanes, "prepare": prepare, "memory_bytes": room, "awaited": VALUES}
    return each(bench, body, COUNT, rounds=2 if bench.quick else ROUNDS, **frame) / (cores * warps)


def measure(bench: Bench) -> Finding:
    """Latency, one word, a line of words, and words in lines of their own."""
    warps, cores = min(8, most_warps(bench)), bench.device.cores
    return Finding(
        (
            Reading("atomics.dependent", "one thread, dependent, cycles", dependent(bench)),
            Reading("atomics.one-word", "all threads on one word, cycles per warp", cycles_a_warp(bench, cores, warps, 0, own=False)),
            Reading("atomics.line", "one core, line per warp, cycles per warp", cycles_a_warp(bench, 1, warps, WORD, own=True)),
            Reading("atomics.spread", "one core, line per thread, cycles per warp", cycles_a_warp(bench, 1, warps, 128, own=True)),
        )
    )


def configured(config: Config) -> Mapping[str, float]:
    """Done at the second level: one thread's takes as long as a load that misses the first, and the atomic unit's own time."""
    if not config.l2.bytes:
        return {}
    first = config.l1.latency if config.l1.bytes else 1
    return {"atomics.dependent": float(first + config.l2.latency + config.l2.atomic_latency)}


MICROBENCHMARK = Microbenchmark(
    "atomics",
    "latency, one word, spread",
    "Atomic adds of a word that is in the second level; one thread's depend on each other, eight warps' a core do not.",
    measure,
    configured,
    pointer_chase.lacks,
    whole=True,
)
