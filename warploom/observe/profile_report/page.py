"""A profile as one HTML page that loads nothing: what slows the run down, and the source with what each line cost.

Light or dark as the reader's system is. Text of the program is never markup.
"""

from __future__ import annotations

from html import escape

import numpy as np

from warploom.observe.diagnosis.finding import Finding
from warploom.observe.profile import Line, Profile
from warploom.observe.profile_report.table import columns, ended, lanes_text, names_of_files, totals_text
from warploom.observe.text import palette
from warploom.observe.text.styled import grouped, percent
from warploom.observe.text.summary import prefetches_text

# How a pattern of the palette is drawn: an image over the colour.
_LINES = "repeating-linear-gradient({}, transparent 0 3px, rgb(255 255 255 / .55) 3px 4.5px)"
IMAGES = {
    palette.SOLID: "none",
    palette.RISING: _LINES.format("-45deg"),
    palette.FALLING: _LINES.format("45deg"),
    palette.ACROSS: _LINES.format("0deg"),
    palette.UPRIGHT: _LINES.format("90deg"),
    palette.CROSSED: f"{_LINES.format('-45deg')}, {_LINES.format('45deg')}",
    palette.SQUARED: f"{_LINES.format('0deg')}, {_LINES.format('90deg')}",
    palette.DOTTED: "radial-gradient(rgb(255 255 255 / .6) 1px, transparent 1.4px) 0 0 / 4px 4px",
}

STYLE = """
:root { color-scheme: light dark; --box: #f3f6f9; --heat: 230 96 40 }
@media (prefers-color-scheme: dark) {
  :root { --box: #1d242c; --heat: 255 122 64 } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 90rem; margin: 2rem auto; padding: 0 1rem;
  color: var(--ink); background: var(--back) }
h1 { font-size: 1.5rem; margin-bottom: .2rem } h2 { font-size: 1.15rem; margin-top: 2rem }
.quiet { color: var(--quiet) }
li { background: var(--box); border: 1px solid var(--edge); border-radius: .4rem; padding: .6rem .9rem; margin: .6rem 0 }
li b { display: block } a { color: inherit }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { padding: .15rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--edge) }
thead th { position: sticky; top: 0; background: var(--back); text-align: right; border-bottom: 2px solid var(--edge) }
th.text, td.text { text-align: left }
td.source { font: .9rem/1.5 ui-monospace, monospace; white-space: pre-wrap; text-align: left; width: 40%; min-width: 34rem }
tr.none td { color: var(--quiet) } tr:target td { outline: 2px solid rgb(var(--heat)) }
td.heat { background: rgb(var(--heat) / var(--share)) }
.bar { display: flex; width: 11rem; height: .8rem; background: var(--box) } .bar i { display: block; height: 100% }
.key { display: inline-block; margin-right: 1.2rem; white-space: nowrap }
.key i { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem }
"""

MEANINGS = (
    ("cycles", "share of all warp-cycles (without warps: core-cycles) in which the line was issued, or a warp waited at it"),
    ("issues", "how often a warp executed the line"),
    ("lanes", "active lanes per issue"),
    ("diverged", "branches at which the lanes of a warp disagreed"),
    (
        "access",
        "32/2: transactions per access, and how many would do; 4/1 s: passes of shared memory per access, and how many would do",
    ),
    ("hits", "transactions that found their line in the first cache"),
)


def profile_page(found: Profile, lines: list[Line], findings: list[Finding], explorer: str = "", launches: str = "") -> str:
    """The page. lines: those that are shown; when they are all of them in the order of the source, with what stands between them.

    explorer: the address of the explorer's page of this run, whose same line each line then leads to.
    launches: a list of the program's, as text.
    """
    name = escape(f"{found.program.name}: profile")
    order = _order(found)
    titles = [column.title for column in columns(found)][:-1]
    head = "".join(f"<th>{escape(title)}</th>" for title in ("line", *titles))
    head += "<th class='text'>stall reasons</th><th class='text'>source</th>"
    said = "".join(_finding(found, finding, explorer) for finding in findings)
    diagnosis = f"<ol>{said}</ol>" if said else "<p>No rule finds fault with this run.</p>"
    names = [found.activities[number].name for number in order]
    keys = "".join(f"<span class='key'><i class='{activity}'></i>{activity}</span>" for activity in names)
    meanings = "".join(f"<dt><b>{title}</b></dt><dd>{escape(text)}</dd>" for title, text in MEANINGS if title in titles)
    lanes = "".join(f"<br>{escape(said)}" for said in (lanes_text(found), prefetches_text(found.counters)) if said)
    whole = (
        f"<br>A line's number leads to where it waits longest in <a href='{escape(explorer, quote=True)}'>the explorer</a>."
        if explorer
        else ""
    )
    listed = f"<h2>Launches of the program</h2><pre class='scroll'>{escape(launches)}</pre>\n" if launches else ""
    return (
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
        f"<title>{name}</title><style>{STYLE}{_looks(found)}</style></head>\n"
        f"<body><h1>{name}</h1><p class='quiet'>{escape(ended(found))}<br>{escape(totals_text(found))}{lanes}{whole}</p>\n"
        f"<h2>Diagnosis</h2>{diagnosis}\n{listed}<h2>Line by line</h2><p>{keys}</p>\n"
        f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>\n{_rows(found, lines, order, explorer)}</tbody></table></div>\n"
        f"<h2>The columns</h2><dl>{meanings}</dl></body></html>\n"
    )


def _order(found: Profile) -> list[int]:
    """The activities that took any cycles, the largest first."""
    totals = found.spent.sum(axis=0)
    return [int(number) for number in np.argsort(-totals, kind="stable") if totals[number]]


def _looks(found: Profile) -> str:
    """Style sheet: the page's own colours and those of the activities, for light and for dark."""
    light, dark = [_ground(palette.LIGHT)], [_ground(palette.DARK)]
    for activity in found.activities:
        look = palette.look_of(activity.name, sequencer=not found.has_warps)
        light.append(f".{activity.name} {{ background: {_drawn(look.pattern, look.light)} }}")
        dark.append(f".{activity.name} {{ background: {_drawn(look.pattern, look.dark)} }}")
    return "\n".join([*light, "@media (prefers-color-scheme: dark) {", *dark, "}"])


def _ground(ground: palette.Ground) -> str:
    return f":root {{ --back: {ground.background}; --ink: {ground.text}; --quiet: {ground.quiet}; --edge: {ground.line} }}"


def _drawn(pattern: str, colour: str) -> str:
    """CSS background: the pattern over its colour."""
    return colour if pattern == palette.SOLID else f"{IMAGES[pattern]}, linear-gradient({colour}, {colour})"


def _finding(found: Profile, finding: Finding, explorer: str) -> str:
    places = dict.fromkeys(_place(found, instruction) for instruction in finding.instructions)
    links = ", ".join(f"<a href='#{place}'>{place.replace('-', ' ')}</a>" for place in places)
    first = next((position.line for one in finding.instructions if (position := found.program.position(one)).line), 0)
    links += f", {_walked(explorer, first, 'in the explorer')}" if explorer and first else ""
    here = percent(finding.share_here(found)).strip()
    share = percent(min(finding.cycles / max(found.warp_cycles, 1), 1.0)).strip()
    trials = "".join(f"<br>With <code>{escape(trial.change)}</code>: {escape(trial.told)}." for trial in finding.trials)
    return (
        f"<li><b>{escape(finding.what)}</b>Try: {escape(finding.advice)}.{trials}"
        f"<br><span class='quiet'>{escape(finding.rule)}; {links}: {here} of all cycles; this cause anywhere: {share}</span></li>"
    )


def _walked(explorer: str, line: int, text: str) -> str:
    """A link to a line in the explorer."""
    return f"<a href='{escape(explorer, quote=True)}#line={line}'>{escape(text)}</a>"


def _place(found: Profile, instruction: int) -> str:
    place = found.program.position(instruction)
    if place.file:
        return f"file-{place.file}-line-{place.line}"
    return f"line-{place.line}" if place.line else f"instruction-{instruction}"


def _rows(found: Profile, lines: list[Line], order: list[int], explorer: str) -> str:
    hottest = max([line.cycles for line in found.lines()] + [1])
    source, rows, last = found.program.source.lines, [], lines[0].number if lines else 0
    numbers = [line.number for line in lines]
    whole = len(lines) == len(found.lines()) and numbers == sorted(numbers) and all(numbers) and len(found.program.sources) == 1
    blank, named = "<td></td>" * len(columns(found)), names_of_files(found, lines)
    for line in lines:
        if whole:
            rows += [_silent(number, source[number - 1], blank) for number in range(last + 1, line.number)]
        last = line.number
        rows.append(_row(found, line, hottest, order, named.get(line.file, ""), explorer))
    return "".join(rows)


def _silent(number: int, text: str, blank: str) -> str:
    return f"<tr class='none'><td>{number}</td>{blank}<td class='source'>{escape(text)}</td></tr>\n"


def _row(found: Profile, line: Line, hottest: int, order: list[int], file: str, explorer: str) -> str:
    """file: what stands before the line's number."""
    place = _place(found, line.instructions[0])
    cells = [column.cell(line) for column in columns(found)[:-1]]
    share = round(0.6 * line.cycles / hottest, 3)
    body = f"<td class='heat' style='--share:{share}'>{escape(cells[0])}</td>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells[1:])
    parts, told = [], []
    for number in order:
        cycles = int(line.spent[number])
        if cycles:
            activity = found.activities[number]
            parts.append(f"<i class='{activity.name}' style='width:{100 * cycles / hottest:.2f}%'></i>")
            told.append(f"{activity.name}: {grouped(cycles)} ({activity.meaning})")
    bars = f"<div class='bar' title='{escape(chr(10).join(told), quote=True)}'>{''.join(parts)}</div>"
    shown = f"{file}{line.number or line.instructions[0]}"
    named = _walked(explorer, line.number, shown) if explorer and line.number else escape(shown)
    return f"<tr id='{place}'><td>{named}</td>{body}<td class='text'>{bars}</td><td class='source'>{escape(line.text)}</td></tr>\n"
