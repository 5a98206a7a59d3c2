"""Static single assignment: values and blocks. `text.py` prints and parses them.

A value is computed once, in one place. Where paths meet, a *phi* takes the value of the path that was taken. Integers are mathematical:
`lo` and `hi` bound the number, `type` says how an operation's result wraps (`i64` to -2^63 .. 2^63 - 1, `u64` to 0 .. 2^64 - 1,
`i1` is 0 or 1); how many bits the machine needs for it is found later, in `ranges.py`. Floats are `f32` and `f64`;
those of 16 bits are whole numbers with the same bits, on which `half` operates.

Source: Cytron, Ferrante, Rosen, Wegman and Zadeck, "Efficiently Computing Static Single Assignment Form and the
Control Dependence Graph", TOPLAS 1991.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

Interval = tuple[int, int]
I64: Interval = (-(1 << 63), (1 << 63) - 1)
U64: Interval = (0, (1 << 64) - 1)
LIMITS: dict[str, Interval] = {"i64": I64, "u64": U64, "i1": (0, 1), "f32": (0, 0), "f64": (0, 0), "": (0, 0)}
INTEGERS = ("i64", "u64", "i1")
FLOATS = ("f32", "f64")

# Operations without side effects, whose operands say all about their result.
PURE = frozenset((
    "add", "sub", "mul", "and", "or", "xor", "shl", "shr", "min", "max", "floordiv", "floormod", "quot", "rest", "wrap", "from_end",
    "eq", "ne", "lt", "sel", "popc", "clz", "ctz", "brev", "mulhi",
    "fadd", "fsub", "fmul", "fdiv", "fma", "fmin", "fmax", "fneg", "fabs", "feq", "flt", "fle", "fsqrt", "ffloor",
    "fsin", "fcos", "fexp2", "flog2", "frcp", "frsqrt",
    "i2f", "f2i", "f2f", "bits", "float", "h2f", "f2h", "half", "special",
))  # fmt: skip
COMMUTES = frozenset(("add", "mul", "and", "or", "xor", "min", "max", "eq", "ne", "fadd", "fmul", "feq"))
COMPARISONS = ("eq", "ne", "lt")
FLUSHED = "flushed"  # imm of an operation on floats of 32 bits whose denormal operands and results are zeros of their sign
CANONICAL = "canonical"  # imm of a `f2f` to 32 bits whose NaN is not the operand's: of what stands for operations of 32 bits


class At(NamedTuple):
    """A place in a source text: file (a number), line and column from 1, and how many characters."""

    file: int = 0
    line: int = 0
    column: int = 1
    length: int = 1


NOWHERE = At()


class Access(NamedTuple):
    """What a memory operation accesses. space: a name of `uop.SPACES`. view: its row of Program.views, or -1. size: bytes.

    row: bytes, aligned to their number, that its neighbours and it are a part of and that one instruction accesses; 0: it stands alone.
    Its own size: it does so even where neighbours could be joined, and no later load comes before it (an acquire, or a volatile one).
    """

    space: str = "global"
    view: int = -1
    size: int = 4
    signed: bool = False
    row: int = 0


@dataclass(eq=False, slots=True)
class Value:
    """One operation and its result. imm: the number of a constant, and what some operations have beside their operands."""

    op: str
    args: list[Value] = field(default_factory=list)
    type: str = ""
    imm: Any = 0
    block: Block | None = None
    level: int = 0  # loops around it
    at: At = NOWHERE
    lo: int = 0
    hi: int = 0
    access: Access | None = None
    number: int = 0

    def __repr__(self) -> str:
        return shown(self)

    @property
    def is_int(self) -> bool:
        """Whether it is a whole number."""
        return self.type in INTEGERS


@dataclass(eq=False, slots=True)
class Block:
    """Operations that run one after another. ends: "jump", "branch" (to where it is true, to where it is false), "exit", "" while open.

    bound: variables of the source that are given a value here: after which value, by its number, the name, what it is given, and the
    variable's kind and words where the value does not say them (`isa.variables.Place`).
    """

    number: int
    at: At
    code: list[Value] = field(default_factory=list)
    phis: list[Value] = field(default_factory=list)
    before: list[Block] = field(default_factory=list)
    after: list[Block] = field(default_factory=list)
    condition: Value | None = None
    ends: str = ""
    bound: list[tuple[int, str, Value, str, int]] = field(default_factory=list)


class Maker(Protocol):
    """What makes values: see `builder.Builder`."""

    def whole(self, number: int, type: str = "i64") -> Value:
        """A whole constant."""

    def real(self, number: float, type: str) -> Value:
        """A float constant."""

    def truth(self, holds: bool) -> Value:
        """A truth value."""

    def pure(self, op: str, *args: Value, type: str = "i64", imm: Any = 0) -> Value:
        """The result of an operation without side effects."""


def rounded(number: float) -> float:
    """A number as a 32-bit float holds it; too large ones become infinite."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def reachable(blocks: list[Block]) -> list[Block]:
    """The blocks that the first one leads to, in the order in which they were made."""
    seen = {blocks[0]}
    work = [blocks[0]]
    while work:
        for block in work.pop().after:
            if block not in seen:
                seen.add(block)
                work.append(block)
    return [block for block in blocks if block in seen]


def live_values(blocks: list[Block]) -> set[Value]:
    """Values that something with a side effect, or a branch, needs."""
    used: set[Value] = set()
    work = [value for block in blocks for value in block.code if value.op not in PURE and not (value.op == "load" and value.type)]
    work += [block.condition for block in blocks if block.condition is not None]
    while work:
        value = work.pop()
        if value not in used:
            used.add(value)
            work += value.args
    return used


def prune(blocks: list[Block]) -> list[Block]:
    """The reachable blocks, without arguments of phis from elsewhere and without operations that nobody needs."""
    kept = reachable(blocks)
    known = set(kept)
    for block in kept:
        places = [place for place, one in enumerate(block.before) if one in known]
        if len(places) < len(block.before):
            block.before = [block.before[place] for place in places]
            for phi in block.phis:
                phi.args = [phi.args[place] for place in places]
    used = live_values(kept)
    for block in kept:
        block.code = [value for value in block.code if value in used]
        block.phis = [value for value in block.phis if value in used]
    return [block for block in kept if block is kept[0] or not _passed_by(block)]


def _passed_by(block: Block) -> bool:
    """Whether a block that does nothing was taken out of the way: those before it lead to the one after it."""
    if block.code or block.phis or block.ends != "jump" or block.after[0].phis or block.after[0] is block:
        return False
    after = block.after[0]
    for one in block.before:
        one.after = [after if other is block else other for other in one.after]
    after.before = [one for one in after.before if one is not block] + block.before
    return True


def shown(value: Value) -> str:
    """A value as an operand of a listing."""
    if value.op == "const":
        return f"{value.imm!r}" if value.type in FLOATS else str(value.imm)
    if value.op == "param":
        return f"${value.access.space}" if value.access is not None else f"${value.imm}"
    return f"%{value.number}"
