"""One row of the table, and one instruction as it stands in a program.

A row says everything about an opcode that is not its meaning: in which forms it comes, where its operands and modifiers are and in which
order a listing writes them. From it come the decoder, the listing and the encoder: `encode(instruction)` is the word that it was decoded
from, bit for bit, and `changed` patches it by the names of fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

from warploom.isa.sass.operands import PREDICATE, UNIFORM_PREDICATE, Spec, Value, written
from warploom.isa.sass.word import ALWAYS, BITS, COMMON, Control, Field, bits, control, get, mask, put

REUSE = {"a": 122, "address": 122, "b": 123, "data": 123, "c": 124, "data2": 124}  # the bit of each operand
ANY_FORM = tuple(range(8))
Names = Mapping[int, str]


class Modifier(NamedTuple):
    """What is written after the opcode's name: a name by the value of a field; "" writes nothing.

    when: whether it is written at all in an instruction.
    """

    role: str
    field: Field
    names: Names
    when: Callable[[Any], bool] | None = None

    def text(self, one: Instruction) -> str:
        """How a listing writes it; "" where it does not."""
        if self.when is not None and not self.when(one):
            return ""
        number = get(one.word, self.field)
        return self.names.get(number, f"INVALID{number}")


@dataclass(frozen=True)
class Row:
    """An opcode. code: bits 0 to 8. operands, modifiers: as a listing writes them. uniform_guard: its guard is a uniform predicate.

    lower: adds its micro-ops to a `Code`; None where it has no meaning here. meaning: in a sentence. alias: another name and other
    modifiers that listings have for some uses. first: the lowest architecture that has it.
    """

    code: int
    name: str
    operands: tuple[Spec, ...] = ()
    modifiers: tuple[Modifier, ...] = ()
    meaning: str = ""
    lower: Callable[[Any], None] | None = None
    forms: tuple[int, ...] = ANY_FORM
    uniform_guard: bool = False
    alias: Callable[[Instruction], list[str] | None] | None = None
    joined: bool = False  # its last two operands are written without a comma
    shown_name: Callable[[Instruction], str] | None = None
    others: Mapping[str, Field] = field(default_factory=dict)
    architectures: range = range(70, 100)

    def __hash__(self) -> int:
        return hash((self.code, self.name, self.architectures))

    def fields(self, form: int) -> dict[str, Field]:
        """All fields of a form, by name."""
        return _fields(self, form)


@cache
def _fields(row: Row, form: int) -> dict[str, Field]:
    found = dict(COMMON)
    for operand in row.operands:
        found |= operand.fields(form)
    for modifier in row.modifiers:
        found.setdefault(modifier.role, modifier.field)
    return {**found, **row.others}


@dataclass(frozen=True)
class Instruction:
    """A decoded instruction. address: in bytes. row: None for a word that is not an instruction that the table has."""

    word: int
    address: int
    architecture: int
    row: Row | None

    def at(self, low: int, width: int) -> int:
        """A number in the word."""
        return self.word >> low & (1 << width) - 1

    @property
    def form(self) -> int:
        """Bits 9 to 11."""
        return self.word >> 9 & 7

    @property
    def name(self) -> str:
        """The opcode's name without modifiers; "" where there is none."""
        return self.row.name if self.row is not None else ""

    @property
    def control(self) -> Control:
        """Its control word."""
        return control(self.word)

    @cached_property
    def fields(self) -> dict[str, int]:
        """All of its fields by name; `rest` has the bits that belong to none."""
        known = self.row.fields(self.form) if self.row is not None else COMMON
        found = {name: get(self.word, place) for name, place in known.items()}
        covered = 0
        for place in known.values():
            covered |= mask(place)
        return found | {"rest": self.word & ~covered}

    @cached_property
    def guard(self) -> Value:
        """Its guard predicate."""
        kind = UNIFORM_PREDICATE if self.row is not None and self.row.uniform_guard else PREDICATE
        return Value(kind, self.word >> 12 & 7, inverted=bool(self.word >> 15 & 1))

    @cached_property
    def values(self) -> dict[str, Value]:
        """Its operands by role."""
        return {spec.role: spec.value(self) for spec in self.row.operands} if self.row is not None else {}

    def reused(self, role: str) -> bool:
        """Whether the register of an operand stays in the reuse cache."""
        place = REUSE.get(role)
        return place is not None and bool(self.word >> place & 1)

    def changed(self, **fields: int) -> Instruction:
        """The same instruction with other fields. Raises KeyError for a field that it does not
        have, ValueError where a value does not fit."""
        known = self.row.fields(self.form) if self.row is not None else COMMON
        word = self.word
        for name, value in fields.items():
            word = word & ~mask(known[name]) | put(known[name], value)
        return Instruction(word, self.address, self.architecture, self.row)

    @property
    def opcode(self) -> str:
        """Its name with modifiers, as a listing writes it."""
        row = self.row
        if row is None:
            return f".word {self.word:#034x}"
        names = row.alias(self) if row.alias is not None else None
        if names is None:
            names = [row.shown_name(self) if row.shown_name is not None else row.name, *(modifier.text(self) for modifier in row.modifiers)]
        return ".".join(name for name in names if name)

    def text(self, labels: Mapping[int, str] | None = None) -> str:
        """As a listing writes it. labels: names of addresses, for jumps."""
        row = self.row
        if row is None:
            return self.opcode
        guard = self.guard
        begins = "" if guard.number == ALWAYS and not guard.inverted else f"@{written(guard)} "
        parts = []
        for spec in row.operands:
            if (text := spec.text(self)) is not None:
                parts.append((labels or {}).get(int(text, 16), text) if spec.role == "target" and text.startswith("0x") else text)
        if row.joined and len(parts) > 1:
            parts[-2:] = [" ".join(parts[-2:])]
        return f"{begins}{self.opcode} {', '.join(parts)}".rstrip()

    @property
    def target(self) -> int | None:
        """The address that it jumps to; None where it does not, or through a register."""
        value = self.values.get("target")
        return value.number if value is not None else None


def encode(one: Instruction) -> int:
    """The word of an instruction, put together from its fields."""
    known = one.row.fields(one.form) if one.row is not None else COMMON
    word = one.fields["rest"]
    for name, place in known.items():
        word |= put(place, one.fields[name])
    return word


def flag(bit: int, name: str, unset: str = "", role: str = "", when: Callable[[Any], bool] | None = None) -> Modifier:
    """A modifier of one bit."""
    return Modifier(role or (name or unset).lower().replace(".", "_"), bits(bit), {0: unset, 1: name}, when)


def choice(role: str, low: int, width: int, names: tuple[str, ...] | Names, when: Callable[[Any], bool] | None = None) -> Modifier:
    """A modifier of several bits."""
    table = dict(enumerate(names)) if isinstance(names, tuple) else dict(names)
    return Modifier(role, bits(low, width), table, when)


LARGEST = (1 << BITS) - 1
