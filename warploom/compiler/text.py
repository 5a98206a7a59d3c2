"""SSA as text: printed, and parsed again into the same blocks.

    param $n i64 4  ; 0 .. 4294967295
    b0:
        %1 = special[thread_x] i64  ; 0 .. 1023
        %2 = lt i1 %1, $n  ; 0 .. 1
        branch %2, b1, b2
    b1:  ; from b0
        %3 = load global.4s i64 %1  ; -2147483648 .. 2147483647
        store global.4@2 %1, %3
        jump b2
    b2:  ; from b1, b0
        exit

A line is an operation: its result, its name, what it has beside its operands in brackets, what it accesses (space, bytes, `s` for
signed, the row of the view after `@`, the bytes of the row that one instruction accesses after `/`), the result's type, the operands.
A constant is a number; one that is neither an i64 nor an f64 has its type behind it, as `1:i1`. A param says which scalar register it
comes in. After `;` stand a whole number's bounds, and of a block those that lead to it, in the order of a phi's operands. Bounds and
blocks that are left out are worked out. `places=True` adds where each operation stands in the source, as
` | file:line:column+length`; then nothing is lost.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from warploom.compiler.interval import interval
from warploom.compiler.ssa import FLOATS, LIMITS, NOWHERE, Access, At, Block, Value, rounded

TYPES = frozenset(LIMITS) - {""}
_BLOCK = re.compile(r"b(\d+):(?:\s*; from (.*))?")
_LINE = re.compile(r"(?:(?P<result>%[\d.]+) = )?(?P<op>\w+)(?:\[(?P<imm>.*?)\])?(?: (?P<rest>.*))?")
_ACCESS = re.compile(r"([a-z_]+)\.(\d+)(s?)(?:@(\d+))?(?:/(\d+))?")
_PLACE = re.compile(r"(\d+):(\d+):(\d+)\+(\d+)")
_BOUNDS = re.compile(r"(-?\d+) \.\. (-?\d+)")
_WHOLE = re.compile(r"-?\d+")


class TextError(ValueError):
    """A line that is not SSA. The message begins with its number."""


# ---- printing


class _Names:
    """What values are called: by their numbers, and params by their names. No two are called the same."""

    def __init__(self, blocks: list[Block]) -> None:
        self.params: dict[int, str] = {}  # by register
        self.types: dict[int, Value] = {}
        self.values: dict[Value, str] = {}
        taken: dict[str, int] = {}
        for value in (one for block in blocks for one in (*block.phis, *block.code)):
            base = f"%{value.number}"
            count = taken[base] = taken.get(base, 0) + 1
            self.values[value] = base if count == 1 else f"{base}.{count}"
        for value in _operands(blocks):
            if value.op == "param" and value.imm not in self.params:
                name = re.sub(r"[\s,|;:]", "_", value.access.space) if value.access is not None else str(value.imm)
                self.params[value.imm] = f"${name}" if f"${name}" not in self.params.values() else f"${name}@{value.imm}"
                self.types[value.imm] = value

    def of(self, value: Value) -> str:
        """A value as an operand."""
        if value.op == "param":
            return self.params[value.imm]
        if value.op != "const":
            return self.values.get(value, f"%{value.number}?")
        text = repr(float(value.imm)) if value.type in FLOATS else str(value.imm)
        return text if value.type in ("i64", "f64") else f"{text}:{value.type}"


def _operands(blocks: list[Block]) -> Iterator[Value]:
    for block in blocks:
        for value in (*block.phis, *block.code):
            yield from value.args
        if block.condition is not None:
            yield block.condition


def printed(blocks: list[Block], *, places: bool = False) -> Iterator[str]:
    """The function as text, a line an operation."""
    names = _Names(blocks)
    for register, value in sorted(names.types.items()):
        yield f"param {names.params[register]} {value.type} {register}{_bounds(value)}"
    for block in blocks:
        where = _place(block.at) if places else ""
        yield f"b{block.number}:" + (f"  ; from {', '.join(f'b{one.number}' for one in block.before)}" if block.before else "") + where
        for value in (*block.phis, *block.code):
            result = f"{names.of(value)} = " if value.type else ""
            more = f"[{value.imm if isinstance(value.imm, str) else repr(value.imm)}]" if value.imm != 0 and value.op != "phi" else ""
            parts = [f"{result}{value.op}{more}", _access(value.access), value.type, ", ".join(map(names.of, value.args))]
            yield "    " + " ".join(filter(None, parts)) + _bounds(value) + (_place(value.at) if places else "")
        condition = f"{names.of(block.condition)}, " if block.ends == "branch" and block.condition is not None else ""
        yield f"    {block.ends or 'open'} {condition}{', '.join(f'b{one.number}' for one in block.after)}".rstrip()


def _bounds(value: Value) -> str:
    return f"  ; {value.lo} .. {value.hi}" if value.is_int else ""


def _access(access: Access | None) -> str:
    if access is None:
        return ""
    view, row = f"@{access.view}" if access.view >= 0 else "", f"/{access.row}" if access.row else ""
    return f"{access.space}.{access.size}{'s' * access.signed}{view}{row}"


def _place(at: At) -> str:
    return f" | {at.file}:{at.line}:{at.column}+{at.length}" if at != NOWHERE else ""


# ---- parsing


def parsed(text: str) -> list[Block]:
    """The blocks of a text. Raises TextError with the number of the line, from 1."""
    return _Parser(text).blocks()


class _Parser:
    def __init__(self, text: str) -> None:
        self.lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        self.named: dict[str, Value] = {}
        self.operands: list[tuple[int, Value, list[str]]] = []
        self.ends: list[tuple[int, Block, str]] = []
        self.before: dict[Block, tuple[int, list[str]]] = {}
        self.unbounded: list[Value] = []
        self.found: dict[str, Block] = {}

    def blocks(self) -> list[Block]:
        """All blocks, joined and complete."""
        block: Block | None = None
        for number, whole in self.lines:
            line, at = self._without_place(number, whole)
            head = _BLOCK.fullmatch(line)
            if head is not None:
                block = Block(int(head[1]), at)
                if f"b{head[1]}" in self.found:
                    raise TextError(f"line {number}: there is a block b{head[1]} already")
                self.found[f"b{head[1]}"] = block
                if head[2]:
                    self.before[block] = (number, head[2].split(", "))
            elif line.startswith("param "):
                self._param(number, line)
            elif block is None:
                raise TextError(f"line {number}: {line!r} stands before the first block; write b0: above it")
            elif block.ends:
                raise TextError(f"line {number}: b{block.number} has ended already")
            elif line.split(" ")[0] in ("jump", "branch", "exit", "open"):
                self._end(number, block, line)
            else:
                self._operation(number, block, line, at)
        if not self.found:
            raise TextError("line 1: there is no block; a function begins with b0:")
        self._join()
        return list(self.found.values())

    def _without_place(self, number: int, whole: str) -> tuple[str, At]:
        line, bar, place = whole.partition(" | ")
        if not bar:
            return line, NOWHERE
        found = _PLACE.fullmatch(place.strip())
        if found is None:
            raise TextError(f"line {number}: {place!r} is not a place; write file:line:column+length")
        return line.rstrip(), At(*map(int, found.groups()))

    def _with_bounds(self, number: int, whole: str) -> tuple[str, tuple[int, int] | None]:
        line, semicolon, bounds = whole.partition(";")
        found = _BOUNDS.fullmatch(bounds.strip()) if semicolon else None
        if semicolon and found is None:
            raise TextError(f"line {number}: {bounds.strip()!r} are not bounds; write lowest .. highest")
        return line.rstrip(), (int(found[1]), int(found[2])) if found is not None else None

    def _param(self, number: int, line: str) -> None:
        line, bounds = self._with_bounds(number, line)
        words = line.split()
        if len(words) != 4 or not words[1].startswith("$") or words[2] not in TYPES or not _WHOLE.fullmatch(words[3]):
            raise TextError(f"line {number}: a param is written `param $name type register`, as param $n i64 4")
        _, name, type, register = words
        lo, hi = bounds or LIMITS[type]
        self._name(number, name, Value("param", [], type, int(register), lo=lo, hi=hi, access=Access(name[1:].partition("@")[0])))

    def _name(self, number: int, name: str, value: Value) -> None:
        if name in self.named:
            raise TextError(f"line {number}: {name} is computed twice")
        self.named[name] = value

    def _operation(self, number: int, block: Block, line: str, at: At) -> None:
        line, bounds = self._with_bounds(number, line)
        found = _LINE.fullmatch(line)
        if found is None:
            raise TextError(f"line {number}: {line!r} is not an operation; write `%1 = add i64 %2, 3`")
        words = (found["rest"] or "").split(" ")
        access = _ACCESS.fullmatch(words[0])
        if access is not None:
            words.pop(0)
        type = words.pop(0) if words and words[0] in TYPES else ""
        if bool(type) != bool(found["result"]):
            types = ", ".join(sorted(TYPES))
            what = f"{found['op']} has a type and no result" if type else f"{found['result']} has no type: write one of {types}"
            raise TextError(f"line {number}: {what}")
        names = [one for one in " ".join(words).split(", ") if one]
        value = Value(found["op"], [], type, _number(found["imm"]), block, at=at)
        if access is not None:
            value.access = Access(access[1], int(access[4]) if access[4] else -1, int(access[2]), bool(access[3]), int(access[5] or 0))
        if found["result"]:
            value.number = int(found["result"][1:].partition(".")[0])
            self._name(number, found["result"], value)
        value.lo, value.hi = bounds or LIMITS[type]
        if bounds is None and value.is_int and value.op not in ("phi", "load"):
            self.unbounded.append(value)
        self.operands.append((number, value, names))
        (block.phis if value.op == "phi" else block.code).append(value)

    def _end(self, number: int, block: Block, line: str) -> None:
        self.ends.append((number, block, line))
        block.ends = line.split(" ", maxsplit=1)[0]

    def _operand(self, number: int, text: str) -> Value:
        if text in self.named:
            return self.named[text]
        digits, _, type = text.partition(":")
        whole = _WHOLE.fullmatch(digits) is not None
        type = type or ("i64" if whole else "f64")
        if text[:1] in "%$" or type not in TYPES:
            raise TextError(f"line {number}: nothing is called {text}")
        if type in FLOATS:
            try:
                real = float(digits)
            except ValueError:
                raise TextError(f"line {number}: {text!r} is neither a value nor a number") from None
            return Value("const", [], type, rounded(real) if type == "f32" else real)
        if not whole:
            raise TextError(f"line {number}: {text!r} is not a whole number")
        return Value("const", [], type, int(digits), lo=int(digits), hi=int(digits))

    def _block(self, number: int, name: str) -> Block:
        if name not in self.found:
            raise TextError(f"line {number}: there is no block {name}")
        return self.found[name]

    def _join(self) -> None:
        """Operands by their names, and blocks to those that they lead to."""
        for number, value, names in self.operands:
            value.args = [self._operand(number, name) for name in names]
        for number, block, line in self.ends:
            kind, _, rest = line.partition(" ")
            names = [one for one in rest.split(", ") if one]
            wanted = {"jump": 1, "branch": 3, "exit": 0, "open": 0}[kind]
            if len(names) != wanted:
                raise TextError(f"line {number}: {kind} takes {wanted} names, {len(names)} are given")
            if kind == "branch":
                block.condition = self._operand(number, names.pop(0))
            block.after = [self._block(number, name) for name in names]
            block.ends = "" if kind == "open" else kind
        leading: dict[Block, list[Block]] = {block: [] for block in self.found.values()}
        for block in self.found.values():
            for after in block.after:
                leading[after].append(block)
        for block, comers in leading.items():
            number, names = self.before.get(block, (0, [f"b{one.number}" for one in comers]))
            block.before = [self._block(number, name) for name in names]
            if sorted(one.number for one in block.before) != sorted(one.number for one in comers):
                there = ", ".join(f"b{one.number}" for one in comers) or "nowhere"
                raise TextError(f"line {number}: b{block.number} is come to from {there}")
        for number, value, _ in self.operands:
            if value.op == "phi" and value.block is not None and len(value.args) != len(value.block.before):
                raise TextError(f"line {number}: a phi here has {len(value.block.before)} operands, one for each block that leads here")
        for value in self.unbounded:
            value.lo, value.hi = interval(value)


def _number(text: str | None) -> Any:
    """What stands in brackets: a number or another literal of Python's, else a word."""
    if text is None:
        return 0
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
