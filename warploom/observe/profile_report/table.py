"""A profile as lines of text: what slows the run down, in words, and below it the source with what each line cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from warploom.machine.accounting.reasons import SELECTED
from warploom.observe import profile as p
from warploom.observe.diagnosis.finding import Finding
from warploom.observe.profile import Line as SourceLine
from warploom.observe.profile import Profile
from warploom.observe.text.styled import QUIET, TITLE, Line, bar, counted, grouped, in_lines, percent
from warploom.observe.text.summary import machine, prefetches_text

WIDE = 100  # columns of a terminal from which on there is room for more than names
LEAST_SOURCE = 16  # characters of the source below which a column is left out
TAB = 4

# The keys of `--sort`: what a line is ranked by, largest first.
SORTS: dict[str, Callable[[SourceLine], float]] = {
    "line": lambda _: 0,  # the order of the files, and of the lines in each
    "cycles": lambda line: line.cycles,
    "issues": lambda line: int(line.counts[p.ISSUES]),
    "lanes": lambda line: -(line.each(p.LANES, p.ISSUES) or np.inf),
    "transactions": lambda line: int(line.counts[p.TRANSACTIONS]),
    "conflicts": lambda line: int(line.counts[p.PASSES] - line.counts[p.PASSES_NEEDED]),
    "misses": lambda line: int(line.counts[p.MISSES]),
}


def ordered(lines: list[SourceLine], sort: str = "line", top: int | None = None) -> list[SourceLine]:
    """The lines by one of SORTS; at most `top` of them: those with most cycles where the order is the source's."""
    if top is not None and sort == "line":
        kept = sorted(lines, key=SORTS["cycles"], reverse=True)[:top]
        return [line for line in lines if line in kept]
    return lines[:top] if sort == "line" else sorted(lines, key=SORTS[sort], reverse=True)[:top]


@dataclass(frozen=True)
class Column:
    """A column of the table. cell: its text for a line. rank: columns with the highest ranks go first where there is no room."""

    title: str
    cell: Callable[[SourceLine], str]
    rank: int
    left: bool = False


def profile_table(
    found: Profile, lines: list[SourceLine], findings: list[Finding], *, width: int = 80, unicode: bool = True
) -> Iterator[Line]:
    """Everything, for a terminal of `width` columns. lines: the ones to show. findings: what `diagnose` says of it."""
    yield from _head(found, width)
    yield []
    yield from _found(found, width)
    yield from _diagnosis(found, findings, width)
    yield []
    yield from _table(found, lines, width, unicode)


def _found(found: Profile, width: int) -> Iterator[Line]:
    """What the checks have found, of a run with checks."""
    if not found.findings:
        return
    yield [("checks", TITLE)]
    for one in found.findings:
        for number, text in enumerate(in_lines(f"{found.line_of(one.instruction)}: {one.message} [{one.kind}]", width - 4)):
            yield [("  ! " if number == 0 else "    ", "bold red"), (text, "")]
    yield []


def _head(found: Profile, width: int) -> Iterator[Line]:
    said = f"{found.program.name} on {ended(found)}"
    name, *rest = in_lines(said, width)
    yield [(name, TITLE)]
    yield from ([(text, TITLE)] for text in rest)
    for said in (totals_text(found), lanes_text(found), prefetches_text(found.counters)):
        yield from ([(text, "")] for text in in_lines(said, width))


def ended(found: Profile) -> str:
    """The machine, and how the run ended."""
    how = {"done": "done in", "timeout": "still running after", "error": "stopped by a fault after"}[found.status]
    return f"{machine(found.config, found.units)}; {how} {counted(found.cycles, 'cycle')}"


def totals_text(found: Profile) -> str:
    """What the warps spent their cycles with, all together, in one sentence."""
    totals = found.spent.sum(axis=0)
    order = [int(number) for number in np.argsort(-totals, kind="stable") if totals[number]]
    parts = [f"{found.activities[number].name} {percent(totals[number] / found.warp_cycles).strip()}" for number in order]
    what = counted(found.warp_cycles, "warp-cycle" if found.has_warps else "core-cycle")
    return f"{what}: {', '.join(parts)}" if parts else what


def lanes_text(found: Profile) -> str:
    """What the lanes of all issues were, in one sentence; "" where all were active."""
    parts = [f"{name} {percent(share).strip()}" for name, share in found.lane_shares().items() if share > 1e-12]
    return f"lanes of the issues: {', '.join(parts)}" if len(parts) > 1 else ""


def columns(found: Profile, shares: bool = True) -> list[Column]:
    """The columns that this run has something to put into, without line, heat and source. shares: reasons with their percentages."""
    total = max(found.warp_cycles, 1)
    table = [
        Column("cycles", lambda line: percent(line.cycles / total), 0),
        Column("issues", lambda line: grouped(int(line.counts[p.ISSUES])), 1),
        Column("lanes", lambda line: _ratio(line.each(p.LANES, p.ISSUES)), 2),
    ]
    totals = found.counts.sum(axis=0)
    if totals[p.DIVERGED]:
        table.append(Column("diverged", lambda line: _count(int(line.counts[p.DIVERGED])), 6))
    if totals[p.ACCESSES] + totals[p.SHARED_ACCESSES]:
        table.append(Column("access", access, 3))
    if totals[p.HITS] + totals[p.MISSES]:
        table.append(Column("hits", lambda line: "" if line.hit_rate is None else f"{100 * line.hit_rate:.0f} %", 7))
    table.append(Column("lost to" if found.has_warps else "mostly", lambda line: lost_to(found, line, shares), 5, left=True))
    return table


def _table(found: Profile, lines: list[SourceLine], width: int, unicode: bool) -> Iterator[Line]:
    heat_width, gap = (6, "  ") if width >= WIDE else (4, " ")
    marked = {number for one in found.findings for number in (one.instruction, one.other)}
    named = names_of_files(found, lines)
    digits = max([4, *(len(_place(line, marked, named)) for line in lines)])
    room = width - digits - heat_width - len(gap)
    every = columns(found, shares=width >= WIDE)
    shown, wide = _fitting(every, lines, room, len(gap))
    room -= sum(size + len(gap) for size in wide) + len(gap)
    hottest = max([line.cycles for line in found.lines()] + [1])
    head = [(f"{'line':>{digits}}{gap}{'heat':<{heat_width}}", "")]
    head += [(f"{gap}{_aligned(column, column.title, size)}", "") for column, size in zip(shown, wide, strict=True)]
    yield [(text, TITLE) for text, _ in [*head, (f"{gap}source", "")]]
    for line in lines:
        heat = line.cycles / hottest
        drawn = bar(heat, heat_width, unicode=unicode)
        row: Line = [
            (f"{_place(line, marked, named):>{digits}}{gap}", "bold red" if marked & {*line.instructions} else QUIET),
            (f"{drawn:<{heat_width}}", _heat_style(heat)),
        ]
        row += [(f"{gap}{_aligned(column, column.cell(line), size)}", "") for column, size in zip(shown, wide, strict=True)]
        yield [*row, (f"{gap}{_cut(line.text, room, unicode)}", "" if line.cycles else QUIET)]
    left_out = [column.title for column in every if column not in shown]
    if left_out:
        yield [(f"not shown: {', '.join(left_out)}; --wide", QUIET)]


def _fitting(all_columns: list[Column], lines: list[SourceLine], room: int, gap: int) -> tuple[list[Column], list[int]]:
    """The columns for which there is room beside the source, and their widths."""
    shown = all_columns
    while True:
        wide = [max([len(column.title), *(len(column.cell(line)) for line in lines)]) for column in shown]
        if room - sum(size + gap for size in wide) - gap >= LEAST_SOURCE or len(shown) == 1:
            return shown, wide
        last = max(column.rank for column in shown)
        shown = [column for column in shown if column.rank != last]


def _aligned(column: Column, text: str, size: int) -> str:
    return f"{text:<{size}}" if column.left else f"{text:>{size}}"


def names_of_files(found: Profile, lines: list[SourceLine]) -> dict[int, str]:
    """What stands before the numbers of lines, by file: names, where the lines are of several files whose text is here."""
    sources = found.program.sources
    named = {line.file: f"{PurePath(sources[line.file].path).name}:" for line in lines if sources[line.file].text.strip()}
    return named if len(named) > 1 else {}


def _place(line: SourceLine, marked: set[int], named: Mapping[int, str]) -> str:
    """A line's number, with a mark where the checks have found something."""
    return f"{'!' if marked & {*line.instructions} else ''}{named.get(line.file, '')}{line.number or line.instructions[0]}"


def _heat_style(heat: float) -> str:
    return "red" if heat > 0.66 else "yellow" if heat > 0.33 else "cyan"


def _cut(text: str, room: int, unicode: bool) -> str:
    """A line of the source, without what a terminal would take for a command, cut to the room that there is."""
    clean = "".join(character if character.isprintable() else "?" for character in text.strip().expandtabs(TAB))
    clean = clean if unicode else clean.encode("ascii", "replace").decode()
    mark = "…" if unicode else "..."
    return clean if len(clean) <= room else clean[: room - len(mark)].rstrip() + mark


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _count(value: int) -> str:
    return grouped(value) if value else ""


def access(line: SourceLine) -> str:
    """`32/2`: transactions of an access, and how many would do; `12` where that is not known; `4/1 s`: passes of shared memory."""
    texts = []
    for took, needed, per, mark in (
        (p.TRANSACTIONS, p.TRANSACTIONS_NEEDED, p.ACCESSES, ""),
        (p.PASSES, p.PASSES_NEEDED, p.SHARED_ACCESSES, " s"),
    ):
        first, second = line.each(took, per), line.each(needed, per)
        if first is not None and second is not None:
            texts.append(f"{_short(first)}{f'/{_short(second)}' if second else ''}{mark}")
    return ", ".join(texts)


def _short(value: float) -> str:
    return f"{value:.0f}" if value == round(value) else f"{value:.1f}"


def lost_to(found: Profile, line: SourceLine, shares: bool = True) -> str:
    """What the line spent most cycles with, beside issuing; of cores without warps, in all. shares: with its part of the line's cycles."""
    spent = line.spent.copy()
    if found.has_warps:
        spent[SELECTED] = 0
    most = int(spent.argmax())
    if not spent[most]:
        return ""
    name = found.activities[most].name
    return f"{name} {100 * spent[most] / line.cycles:.0f} %" if shares else name


def _diagnosis(found: Profile, findings: list[Finding], width: int) -> Iterator[Line]:
    yield [("diagnosis", TITLE)]
    if not findings:
        yield [("  no rule finds fault with this run", "")]
    for number, finding in enumerate(findings, 1):
        first, *rest = in_lines(finding.what, width - 6)
        yield [(f"  {number}. ", "bold yellow"), (first, "bold")]
        yield from ([(f"     {text}", "bold")] for text in rest)
        for text in in_lines(f"try: {finding.advice}", width - 6):
            yield [(f"     {text}", "")]
        for trial in finding.trials:
            yield from ([(f"     {text}", "cyan")] for text in in_lines(str(trial), width - 6))
