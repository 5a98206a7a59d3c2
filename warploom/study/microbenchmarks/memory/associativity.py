"""Associativity: how many lines that lie a power of two apart a cache keeps.

Lines at a growing distance fall into fewer and fewer sets. The number that fits halves with each doubling, until all of them lie
in one set: then it stays, and is the number of ways.

A hash of addresses spreads such lines again, and the first-level cache would hold them: the second level is probed on the same machine with
neither. Its slices may be three or five times a power of two, and so are the distances. Published ways of second levels are not measured:
they are what a model assumes to fit the capacity.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import structs

from warploom.machine.config.schema import Config
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.memory import pointer_chase, sectors
from warploom.study.microbenchmarks.memory.pointer_chase import CLOSE, KIB, LINE, chase, l1_of_small_blocks
from warploom.study.microbenchmarks.microbenchmark import Axes, Curve, Finding, Microbenchmark, Reading

MOST_BYTES = 1 << 26  # that a chase may reach
MOST_WAYS = 32  # of the second level that are looked for
LEAST = 256  # loads that are timed
FAR_BYTES = 96 << 20  # ... by lines that lie as far apart as this allows


def most_lines(bench: Bench, distance: int, latency: float, upper: int) -> int:
    """The most lines at a distance of which a second walk hits them all."""
    low, high = 1, upper
    while high - low > 1:
        middle = (low + high) // 2
        if chase(bench, middle * distance, stride=distance, timed=max(LEAST, middle)) <= CLOSE * latency:
            low = middle
        else:
            high = middle
    return low


def ways_of_second(bench: Bench) -> int:
    """The fewest lines that the second level keeps at some large distance, which are those of one set."""
    config = bench.config
    plain = structs.replace(
        config,
        gpu=structs.replace(config.gpu, cores=1),
        l1=structs.replace(config.l1, bytes=0),
        l2=structs.replace(config.l2, hash="modulo"),
        memory=structs.replace(config.memory, hash="modulo"),
    )
    alone = Bench(plain, bench.engine, bench.quick, bench.notice)
    latency = chase(alone, KIB, timed=LEAST)
    found = []
    for odd in (1, 3, 5):
        distance = odd * LINE
        while 2 * distance * (MOST_WAYS + 1) <= FAR_BYTES:
            distance *= 2
        found.append(most_lines(alone, distance, latency, MOST_WAYS + 1))
    return min(found)


def measure(bench: Bench) -> Finding:
    """Lines that fit by distance; ways and sets of the first level, ways of the second."""
    latency = chase(bench, KIB, timed=LEAST)
    found: dict[int, int] = {}
    distance, upper = LINE, 2 * bench.device.l1_bytes // LINE
    while distance * min(upper, 2) <= MOST_BYTES:
        found[distance] = most_lines(bench, distance, latency, upper + 1)
        if len(found) > 1 and found[distance] > 0.75 * found[distance // 2]:
            break
        upper = found[distance]
        distance *= 2
    ways = found[max(found)]
    readings, line = [Reading("ways.l1", "first level, ways (lines of a set)", ways)], sectors.line_of(bench)
    if line:
        readings.append(Reading("ways.l1-sets", "first level, sets", found[LINE] * LINE / line / ways))
    if bench.device.l2_bytes:
        readings.append(Reading("ways.l2", "second level, ways (lines of a set)", ways_of_second(bench)))
    curve = Curve("ways", "first level", tuple(found), tuple(found.values()), "ways")
    axes = Axes("Lines that a cache keeps", "bytes between lines", "lines", log_x=True, log_y=True)
    return Finding(tuple(readings), (curve,), {"ways": axes})


def configured(config: Config) -> Mapping[str, float]:
    """As the cache is set."""
    sets, ways = structs.replace(config.l1, bytes=l1_of_small_blocks(config)).shape()
    found = {"ways.l1": float(ways), "ways.l1-sets": float(sets)}
    if config.l2.bytes and config.l2.shape(config.l2.slices)[1] <= MOST_WAYS:
        found["ways.l2"] = float(config.l2.shape(config.l2.slices)[1])
    return found


def lacks(config: Config) -> str:
    """Where there is nothing to find."""
    if config.l1.bytes == 0:
        return "there is no first-level cache (l1.bytes = 0)"
    return pointer_chase.lacks(config)


MICROBENCHMARK = Microbenchmark(
    "ways",
    "lines at a power-of-two distance that a cache keeps",
    "A pointer chase over lines 128, 256, 512 ... bytes apart; the most that all hit the second time.",
    measure,
    configured,
    lacks,
)
