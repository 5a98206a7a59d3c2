"""Planting a fault in functions that are imported already: they get the faulty code, and everybody who holds them runs it.

It takes milliseconds, where a new import takes seconds. It does not reach what has run by then: a table made during the import, a result
that a cache holds. So a fault that is noticed when it is planted is noticed; one that is not may still be, when it is imported.
"""

from __future__ import annotations

import ast
import gc
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType

from tests.mutation.faults import Fault, faulty, path_of

Name = tuple[str, int]  # of a function in a file: its qualified name, and its first line


def plant(fault: Fault) -> bool:
    """Give the functions of a file their faulty code. False where none of them has it, or where it does not fit into them."""
    path = str(path_of(fault.file))
    right, planted = _right(fault.file), False
    functions = _functions(path)
    for code in _codes(compile(faulty(fault), path, "exec", dont_inherit=True)):
        if code != right.get(_name(code)):
            for function in functions.get(_name(code), ()):
                if code.co_freevars != function.__code__.co_freevars:
                    return False
                function.__code__ = code
                planted = True
    return planted


def _name(code: CodeType) -> Name:
    return code.co_qualname, code.co_firstlineno


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of each function in a piece of code, and of each in those."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


@cache
def _right(file: str) -> dict[Name, CodeType]:
    tree = ast.parse(path_of(file).read_text())
    return {_name(code): code for code in _codes(compile(tree, str(path_of(file)), "exec", dont_inherit=True))}


def _functions(path: str) -> dict[Name, list[FunctionType]]:
    """The functions of a file that this process holds, wherever: bound to other names, wrapped, copied."""
    found = defaultdict(list)
    gc.unfreeze()  # what is frozen is not told of
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename == path:
            found[_name(thing.__code__)].append(thing)
    return found
