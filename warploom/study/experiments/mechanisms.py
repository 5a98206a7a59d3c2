"""What the experiments on divergence share: the mechanisms that there are, and a machine on which nothing else takes time."""

from __future__ import annotations

from typing import Any

from warploom.machine.core.divergence import MECHANISMS

# Without them a divergent branch is a fault, or the program's own business: they cannot run the same kernel.
_NO_BRANCHES = ("uniform", "masks")

FAST: dict[str, Any] = {
    "core.schedulers": 1, "core.scheduler": "greedy_oldest", "core.branch_latency": 1, "pipes.owner": "core",
    "alu.count": 4, "alu.width": 0,
    "fetch.buffer": 0,
    "latency.alu": 1, "latency.multiply": 1, "latency.divide": 1, "core.stack_depth": 128,
}  # fmt: skip


# Dynamic warp formation chooses what issues next by one of three rules; the others leave that to the scheduler.
_HEURISTICS = {"dwf": "majority", "dwf_time": "time_stamp", "dwf_pc": "pc"}


def variants() -> dict[str, dict[str, Any]]:
    """The mechanisms by the names that tables have for them, with the settings of each; `stack` first."""
    found: dict[str, dict[str, Any]] = {}
    for name in mechanisms():
        chosen = {"core.divergence": name}
        if name == "dwf":
            found |= {shown: chosen | {"divergence.heuristic": heuristic} for shown, heuristic in _HEURISTICS.items()}
        else:
            found[name] = chosen
    return found


def mechanisms() -> tuple[str, ...]:
    """The mechanisms that can run any program with branches, `stack` first: it is what the others are compared with."""
    found = [name for name in MECHANISMS if name not in _NO_BRANCHES]
    return tuple(sorted(found, key=lambda name: name != "stack"))
