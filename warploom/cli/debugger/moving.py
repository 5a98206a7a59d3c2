"""Commands that move the run, forwards and backwards."""

from __future__ import annotations

from warploom.cli.common import UserError
from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.values import number
from warploom.machine.debug.session import Edit
from warploom.observe.text.styled import Line, counted


def plain_lines(texts: list[str]) -> list[Line]:
    """Texts without styles."""
    return [[(text, "")] for text in texts]


def nothing(text: str, command: str) -> None:
    """Raises UserError where a command that takes no arguments has been given some."""
    if text:
        raise UserError(f"{command} takes no argument, and was given {text!r}")


def _count(text: str) -> int:
    count = number(text, "how often") if text else 1
    if count < 1:
        raise UserError(f"{count} times: at least once")
    return count


def _to_an_issue(debugger: Debugger, text: str, *, chosen: bool, back: bool) -> list[Line]:
    count = _count(text)
    return plain_lines(debugger.move(lambda: debugger.issue(count, chosen=chosen, back=back)))


def step(debugger: Debugger, text: str) -> list[Line]:
    """Forwards by cycles."""
    count = _count(text)
    return plain_lines(debugger.move(lambda: debugger.session.step(count, debugger.cancel.is_set)))


def rstep(debugger: Debugger, text: str) -> list[Line]:
    """Backwards by cycles."""
    count = _count(text)
    return plain_lines(debugger.move(lambda: debugger.session.back(count, debugger.cancel.is_set)))


def issue(debugger: Debugger, text: str) -> list[Line]:
    """To the next issue of any warp."""
    return _to_an_issue(debugger, text, chosen=False, back=False)


def rissue(debugger: Debugger, text: str) -> list[Line]:
    """To the last issue of any warp."""
    return _to_an_issue(debugger, text, chosen=False, back=True)


def next_(debugger: Debugger, text: str) -> list[Line]:
    """To the next issue of the chosen warp."""
    return _to_an_issue(debugger, text, chosen=True, back=False)


def rnext(debugger: Debugger, text: str) -> list[Line]:
    """To the last issue of the chosen warp."""
    return _to_an_issue(debugger, text, chosen=True, back=True)


def continue_(debugger: Debugger, text: str) -> list[Line]:
    """To the next breakpoint or watchpoint."""
    nothing(text, "continue")
    return plain_lines(debugger.move(debugger.run))


def rcontinue(debugger: Debugger, text: str) -> list[Line]:
    """To the last breakpoint or watchpoint."""
    nothing(text, "rcontinue")
    return plain_lines(debugger.move(lambda: debugger.run(back=True)))


def goto(debugger: Debugger, text: str) -> list[Line]:
    """To a cycle."""
    cycle = number(text, "a cycle")
    if cycle < 0:
        raise UserError(f"there is no cycle {cycle}: the first is 0")
    return plain_lines(debugger.move(lambda: debugger.session.goto(cycle, debugger.cancel.is_set)))


def start(debugger: Debugger, text: str) -> list[Line]:
    """To the start."""
    nothing(text, "start")
    return goto(debugger, "0")


def restart(debugger: Debugger, text: str) -> list[Line]:
    """To the start, without the changes."""
    nothing(text, "restart")
    taken: list[Edit] = []
    debugger.move(lambda: taken.extend(debugger.session.restart()))
    dropped = f"; {counted(len({edit.number for edit in taken}), 'change')} taken back" if taken else ""
    return plain_lines([f"{debugger.status()}{dropped}"])


def end(debugger: Debugger, text: str) -> list[Line]:
    """To the end."""
    nothing(text, "end")
    return plain_lines(debugger.move(lambda: debugger.session.run((), debugger.cancel.is_set)))
