"""Mixed issue: two kinds of instructions in equal numbers. Where both have pipes of their own, a core issues in every slot."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.machine.config.derived import fetched_a_cycle
from warploom.machine.config.pipes import issue_slots
from warploom.machine.config.schema import Config
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.core import throughput
from warploom.study.microbenchmarks.microbenchmark import Finding, Microbenchmark, Reading

WARPS = 16


def measure(bench: Bench) -> Finding:
    """Instructions per cycle of a core."""
    warps = min(WARPS, throughput.most_warps(bench))
    rates = {
        "mixed.pair": ("multiply-add and integer add, IPC", ("fma", "add")),
        "mixed.float": ("multiply-add alone, IPC", ("fma",)),
        "mixed.integer": ("integer add alone, IPC", ("add",)),
        "mixed.multiply": ("integer multiply and add, IPC", ("mul", "add")),
    }
    return Finding(tuple(Reading(key, what, throughput.rate(bench, names, warps, 8)) for key, (what, names) in rates.items()))


def configured(config: Config) -> Mapping[str, float]:
    """By lanes, issue slots and fetches; float and integer share nothing but those where they have pipes of their own."""
    fma, add, multiply = (throughput.instructions_a_cycle(config, key)[0] for key in ("fma", "add", "mul"))
    issue = min(float(issue_slots(config)), fetched_a_cycle(config, min(WARPS, config.core.warps)))
    shared = config.pipes.owner != "scheduler" or config.pipes.float_on_integer or config.pipes.vector
    pair = min(issue, 2 * add, fma if shared else 2 * fma)
    integers = 2 * min(add, multiply)
    if config.pipes.owner != "scheduler" or config.pipes.vector or config.pipes.multiply == "integer":
        integers = 2 / (1 / add + 1 / multiply)
    return {"mixed.float": fma, "mixed.integer": add, "mixed.pair": pair, "mixed.multiply": min(issue, integers)}


MICROBENCHMARK = Microbenchmark(
    "mixed",
    "integer and float instructions in equal numbers",
    f"{WARPS} warps issue a multiply-add, or an integer multiply, and an integer add in turn, all of them independent.",
    measure,
    configured,
)
