"""A recorded run on our machine: its settings, and its history as the recordings write it."""

from functools import lru_cache
from typing import Any

import numpy as np

from tests import guppy_golden
from warploom import GPU
from warploom.machine.accounting import events as e
from warploom.observe.facts.history import history
from warploom.result import Result

MOST_WAVES = 64  # of a core of ours; a recorded one with more becomes several cores
SETTINGS = {
    "CU_count": "gpu.cores",
    "waves_per_cu": "core.warps",
    "wave_size": "core.lanes",
    "fd_per_cu": "core.schedulers",
    "ALU_per_cu": "alu.count",
    "ALU_pipe_len": "alu.depth",
    "L1_latency": "l1.latency",
    "L2_latency": "l2.latency",
    "DRAM_latency": "dram.latency",
    "sampler_latency": "texture.latency",
}
# A recorded capacity counts lines of one way: a cache makes as many sets, each of so many ways.
CAPACITIES = {"L1_size": ("l1.bytes", 8), "L2_size": ("l2.bytes", 8), "sampler_cache_size": ("texture.bytes", 2)}


def settings(golden: dict) -> dict[str, Any]:
    """What a recorded machine is in terms of preset `guppy`.

    256 waves of one core with an ALU and a fetch unit for each become four cores of 64: they share nothing else.
    """
    config = golden["config"]
    found = {ours: config[theirs] for theirs, ours in SETTINGS.items()}
    found |= {ours: config[theirs] * ways for theirs, (ours, ways) in CAPACITIES.items()}
    parts, rest = divmod(found["core.warps"], MOST_WAVES)
    if parts > 1:
        assert rest == 0 and found["core.warps"] == found["core.schedulers"] == found["alu.count"]
        found["gpu.cores"] *= parts
        found |= dict.fromkeys(("core.warps", "core.schedulers", "alu.count"), MOST_WAVES)
    return found


@lru_cache(maxsize=4)
def repeat(name: str, engine: str) -> Result:
    """Run a recorded run on our machine, writing events down."""
    golden = guppy_golden.load(name)
    return GPU("guppy", set=settings(golden), engine=engine).run(guppy_golden.from_recorded(golden), max_cycles=100_000, tracing=True)


def is_split(golden: dict) -> bool:
    """Its one core has more waves than ours may have, so several of ours stand for it."""
    return golden["config"]["waves_per_cu"] > MOST_WAVES


def recorded_rows(golden: dict) -> list[str]:
    """`waves | ALUs` of every recorded cycle: long runs are recorded for their first 3,000 cycles or so.

    Where several of our cores stand for one, the waves in the ALUs come in order: which ALU is the first free one differs.
    """
    rows = [row.rsplit(" | ", 3)[0] for times, row in golden["result"]["history_rle"] for _ in range(times)]
    return [_in_order(row, 1, 0) for row in rows] if is_split(golden) else rows


def our_rows(result: Result, golden: dict) -> list[str]:
    """The same of our run, as far as the recorded one goes."""
    rows = history(result, 0, golden["result"]["history_rows_covered"]).rows()
    config = result.config
    return [_in_order(row, config.alu.count, config.core.warps) for row in rows] if is_split(golden) else rows


def _in_order(row: str, alus: int, warps: int) -> str:
    """A row with the waves in its ALUs sorted, numbered `warps` higher from one core of `alus` ALUs to the next."""
    waves, _, holders = row.partition(" | ")
    numbers = [int(holder) for holder in holders.split()]
    return f"{waves} | {' '.join(map(str, sorted(n if n < 0 else n + place // alus * warps for place, n in enumerate(numbers))))}"


# ---------------------------------------------------------------------------------------------------------
# What differs: how often caches are asked

SHOWN = (
    "p07_load_coalesced",
    "p08_load_strided",
    "p09_load_vec4",
    "p10_texture",
    "p12_iters_random_simd32",
    "p16_lane_locks",
    "p17_cache_reuse",
    "p20_mix_4to1",
)


def lookups(result: Result) -> tuple[int, int]:
    """(hits, misses) of a core's caches: a lookup is one line of one instruction."""
    return result.counters["l1_hits"], result.counters["l1_misses"]


def lines_asked(result: Result) -> int:
    """Lines that a load or a sample has missed in the second cache: each is fetched from memory once."""
    events = result.detail.events
    return int(np.count_nonzero(e.of_kind(events, e.L2)["outcome"] == e.MISS))


def agreement() -> list[tuple[str, ...]]:
    """A row a recorded run that loads: cycles of both machines, then lookups and misses, theirs and ours."""
    rows = []
    for name in SHOWN:
        recorded, result = guppy_golden.load(name)["result"], repeat(name, "python")
        theirs = recorded["l1_hit"] + recorded["sampler_hit"], recorded["l1_miss"] + recorded["sampler_miss"]
        cells = (recorded["total_cycles"], result.cycles, *theirs, *lookups(result), recorded["l2_hit"], recorded["l2_miss"])
        rows.append((f"`{name}`", *(f"{cell:,}" for cell in (*cells, lines_asked(result)))))
    return rows
