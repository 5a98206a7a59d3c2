"""Fences: what waiting for one's own memory accesses costs, with nothing to wait for and after a store."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.machine.config.schema import Config
from warploom.study.kernels import GLOBAL, LANE, Kernel
from warploom.study.microbenchmarks import pointer_chase
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.microbenchmark import Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, PAGE, WORD, data_base, each

ADDRESS = BODY


def cycles(bench: Bench, store: bool) -> float:
    """Cycles of a fence, of one warp that stores a row before it or does not."""
    lanes = bench.device.lanes
    base = data_base(lanes)

    def prepare(k: Kernel) -> None:
        k.op("mul", ADDRESS, GLOBAL, imm=WORD)
        k.op("add", ADDRESS, ADDRESS, imm=base)

    def body(k: Kernel, count: int) -> None:
        for _ in range(count):
            if store:
                k.store(ADDRESS, LANE)
            k.fence()

    return each(bench, body, 8, threads=lanes, block=lanes, prepare=prepare, memory_bytes=base + PAGE)


def measure(bench: Bench) -> Finding:
    """Both."""
    return Finding(
        (
            Reading("fence.alone", "with nothing to wait for, cycles", cycles(bench, store=False)),
            Reading("fence.store", "after a store of a row, cycles for both", cycles(bench, store=True)),
        )
    )


def configured(config: Config) -> Mapping[str, float]:
    """No setting says what a fence costs."""
    return {}


MICROBENCHMARK = Microbenchmark(
    "fence",
    "alone, and after a store",
    "One warp passes 8 and 16 fences; the difference of the times, divided.",
    measure,
    configured,
    pointer_chase.lacks,
)
