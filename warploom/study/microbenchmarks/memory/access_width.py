"""Width of an access: loads of 32, 64 and 128 bits per lane that hit the first-level cache or go to shared memory.

A wider load brings more with one instruction, which helps where memory instructions are what a core has too few of (GA10x takes one every
second cycle); the way into the register file is narrower than the warp's data, so the last register is there later.

A micro-op, and a kernel in Python, loads 64 bits at most. One of 128 bits is a bundle of two here, which issue as one instruction, as GCN's
`global_load_dwordx4` is one of four words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from warploom.isa.uop import GLOBAL_SPACE, SHARED_SPACE
from warploom.machine.config.schema import Config
from warploom.machine.engine.sizes import BANK_BYTES
from warploom.study.kernels import LANE, Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.core.throughput import most_warps
from warploom.study.microbenchmarks.memory import pointer_chase, shared_memory
from warploom.study.microbenchmarks.memory.l1_bandwidth import cycles_to_send
from warploom.study.microbenchmarks.microbenchmark import Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, PAGE, WORD, data_base, each, limited_by_fetching

WIDTHS = (4, 8, 16)  # bytes per lane
SPACES = {"l1": (GLOBAL_SPACE, "first level"), "shared": (SHARED_SPACE, "shared memory")}
ROOM = 4096  # bytes, of which a load of a warp takes up to 512
POINTER = BODY + 3  # the last register of a load of any width, so that nothing else of it comes after
ADDRESS, FIRST, REGISTERS = BODY, BODY + 2, 16  # registers from FIRST on, so many, are written by the loads in turn
COUNT, ROUNDS = 16, 16


def latency(bench: Bench, space: int, width: int) -> float:
    """Cycles of a load, by one thread, whose address the load before it gave: a place that leads to itself."""
    place = PAGE if space == GLOBAL_SPACE else 0
    first_register = POINTER + 1 - width // WORD

    def body(k: Kernel, count: int) -> None:
        for _ in range(count):
            k.load(first_register, POINTER, space=space, width=width)

    frame: dict[str, Any] = {"shared_bytes": ROOM} if space == SHARED_SPACE else {"data": np.full(WORD, place, np.uint32)}
    return each(bench, body, 32, threads=1, block=1, prepare=lambda k: k.mov(POINTER, place), awaited=(POINTER,), **frame)


def bytes_a_cycle(bench: Bench, space: int, width: int) -> float:
    """Bytes per cycle that a block full of warps loads, the lanes side by side, from what all of its warps share."""
    lanes = bench.device.lanes
    warps = most_warps(bench)
    base = data_base(warps * lanes) if space == GLOBAL_SPACE else 0
    values = range(FIRST, FIRST + REGISTERS, width // WORD)

    def prepare(k: Kernel) -> None:
        k.op("mul", ADDRESS, LANE, imm=width)
        k.op("add", ADDRESS, ADDRESS, imm=base)

    def body(k: Kernel, count: int) -> None:
        for number in range(count):
            k.load(values[number % len(values)], ADDRESS, space=space, width=width)

    frame: dict[str, Any] = {"shared_bytes": ROOM} if space == SHARED_SPACE else {"memory_bytes": base + ROOM}
    frame |= {"threads": warps * lanes, "block": warps * lanes, "prepare": prepare, "awaited": values}
    return warps * lanes * width / each(bench, body, COUNT, rounds=4 if bench.quick else ROUNDS, **frame)


def measure(bench: Bench) -> Finding:
    """Latency and bytes per cycle by width, of both."""
    readings = []
    for key, (space, words) in SPACES.items():
        readings += [Reading(f"width.{key}-latency-{8 * w}", f"{words}, {8 * w} bits, cycles", latency(bench, space, w)) for w in WIDTHS]
        readings += [
            Reading(f"width.{key}-bytes-{8 * w}", f"{words}, {8 * w} bits, bytes per cycle", bytes_a_cycle(bench, space, w)) for w in WIDTHS
        ]
    return Finding(tuple(readings))


def configured(config: Config) -> Mapping[str, float]:
    """Registers are written so many bytes a cycle; an access keeps tags or banks for as long as the lanes' bytes fill rows of them."""
    lanes, lsu, l1, shared = config.core.lanes, config.lsu, config.l1, config.shared
    to_write = lanes * BANK_BYTES // lsu.write_back if lsu.write_back else 0
    found = {}
    for width in WIDTHS:
        bits, moved = 8 * width, width * lanes
        groups = lanes // (lsu.group or lanes)
        lookups = groups * max(1, moved // groups // l1.line) / lsu.ports
        cycles = max(lookups, moved / (l1.banks * BANK_BYTES)) if l1.banks else max(1.0, lookups)
        found[f"width.l1-latency-{bits}"] = float(l1.latency + to_write * (width // WORD - 1))
        found[f"width.shared-latency-{bits}"] = float(shared.latency)
        if limited_by_fetching(config):
            continue
        found[f"width.l1-bytes-{bits}"] = moved / max(cycles, cycles_to_send(config))
        found[f"width.shared-bytes-{bits}"] = moved / max(1.0, moved / (shared.banks * shared.bank_bytes), cycles_to_send(config))
    return found


def lacks(config: Config) -> str:
    """Where one of the two is missing, or memory is too small for pointers."""
    if not config.l1.bytes:
        return "there is no first-level cache (l1.bytes = 0)"
    return shared_memory.lacks(config) or pointer_chase.lacks(config)


MICROBENCHMARK = Microbenchmark(
    "width",
    "loads of 32, 64 and 128 bits per lane",
    "One thread follows a pointer that leads to itself; all warps of a block load what lies side by side and is in the cache.",
    measure,
    configured,
    lacks,
)
