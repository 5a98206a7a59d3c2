"""Instruction caches: straight code of growing size, the second time it runs. Where a cache is full, instructions come late."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.machine.config.schema import Config
from warploom.study.kernels import Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.microbenchmark import Axes, Curve, Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, span, timed

INSTRUCTION = 16  # bytes, as NVIDIA's instructions have had since Volta: what the knees are counted in
KIB = 1024 // INSTRUCTION
SIZES = (2, 4, 6, 8, 12, 16, 24, 32, 40, 48, 64, 96, 120, 128, 136, 160, 192, 256)  # KiB
QUICK = (4, 16, 96, 120, 160)
FRAME = 16  # instructions of the timed frame that run around the body
FLAT = 1.05  # a knee: so much slower than before


def measure(bench: Bench) -> Finding:
    """Cycles per instruction by the size of the code, and the sizes at which it becomes slower."""
    lanes = bench.device.lanes
    most = bench.config.memory.program_words // KIB - 1
    sizes = [size for size in (QUICK if bench.quick else SIZES) if size <= most]

    def body(k: Kernel, count: int) -> None:
        for number in range(count):
            k.op("add", BODY + number % 8, BODY + number % 8, imm=1)

    def cost(size: float) -> float:
        """Cycles per instruction of so many KiB, the frame's among them."""
        count = int(size * KIB) - FRAME
        return span(bench, timed(body, count, threads=lanes, block=lanes, name=f"code of {size:g} KiB")) / count

    def knee(fitting: float, larger: float, limit: float) -> float:
        """The largest code of those between that takes no longer an instruction than the limit."""
        while larger - fitting > max(1, fitting / 8) / 8:
            middle = (fitting + larger) / 2
            fitting, larger = (middle, larger) if cost(middle) <= limit else (fitting, middle)
        return fitting

    found = [cost(size) for size in sizes]
    level = min(found[:3])
    readings = [Reading("icache.hit", "code that fits, cycles per instruction", level)]
    for number in range(1, len(sizes)):
        if found[number] > FLAT * level and found[number - 1] <= FLAT * level:
            place = len(readings)
            key = "icache.knee" if place == 1 else f"icache.knee-{place}"
            readings.append(
                Reading(key, f"largest code at {level:.2f} cycles each, KiB", knee(sizes[number - 1], sizes[number], FLAT * level))
            )
            level = max(found[number : number + 2])
    if len(readings) > 1:
        readings.append(Reading("icache.miss", "largest code, cycles per instruction", found[-1]))
    curve = Curve("icache", "one warp, integer adds", tuple(sizes), tuple(found), "icache")
    axes = Axes("Instruction caches", "code (KiB, 16 bytes per instruction)", "cycles per instruction", log_x=True)
    return Finding(tuple(readings), (curve,), {"icache": axes})


def configured(config: Config) -> Mapping[str, float]:
    """The capacities of the caches: the schedulers' own, where they have some, and the core's."""
    f = config.fetch
    if not (f.buffer and f.sets):
        return {}
    sizes = [sets * ways * f.line * INSTRUCTION / 1024 for sets, ways in ((f.l0_sets, f.l0_ways), (f.sets, f.ways)) if sets]
    return dict(zip(("icache.knee", "icache.knee-2"), sizes, strict=False))


def lacks(config: Config) -> str:
    """Where there is no instruction cache."""
    if config.fetch.buffer == 0:
        return "instructions are always there on this machine (fetch.buffer = 0), so it has no instruction cache to measure"
    if config.memory.program_words // KIB <= QUICK[0]:
        return f"program memory has {config.memory.program_words} instructions (memory.program_words): too few to leave a cache"
    return ""


MICROBENCHMARK = Microbenchmark(
    "instruction-cache",
    "straight code of growing size",
    "One warp runs independent integer adds without a jump; the second time through is timed.",
    measure,
    configured,
    lacks,
)
