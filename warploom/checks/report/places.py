"""Places: threads, array elements and pieces of the source, in the words of who wrote the kernel."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.isa.analysis.entrances import entrances, only_caller
from warploom.isa.elements import element_at, shape_of, start_of
from warploom.isa.program import Position, Program
from warploom.isa.views import ViewShape

DYNAMIC = -1  # where an array begins whose place the launch decides


@dataclass(frozen=True)
class Names:
    """What a front end knows beside the program. arrays: names and shapes of shared and local arrays by space and first byte.

    questions: what the program asks, by number. dynamic: where the dynamic shared array begins, and its bytes.
    """

    arrays: Mapping[tuple[str, int], tuple[str, ViewShape]] = field(default_factory=dict)
    questions: tuple[tuple[int, Any], ...] = ()
    dynamic: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Asking(Program):
    """A launch of a kernel that was compiled for checks. returns: a thread may end before its last statement."""

    names: Names = field(default_factory=Names)
    returns: bool = False


def thread_text(program: Program, thread: int) -> str:
    """A thread by its number in the grid: `thread 3 of block 2`, `thread (3,1) of block (2,0)`."""
    launch = program.launch
    if launch.whole_device:
        return f"thread {thread}"
    block, inside = divmod(thread, launch.block_threads or 1)
    return launch.thread_text(block, inside)


def element_text(program: Program, names: Names, space: int, address: int, uop: int | None = None) -> str:
    """The array element at an address: `out[12]`, `s[0, 3]`; the address, where no array is known.

    address: of global memory, the place where a host keeps that byte. uop: that accesses it, where it says of which array.
    """
    if space == u.GLOBAL_SPACE:
        view = u.NONE if uop is None else int(program.uops[uop, u.VIEW])
        return element_at(program, address, view) or f"byte {program.address_space(address + 1).address(address):#x} of memory"
    name = u.SPACES[space]
    if space == u.SHARED_SPACE:  # a core has those of several blocks, one after the other
        address %= max(-(-program.launch.shared_bytes // 4) * 4, 1)
    for (where, start), (array, shape) in names.arrays.items():
        if where != name:
            continue
        first, size = names.dynamic if start == DYNAMIC else (start, shape.item_bytes * prod(shape.shape))
        if first <= address < first + size:
            return f"{array}{shape.element(address - first)}"
    return f"byte {address:#x} of {name} memory"


def local_text(program: Program, names: Names, position: Position) -> str:
    """What is accessed of a thread's local memory, whose addresses tell the thread and not the array: the source there has the name."""
    local = {array for (space, _), (array, _) in names.arrays.items() if space == "local"}
    if len(local) > 1 and position.line:
        local &= {_items(program.source_of(position).text).get((position.line, position.column - 1), "")}
    return f"an element of {local.pop()}" if len(local) == 1 and "a local array" not in local else "a local array"


def value_text(program: Program, memory: np.ndarray, address: int) -> str:
    """What memory holds at a place: the item of an array, or else the word. Numbers are decimal, the rest hexadecimal digits."""
    first, size = address - address % 4, 4
    for view in range(len(program.views)):
        shape, start = shape_of(program, view), start_of(program, view)
        if shape is None or not start <= address < start + shape.item_bytes * prod(shape.shape):
            continue
        first, size = address - (address - start) % shape.item_bytes, shape.item_bytes
        if shape.floats:
            return str(np.frombuffer(memory[first : first + size].tobytes(), f"<f{size}")[0])
        if shape.whole:
            return str(int.from_bytes(memory[first : first + size].tobytes(), "little", signed=shape.signed))
        break
    return f"{int.from_bytes(memory[first : first + size].tobytes(), 'little'):#x}"


def position_of(program: Program, instruction: int) -> Position:
    """Where an instruction came from; of one of the run-time that is called from one place of the user's program, that place."""
    caller = only_caller(program, instruction)
    return program.position(caller if caller >= 0 else instruction)


def runtime_text(program: Program, instruction: int, called_from: int = -1) -> str:
    """How a message begins that is about an instruction of the run-time: its function, and the lines that may have called it."""
    if not program.in_runtime(instruction):
        return ""
    callers = [called_from] if called_from >= 0 else entrances(program).get(instruction, ())
    names = dict.fromkeys(program.called_function(caller) for caller in callers) or [program.function_of(instruction)]
    places = [program.position(caller) for caller in callers]
    lines = dict.fromkeys(f"{program.source_of(place).path}:{place.line}" for place in places)
    called = f", called at {', '.join(lines)}" if len(callers) > 1 else ""
    return f"in {' or '.join(names)} of the run-time{called}: "


def length_at(program: Program, position: Position) -> int:
    """How many characters of a line a piece of source takes that begins at a position."""
    if not position.line:
        return 1
    source = program.source_of(position)
    lines = source.lines
    if position.line > len(lines):
        return 1
    line = lines[position.line - 1]
    rest = line[position.column - 1 :].split(" #")[0].rstrip()
    if program.language.python:
        found = _pieces(source.text).get((position.line, position.column - 1))
        return min(found, len(rest)) if found else max(len(rest), 1)
    return max(len(rest.split(";")[0].rstrip()), 1)


def in_loop(program: Program, position: Position) -> bool:
    """Whether a place in a kernel in Python is in a loop of its function."""
    return _inside(program, position, (ast.For, ast.While))


def in_branch(program: Program, position: Position) -> bool:
    """Whether a place in a kernel in Python is in an `if` of its function."""
    return _inside(program, position, (ast.If, ast.IfExp))


def _inside(program: Program, position: Position, kinds: tuple[type[ast.AST], ...]) -> bool:
    if not program.language.python or not position.line:
        return False
    around = [node for node in _tree(program.source_of(position).text) if _holds(node, position.line)]
    functions = [node for node in around if isinstance(node, ast.FunctionDef)]
    innermost = max(functions, key=lambda node: node.lineno, default=None)
    return any(isinstance(node, kinds) and (innermost is None or getattr(node, "lineno", 0) > innermost.lineno) for node in around)


def _holds(node: ast.AST, line: int) -> bool:
    return getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", 0) or 0)


def is_assigned(program: Program, position: Position) -> bool:
    """Whether an assignment of a kernel in Python begins at a place, or whether that is not known."""
    if not position.line:
        return True
    return (position.line, position.column - 1) in _assignments(program.source_of(position).text)


@cache
def _tree(text: str) -> tuple[ast.AST, ...]:
    """The nodes of a text of Python; none of a text that is none."""
    try:
        return tuple(ast.walk(ast.parse(text)))
    except SyntaxError:
        return ()


@cache
def _assignments(text: str) -> frozenset[tuple[int, int]]:
    """Line and column of each assignment."""
    kinds = (ast.Assign, ast.AugAssign, ast.AnnAssign)
    return frozenset((node.lineno, node.col_offset) for node in _tree(text) if isinstance(node, kinds))


def extreme_at(program: Program, write: Position, other: Position) -> str:
    """How a statement that keeps the largest or the smallest number is written as one atomic; "" of any other.

    `if x > m[0]: m[0] = x` and `m[0] = max(m[0], x)` are cuda.atomic.max(m, 0, x). write: where its assignment begins. other: of an
    access that has to be of the statement too, since the atomic mends nothing elsewhere.
    """
    if not write.line or write.file != other.file:
        return ""
    found = _extremes(program.source_of(write).text).get((write.line, write.column - 1))
    if found is None or not found.first <= (other.line, other.column - 1) < found.end:
        return ""
    return found.atomic


class _Extreme(NamedTuple):
    """A statement that keeps such a number, from its first line and column up to those of its end, and its atomic."""

    first: tuple[int, int]
    end: tuple[int, int]
    atomic: str


@cache
def _extremes(text: str) -> dict[tuple[int, int], _Extreme]:
    """Such statements by line and column of their assignment."""
    found: dict[tuple[int, int], _Extreme] = {}
    for node in _tree(text):
        if isinstance(node, ast.If) and len(node.body) == 1 and not node.orelse:
            kept, atomic = node.body[0], _by_comparison(node.test, node.body[0])
        elif isinstance(node, ast.Assign):
            kept, atomic = node, _by_call(node)
        else:
            continue
        if atomic:
            end = (node.end_lineno or 0, node.end_col_offset or 0)
            found[kept.lineno, kept.col_offset] = _Extreme((node.lineno, node.col_offset), end, atomic)
    return found


def _by_comparison(test: ast.expr, kept: ast.stmt) -> str:
    """The atomic of `if test: kept`, or ""."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(kept, ast.Assign)):
        return ""
    sides = [ast.unparse(test.left), ast.unparse(test.comparators[0])]
    words = [ast.unparse(kept.targets[0]), ast.unparse(kept.value)]
    if sides not in (words, words[::-1]) or not isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return ""
    larger = isinstance(test.ops[0], ast.Lt | ast.LtE) == (sides == words)
    return _atomic("max" if larger else "min", kept.targets, kept.value)


def _by_call(node: ast.Assign) -> str:
    """The atomic of `m[0] = max(m[0], x)`, or ""."""
    call, target = node.value, ast.unparse(node.targets[0])
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("max", "min") and len(call.args) == 2):
        return ""
    others = [one for one in call.args if ast.unparse(one) != target]
    return _atomic(call.func.id, node.targets, others[0]) if len(others) == 1 else ""


def _atomic(name: str, targets: Sequence[ast.expr], value: ast.expr) -> str:
    """The atomic, or "" where the target is not an item or the value depends on its array."""
    target = targets[0]
    if len(targets) > 1 or not isinstance(target, ast.Subscript):
        return ""
    array, place = ast.unparse(target.value), target.slice
    if any(ast.unparse(one) == array for part in (place, value) for one in ast.walk(part)):
        return ""
    index = ast.unparse(place)
    if isinstance(place, ast.Tuple):
        index = f"({', '.join(map(ast.unparse, place.elts))}{',' * (len(place.elts) == 1)})"
    return f"cuda.atomic.{name}({array}, {index}, {ast.unparse(value)})"


@cache
def _items(text: str) -> dict[tuple[int, int], str]:
    """By line and column: of which variable an item is taken there."""
    items = [node for node in _tree(text) if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)]
    return {(node.lineno, node.col_offset): node.value.id for node in items if isinstance(node.value, ast.Name)}


@cache
def _pieces(text: str) -> dict[tuple[int, int], int]:
    """By line and column: the length of the statement, or else of the item or call, that begins there."""
    found: dict[tuple[int, int], int] = {}
    for kinds in ((ast.Subscript, ast.Call, ast.Attribute, ast.Name), (ast.Call,), (ast.Subscript,), (ast.Assign, ast.AugAssign)):
        for node in _tree(text):
            if isinstance(node, kinds) and node.end_lineno == node.lineno and node.end_col_offset is not None:
                found[node.lineno, node.col_offset] = node.end_col_offset - node.col_offset
    return found
