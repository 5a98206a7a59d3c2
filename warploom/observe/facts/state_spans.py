"""The states of cores that run one instruction at a time, as spans of cycles that are told as they end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from warploom.machine.sequencer.states import DONE, FETCH, IDLE


class State(NamedTuple):
    """A core was in one state of an instruction from cycle `start` to `stop` (not included). begins: 1, its instruction begins here."""

    core: int
    start: int
    stop: int
    state: int
    pc: int
    block: int
    threads: int
    begins: int


def changed(current: dict[int, State], cores: Iterable[tuple[int, int, int, int]], cycle: int) -> Iterator[State]:
    """The states that end before this cycle. cores: (state, pc, block, threads) of each in it. current: by core; is brought up to date."""
    for number, (state, pc, block, threads) in enumerate(cores):
        before = current.get(number)
        if before is not None and (before.state, before.pc, before.block) == (state, pc, block):
            continue
        if before is not None:
            yield current.pop(number)._replace(stop=cycle)
        if state not in (IDLE, DONE):
            current[number] = State(number, cycle, cycle, state, pc, block, threads, int(state == FETCH or before is None))


def ended(current: dict[int, State], cycles: int) -> list[State]:
    """The states that a run of so many cycles ends in."""
    return [state._replace(stop=cycles) for state in current.values()]
