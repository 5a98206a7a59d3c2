"""What a barrier costs, by the warps of the block that wait at it."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.machine.config.schema import Config
from warploom.study.kernels import Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.core.throughput import most_warps
from warploom.study.microbenchmarks.microbenchmark import Axes, Curve, Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import each

BARRIERS = 16  # in a row; twice as many are timed too
WARPS = (1, 2, 4, 8, 12, 16, 24, 32)


def body(k: Kernel, count: int) -> None:
    """Nothing but barriers."""
    for _ in range(count):
        k.barrier()


def measure(bench: Bench) -> Finding:
    """Cycles per barrier, by warps."""
    lanes, most = bench.device.lanes, most_warps(bench)
    counts = [warps for warps in WARPS if warps <= most and (not bench.quick or warps in {1, 8, most})]
    found = [each(bench, body, BARRIERS, threads=warps * lanes, block=warps * lanes) for warps in counts]
    readings = [
        Reading(f"barrier.{warps}", f"{warps} warp{'s' * (warps > 1)}, cycles per barrier", cost)
        for warps, cost in zip(counts, found, strict=True)
    ]
    curve = Curve("barrier", "a block's warps wait for one another", tuple(counts), tuple(found), "barrier")
    axes = Axes("Barriers", "warps of the block", "cycles per barrier")
    return Finding(tuple(readings), (curve,), {"barrier": axes})


def configured(config: Config) -> Mapping[str, float]:
    """Arrivals are taken one after the other, and after the last one the barrier opens."""
    each_warp, opening = config.core.barrier_interval, config.core.barrier_latency
    if not each_warp:
        return {}
    return {f"barrier.{warps}": float(opening + each_warp * warps) for warps in WARPS}


def lacks(config: Config) -> str:
    """Where blocks have no barriers."""
    return "a block's warps lie on several cores (gpu.dispatch = split), so it has no barriers" if config.gpu.dispatch == "split" else ""


MICROBENCHMARK = Microbenchmark(
    "barrier",
    "cycles by the warps that wait",
    f"A block passes {BARRIERS} and {2 * BARRIERS} barriers; the difference of the times, divided.",
    measure,
    configured,
    lacks,
)
