"""Paths through a tiny-gpu program: warns where one never comes to a RET, and where a branch is never taken.

The condition bits are all 0 when a block starts, so before the first CMP no branch is taken, whatever it asks for; after
it one of the bits is 1, so a branch that asks for all three is always taken. A path is therefore followed
through pairs of an address and whether a CMP has run.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.isa.diagnostics import Diagnostics
from warploom.isa.tiny.syntax import Token
from warploom.isa.tiny.table import ANY_CONDITION, BY_MNEMONIC, Fields

_RET, _BR, _CMP = (BY_MNEMONIC[name].opcode for name in ("RET", "BR", "CMP"))
State = tuple[int, bool]  # address, whether a CMP has run


def check_paths(words: Sequence[int], heads: Sequence[Token], diagnostics: Diagnostics) -> None:
    """Add warnings. words: the program; heads: where each of its instructions stands."""
    reached = _reached(words)
    ending = _ending(words, reached)
    leaving = sorted({state[0] for state in reached if any(after[0] >= len(words) for after in successors(words, state))})
    for address in leaving:
        message = "after this instruction the program runs past its end, without a RET"
        diagnostics.warning(heads[address].position, message, heads[address].length, "end every path with RET")
    endless = sorted({state[0] for state in reached if state not in ending})
    if endless and not leaving:
        head = heads[endless[0]]
        diagnostics.warning(
            head.position, "from here on no RET can be reached: the program never ends", head.length, "give the loop an exit"
        )
    for address, word in enumerate(words):
        if word >> 12 == _BR and (address, False) in reached and (address, True) not in reached:
            message = "no CMP runs before this branch, so it is never taken"
            diagnostics.warning(heads[address].position, message, heads[address].length, "compare two registers first: CMP R1, R2")


def successors(words: Sequence[int], state: State) -> list[State]:
    """The states that may follow a state; an address at or past the end stays as it is, to be seen by the caller."""
    address, compared = state
    fields = Fields(words[address])
    opcode = fields.word >> 12
    if opcode == _RET:
        return []
    after = [(address + 1, compared or opcode == _CMP)]
    if opcode == _BR and compared and fields.condition:
        there = [(fields.immediate, True)]
        return there if fields.condition == ANY_CONDITION else after + there
    return after


def _reached(words: Sequence[int]) -> set[State]:
    reached: set[State] = set()
    waiting: list[State] = [(0, False)]
    while waiting:
        state = waiting.pop()
        if state not in reached and state[0] < len(words):
            reached.add(state)
            waiting += successors(words, state)
    return reached


def _ending(words: Sequence[int], reached: set[State]) -> set[State]:
    """States from which a RET can be reached."""
    before: dict[State, list[State]] = {}
    for state in reached:
        for after in successors(words, state):
            before.setdefault(after, []).append(state)
    ending: set[State] = set()
    waiting = [state for state in reached if words[state[0]] >> 12 == _RET]
    while waiting:
        state = waiting.pop()
        if state not in ending:
            ending.add(state)
            waiting += before.get(state, [])
    return ending
