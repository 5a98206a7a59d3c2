"""Numbers that last for one call of a user's unit: how often the loops of the functions that it calls have run.

Not hardware. The loops of a unit itself are counted in variables of its own (loop_bound.py). A function that it calls is called as often
as the unit likes, so its counts are kept here from one call to the next, in words that both engines reach, and are void when the unit is
called anew. They are read when the function begins and written when it returns: no iteration waits for them.
"""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any

from warploom.machine.engine.unit import native_twin, unit
from warploom.machine.engine.words import WORDS

KEPT = "__warploom_kept__"
_VIEW = WORDS.data  # which gives Python's numbers
_taken = [1]


def room_for(counts: int) -> int:
    """The first of so many words and one more, for a function. The words of functions that were forgotten long ago are taken again."""
    if _taken[0] + counts >= len(WORDS):
        _taken[0] = 1
    first = _taken[0]
    _taken[0] += counts + 1
    WORDS[first : first + counts + 1] = 0
    return first


@native_twin("warploom.machine.engine.native.counts:word")
def word(index: Any) -> Any:
    """A word."""
    return _VIEW[index]


@native_twin("warploom.machine.engine.native.counts:set_word")
def set_word(index: Any, value: Any) -> None:
    """Write a word."""
    _VIEW[index] = value


@unit
def begin_call():
    """A unit is called: what was counted before is void."""
    set_word(0, word(0) + 1)


@unit
def carried(first, number):
    """How often a loop of a function has run since the unit was called. first: of the function's words; number: of the loop, from 1."""
    return word(first + number) if word(first) == word(0) else 0


@unit
def carry(first, number, count):
    """Keep how often it has run until the function is called again."""
    set_word(first, word(0))
    set_word(first + number, count)


def begins_calls(function: Any) -> bool:
    """Whether a unit may call functions whose counts are kept: its file has some, or one that it takes functions from."""
    left, seen = [function], set[int]()
    while left:
        found = left.pop()
        if hasattr(found, KEPT):
            return True
        if id(found) in seen:
            continue
        seen.add(id(found))
        if isinstance(found, FunctionType) and not found.__module__.startswith("warploom."):
            cells = [cell.cell_contents for cell in found.__closure__ or () if cell != type(cell)()]
            around = [*found.__globals__.values(), *cells]
            left += [value for value in around if isinstance(value, FunctionType)]
            left += [each for value in around if isinstance(value, ModuleType) and not _known(value) for each in vars(value).values()]
    return False


def _known(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] in ("warploom", "numpy", "math", "numba")
