"""What a person is shown of a graded submission, in 80 columns, and what a class becomes: a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from textwrap import wrap

from warploom.grade.lock import PROTECTIONS
from warploom.grade.outcome import ERROR, Outcome, points_text

WIDTH = 80
LABELS = {
    "contract": "contract",
    "outputs": "outputs", "findings": "findings", "cycles": "cycles", "instructions": "instructions", "transactions": "transactions",
    "shared_passes": "shared passes", "shared_bytes": "shared memory", "registers": "registers", "occupancy": "occupancy",
}  # fmt: skip
FIRST = max(map(len, LABELS.values()))


def report(outcome: Outcome, width: int = WIDTH) -> str:
    """A submission for a person."""
    lines = [f"{outcome.submission}: {points_text(outcome.got)} of {points_text(outcome.of)} points ({outcome.task}, seed {outcome.seed})"]
    if outcome.status == ERROR:
        first, *rest = outcome.message.splitlines() or [""]
        lines += [*_wrapped(f"could not be run: {first}", width), *(f"    {line}" for line in rest)]
    else:
        for part in outcome.parts:
            points = f"{points_text(part.got)}/{points_text(part.of)}"
            lines += _wrapped(f"{LABELS[part.name]:<{FIRST}}  {points:>6}  {part.message}", width, FIRST + 12)
    for finding in outcome.findings:
        lines += _wrapped(finding, width)
    if outcome.advice:
        lines += _wrapped(f"hint: {outcome.advice}", width)
    if outcome.printed and outcome.status == ERROR:
        lines += ["  it printed:", *(f"    {line[: width - 4]}" for line in outcome.printed.splitlines()[-5:])]
    return "\n".join(lines)


def protection(outcomes: Sequence[Outcome]) -> str:
    """What the sandbox could not promise; "" where it could promise all, or no stranger's code was executed."""
    locked = [set(one.locked) for one in outcomes if one.locked is not None]
    missing = [meaning for name, meaning in PROTECTIONS.items() if any(name not in one for one in locked)]
    if "files" not in {name for name in PROTECTIONS if any(name not in one for one in locked)}:
        missing = [meaning for meaning in missing if meaning != PROTECTIONS["writing"]]
    return f"not on this system: {'; '.join(missing)}" if missing else ""


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """A class as lines."""
    names = list(dict.fromkeys(part.name for one in outcomes for part in one.parts))
    longest = max([len(one.submission) for one in outcomes] + [10])
    lines = [f"{'submission':<{longest}}  {'points':>7}  " + "  ".join(f"{LABELS[name]:>{max(len(LABELS[name]), 5)}}" for name in names)]
    for one in outcomes:
        cells = []
        for name in names:
            part = next((each for each in one.parts if each.name == name), None)
            text = "-" if part is None or one.status == ERROR else f"{points_text(part.got)}/{points_text(part.of)}"
            cells.append(f"{text:>{max(len(LABELS[name]), 5)}}")
        lines.append(f"{one.submission:<{longest}}  {points_text(one.got) + '/' + points_text(one.of):>7}  {'  '.join(cells)}")
    return lines


def as_csv(outcomes: Sequence[Outcome]) -> str:
    """A class as CSV, a row a submission."""
    names = list(dict.fromkeys(part.name for one in outcomes for part in one.parts))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["submission", "task", "seed", "status", "points", "of", *names, "cycles_measured", "message"])
    for one in outcomes:
        got = {part.name: points_text(part.got) for part in one.parts}
        cycles = one.figures.get("cycles", (None, None))[0]
        first = one.advice or one.message.partition("\n")[0]
        writer.writerow([
            _cell(one.submission), one.task, one.seed, one.status, points_text(one.got), points_text(one.of),
            *(got.get(name, "") for name in names), "" if cycles is None else f"{cycles:g}", _cell(first),
        ])  # fmt: skip
    return out.getvalue()


def _cell(text: str) -> str:
    """A text that a spreadsheet does not take for a formula: a stranger has chosen it."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _wrapped(text: str, width: int, hang: int = 4) -> list[str]:
    return wrap(text, width, initial_indent="  ", subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False) or ["  "]
