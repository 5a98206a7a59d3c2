"""Pointer chase: the latency of each level of memory, and where one level ends and the next begins.

One thread follows pointers through lines in random order, so that each load waits for the one before and nothing can be brought ahead.
As in Saavedra and Smith, "Measuring cache and TLB performance and their effect on benchmark runtimes" (IEEE Trans. Computers, 1995),
and on GPUs in Wong et al., "Demystifying GPU microarchitecture through microbenchmarking" (ISPASS 2010) and RRZE's gpu-benches.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from warploom.isa.uop import GLOBAL_SPACE
from warploom.machine.config.derived import fetch_interval, l1_bytes
from warploom.machine.config.schema import Config
from warploom.machine.occupancy.residency import Demand, limits_of, residency
from warploom.study.kernels import REGISTERS, Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.microbenchmark import Axes, Curve, Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BEGIN, BODY, END, LEFT, OUT, PAGE, WORD

POINTER = BODY
UNROLLED = 8
LOOP = 3  # instructions from one load to the next where the loop ends: they are fetched while the load is waited for
TIMED = 2048  # loads between the two looks at the clock
KIB = 1024
LINE = 128
STEP = 2**0.5  # from one size of the sweep to the next
CLOSE = 1.01  # latencies that count as equal
SEED = 1


@lru_cache(maxsize=4)
def ring(lines: int, stride: int) -> np.ndarray:
    """Pointers that lead through every line once, in random order, and back to the first."""
    order = np.random.default_rng(SEED).permutation(lines).astype(np.uint32)
    words = np.zeros(lines * stride // WORD, np.uint32)
    words[order * np.uint32(stride // WORD)] = np.roll(order, -1) * np.uint32(stride) + np.uint32(PAGE)
    return words


def following(first: int, warm: int, timed: int, space: int = GLOBAL_SPACE) -> Kernel:
    """A kernel that follows pointers from address `first` on, and stores the cycles of the last `timed` loads at 0.

    warm: loads before those. Both are multiples of UNROLLED.
    """
    k = Kernel()
    k.mov(OUT, 0)
    k.mov(POINTER, first)
    for name, loads in (("WARM", warm), ("TIMED", timed)):
        k.mov(LEFT, loads // UNROLLED)
        if name == "TIMED":
            k.op("add", POINTER, POINTER, imm=0)  # waits for the last pointer
            k.special(BEGIN, "cycle")
        k.label(name)
        for _ in range(UNROLLED):
            k.load(POINTER, POINTER, space=space)
        k.op("sub", LEFT, LEFT, imm=1)
        k.branch(LEFT, name)
    k.op("add", POINTER, POINTER, imm=0)
    k.special(END, "cycle")
    k.op("sub", END, END, BEGIN)
    k.store(OUT, END)
    k.exit()
    return k


def chase(bench: Bench, size: int, stride: int = LINE, timed: int = TIMED) -> float:
    """Cycles per load, of one thread that follows pointers through `size` bytes, when it has been everywhere once before."""
    lines = max(size // stride, 1)
    timed = -(-timed // UNROLLED) * UNROLLED
    k = following(PAGE, -(-lines // UNROLLED) * UNROLLED, timed)
    data = np.concatenate([np.zeros(PAGE // WORD, np.uint32), ring(lines, stride)])
    program = k.program(f"chase of {size // KIB} KiB", threads=1, block=1, data=data, memory_bytes=data.nbytes)
    return float(bench.run(program).words[0]) / timed


def fits(bench: Bench, size: int, latency: float) -> bool:
    """Whether a chase through so many bytes is as fast as the level's latency."""
    return chase(bench, size, timed=max(512, TIMED // 2)) <= CLOSE * latency


def capacity(bench: Bench, low: int, high: int, latency: float) -> int:
    """The largest size, of those between low (which fits) and high (which does not), that fits. Within a 64th of low."""
    grain = max(LINE, 1 << (low.bit_length() - 7))
    while high - low > grain:
        middle = (low + high) // 2 // grain * grain
        low, high = (middle, high) if fits(bench, middle, latency) else (low, middle)
    return low


def sizes(bench: Bench) -> list[int]:
    """Bytes, from far below the first level to well above the last."""
    device = bench.device
    last = max(device.l2_bytes * 2, device.l1_bytes * 4, 16 * KIB)
    steps = int(np.log(last / (2 * KIB)) / np.log(STEP)) + 1
    every = [int(2 * KIB * STEP**n) // LINE * LINE for n in range(steps + 1)]
    return every[:: 3 if bench.quick else 1]


def levels(bench: Bench) -> tuple[float, float, float]:
    """Latencies of L1, L2 and memory: at sizes well within each."""
    device = bench.device
    first = chase(bench, min(max(device.l1_bytes // 8, KIB), 8 * KIB)) if device.l1_bytes else 0.0
    inside = min(4 * max(device.l1_bytes, 32 * KIB), device.l2_bytes // 2)
    second = chase(bench, inside) if device.l2_bytes else 0.0
    return first, second, chase(bench, max(2 * device.l2_bytes, 8 * device.l1_bytes, 64 * KIB))


def measure(bench: Bench) -> Finding:
    """The curve, the latency of each level, and the capacities."""
    curve = [(size / KIB, chase(bench, size)) for size in sizes(bench)]
    first, second, last = levels(bench)
    device, readings = bench.device, []
    if device.l1_bytes:
        readings.append(Reading("chase.l1", "first-level hit, cycles", first))
    if device.l2_bytes > device.l1_bytes:
        readings.append(Reading("chase.l2", "second-level hit, cycles", second))
    readings.append(Reading("chase.dram", "memory, cycles", last))
    if device.l1_bytes:
        readings.append(
            Reading("chase.l1-capacity", "first level, KiB that all hit", capacity(bench, KIB, 2 * device.l1_bytes, first) / KIB)
        )
    if device.l2_bytes > device.l1_bytes:
        below = min(4 * max(device.l1_bytes, 32 * KIB), device.l2_bytes // 2)
        found = capacity(bench, below, 2 * device.l2_bytes, second)
        readings.append(Reading("chase.l2-capacity", "second level, KiB that all hit", found / KIB))
    line = Curve("chase", "one thread, random order", tuple(x for x, _ in curve), tuple(y for _, y in curve), "chase")
    axes = Axes("Pointer chase", "KiB that are walked through", "cycles per load", log_x=True)
    return Finding(tuple(readings), (line,), {"chase": axes})


def configured(config: Config) -> Mapping[str, float]:
    """Latencies add up on the way; a capacity is what a cache holds."""
    second = config.l1.latency + config.l2.latency if config.l2.bytes else config.l1.latency
    hit = {"chase.l1": float(config.l1.latency)} if config.l1.latency >= LOOP * fetch_interval(config) else {}
    return hit | {
        "chase.l2": float(second),
        "chase.dram": second + config.dram.latency + in_the_device(config),
        "chase.l1-capacity": l1_of_small_blocks(config) / KIB,
        "chase.l2-capacity": config.l2.bytes / KIB,
    }


def l1_of_small_blocks(config: Config) -> int:
    """Bytes of the first level where blocks use no shared memory: what the system's own part of each resident block leaves."""
    blocks = residency(limits_of(config), Demand(1, REGISTERS)).blocks
    return l1_bytes(config, blocks * config.shared.reserved)


def in_the_device(config: Config) -> float:
    """Cycles of an access to a bank that has a different row open: close it, open the row, read a sector.

    A bank that is refreshed now and then has been, since the last access to it, so that it has none open; some accesses find it at that.
    """
    d = config.dram
    if not d.banks:
        return 0.0
    clocks: float = d.rcd + d.cl + -(-config.lsu.sector // d.bandwidth)
    if d.refresh_interval:
        a_round = d.refresh_interval * (d.banks if d.refresh_of == "bank" else 1)
        clocks += d.refresh_time**2 / (2 * a_round)
    else:
        clocks += d.rp
    return clocks * (config.gpu.clock / d.clock if d.clock and config.gpu.clock else 1.0)


def lacks(config: Config) -> str:
    """Where memory is too small for lines."""
    if config.memory.kind == "channels":
        return "memory is tiny-gpu's channels (memory.kind = channels), which are made for bytes, and probes keep pointers and clocks there"
    return ""


MICROBENCHMARK = Microbenchmark(
    "chase",
    "latency and capacity of each level of memory",
    "One thread follows pointers in random order over 128-byte lines, all of which it has visited once before.",
    measure,
    configured,
    lacks,
)
