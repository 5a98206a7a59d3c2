"""`expect`: what makes a script a test. It compares registers, memory, the cycle and counters with values and ranges."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import NamedTuple

from warploom.cli.common import UserError
from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.moving import plain_lines
from warploom.cli.debugger.showing import cell
from warploom.cli.debugger.values import parsed, shown
from warploom.isa.diagnostics import nearest
from warploom.machine.accounting.counters import COUNTER
from warploom.machine.accounting.status import Outcome
from warploom.machine.engine.pages import Pages
from warploom.observe.text.styled import Line

COUNTERS = "counter."
COMPARED: dict[str, tuple[Callable[[int, int], bool], str]] = {
    "=": (operator.eq, "{} was expected"),
    "==": (operator.eq, "{} was expected"),
    "!=": (operator.ne, "anything but {} was expected"),
    "<": (operator.lt, "less than {} was expected"),
    "<=": (operator.le, "at most {} was expected"),
    ">": (operator.gt, "more than {} was expected"),
    ">=": (operator.ge, "at least {} was expected"),
}
FORM = re.compile(r"(?P<left>.+?)\s*(?P<how>==|!=|<=|>=|=|<|>|\bin\b)\s*(?P<right>.+)")
EXAMPLES = "`expect mem[8] = 7`, `expect R8 = 1 2 3 4`, `expect cycle in 400..500` or `expect counter.instructions < 50`"
COUNTER_BITS = 64


class Unmet(UserError):
    """What a script expected is not so."""


class Range(NamedTuple):
    """Values from the first to the last, both included."""

    first: int
    last: int


def expect(debugger: Debugger, text: str) -> list[Line]:
    """An error unless a value is as expected."""
    matched = FORM.fullmatch(text.strip())
    if matched is None:
        raise UserError(f"write what is expected, as in {EXAMPLES}")
    left, how, words = matched["left"], matched["how"], matched["right"].split()
    values, bits = _counter(debugger, left) if left.startswith(COUNTERS) else cell(debugger, left)
    wanted = [_range(word, bits) for word in words] if how == "in" else [Range(parsed(word, bits), 0) for word in words]
    if len(wanted) not in (1, len(values)):
        raise UserError(f"{left} is {len(values)} values, and {len(wanted)} are expected")
    wanted = wanted * len(values) if len(wanted) == 1 else wanted
    if how == "in":
        holds, said = all(first <= value <= last for value, (first, last) in zip(values, wanted, strict=True)), "{} was expected"
    else:
        compare, said = COMPARED[how]
        holds = all(compare(value, number) for value, (number, _) in zip(values, wanted, strict=True))
    if not holds:
        found = " ".join(shown(value, bits, debugger.form) for value in values)
        raise Unmet(f"{left} is {found}, and {said.format(' '.join(words))}, in cycle {debugger.session.cycle}")
    return plain_lines([f"{left} is as expected"])


def _range(text: str, bits: int) -> Range:
    first, dots, last = text.partition("..")
    if not (dots and first and last):
        raise UserError(f"{text!r} is not a range: write its first and last value, as in `expect cycle in 400..500`")
    found = Range(parsed(first, bits), parsed(last, bits))
    if found.first > found.last:
        raise UserError(f"the range {text} ends before it begins")
    return found


def _counter(debugger: Debugger, text: str) -> tuple[list[int], int]:
    """A counter of the run so far. To finish a machine is to account for its last cycles: its bytes are put back."""
    name, machine = text.removeprefix(COUNTERS), debugger.machine
    before = [Pages(array) for array in machine.whole()]
    counters = machine.finish(Outcome(debugger.session.status, "", 0.0)).counters
    for kept in before:
        kept.restore()
    if name not in counters:
        there = f"; this machine counts {', '.join(counters)}" if name in COUNTER else ""
        raise UserError(f"there is no counter {name!r}{nearest(name, counters)}{there}")
    return [counters[name]], COUNTER_BITS
