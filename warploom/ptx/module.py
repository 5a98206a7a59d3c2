"""What a text of PTX says: variables, functions, instructions, each with its place in the user's source.

Source: NVIDIA, "Parallel Thread Execution ISA", version 9.0, chapters 4 (syntax), 5 (state spaces and types) and 9 (instructions).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from warploom.ptx.debug.descriptions import Descriptions

BYTES = {
    "b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4, "f16x2": 4,
    "bf16x2": 4, "u16x2": 4, "s16x2": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8, "b128": 16, "pred": 1,
}  # fmt: skip

# Instructions that write no register: all of their operands are read.
WITHOUT_RESULT = frozenset(
    ("st", "red", "membar", "fence", "call", "trap", "prefetch", "prefetchu", "discard", "applypriority", "nanosleep", "pmevent", "brkpt")
)


class Place(NamedTuple):
    """A line of PTX, and of the source that it was made from: file (its number in the text, or a path), line and column from 1."""

    text_line: int = 0
    file: int | str = 0
    line: int = 0
    column: int = 1


NOWHERE = Place()


class Number(NamedTuple):
    """An immediate operand. kind: "" for a whole number, "f32" or "f64" for a float, whose bits `value` has then."""

    value: int
    kind: str = ""


class Name(NamedTuple):
    """A register, a variable, a label or a special register (`%tid` with component "x"), and what is added to it.

    second: of `p|q` the other destination. negated: a predicate with a `!`.
    """

    name: str
    component: str = ""
    offset: int = 0
    second: str = ""
    negated: bool = False


class Memory(NamedTuple):
    """`[base + offset]`, and what else stands between the brackets of a texture."""

    base: Name | Number
    offset: int = 0
    more: tuple[Operand, ...] = ()


class Vector(NamedTuple):
    """`{a, b}` or `(a, b)`."""

    items: tuple[Operand, ...]


Operand = Number | Name | Memory | Vector


@dataclass(frozen=True)
class Instruction:
    """One instruction. op: the first word of its name; modifiers: the others. guard: the predicate that it is executed under."""

    op: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Name | None = None
    place: Place = NOWHERE

    @property
    def type(self) -> str:
        """Its last modifier that is a type, "" where there is none."""
        return next((word for word in reversed(self.modifiers) if word in BYTES), "")

    @property
    def types(self) -> tuple[str, ...]:
        """All modifiers that are types, in their order."""
        return tuple(word for word in self.modifiers if word in BYTES)

    def __str__(self) -> str:
        return ".".join((self.op, *self.modifiers))


@dataclass(frozen=True)
class Label:
    """A place that branches lead to."""

    name: str


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function. offset: of its first byte among a kernel's parameters. pointer: the text says that it is an address."""

    name: str
    size: int
    align: int
    offset: int = 0
    pointer: bool = False


@dataclass(frozen=True)
class Variable:
    """A variable of a module or a function. data: its first bytes. addresses: (offset, name, what is added) of addresses in it."""

    name: str
    space: str
    size: int
    align: int
    data: bytes = b""
    addresses: tuple[tuple[int, str, int], ...] = ()
    external: bool = False

    @property
    def dynamic(self) -> bool:
        """Whether it is shared memory of a size that a launch gives."""
        return self.space == "shared" and self.external and not self.size


@dataclass
class Function:
    """A kernel, or a function that kernels call.

    results: its return parameters. most_threads: of a block (`.maxntid`, `.reqntid`); 0: any. debug: what its text says of names in its
    source, in which it is called `said_as`.
    """

    name: str
    kernel: bool
    parameters: tuple[Parameter, ...] = ()
    results: tuple[Parameter, ...] = ()
    registers: dict[str, str] = field(default_factory=dict)  # name to type
    variables: dict[str, Variable] = field(default_factory=dict)
    targets: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of `brx.idx`
    body: list[Instruction | Label] = field(default_factory=list)
    most_threads: int = 0
    external: bool = False
    place: Place = NOWHERE
    debug: Descriptions | None = None
    said_as: str = ""

    @property
    def parameter_bytes(self) -> int:
        """Bytes of all parameters of a kernel."""
        return max((one.offset + one.size for one in self.parameters), default=0)

    def instructions(self) -> Iterator[Instruction]:
        """The instructions, in the order of the text."""
        return (one for one in self.body if isinstance(one, Instruction))

    def branched_to(self) -> set[str]:
        """The labels that branches lead to: others only name a place, for debug information."""
        branches = (one.operands[0] for one in self.instructions() if one.op == "bra" and one.operands)
        return {one.name for one in branches if isinstance(one, Name)} | {name for names in self.targets.values() for name in names}


@dataclass
class Module:
    """A text. files: by number, as `.file` names them. path: of the text, or of what it was compiled from."""

    path: str
    target: str = ""
    functions: dict[str, Function] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    files: dict[int, str] = field(default_factory=dict)
    text: str = ""

    @property
    def kernels(self) -> dict[str, Function]:
        """The functions that a launch may name."""
        return {name: one for name, one in self.functions.items() if one.kernel and not one.external}


def shown_name(mangled: str) -> str:
    """A C++ name without its types: `_Z5saxpyifPKfPf` is saxpy."""
    if not mangled.startswith("_Z"):
        return mangled
    nested = mangled.startswith("_ZN")
    rest = mangled[3 if nested else 2 :].lstrip("KVr").removeprefix("L")
    found = mangled
    while rest[:1].isdigit():
        digits = len(rest) - len(rest.lstrip("0123456789"))
        count = int(rest[:digits])
        found, rest = rest[digits : digits + count], rest[digits + count :]
        if not nested:
            break
    return found
