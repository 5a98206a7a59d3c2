"""First-level cache: bytes per cycle of hits by warps, and what a stride between the lanes costs."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from warploom.machine.config.pipes import interval
from warploom.machine.config.schema import Config
from warploom.study.kernels import LANE, WARP, Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.core.throughput import most_warps
from warploom.study.microbenchmarks.memory import pointer_chase
from warploom.study.microbenchmarks.microbenchmark import Axes, Curve, Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, WORD, data_base, each, limited_by_fetching

WARPS = (1, 2, 4, 8, 12, 16, 24, 32)
STRIDES = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33)
QUICK = (1, 2, 5, 8, 32)
ADDRESS, VALUE = BODY, BODY + 1
VALUES = range(VALUE, VALUE + 8)  # registers that loads write in turn
COUNT, ROUNDS = 16, 16
FOOTPRINT = 1 << 13  # bytes that the warps share


def cycles_a_load(bench: Bench, warps: int, stride: int = 1, apart: int = 128) -> float:
    """Cycles that a warp's load takes while `warps` warps load all the time and hit. apart: bytes between the warps' words."""
    lanes = bench.device.lanes
    base = data_base(warps * lanes)

    def prepare(k: Kernel) -> None:
        k.op("mul", VALUE, WARP, imm=apart)
        k.op("and", VALUE, VALUE, imm=FOOTPRINT - 1)
        k.op("mul", ADDRESS, LANE, imm=stride * WORD)
        k.op("add", ADDRESS, ADDRESS, VALUE)
        k.op("add", ADDRESS, ADDRESS, imm=base)

    def body(k: Kernel, count: int) -> None:
        for number in range(count):
            k.load(VALUES[number % len(VALUES)], ADDRESS)

    room = base + FOOTPRINT + stride * WORD * lanes
    frame = {"threads": warps * lanes, "block": warps * lanes, "prepare": prepare, "memory_bytes": room, "awaited": VALUES}
    return each(bench, body, COUNT, rounds=4 if bench.quick else ROUNDS, **frame) / warps


def measure(bench: Bench) -> Finding:
    """The curve by warps, and the costs of strides."""
    most, bytes_a_load = most_warps(bench), WORD * bench.device.lanes
    counts = [warps for warps in WARPS if warps <= most and (not bench.quick or warps in {1, 8, most})]
    rates = [bytes_a_load / cycles_a_load(bench, warps) for warps in counts]
    strides = [stride for stride in STRIDES if not bench.quick or stride in QUICK]
    costs = [cycles_a_load(bench, most, stride) for stride in strides]
    readings = [
        Reading("l1.bandwidth", "hits, bytes per cycle and core", rates[-1]),
        Reading("l1.bandwidth-1warp", "hits, one warp, bytes per cycle", rates[0]),
    ]
    readings += [
        Reading(f"l1.stride-{s}", f"stride of {s} words, cycles per warp load", cost) for s, cost in zip(strides, costs, strict=True)
    ]
    curves = (
        Curve("l1", "four bytes per lane", tuple(counts), tuple(rates), "l1.bandwidth"),
        Curve("l1-strides", "a block that loads all the time", tuple(strides), tuple(costs), "l1.strides"),
    )
    axes = {
        "l1": Axes("First level: hits", "warps on the core", "bytes per cycle and core"),
        "l1-strides": Axes("First level: strides", "words between lanes", "cycles per warp load", log_y=True),
    }
    return Finding(tuple(readings), curves, axes)


def cycles_to_send(config: Config) -> float:
    """Cycles between two memory instructions that the schedulers of a core together send."""
    return interval(config, "load_store") / config.core.schedulers if config.pipes.owner == "scheduler" else 0.0


def configured(config: Config) -> Mapping[str, float]:
    """Each group of lanes looks its lines up, so many a cycle; lanes that share a bank of the data are served one after the other."""
    if limited_by_fetching(config):
        return {}
    lanes = config.core.lanes
    found = {}
    for stride in STRIDES:
        groups = [range(first, first + (config.lsu.group or lanes)) for first in range(0, lanes, config.lsu.group or lanes)]
        lookups = sum(len({lane * stride * WORD // config.l1.line for lane in group}) for group in groups)
        passes = -(-lanes * gcd(stride, config.l1.banks) // config.l1.banks) if config.l1.banks else 0
        tags = lookups / config.lsu.ports if config.l1.banks else max(1.0, lookups / config.lsu.ports)
        found[f"l1.stride-{stride}"] = max(tags, float(passes), cycles_to_send(config))
    return found | {"l1.bandwidth": WORD * lanes / found["l1.stride-1"]}


def lacks(config: Config) -> str:
    """Where there is no such cache."""
    if config.l1.bytes < 2 * FOOTPRINT:
        return f"the first-level cache has {config.l1.bytes} bytes (l1.bytes); the kernel keeps {2 * FOOTPRINT} in it"
    return pointer_chase.lacks(config)


MICROBENCHMARK = Microbenchmark(
    "l1",
    "first-level hits by warps, and strides",
    "Warps of one block load words that are in the cache, four bytes per lane.",
    measure,
    configured,
    lacks,
)
