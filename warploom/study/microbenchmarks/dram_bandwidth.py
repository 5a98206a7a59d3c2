"""Memory: bytes per cycle of streams that read or write each byte once, by warps of one core and by cores."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.machine.config.derived import dram_bytes_a_cycle
from warploom.machine.config.schema import Config
from warploom.study.microbenchmarks import pointer_chase
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.microbenchmark import Axes, Curve, Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.streams import COUNT, bytes_a_cycle, core_counts
from warploom.study.microbenchmarks.throughput import most_warps
from warploom.study.microbenchmarks.timed import WORD

WARPS = (1, 2, 4, 8, 12, 16, 24, 32)
ENOUGH = 3  # times the second level that a stream of writes is long, so that what it keeps counts little


def rounds_to_write(bench: Bench, cores: int, warps: int) -> int:
    """Rounds after which a stream of writes has gone far beyond what the second level keeps."""
    a_round = COUNT * cores * warps * WORD * bench.device.lanes
    return max(4, ENOUGH * bench.device.l2_bytes // a_round)


def measure(bench: Bench) -> Finding:
    """Read and write bandwidth of one core and of all."""
    most, all_cores = most_warps(bench), bench.device.cores
    warps = [count for count in WARPS if count <= most and (not bench.quick or count in {1, 8, most})]
    one = [bytes_a_cycle(bench, cores=1, warps=count, rounds=8) for count in warps]
    readings = [
        Reading("dram.one-core-1warp", "one core, one warp reads, bytes per cycle", one[0]),
        Reading("dram.one-core", f"one core, {warps[-1]} warps read, bytes per cycle", one[-1]),
    ]
    curves = [Curve("dram-warps", "read by one core", tuple(warps), tuple(one), "dram.one-core")]
    axes = {"dram-warps": Axes("Memory: one core", "warps on the core", "bytes per cycle")}
    write = bytes_a_cycle(bench, cores=all_cores, warps=most, write=True, rounds=rounds_to_write(bench, all_cores, most))
    if all_cores > 1:
        counts = core_counts(bench)
        found = [bytes_a_cycle(bench, cores=cores, warps=most, rounds=4) for cores in counts]
        readings.append(Reading("dram.read", "read by all cores, bytes per cycle", found[-1]))
        curves.append(Curve("dram-cores", f"read, {most} warps per core", tuple(counts), tuple(found), "dram.read"))
        axes["dram-cores"] = Axes("Memory: reads", "cores that read", "bytes per cycle", log_x=len(counts) > 4)
    readings.append(Reading("dram.write", f"written by {'all cores' if all_cores > 1 else 'one core'}, bytes per cycle", write))
    return Finding(tuple(readings), tuple(curves), axes)


def configured(config: Config) -> Mapping[str, float]:
    """The channels' own bandwidth, as far as the cores' ports let it through."""
    memory, core = dram_bytes_a_cycle(config), float(config.crossbar.core)
    found = {"dram.one-core": min(memory or core, core)} if core else {}
    if memory:
        every = min(memory, config.gpu.cores * core) if core else memory
        found |= {"dram.read": every, "dram.write": every}
    return found


MICROBENCHMARK = Microbenchmark(
    "dram",
    "reads and writes of memory by warps and by cores",
    "Warps load (or store) neighbouring lines that nobody has touched before, eight loads in flight each.",
    measure,
    configured,
    pointer_chase.lacks,
)
