"""Dependent-issue latency: from an operation to the next one that needs its result, by class, in one warp."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.isa.uop import L_HALF
from warploom.machine.config.derived import fetch_interval
from warploom.machine.config.pipes import latency, scheduler_rate
from warploom.machine.config.schema import Config
from warploom.study.kernels import Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.microbenchmark import Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, each

CHAIN = 32  # operations; twice as many are timed too
VALUE, OTHER = BODY, BODY + 2  # pairs of registers, for 64 bits

# Setting of the section `latency`, the operation that stands for it, and its name in the table.
CLASSES = {
    "alu": ("add", "integer add"),
    "multiply": ("mul", "integer multiply"),
    "divide": ("div", "integer divide"),
    "float": ("fadd", "float add"),
    "float_multiply": ("fmul", "float multiply"),
    "fma": ("fma", "float multiply-add"),
    "half": ("half", "half add"),
    "float_divide": ("fdiv", "float divide"),
    "float_root": ("fsqrt", "square root"),
    "float_reciprocal": ("frcp", "reciprocal"),
    "special": ("frsqrt", "reciprocal root"),
    "convert": ("i2f", "convert"),
    "bits": ("popc", "count ones"),
    "double": ("dadd", "double add"),
    "double_divide": ("ddiv", "double divide"),
    "shuffle": ("shuffle_down", "shuffle"),
}
UNARY = {"fsqrt", "frcp", "frsqrt", "i2f", "f2d", "popc"}


def prepare(k: Kernel) -> None:
    """Two numbers that no operation makes special."""
    for register, value in ((VALUE, 0x3F800001), (OTHER, 0x3F7FFFF0)):
        k.mov(register, value)
        k.mov(register + 1, value)


def operation(k: Kernel, name: str) -> None:
    """One operation on the register that the one before has written."""
    if name in UNARY:
        k.unary(name, VALUE, VALUE)
    elif name == "fma":
        k.op(name, VALUE, VALUE, OTHER, c=OTHER)
    elif name == "half":
        k.op("fadd", VALUE, VALUE, OTHER, latency=L_HALF)
    else:
        k.op(name, VALUE, VALUE, OTHER)


def chain(bench: Bench, *names: str) -> float:
    """Cycles of one round of these operations, each of which needs the result of the one before."""

    def body(k: Kernel, count: int) -> None:
        for _ in range(count):
            for name in names:
                operation(k, name)

    lanes = bench.device.lanes
    return each(bench, body, CHAIN // len(names), threads=lanes, block=lanes, prepare=prepare, awaited=(VALUE,))


def measure(bench: Bench) -> Finding:
    """Cycles of each class, and of changing between the integer and the float pipe."""
    readings = [Reading(f"latency.{key}", f"{words}, cycles", chain(bench, name)) for key, (name, words) in CLASSES.items()]
    readings.append(Reading("latency.pair", "multiply-add then integer add, a pair", chain(bench, "fma", "add")))
    return Finding(tuple(readings))


def configured(config: Config) -> Mapping[str, float]:
    """The latencies of the configuration; no chain is faster than the pipe takes instructions, or than they are fetched."""
    apart = config.pipes.owner == "scheduler"
    fetched = fetch_interval(config)
    found = {
        f"latency.{key}": float(max(latency(config, key), 1 / scheduler_rate(config, key) if apart else 0, fetched)) for key in CLASSES
    }
    crossings = config.latency.to_float + config.latency.to_integer if apart else 0
    return found | {"latency.pair": found["latency.fma"] + found["latency.alu"] + crossings}


MICROBENCHMARK = Microbenchmark(
    "latency",
    "operations of one warp, each of which needs the one before",
    f"One warp runs {CHAIN} and {2 * CHAIN} operations on one register; the difference of their times, divided.",
    measure,
    configured,
)
