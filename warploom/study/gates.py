"""What machines cost in gates beside what they gain in cycles: the columns of a comparison, its Pareto front, and the ladder's column.

Only mechanisms are priced that stand as hardware beside the running model (`warploom.rtl.mechanisms`). The figures are of those
descriptions, by one script of Yosys: they compare mechanisms with each other, and say nothing of the area or the clock of a product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.study.compare import Plan, name_of, names_of
from warploom.study.figure import Figure, Panel, Series
from warploom.study.needs import StudyError
from warploom.study.table import Column, Table

if TYPE_CHECKING:
    from warploom.study.ladder import Ladder

REMARK = (
    "transistors, depth: of the mechanisms that the settings choose, all of the machine's, and the longest way through one; of these "
    "descriptions, by one script (warploom cost --script), never the area or the clock of a product"
)
COLUMNS = (Column("cost_transistors", "transistors"), Column("cost_depth", "depth"), Column("front", "front"))
# By the ladder's rungs: the kinds of hardware whose difference to the rung below is the rung's price.
RUNGS = {
    "no idle WAIT": ("sequencer",),
    "fetch ahead": ("fetcher",),
    "pipelining": ("scoreboard",),
    "coalescing": ("coalescer",),
    "data cache": ("tags", "mshrs"),
    "several warps": ("scoreboard", "scheduler"),
    "better scheduler": ("scheduler",),
    "divergence": ("divergence",),
    "shared memory": ("banks", "barriers"),
}


def with_cost(plan: Plan, table: Table, progress: Callable[[int], None] | None = None) -> Table:
    """A comparison with what each machine's mechanisms cost, and whether it is on the front.

    On the front is a machine when no other one is at least as good in cycles and in transistors, and better in one of them.
    Raises NoHardware when none of the settings that vary changes a mechanism that has a price.
    """
    from warploom.rtl.hardware import NoHardware
    from warploom.rtl.mechanisms import choices_of
    from warploom.rtl.prices import cost_of_choices

    settings = list(plan.over)
    choices_of(settings)
    rows: list[dict[str, Any]] = []
    reasons: dict[str, list[dict[str, Any]]] = {}
    for number, (row, config) in enumerate(zip(table.rows, plan.configs, strict=True)):
        found: dict[str, Any] = dict.fromkeys(("cost_transistors", "cost_flip_flops", "cost_luts", "cost_depth", "cost_of", "front"))
        try:
            if isinstance(config, Config):
                costs = cost_of_choices(config, settings)
                found["cost_transistors"] = sum(cost.count * cost.transistors for cost in costs)
                found["cost_flip_flops"] = sum(cost.count * cost.flip_flops for cost in costs)
                found["cost_luts"] = sum(cost.count * cost.luts for cost in costs)
                found["cost_depth"] = max((cost.depth for cost in costs), default=0)
                found["cost_of"] = ", ".join(f"{cost.count} x {cost.name}" for cost in costs)
        except NoHardware as error:
            reasons.setdefault(str(error), []).append({name: row[name] for name in settings})
        rows.append({**row, **found})
        if progress is not None:
            progress(number + 1)
    for row in front_of(rows):
        row["front"] = "yes"
    place = next(place for place, column in enumerate(table.columns) if column.name == "speedup") + 1
    notes = [f"{names_of(points, plan)}: no price, since {reason}" for reason, points in reasons.items()]
    others = tuple(replace(column, spare=True) for column in table.columns[place:])
    return Table(rows, (*table.columns[:place], *COLUMNS, *others), (*table.notes, *notes, REMARK))


def front_of(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that no other one beats, the cheapest first."""
    known = [row for row in rows if row["status"] == "done" and row["cost_transistors"] is not None]

    def beats(one: dict[str, Any], other: dict[str, Any]) -> bool:
        pair, others = (one["cycles"], one["cost_transistors"]), (other["cycles"], other["cost_transistors"])
        return pair != others and pair[0] <= others[0] and pair[1] <= others[1]

    return sorted((row for row in known if not any(beats(other, row) for other in known)), key=lambda row: row["cost_transistors"])


def cost_chart(plan: Plan, table: Table) -> Figure:
    """Cycles against transistors, a point a machine, and the front as a line. Raises StudyError when no machine has both."""
    known = [row for row in table.rows if row["status"] == "done" and row["cost_transistors"] is not None]
    if not known:
        raise StudyError("no run has ended well and has a price, so there is nothing to draw")
    points = [Series(name_of({name: row[name] for name in plan.over}), (row["cost_transistors"],), (row["cycles"],)) for row in known]
    if len(plan.over) == 1:
        points = [replace(series, name=series.name.partition("=")[2]) for series in points]
    best = front_of(known)
    line = Series("front", tuple(row["cost_transistors"] for row in best), tuple(row["cycles"] for row in best))
    legend = next(iter(plan.over)) if len(plan.over) == 1 else ""
    panel = Panel("", "transistors of the mechanisms", "cycles", (line, *points), kind="points", legend=legend)
    return Figure(f"{plan.program.name} on {plan.base.name}", (panel,))


# ---------------------------------------------------------------------------------------------------------
# The ladder


def rung_costs(ladder: Ladder, progress: Callable[[int], None] | None = None) -> list[int | None]:
    """What each rung adds in transistors, of what has hardware; None for a rung whose mechanism has none."""
    from warploom.rtl.prices import cost_of_machine

    found: list[int | None] = []
    known: dict[tuple[Config, str], int] = {}

    def price(config: Config, kind: str) -> int:
        if (config, kind) not in known:
            known[config, kind] = cost_of_machine(config, kind)
        return known[config, kind]

    before = ladder.start
    for number, step in enumerate(ladder.steps):
        config = load_config(ladder.start, step.settings)
        kinds = RUNGS.get(step.rung.name)
        found.append(None if kinds is None else sum(price(config, kind) - price(before, kind) for kind in kinds))
        before = config
        if progress is not None:
            progress(number + 1)
    return found
