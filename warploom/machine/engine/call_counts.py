"""Numbers that last for one call of a user's unit: how often the loops of the functions that it calls have run.

Not hardware. The loops of a unit itself are counted in variables of its own (loop_bound.py). A function that it calls is called as often
as the unit likes, so its counts are kept here from one call to the next, in words that both engines reach, and are void when the unit is
called anew. They are read when the function begins and written when it returns: no iteration waits for them.
"""

from __future__ import annotations

import contextlib
from types import CodeType, FunctionType, ModuleType
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
    """Whether a unit may call functions whose counts are kept: its file has some, or it comes to some by the names that it uses."""
    left, seen = [function], set[int]()
    while left:
        found = left.pop()
        if type(found) is not FunctionType or id(found) in seen or str(found.__module__).startswith("warploom."):
            continue
        seen.add(id(found))
        if KEPT in vars(found) or any(type(value) is FunctionType and KEPT in vars(value) for value in found.__globals__.values()):
            return True
        left += _named(found)
    return False


def _named(function: FunctionType) -> list[Any]:
    """What the names from outside stand for that a function uses, with attributes of modules."""
    names, codes = set[str](), [function.__code__]
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes += [each for each in code.co_consts if isinstance(each, CodeType)]
    found = [function.__globals__[name] for name in names if name in function.__globals__]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # a name that has no value yet
            found.append(cell.cell_contents)
    for value in found:  # which grows: a module may hold another one
        if issubclass(type(value), ModuleType):
            found += [each for name in names if (each := vars(value).get(name)) is not None and not any(each is one for one in found)]
    return found
