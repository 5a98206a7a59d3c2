"""The ladder as a picture and as a page."""

from __future__ import annotations

import io
from html import escape
from typing import TYPE_CHECKING

from warploom.study.remarks import remarks, title

if TYPE_CHECKING:
    from warploom.study.ladder import Ladder, Step

ALL, KEPT = "#2563a8", "#e08a1e"  # colours that people who see no red or no green tell apart

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #d5dce4; white-space: nowrap }
th:first-child, td:first-child, td.text, th.text { text-align: left }
td.bars { width: 40%; text-align: left }
.bar { height: .5rem; margin: .12rem 0 }
dt { font-weight: 600; margin-top: .7rem } dd { margin: 0 }
code { font-size: .85rem; color: #51606e }
.key { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 1rem }
"""


def picture(ladder: Ladder, form: str) -> bytes:
    """A bar chart of cycles by rung. form: png or svg. Needs matplotlib."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    steps = ladder.measured
    # A fixed salt and no date: the same ladder gives the same file.
    with rc_context({"svg.hashsalt": "warploom", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 1.6 + 0.42 * len(steps)), layout="constrained")
        axes = figure.add_subplot()
        rows = range(len(steps))
        cycles = [step.cycles or 0 for step in steps]
        up = 0.0 if ladder.of_warps else 0.18  # beside a second bar
        axes.barh([row - up for row in rows], cycles, height=0.36, color=ALL, label="cycles")
        if not ladder.of_warps:
            axes.barh(
                [row + up for row in rows],
                [_kept(step) for step in steps],
                height=0.36,
                color=KEPT,
                label="kept: with the first rung's channels",
            )
        for row, step in zip(rows, steps, strict=True):
            axes.text(step.cycles or 0, row - up, f" {step.cycles}, {ladder.speedup(step) or 1:.2f}x", va="center", fontsize=8)
        axes.set_yticks(list(rows), [step.rung.name for step in steps])
        axes.invert_yaxis()
        axes.set_xlabel("cycles")
        axes.set_xlim(0, 1.15 * max([*cycles, *(_kept(step) for step in steps), 1]))
        axes.set_title(title(ladder), fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
        if not ladder.of_warps:
            axes.legend(loc="lower right", frameon=False)
        out = io.BytesIO()
        figure.savefig(out, format=form, dpi=150, metadata={"Date": None} if form == "svg" else None)
    return out.getvalue()


def page(ladder: Ladder) -> str:
    """One HTML page that loads nothing: the table with bars, the remarks, and every rung explained."""
    name = escape(title(ladder))
    most = max([1, *(max(step.cycles or 0, _kept(step)) for step in ladder.measured)])
    kept = not ladder.of_warps
    head = f"<tr><th>rung</th><th>cycles</th><th>gain</th><th>total</th><th>alone</th>{'<th>kept</th>' * kept}"
    bars = "cycles; with the first rung's channels" if kept else "cycles"
    head += f"<th class='text'>held up by</th><th class='text'>{bars}</th></tr>"
    rows = "\n".join(_row(ladder, step, most) for step in ladder.steps)
    said = "".join(f"<p>{escape(line)}</p>" for line in remarks(ladder))
    explained = "".join(f"<dt>{escape(step.rung.name)}</dt><dd>{escape(step.rung.about)}.{_settings(step)}</dd>" for step in ladder.steps)
    key = f"<p><span class='key' style='background:{ALL}'></span>cycles"
    key += f"<span class='key' style='background:{KEPT}'></span>kept: with the first rung's channels to memory</p>" if kept else "</p>"
    legend = "gain, total: times as fast as the rung above, and as the first one. alone: what the switch gains by itself."
    return (
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{name}</title><style>{STYLE}</style></head>\n"
        f"<body><h1>{name}</h1>\n<table>{head}\n{rows}\n</table>\n{key}<p>{legend}</p>\n{said}\n<h2>The rungs</h2><dl>{explained}</dl>\n"
        "</body></html>\n"
    )


def _row(ladder: Ladder, step: Step, most: int) -> str:
    name = escape(step.rung.name)
    if step.skipped:
        empty = "<td></td>" * (3 if ladder.of_warps else 4)
        return f"<tr><td>{name}</td><td>-</td>{empty}<td class='text'>left out</td><td></td></tr>"
    ratios = (ladder.gain(step), ladder.speedup(step), step.alone)
    cells = "".join(f"<td>{'' if ratio is None else f'{ratio:.2f}'}</td>" for ratio in ratios)
    bars = "".join(
        f"<div class='bar' style='background:{colour};width:{100 * cycles / most:.1f}%'></div>"
        for colour, cycles in ((ALL, step.cycles or 0), (KEPT, _kept(step)))
        if colour == ALL or not ladder.of_warps
    )
    held = escape(str(step.bottleneck))
    cells = f"<td>{step.cycles}</td>{cells}{'' if ladder.of_warps else f'<td>{_kept(step)}</td>'}"
    return f"<tr><td>{name}</td>{cells}<td class='text'>{held}</td><td class='bars'>{bars}</td></tr>"


def _settings(step: Step) -> str:
    text = " ".join(f"{name}={str(value).lower()}" for name, value in step.rung.settings.items())
    return f"<br><code>{escape(text)}</code>" if text else ""


def _kept(step: Step) -> int:
    return step.same_channels.cycles if step.same_channels is not None else 0
