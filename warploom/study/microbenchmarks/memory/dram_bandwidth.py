"""Memory: bytes per cycle of streams that read or write each byte once, by warps of one core and by cores."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.machine.config.derived import dram_bytes_a_cycle
from warploom.machine.config.schema import Config
from warploom.study.kernels import LANE, Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.core.throughput import most_warps
from warploom.study.microbenchmarks.memory import pointer_chase
from warploom.study.microbenchmarks.memory.streams import ADDRESS, COUNT, MOST, SCRATCH, VALUES, bytes_a_cycle, core_counts
from warploom.study.microbenchmarks.microbenchmark import Axes, Curve, Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import WORD, data_base, limited_by_fetching

WARPS = (1, 2, 4, 8, 12, 16, 24, 32)
SHORT, LONG = 1.5, 2.5  # times the second level that two streams of all cores are long: between them it writes back what it takes in
APART = 24 << 20  # bytes that the long one is longer, at least: how much the level keeps at the end differs a little from one to the other


def moved_a_cycle(bench: Bench, *, writes: bool) -> float:
    """Bytes per cycle that all cores write or read, as a fill or a sum of memory does: block after block, each with its own rows.

    Two lengths are run and subtracted, so that what starts a kernel, and what the second level keeps at its end, falls out.
    """
    warps, lanes = most_warps(bench), bench.device.lanes
    row = WORD * warps * lanes
    a_block = COUNT * row
    base = data_base(0)

    def move(blocks: int) -> int:
        k = Kernel()
        k.special(ADDRESS, "block")
        k.op("mul", ADDRESS, ADDRESS, imm=a_block)
        k.special(SCRATCH, "thread")
        k.op("mul", SCRATCH, SCRATCH, imm=WORD)
        k.op("add", ADDRESS, ADDRESS, SCRATCH)
        k.op("add", ADDRESS, ADDRESS, imm=base)
        for number in range(COUNT):
            if writes:
                k.store(ADDRESS, LANE, offset=number * row)
            else:
                k.load(VALUES[number], ADDRESS, offset=number * row)
        k.exit()  # waits for what its warp has loaded
        size = base + blocks * a_block
        name = "fill" if writes else "read"
        return bench.run(k.program(name, threads=blocks * warps * lanes, block=warps * lanes, memory_bytes=size)).cycles

    short, long = (max(times * bench.device.cores, int(size * bench.device.l2_bytes) // a_block) for times, size in ((4, SHORT), (8, LONG)))
    if not bench.quick:
        long = max(long, short + APART // a_block)
    return (long - short) * a_block / (move(long) - move(short))


def measure(bench: Bench) -> Finding:
    """Read and write bandwidth of one core and of all."""
    most, all_cores = most_warps(bench), bench.device.cores
    warps = [count for count in WARPS if count <= most and (not bench.quick or count in {1, 8, most})]
    # A core far from memory needs the more loads in flight; where a first level is small they take one another's lines.
    alone = bench.of_one_core()
    one = [max(bytes_a_cycle(alone, cores=1, warps=count, rounds=8, in_flight=loads) for loads in (COUNT, MOST)) for count in warps]
    readings = [
        Reading("dram.one-core-1warp", "one core, one warp reads, bytes per cycle", one[0]),
        Reading("dram.one-core", f"one core, {warps[-1]} warps read, bytes per cycle", one[-1]),
    ]
    curves = [Curve("dram-warps", "read by one core", tuple(warps), tuple(one), "dram.one-core")]
    axes = {"dram-warps": Axes("Memory: one core", "warps on the core", "bytes per cycle")}
    if all_cores > 1:
        readings.append(Reading("dram.read", "read by all cores, bytes per cycle", moved_a_cycle(bench, writes=False)))
    if all_cores > 1 and not bench.quick:
        counts = core_counts(bench)
        found = [bytes_a_cycle(bench, cores=cores, warps=most, rounds=4) for cores in counts]
        curves.append(Curve("dram-cores", f"read, {most} warps per core", tuple(counts), tuple(found), "dram.read"))
        axes["dram-cores"] = Axes("Memory: reads", "cores that read", "bytes per cycle", log_x=len(counts) > 4)
    write = moved_a_cycle(bench, writes=True)
    readings.append(Reading("dram.write", f"written by {'all cores' if all_cores > 1 else 'one core'}, bytes per cycle", write))
    return Finding(tuple(readings), tuple(curves), axes)


def configured(config: Config) -> Mapping[str, float]:
    """The channels' own bandwidth, as far as the cores' ports let it through."""
    if limited_by_fetching(config):
        return {}
    memory, core = dram_bytes_a_cycle(config), float(config.crossbar.core)
    found = {"dram.one-core": min(memory or core, core)} if core else {}
    if memory and core:  # without ports how fast blocks follow one another is the limit
        every = min(memory, config.gpu.cores * core)
        found |= {"dram.read": every, "dram.write": every}
    return found


MICROBENCHMARK = Microbenchmark(
    "dram",
    "reads and writes of memory by warps and by cores",
    "Warps load neighbouring lines that nobody has touched before, 8 or 16 loads in flight each, what moves more; blocks read and fill it.",
    measure,
    configured,
    pointer_chase.lacks,
    whole=True,
)
