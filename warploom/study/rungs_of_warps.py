"""The ladder of programs that need warps, as kernels in Python do: from a machine with little but warps up to a preset.

The machine at the top is given. The one at the foot has one core, which issues for one block from one scheduler, without caches, and
each rung turns one idea of the top on. A rung that changes nothing of this machine is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.study.rungs import COALESCING, Rung, with_settings


class Idea(NamedTuple):
    """What a rung turns on. bare: the settings without it. about: what it is in hardware and what it costs, one sentence.

    needs: the rungs without which nothing is to be seen of it, for trying it alone.
    """

    name: str
    bare: Mapping[str, Any]
    about: str
    needs: tuple[str, ...] = ()


BARE = "bare"
IDEAS = (
    Idea(
        "instruction cache",
        {"fetch.l0_sets": 0},
        "each scheduler keeps the instructions that it has fetched beside it; costs an SRAM of <fetch.l0_sets> sets with tags per "
        "scheduler",
    ),
    Idea(
        COALESCING,
        {"lsu.coalesce": False, "lsu.ports": 1},
        "lanes that touch the same <lsu.sector> bytes share one request; costs comparators between the lanes' addresses",
    ),
    Idea(
        "data cache",
        {"l1.bytes": 0, "shared.unified": 0, "lsu.group": 0},
        "each core keeps <l1.bytes> bytes of what it has loaded; costs that SRAM with tags, and <l1.latency> cycles for every access "
        "that misses",
        needs=(COALESCING,),
    ),
    Idea(
        "second-level cache",
        {"l2.bytes": 0},
        "<l2.bytes> bytes that all cores share; costs that SRAM with tags, and <l2.latency> cycles more for what is not there either",
        needs=(COALESCING,),
    ),
    Idea(
        "shared-memory banks",
        {"shared.banks": 1},
        "shared memory serves <shared.banks> lanes at a time where each wants a different bank; costs a crossbar in front of it",
    ),
    Idea(
        "several blocks",
        {"core.blocks": 1},
        "a core holds up to <core.blocks> blocks and issues for one while another waits; costs their registers, PCs and scoreboards",
    ),
    Idea(
        "several schedulers",
        {"core.schedulers": 1, "core.register_files": 1},
        "<core.schedulers> schedulers each issue for their own warps; costs as many times the issue logic and the pipes",
    ),
    Idea(
        "better scheduler",
        {"core.scheduler": "round_robin"},
        "<core.scheduler> chooses the warp that issues, in place of round robin; costs an age per warp and comparators",
    ),
    Idea("more cores", {"gpu.cores": 1}, "<gpu.cores> cores, each with blocks of its own; costs all of a core each time"),
)


def foot_of(top: Config) -> Config:
    """The machine at the foot of the ladder that leads to a machine with warps."""
    return load_config(top, {name: value for idea in IDEAS for name, value in _changed(top, idea).items()})


def warp_rungs(top: Config) -> tuple[Rung, ...]:
    """The ladder that ends with a machine with warps; together its settings make that machine of the one at the foot."""
    first = Rung(BARE, {}, "one core, which holds one block and issues one instruction in a cycle, without caches, lane by lane to memory")
    there = [(idea, {name: top[name] for name in _changed(top, idea)}) for idea in IDEAS]
    return (
        first,
        *(with_settings(Rung(idea.name, {}, idea.about, needs=idea.needs), settings, top) for idea, settings in there if settings),
    )


def _changed(top: Config, idea: Idea) -> dict[str, Any]:
    """What the machine at the top has otherwise than a bare one."""
    return {name: value for name, value in idea.bare.items() if top[name] != value}
