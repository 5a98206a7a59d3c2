"""Throughput of the pipes: results per cycle of a core by class, what one warp alone gets, and how many warps fill a pipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warploom.isa.uop import L_HALF, LATENCIES
from warploom.machine.config.derived import fetched_a_cycle
from warploom.machine.config.pipes import latency, other_half, pipe_of_class, scheduler_rate, turn_rate
from warploom.machine.config.schema import Config
from warploom.machine.config.sequences import parts_of
from warploom.study.kernels import Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.core.arithmetic_latency import UNARY
from warploom.study.microbenchmarks.microbenchmark import Axes, Curve, Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, each_by_lengths

CHAINS = 8  # independent ones, so that one warp alone can fill its pipe
# Operations in straight code: where loops end, warps that are on their own leave slots empty, fewer or more of them by how they lie.
LENGTHS, OF_CURVE = (64, 96, 128, 160, 192), (64, 128)
WARPS = (1, 2, 4, 6, 8, 12, 16, 20, 24, 32)
OTHER, FIRST = BODY + 1, BODY + 4  # in the two register banks: each chain reads one register of either
# Key, operation, name in the table, latency class.
KINDS = {
    "fma": ("fma", "float multiply-add", "fma"),
    "add": ("add", "integer add", "alu"),
    "mul": ("mul", "integer multiply", "multiply"),
    "divide": ("div", "integer divide", "divide"),
    "half": ("half", "half add", "half"),
    "minimum": ("fmin", "float minimum", "float_compare"),
    "float-divide": ("fdiv", "float divide", "float_divide"),
    "root": ("fsqrt", "square root", "float_root"),
    "reciprocal": ("frcp", "reciprocal", "float_reciprocal"),
    "special": ("frsqrt", "reciprocal root", "special"),
    "convert": ("i2f", "convert", "convert"),
    "double": ("dadd", "double add", "double"),
    "double-convert": ("f2d", "convert to double", "double_convert"),
    "double-divide": ("ddiv", "double divide", "double_divide"),
    "shuffle": ("shuffle_down", "shuffle", "shuffle"),
}
CLASS = {key: kind for key, (_, _, kind) in KINDS.items()}


SPECIAL_UNIT = ("root", "reciprocal", "special")  # what the special functions compute where the schedulers share their ALUs
ONE_WARP = ("fma", "add", "special")  # of those, what is found for one warp alone, too


def operation(k: Kernel, name: str, chain: int) -> None:
    """One operation of a chain, which has a register of its own."""
    register = FIRST + 2 * chain  # a pair, for 64 bits
    if name in UNARY:
        k.unary(name, register, register)
    elif name == "fma":
        k.op(name, register, register, OTHER, c=OTHER)
    elif name == "half":
        k.op("fadd", register, register, OTHER, latency=L_HALF)
    else:
        k.op(name, register, register, OTHER)


def rate(bench: Bench, names: tuple[str, ...], warps: int, chains: int, lengths: Sequence[int] = LENGTHS) -> float:
    """Instructions per cycle of `warps` warps of a block that issue these operations in turn, on so many independent chains."""

    def body(k: Kernel, count: int) -> None:
        for number in range(count):
            operation(k, names[number % len(names)], number % chains)

    threads = warps * bench.device.lanes
    return warps / each_by_lengths(bench, body, lengths, threads=threads, block=threads)


def most_warps(bench: Bench) -> int:
    """Warps of the largest block."""
    return min(bench.device.block_threads, 1024) // bench.device.lanes


def measure(bench: Bench) -> Finding:
    """Results per cycle of a full core by class, of one warp, and the curve of the multiply-add by warps."""
    lanes, most = bench.device.lanes, most_warps(bench)
    readings = [
        Reading(f"throughput.{key}", f"{words}, results per cycle", lanes * rate(bench, (name,), most, CHAINS))
        for key, (name, words, _) in KINDS.items()
    ]
    readings += [
        Reading(f"throughput.{key}-1warp", f"{KINDS[key][1]}, one warp, IPC", rate(bench, (KINDS[key][0],), 1, CHAINS)) for key in ONE_WARP
    ]
    counts = [warps for warps in WARPS if warps <= most and (not bench.quick or warps in {1, 4, 16, most})]
    curves = []
    for chains in (1, 2):
        found = [lanes * rate(bench, ("fma",), warps, chains, OF_CURVE) for warps in counts]
        full = next((warps for warps, value in zip(counts, found, strict=True) if value >= 0.9 * readings[0].measured), counts[-1])
        readings.append(Reading(f"throughput.warps-ilp{chains}", f"warps for 90 % of it, {_chains(chains)}", full))
        curves.append(Curve("throughput", f"multiply-add, {_chains(chains)}", tuple(counts), tuple(found), f"throughput.ilp{chains}"))
    axes = Axes("Multiply-adds by warps", "warps on the core", "results per cycle")
    return Finding(tuple(readings), tuple(curves), {"throughput": axes})


def _chains(chains: int) -> str:
    return "one chain per warp" if chains == 1 else f"{chains} chains per warp"


def instructions_a_cycle(config: Config, key: str) -> tuple[float, float]:
    """(of a core, of one of its warps alone) of a kind: what its pipes take, its schedulers issue, and its warps are brought."""
    core, warp = _taken_a_cycle(config, key)
    return min(core, fetched_a_cycle(config, config.core.warps)), min(warp, fetched_a_cycle(config, 1))


def _taken_a_cycle(config: Config, key: str) -> tuple[float, float]:
    """The same of pipes and schedulers alone."""
    lanes, schedulers, most = config.core.lanes, config.core.schedulers, turn_rate(config)
    if config.pipes.owner == "scheduler":
        of_one = scheduler_rate(config, CLASS[key])
        kind = CLASS[key]
        in_halves = other_half(config) and pipe_of_class(config)[LATENCIES.index(kind)] == "float" and kind != "multiply"
        if in_halves and not parts_of(config, kind):
            of_one = min(most, 2 * of_one)
        return schedulers * of_one, of_one
    alu = config.alu
    units, width = (alu.special_count, alu.special_width) if key in SPECIAL_UNIT else (alu.count, alu.width)
    rate = units / -(-lanes // (width or lanes))
    return min(schedulers * most, rate), min(most, rate)


def configured(config: Config) -> Mapping[str, float]:
    """Lanes of the pipes, as the settings have them, as far as the chains of all warps fill them."""
    found = {}
    for key in KINDS:
        core, warp = instructions_a_cycle(config, key)
        of_chains = CHAINS / latency(config, CLASS[key])  # a warp waits for the results of its chains, where they are long
        core, warp = min(core, most_warps(Bench(config)) * of_chains), min(warp, of_chains)
        found[f"throughput.{key}"] = config.core.lanes * core
        if key in ONE_WARP:
            found[f"throughput.{key}-1warp"] = warp
    return found


MICROBENCHMARK = Microbenchmark(
    "throughput",
    "what a full core computes, and one warp alone",
    f"Warps of one block issue one operation on {CHAINS} independent registers each; the curve has one or two.",
    measure,
    configured,
)
