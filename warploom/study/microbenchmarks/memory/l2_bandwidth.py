"""Second-level cache: bytes per cycle of reads that hit it, by the cores that read."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.machine.config.schema import Config
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.core.throughput import most_warps
from warploom.study.microbenchmarks.memory import pointer_chase
from warploom.study.microbenchmarks.memory.streams import bytes_a_cycle, core_counts
from warploom.study.microbenchmarks.microbenchmark import Axes, Curve, Finding, Microbenchmark, Reading


def buffer(bench: Bench) -> int:
    """Bytes that every core reads: a power of two, more than the first level holds, half of the second at most."""
    size = 1 << 15
    while size < 2 * bench.device.l1_bytes and 4 * size <= bench.device.l2_bytes:
        size *= 2
    return size


def measure(bench: Bench) -> Finding:
    """Bandwidth of one core, of all, and the curve."""
    warps, size = most_warps(bench), buffer(bench)
    counts = core_counts(bench)
    benches = [bench.of_one_core() if cores == 1 else bench for cores in counts]
    found = [bytes_a_cycle(each, cores=cores, warps=warps, within=size, rounds=16) for each, cores in zip(benches, counts, strict=True)]
    readings = [Reading("l2.one-core", "read by one core, bytes per cycle", found[0])]
    if len(counts) > 1:
        readings += [
            Reading("l2.bandwidth", "read by all cores, bytes per cycle", found[-1]),
            Reading("l2.each-core", "the same, each core's part", found[-1] / counts[-1]),
        ]
    curve = Curve("l2", f"all read the same {size >> 10} KiB", tuple(counts), tuple(found), "l2")
    axes = Axes("Second level: reads that hit", "cores that read", "bytes per cycle", log_x=len(counts) > 4)
    return Finding(tuple(readings), (curve,), {"l2": axes})


def configured(config: Config) -> Mapping[str, float]:
    """The ports of the crossbar, which carry a sector at a time at most; nothing where they have no width."""
    core, slice = config.crossbar.core, config.crossbar.slice
    if not core:
        return {}
    found = {"l2.one-core": float(core)}
    every = float(min(config.gpu.cores * core, config.l2.slices * slice if slice else config.gpu.cores * core))
    return found | {"l2.bandwidth": every, "l2.each-core": every / config.gpu.cores}


def lacks(config: Config) -> str:
    """Where there is no second level that is larger than the first."""
    if config.l2.bytes <= 2 * config.l1.bytes:
        return f"the second level (l2.bytes = {config.l2.bytes}) is not more than twice the first (l1.bytes = {config.l1.bytes})"
    return pointer_chase.lacks(config)


MICROBENCHMARK = Microbenchmark(
    "l2",
    "second-level hits by the cores that read",
    "A block a core goes around a buffer that the second level holds and the first does not, 32 warps, 8 loads in flight each.",
    measure,
    configured,
    lacks,
    whole=True,
)
