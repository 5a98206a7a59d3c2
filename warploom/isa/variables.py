"""Where the variables of a source are while its program runs: what a compiler keeps beside its code, for debuggers and pages.

A *token* is a value that some register has from the instruction that computes it on, until that register is written for something else.
A variable is bound to a token where the source assigns it, and is there as long as its token is. So a copy costs nothing, a value that the
compiler has moved or shared is found, and one that exists no more is known to be gone. Where ways meet, what is the same on all of them
stays: the iteration of Kildall, "A Unified Approach to Global Program Optimization", POPL 1973. The kinship with the location lists of
DWARF 5, section 2.6.2, is intended.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

K = TypeVar("K")
V = TypeVar("V")
NOTHING = 0  # the token of a variable that is in no register
THERE = "there"  # the kind of a token that no instruction writes into its register: it is there already, from here on as that token


class Place(NamedTuple):
    """Where a variable is. register: a lane's, or a scalar one as an operand says it (`uop.scalar`); words: it and the next one.

    kind: "i" a signed number, "u" an unsigned one, "f" a float, "b" a truth value, "" where that is not known.
    """

    name: str
    register: int
    words: int = 1
    kind: str = ""


class Event(NamedTuple):
    """What holds from an instruction on. name: the variable that is bound to a token, or "": the token is written into its register.

    most: of the token's words those that are the variable's, 0 for all.
    """

    at: int
    token: int
    name: str = ""
    register: int = -1
    words: int = 1
    kind: str = ""
    most: int = 0


class Span(NamedTuple):
    """Instructions that run one after another, `first` to `stop` - 1, and what they do. after: the spans that may follow, by number."""

    first: int
    stop: int
    after: tuple[int, ...]
    events: tuple[Event, ...]


_State = tuple[dict[int, int], dict[str, tuple[int, str, int]]]  # tokens by register; (token, kind, most words) by name


@dataclass(frozen=True)
class Variables:
    """The variables of a program. spans: its code, the first of them where a warp begins, in the order of their numbers.

    given: what the launch leaves in registers that nothing else is ever in.
    """

    spans: tuple[Span, ...] = ()
    given: tuple[Place, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All of them, in the order of the code."""
        bound = (event.name for span in self.spans for event in span.events if event.name)
        return tuple(dict.fromkeys([*(one.name for one in self.given), *bound]))

    def at(self, instruction: int) -> dict[str, Place]:
        """By name those that are in a register when a warp comes to an instruction."""
        found = {one.name: one for one in self.given}
        number = bisect_right(self._firsts, instruction) - 1
        if number < 0 or instruction >= self.spans[number].stop or self._entries[number] is None:
            return found
        registers, bound = _copied(self._entries[number])
        _apply((registers, bound), (event for event in self.spans[number].events if event.at <= instruction))
        for name, (token, kind, most) in bound.items():
            register, words = self._registers.get(token, (-1, 1))
            words = min(words, most or words)
            found.pop(name, None)
            if token and all(registers.get(register + word) == token for word in range(words)):
                found[name] = Place(name, register, words, kind)
        return found

    @cached_property
    def results(self) -> dict[int, str]:
        """By instruction: the first variable that what it computes is bound to."""
        first: dict[int, str] = {}
        for event in (event for span in self.spans for event in span.events if event.name):
            first.setdefault(event.token, event.name)
        writes = [event for span in self.spans for event in span.events if not event.name and event.at > span.first and event.kind != THERE]
        return {event.at - 1: first[event.token] for event in writes if event.token in first}

    @cached_property
    def _firsts(self) -> list[int]:
        return [span.first for span in self.spans]

    @cached_property
    def _registers(self) -> dict[int, tuple[int, int]]:
        return {event.token: (event.register, event.words) for span in self.spans for event in span.events if not event.name}

    @cached_property
    def _entries(self) -> list[_State | None]:
        """What holds at the beginning of each span; None for one that nothing leads to."""
        entries: list[_State | None] = [None] * len(self.spans)
        if self.spans:
            entries[0] = ({}, {})
        work = [0] if self.spans else []
        while work:
            number = work.pop()
            state = _copied(entries[number])
            _apply(state, self.spans[number].events)
            for following in self.spans[number].after:
                was = entries[following]
                if was is None:
                    entries[following] = _copied(state)
                    work.append(following)
                    continue
                met = (_common(was[0], state[0]), _common(was[1], state[1]))
                if len(met[0]) < len(was[0]) or len(met[1]) < len(was[1]):
                    entries[following] = met
                    work.append(following)
        return entries


NO_VARIABLES = Variables()


def _copied(state: _State | None) -> _State:
    assert state is not None
    return dict(state[0]), dict(state[1])


def _common(one: dict[K, V], other: dict[K, V]) -> dict[K, V]:
    return {key: value for key, value in one.items() if other.get(key) == value}


def _apply(state: _State, events: Iterable[Event]) -> None:
    registers, bound = state
    for event in events:
        if event.name:
            bound[event.name] = (event.token, event.kind, event.most)
        else:
            registers.update((event.register + word, event.token) for word in range(event.words))
