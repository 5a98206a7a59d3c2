"""Lines and sectors: how far around a word memory brings with it, and how many sectors a warp's load asks for, by stride.

Nothing is counted by the machine here. A word that came along is found by the time that it takes to be loaded afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping

from warploom.machine.config.schema import Config
from warploom.study.kernels import LANE, Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.memory import pointer_chase
from warploom.study.microbenchmarks.microbenchmark import Axes, Curve, Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, PAGE, WORD, data_base, each

DISTANCES = (4, 8, 16, 32, 64, 128, 256)  # bytes between two words
STRIDES = (1, 2, 4, 8, 16, 32)  # words between neighbouring lanes
ADDRESS, VALUE, BEGIN, END, RESULT, LEFT, PLACE = range(BODY, BODY + 7)
PLACES = 8
WARPS = 8
APART = 4096 + WORD  # bytes between places that share no line, and whose words lie in different banks
BEFORE = 2  # sectors before the first, which bring the code with them and do not count
HIT = 1.3  # times the latency of a hit: what took no longer was there


def timed_load(k: Kernel, address: int, offset: int = 0) -> None:
    """RESULT = cycles of one load."""
    k.special(BEGIN, "cycle")
    k.load(VALUE, address, offset=offset)
    k.op("add", VALUE, VALUE, imm=0)
    k.special(END, "cycle")
    k.op("sub", RESULT, END, BEGIN)


def after_a_neighbour(bench: Bench, distance: int) -> float:
    """Cycles of a load whose neighbour, so many bytes before it, has been loaded; 0: itself.

    Of two such pairs the second: its code is at hand.
    """
    k = Kernel()
    k.mov(PLACE, 0)
    k.mov(ADDRESS, PAGE)
    k.mov(LEFT, 2)
    k.label("AGAIN")
    k.load(VALUE, ADDRESS)
    k.op("add", VALUE, VALUE, imm=0)
    timed_load(k, ADDRESS, distance)
    k.op("add", ADDRESS, ADDRESS, imm=PAGE)
    k.op("sub", LEFT, LEFT, imm=1)
    k.branch(LEFT, "AGAIN")
    k.store(PLACE, RESULT)
    k.exit()
    return float(bench.run(k.program(f"{distance} bytes away", threads=1, block=1, memory_bytes=4 * PAGE)).words[0])


def sectors_of(bench: Bench, stride: int, sector: int, hit: float) -> int:
    """Sectors that a warp's load has brought: so many of those around it are loaded fast afterwards."""
    lanes = bench.device.lanes
    reach = stride * WORD * lanes // sector + 1  # sectors that the warp's words can lie in, and the one beyond
    k = Kernel()
    k.mov(PLACE, 0)
    k.op("mul", ADDRESS, LANE, imm=stride * WORD)
    k.op("add", ADDRESS, ADDRESS, imm=PAGE)
    k.load(VALUE, ADDRESS)
    k.op("add", VALUE, VALUE, imm=0)
    k.mov(ADDRESS, PAGE - BEFORE * sector)
    k.mov(LEFT, BEFORE + reach)
    k.label("NEXT")
    timed_load(k, ADDRESS)
    k.store(PLACE, RESULT)
    k.op("add", PLACE, PLACE, imm=WORD)
    k.op("add", ADDRESS, ADDRESS, imm=sector)
    k.op("sub", LEFT, LEFT, imm=1)
    k.branch(LEFT, "NEXT")
    k.exit()
    program = k.program(f"stride of {stride} words", threads=lanes, block=lanes, memory_bytes=2 * PAGE + reach * sector)
    return int((bench.run(program).words[BEFORE : BEFORE + reach] <= HIT * hit).sum())


def passes(bench: Bench, distance: int) -> float:
    """Cycles of a warp's load that hits, in eight places with two words each, which lie so far apart, in different banks."""
    lanes = bench.device.lanes
    place = max(lanes // PLACES, 2)  # lanes
    threads = min(WARPS * lanes, bench.device.block_threads // lanes * lanes)

    def prepare(k: Kernel) -> None:
        k.op("div", ADDRESS, LANE, imm=place)
        k.op("mul", ADDRESS, ADDRESS, imm=APART)
        k.op("div", VALUE, LANE, imm=place // 2)
        k.op("and", VALUE, VALUE, imm=1)
        k.op("mul", VALUE, VALUE, imm=distance + WORD)
        k.op("add", ADDRESS, ADDRESS, VALUE)
        k.op("add", ADDRESS, ADDRESS, imm=data_base(threads))

    def body(k: Kernel, count: int) -> None:
        for number in range(count):
            k.load(END + number % 4, ADDRESS)

    frame = {
        "threads": threads,
        "block": threads,
        "prepare": prepare,
        "memory_bytes": data_base(threads) + PAGE,
        "awaited": range(END, END + 4),
    }
    return each(bench, body, 8, rounds=4, **frame) / 8


def line_of(bench: Bench) -> int:
    """Bytes that one lookup covers; 0 where it is not found, as where each lane looks up its own word."""
    one = passes(bench, DISTANCES[0])
    return next((distance for distance in DISTANCES if passes(bench, distance) > 1.5 * one), 0)


def measure(bench: Bench) -> Finding:
    """Bytes of a sector and a line, and sectors by stride."""
    hit = after_a_neighbour(bench, 0)  # the clock's own cycles are in it
    cold = {distance: after_a_neighbour(bench, distance) for distance in DISTANCES}
    sector = next((distance for distance in DISTANCES if cold[distance] > HIT * hit), 2 * DISTANCES[-1])
    line = line_of(bench)
    found = {stride: sectors_of(bench, stride, sector, hit) for stride in STRIDES}
    readings = [
        Reading("sectors.sector", "bytes that come with a word", sector),
        *([Reading("sectors.line", "bytes that one lookup covers", line)] if line else []),
    ]
    readings += [Reading(f"sectors.stride-{s}", f"stride of {s} words, sectors per warp load", count) for s, count in found.items()]
    curve = Curve("sectors", "found by timing each sector afterwards", tuple(found), tuple(found.values()), "sectors")
    axes = Axes("Sectors of a warp's load", "words between lanes", "sectors", log_x=True, log_y=True)
    return Finding(tuple(readings), (curve,), {"sectors": axes})


def configured(config: Config) -> Mapping[str, float]:
    """A sector and a line as they are set; lanes that lie in one sector share it."""
    sector, lanes = config.lsu.sector, config.core.lanes
    found = {f"sectors.stride-{s}": float(min(lanes, -(-lanes * s * WORD // sector))) for s in STRIDES}
    return found | {"sectors.sector": float(sector), "sectors.line": float(config.l1.line)}


def lacks(config: Config) -> str:
    """Where there are no lines to find."""
    if config.l1.bytes == 0:
        return "there is no first-level cache (l1.bytes = 0), so nothing is kept of what came along"
    return pointer_chase.lacks(config)


MICROBENCHMARK = Microbenchmark(
    "sectors",
    "lines and sectors: what comes along, and what a stride asks for",
    "A word is loaded, then others around it, each by itself; what is fast has come along.",
    measure,
    configured,
    lacks,
)
