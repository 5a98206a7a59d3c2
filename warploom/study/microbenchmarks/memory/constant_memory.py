"""Constant memory: the latency of each level of its cache, and what the levels hold.

One thread follows pointers through constants, as `pointer_chase.py` does through global memory. What no level holds is found in lines
that have not been read before.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from warploom.isa.uop import CONSTANT_SPACE
from warploom.machine.config.schema import Config
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.memory.pointer_chase import CLOSE, KIB, UNROLLED, following, ring
from warploom.study.microbenchmarks.microbenchmark import Axes, Curve, Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import PAGE, WORD

LINE, FAR = 64, 256  # bytes from one pointer to the next: lines of the first level, and of the second
MOST = 64 * KIB  # that constant memory has
TIMED = 512
SIZES = (512, 1024, 1536, 2048, 2560, 3072, 4096, 8192, 16384, 32768, 65536)
QUICK = (1024, 2048, 4096, 65536)


def chase(bench: Bench, size: int, stride: int = LINE, *, cold: bool = False) -> float:
    """Cycles per load, of one thread that follows pointers through `size` bytes; cold: the first time, else when it has been everywhere."""
    lines = max(size // stride, 1)
    loads = lines if cold else max(lines, TIMED)
    timed = (loads // UNROLLED - 1) * UNROLLED if cold else loads // UNROLLED * UNROLLED
    k = following(0, UNROLLED if cold else -(-lines // UNROLLED) * UNROLLED, timed, CONSTANT_SPACE)
    words = np.maximum(ring(lines, stride).astype(np.int64) - PAGE, 0).astype(np.uint32)
    program = k.program(f"chase of {size} bytes of constants", block=1, constants=words, memory_bytes=WORD)
    return float(bench.run(program).words[0]) / timed


def capacity(bench: Bench, latency: float) -> int:
    """The largest size, in steps of 64 bytes, that has the latency."""
    low, high = LINE, MOST + LINE
    while high - low > LINE:
        middle = (low + high) // 2 // LINE * LINE
        low, high = (middle, high) if chase(bench, middle) <= CLOSE * latency else (low, middle)
    return low


def measure(bench: Bench) -> Finding:
    """The curve, the latency of each level, and the capacities."""
    found = {size: chase(bench, size) for size in (QUICK if bench.quick else SIZES)}
    first = chase(bench, SIZES[0])
    held = capacity(bench, first)
    readings = [Reading("constant.hit", "first-level hit, cycles", first)]
    if held < MOST:
        second = chase(bench, min(4 * held, MOST))
        readings.append(Reading("constant.miss", "second-level hit, cycles", second))
    readings.append(Reading("constant.memory", "in no level, cycles", chase(bench, MOST, FAR, cold=True)))
    readings.append(Reading("constant.capacity", "first level, KiB that all hit", held / KIB))
    if held < MOST:
        readings.append(Reading("constant.next-capacity", "second level, KiB that all hit", capacity(bench, second) / KIB))
    curve = Curve("constant", "one thread, random order", tuple(size / KIB for size in found), tuple(found.values()))
    axes = Axes("Constant memory", "KiB that are walked through", "cycles per load", log_x=True)
    return Finding(tuple(readings), (curve,), {"constant": axes})


def configured(config: Config) -> Mapping[str, float]:
    """As the levels are set; of the second a program cannot use more than constant memory has."""
    c = config.constant
    return {
        "constant.hit": float(c.latency),
        "constant.miss": float(c.next_latency if c.next_bytes else c.memory_latency),
        "constant.memory": float(c.memory_latency),
        "constant.capacity": c.bytes / KIB,
        "constant.next-capacity": min(c.next_bytes, MOST) / KIB,
    }


def lacks(config: Config) -> str:
    """Where there is no such cache, or no room."""
    if not config.constant.bytes:
        return "there is no constant cache (constant.bytes = 0)"
    if 0 < config.constant.space < MOST:
        return f"constant memory has {config.constant.space} bytes (constant.space); the kernel needs {MOST}"
    return ""


MICROBENCHMARK = Microbenchmark(
    "constant",
    "latency and capacity of the constant cache",
    "One thread follows pointers in random order through constants, 64 bytes apart; 256 apart, and for the first time, from memory.",
    measure,
    configured,
    lacks,
)
