"""The figure of a comparison: what varied most along the x axis, a line or set of bars for every combination of the other settings."""

from __future__ import annotations

import itertools

from warploom.machine.config.schema import settings
from warploom.study.compare import Plan, name_of
from warploom.study.figure import Figure, Panel, Series, doubling, numeric
from warploom.study.metrics import METRIC
from warploom.study.needs import StudyError
from warploom.study.table import Table


def chart(plan: Plan, table: Table, metric: str = "cycles") -> Figure:
    """A comparison as a figure. metric: a name of metrics.METRICS. Runs that are not done are left out.

    Raises StudyError when that is all of them.
    """
    along = max(plan.over, key=lambda name: (numeric(plan.over[name]), len(plan.over[name])))
    others = [name for name in plan.over if name != along]
    values = plan.over[along]
    wanted = METRIC[metric]
    factor = 100 if wanted.percent else 1
    found = []
    for chosen in itertools.product(*(plan.over[name] for name in others)):
        fixed = dict(zip(others, chosen, strict=True))
        rows = [row for row in table.rows if all(row[name] == value for name, value in fixed.items())]
        of_value: dict[object, float] = {row[along]: row[metric] for row in rows if row["status"] == "done" and row[metric] is not None}
        heights = tuple(factor * of_value[value] if value in of_value else None for value in values)
        if any(height is not None for height in heights):
            found.append(Series(_label(fixed) or plan.program.name, tuple(values), heights))
    if not found:
        raise StudyError("no run has ended well, so there is nothing to draw")
    line = numeric(values) and len(values) > 2
    unit = "%" if wanted.percent else wanted.unit
    panel = Panel(
        "" if len(plan.over) > 1 else wanted.meaning,
        f"{along} ({_unit(along)})" if _unit(along) else along,
        f"{wanted.name.replace('_', ' ')} ({unit})" if unit != wanted.name else wanted.name,
        tuple(found) if line else tuple(Series(series.name, tuple(map(str, series.x)), series.y) for series in found),
        legend=others[0] if len(others) == 1 else "",
        kind="line" if line else "bar",
        log_x=line and doubling(values),
        ticks=tuple(values) if line and len(values) <= 10 else (),
    )
    return Figure(f"{plan.program.name} on {plan.base.name}", (panel,))


def _label(fixed: dict[str, object]) -> str:
    """The values alone, where there is one setting: the legend of a figure has little room."""
    return str(next(iter(fixed.values()))) if len(fixed) == 1 else name_of(fixed)


def _unit(name: str) -> str:
    return next((setting.unit for setting in settings() if setting.name == name), "")
