"""Mixed issue: integer and float instructions in equal numbers. Where both have pipes of their own, a core issues in every slot."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.machine.config.pipes import issue_slots
from warploom.machine.config.schema import Config
from warploom.study.microbenchmarks import throughput
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.microbenchmark import Finding, Microbenchmark, Reading

WARPS = 16


def measure(bench: Bench) -> Finding:
    """Instructions per cycle of a core."""
    warps = min(WARPS, throughput.most_warps(bench))
    rates = {
        "mixed.pair": ("multiply-add and integer add, IPC", ("fma", "add")),
        "mixed.float": ("multiply-add alone, IPC", ("fma",)),
        "mixed.integer": ("integer add alone, IPC", ("add",)),
    }
    return Finding(tuple(Reading(key, what, throughput.rate(bench, names, warps, 8)) for key, (what, names) in rates.items()))


def configured(config: Config) -> Mapping[str, float]:
    """By lanes and issue slots; float and integer share nothing but those where they have pipes of their own."""
    fma, add = (throughput.instructions_a_cycle(config, key)[0] for key in ("fma", "add"))
    issue = float(issue_slots(config))
    shared = config.pipes.owner != "scheduler" or config.pipes.float_on_integer or config.pipes.vector
    pair = min(issue, 2 * add, fma if shared else 2 * fma)
    return {"mixed.float": fma, "mixed.integer": add, "mixed.pair": pair}


MICROBENCHMARK = Microbenchmark(
    "mixed",
    "integer and float instructions in equal numbers",
    f"{WARPS} warps issue a multiply-add and an integer add in turn, all of them independent.",
    measure,
    configured,
)
