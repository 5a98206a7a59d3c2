"""Shared memory: latency of a dependent load, and what strides between the lanes cost where they share banks."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from typing import Any

from warploom.isa.uop import SHARED_SPACE
from warploom.machine.config.schema import Config
from warploom.study.kernels import LANE, Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.core.throughput import most_warps
from warploom.study.microbenchmarks.memory.l1_bandwidth import cycles_to_send
from warploom.study.microbenchmarks.microbenchmark import Axes, Curve, Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, WORD, each, each_by_lengths, limited_by_fetching

STRIDES = (0, *range(1, 34))  # words between neighbouring lanes
QUICK = (0, 1, 2, 3, 8, 32, 33)
SHOWN = (1, 2, 4, 8, 16, 32, 33)
ADDRESS = BODY
VALUES = range(BODY + 1, BODY + 9)  # registers that loads write in turn
LENGTHS = (32, 48, 64, 80, 96)  # loads in straight code


def latency(bench: Bench) -> float:
    """Cycles of a load whose address the load before it gave: shared memory is all zeros, and word 0 leads to itself."""

    def body(k: Kernel, count: int) -> None:
        for _ in range(count):
            k.load(ADDRESS, ADDRESS, space=SHARED_SPACE)

    return each(bench, body, 32, threads=1, block=1, prepare=lambda k: k.mov(ADDRESS, 0), shared_bytes=4096, awaited=(ADDRESS,))


def cycles_a_load(bench: Bench, stride: int) -> float:
    """Cycles that a warp's load takes when a block full of warps loads, with words so far apart."""
    lanes = bench.device.lanes
    warps = min(most_warps(bench), 16)

    def prepare(k: Kernel) -> None:
        k.op("mul", ADDRESS, LANE, imm=stride * WORD)

    def body(k: Kernel, count: int) -> None:
        for number in range(count):
            k.load(VALUES[number % len(VALUES)], ADDRESS, space=SHARED_SPACE)

    frame: dict[str, Any] = {"threads": warps * lanes, "block": warps * lanes, "prepare": prepare, "awaited": VALUES}
    needed = (max(STRIDES) * lanes + 1) * WORD
    return each_by_lengths(bench, body, LENGTHS, shared_bytes=min(needed, bench.device.shared_bytes), **frame) / warps


def strides(bench: Bench) -> list[int]:
    """Those that shared memory has room for."""
    room = bench.device.shared_bytes // WORD
    return [stride for stride in (QUICK if bench.quick else STRIDES) if stride * (bench.device.lanes - 1) < room]


def measure(bench: Bench) -> Finding:
    """Latency, and cycles a warp load by stride."""
    found = {stride: cycles_a_load(bench, stride) for stride in strides(bench)}
    readings = [Reading("shared.latency", "dependent load, cycles", latency(bench))]
    readings += [Reading(f"shared.stride-{s}", f"stride of {s} words, cycles per warp load", found[s]) for s in SHOWN if s in found]
    curve = Curve("shared", "warps that load all the time", tuple(found), tuple(found.values()), "shared")
    axes = Axes("Shared memory: bank conflicts", "words between lanes", "cycles per warp load", log_y=True)
    return Finding(tuple(readings), (curve,), {"shared": axes})


def configured(config: Config) -> Mapping[str, float]:
    """Latency as it is set; lanes that share a bank are served one after the other, where warps do not wait for their instructions."""
    s, lanes = config.shared, config.core.lanes
    found = {"shared.latency": float(s.latency)}
    if limited_by_fetching(config):
        return found
    for stride in SHOWN:
        words = stride * WORD // s.bank_bytes
        found[f"shared.stride-{stride}"] = max(1.0, -(-lanes * gcd(words, s.banks) // s.banks), cycles_to_send(config))
    return found


def lacks(config: Config) -> str:
    """Where there is no shared memory."""
    if config.shared.bytes < 4096:
        return f"shared memory has {config.shared.bytes} bytes (shared.bytes); the kernel needs 4096"
    return ""


MICROBENCHMARK = Microbenchmark(
    "shared",
    "latency, and bank conflicts by stride",
    "One thread follows a pointer that leads to itself; 16 warps load words that lie a stride apart.",
    measure,
    configured,
    lacks,
)
