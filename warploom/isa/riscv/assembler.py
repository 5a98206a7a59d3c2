"""From text to an image: RISC-V assembly in the manner of LLVM and GNU.

    .threads 64
    main:                    # a0 = number of the thread
        slli t0, a0, 2
        lui  t1, 0x10        # where the memory is
        add  t0, t0, t1
        sw   a0, 0(t0)
        ret

A line holds labels, then nothing, a directive or an instruction, then nothing or a comment from `#` on. `li` takes any number of 32 bits,
`la` a label. Two passes, as any assembler: the first gives each instruction its address, the second encodes. Everything that is wrong is
reported together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from warploom.isa.diagnostics import Diagnostics, nearest
from warploom.isa.image import Image, Segment
from warploom.isa.program import Position, Source
from warploom.isa.riscv.aliases import ALIASES
from warploom.isa.riscv.fields import COMPRESSED_FIRST
from warploom.isa.riscv.instruction import DYNAMIC, STATIC_MODES, Instruction, field_of
from warploom.isa.riscv.registers import FLOAT_NUMBER, INTEGER_NUMBER
from warploom.isa.riscv.table import TABLE, Table

DIRECTIVES = (".threads", ".block", ".word", ".half")
CODE = "program"  # the segment's name
BASE = 0x80000000
MOST_BYTES = 1 << 20
_LABEL = re.compile(r"\s*([A-Za-z_.$][\w.$]*)\s*:")
_OPERAND = re.compile(r"[a-z][a-z0-9']*|[(),]")
_TOKEN = re.compile(r"(?P<skip>\s+|#.*|//.*)|(?P<token>[(),]|[^\s(),#]+)")
_ATOMIC_ORDERS = {".aqrl": {"aq": 1, "rl": 1}, ".aq": {"aq": 1}, ".rl": {"rl": 1}}


class Token(NamedTuple):
    """A word of the source and where it stands."""

    text: str
    position: Position


class Form(NamedTuple):
    """A way to write an instruction: the tokens of its operands, the row and the fields that are given."""

    row: Instruction
    tokens: tuple[str, ...]
    given: Mapping[str, int | str]


class Slot(NamedTuple):
    """Something that takes room: a head with its operands, and where."""

    head: Token
    operands: list[Token]
    address: int
    size: int


class Assembly(NamedTuple):
    """What came out: the image, and the launch that the text asks for (0: it does not say)."""

    image: Image
    threads: int
    block: int


def assemble(source: Source, diagnostics: Diagnostics, table: Table = TABLE) -> Assembly:
    """An image from source text. Raises SourceError with every error in it."""
    return _Assembler(source, diagnostics, table).assembly()


@cache
def _forms(table: Table) -> dict[str, list[Form]]:
    found: dict[str, list[Form]] = {}
    for row in table.rows:
        found.setdefault(row.mnemonic, []).append(Form(row, _tokens(row.operands), {}))
    for alias in ALIASES:
        if alias.base in table.by_mnemonic:
            found.setdefault(alias.mnemonic, []).append(Form(table.by_mnemonic[alias.base], _tokens(alias.operands), alias.given))
    jalr = table.by_mnemonic["jalr"]
    found["jalr"].append(Form(jalr, _tokens("rd, imm(rs1)"), {}))
    found["jr"].append(Form(jalr, _tokens("imm(rs1)"), {"rd": 0}))
    return found


def _tokens(operands: str) -> tuple[str, ...]:
    return tuple(_OPERAND.findall(operands))


class _Assembler:
    def __init__(self, source: Source, diagnostics: Diagnostics, table: Table) -> None:
        self.source, self.diagnostics, self.table = source, diagnostics, table
        self.forms = _forms(table)
        self.csr_numbers = {name: number for number, name in table.csr_names.items()}
        self.slots: list[Slot] = []
        self.symbols: dict[str, int] = {}
        self.address = BASE
        self.counts = {".threads": 0, ".block": 0}

    def assembly(self) -> Assembly:
        for number, line in enumerate(self.source.lines, start=1):
            self._line(line, number)
        if not self.slots and not self.diagnostics.errors:
            self.diagnostics.error(Position(1, 1), "there is no instruction in this file", fix="the shortest program is: ret")
        data = b"".join(self._encoded(slot) for slot in self.slots)
        self.diagnostics.raise_if_errors()
        room = -(-len(data) // 4) * 4
        segment = Segment(CODE, BASE, data.ljust(room, b"\0"), room, False, ((BASE, self.address),))
        positions = {slot.address + offset: slot.head.position for slot in self.slots for offset in range(0, slot.size, 2)}
        entry = next((self.symbols[name] for name in ("_start", "main") if name in self.symbols), BASE)
        starts = frozenset(slot.address for slot in self.slots)
        image = Image(self.source.path, [segment], entry, self.symbols, starts, (self.source,), positions)
        return Assembly(image, self.counts[".threads"], self.counts[".block"])

    def _line(self, line: str, number: int) -> None:
        start = 0
        while match := _LABEL.match(line, start):
            position = Position(number, match.start(1) + 1)
            if match[1] in self.symbols:
                self.diagnostics.error(position, f"the label {match[1]!r} is there already", len(match[1]), "give it another name")
            self.symbols[match[1]] = self.address
            start = match.end()
        tokens = [
            Token(match[0], Position(number, match.start() + 1)) for match in _TOKEN.finditer(line, start) if match.lastgroup == "token"
        ]
        if not tokens:
            return
        head, operands = tokens[0], tokens[1:]
        if head.text in self.counts:
            self.counts[head.text] = self._number(operands[0], 1, 1 << 24) or 0 if operands else 0
            if len(operands) != 1:
                self._error(head, f"{head.text} takes one number", f"write {head.text} 32")
            return
        size = self._size(head, operands)
        if self.address + size - BASE > MOST_BYTES:
            if self.address - BASE <= MOST_BYTES:
                self._error(head, f"the program is larger than {MOST_BYTES >> 10} KiB", "")
                self.address += MOST_BYTES
            return
        self.slots.append(Slot(head, operands, self.address, size))
        self.address += size

    def _size(self, head: Token, operands: list[Token]) -> int:
        """Bytes that a statement takes."""
        if head.text in (".word", ".half"):
            return (4 if head.text == ".word" else 2) * sum(token.text != "," for token in operands)
        if head.text == "la":
            return 8
        if head.text == "li" and len(operands) == 3:
            value = _value(operands[2].text)
            return 4 if value is None or -2048 <= value < 2048 else 8 if value & 0xFFF else 4
        return self.forms[head.text][0].row.size if head.text in self.forms else 4

    def _encoded(self, slot: Slot) -> bytes:
        """The bytes of a statement; zeros after something wrong has been reported."""
        head, operands = slot.head, slot.operands
        name = head.text
        if name in (".word", ".half"):
            return self._data(slot)
        if name in ("la", "li") and (slot.size == 8 or (name == "li" and self._is_wide(operands))):
            return self._wide_constant(slot)
        given: dict[str, int] = {}
        for suffix, order in _ATOMIC_ORDERS.items():
            if name.endswith(suffix) and name.removesuffix(suffix) in self.forms:
                name, given = name.removesuffix(suffix), dict(order)
                break
        forms = self.forms.get(name)
        if forms is None or (given and "aq" not in forms[0].row.encoding.fields):
            known = [*self.forms, "la", *DIRECTIVES]
            self._error(head, f"there is no instruction {head.text!r}{nearest(head.text, known)}", "")
            return bytes(slot.size)
        form = next((form for form in forms if _same_shape(form, operands)), None)
        if form is None:
            shapes = " or ".join(f"{name} {_written(form.tokens)}".rstrip() for form in forms)
            self._error(head, f"the operands are not those of {name}", f"write {shapes}")
            return bytes(slot.size)
        values = self._values(form, operands, slot.address)
        if values is None:
            return bytes(slot.size)
        word = form.row.encode(values | given)
        if not form.row.matches(word):
            self._error(head, f"{name} does not take these operands: the word would be another instruction", "")
        return word.to_bytes(form.row.size, "little")

    def _values(self, form: Form, operands: list[Token], address: int) -> dict[str, int] | None:
        values: dict[str, int] = {}
        good = True
        for name, token in zip(form.tokens, operands, strict=False):
            if name in "(),":
                continue
            if name == "sp":
                if INTEGER_NUMBER.get(token.text) != 2:
                    self._error(token, f"{form.row.mnemonic} works on sp, not {token.text!r}", "")
                    good = False
                continue
            value = self._operand(form.row, name, token, address)
            good = good and value is not None
            values[field_of(name)] = value or 0
        for name, given in form.given.items():
            values[name] = values[given] if isinstance(given, str) else given
        return values if good else None

    def _operand(self, row: Instruction, name: str, token: Token, address: int) -> int | None:
        """The value of a field; None after something wrong has been reported."""
        field = field_of(name)
        if field.rstrip("'") in ("rd", "rs1", "rs2", "rs3"):
            known = FLOAT_NUMBER if name.startswith("f") else INTEGER_NUMBER
            number = known.get(token.text)
            short = name.endswith("'")
            if number is None or (short and not COMPRESSED_FIRST <= number < 2 * COMPRESSED_FIRST):
                kind = "float register" if name.startswith("f") else "register"
                among = " among the eight that short instructions can name" if short else ""
                self._error(token, f"{token.text!r} is not a {kind}{among or nearest(token.text, known)}", "")
                return None
            return number - COMPRESSED_FIRST if short else number
        if name == "rm":
            modes = {mode: number for number, mode in enumerate(STATIC_MODES)} | {"dyn": DYNAMIC}
            if token.text not in modes:
                self._error(token, f"there is no rounding mode {token.text!r}", f"there are {', '.join(modes)}")
                return None
            return modes[token.text]
        if name in ("pred", "succ"):
            if token.text != "".join(letter for letter in "iorw" if letter in token.text) or not token.text:
                self._error(token, f"{token.text!r} is not a set of accesses", "write some of iorw, in this order")
                return None
            return sum(bit for bit, letter in zip((8, 4, 2, 1), "iorw", strict=True) if letter in token.text)
        if name == "csr" and token.text in self.csr_numbers:
            return self.csr_numbers[token.text]
        if name == "csr" and _value(token.text) is None:
            self._error(token, f"there is no control register {token.text!r}{nearest(token.text, self.csr_numbers)}", "")
            return None
        least, most, step = row.encoding.range_of(field)
        if name == "target" and token.text in self.symbols:
            return self._within(token, self.symbols[token.text] - address, least, most, step)
        if row.mnemonic.endswith(("lui", "auipc")):
            value = self._number(token, least >> 12, (1 << 20) - 1)
            return None if value is None else ((value << 12) + (1 << 31)) % (1 << 32) - (1 << 31)
        if name == "target" and _value(token.text) is None:
            self._error(token, f"there is no label {token.text!r}{nearest(token.text, self.symbols)}", "")
            return None
        return self._number(token, least, most, step)

    def _number(self, token: Token, least: int, most: int, step: int = 1) -> int | None:
        value = _value(token.text)
        if value is None:
            self._error(token, f"{token.text!r} is not a number", "")
            return None
        return self._within(token, value, least, most, step)

    def _within(self, token: Token, value: int, least: int, most: int, step: int) -> int | None:
        if not least <= value <= most or value % step:
            of = f", a multiple of {step}" if step > 1 else ""
            self._error(token, f"{token.text} is {value}: it must be {least} to {most}{of}", "")
            return None
        return value

    def _data(self, slot: Slot) -> bytes:
        width = 4 if slot.head.text == ".word" else 2
        found = b""
        for token in slot.operands:
            if token.text != ",":
                value = self.symbols.get(token.text)
                if value is None:
                    value = self._number(token, -(1 << 8 * width - 1), (1 << 8 * width) - 1) or 0
                found += (value & (1 << 8 * width) - 1).to_bytes(width, "little")
        if not found:
            self._error(slot.head, f"{slot.head.text} has no values", f"write {slot.head.text} 1")
        return found

    def _is_wide(self, operands: list[Token]) -> bool:
        value = _value(operands[2].text) if len(operands) == 3 else None
        return value is not None and not -2048 <= value < 2048

    def _wide_constant(self, slot: Slot) -> bytes:
        """li of a large number, la: the high twenty bits, then the low twelve, which have a sign."""
        operands = slot.operands
        if len(operands) != 3 or operands[1].text != ",":
            self._error(slot.head, f"the operands are not those of {slot.head.text}", f"write {slot.head.text} a0, 0x12345678")
            return bytes(slot.size)
        register = self._operand(self.table.by_mnemonic["lui"], "rd", operands[0], 0)
        if slot.head.text == "la":
            value = self.symbols.get(operands[2].text)
            if value is None:
                self._error(operands[2], f"there is no label {operands[2].text!r}{nearest(operands[2].text, self.symbols)}", "")
        else:
            value = self._number(operands[2], -(1 << 31), (1 << 32) - 1)
        if register is None or value is None:
            return bytes(slot.size)
        high = (value + 0x800) & 0xFFFFF000
        low = ((value - high + 0x800) & 0xFFF) - 0x800
        words = [self.table.by_mnemonic["lui"].encode({"rd": register, "imm": high})]
        if slot.size == 8:
            words.append(self.table.by_mnemonic["addi"].encode({"rd": register, "rs1": register, "imm": low}))
        return b"".join(word.to_bytes(4, "little") for word in words)

    def _error(self, token: Token, message: str, fix: str) -> None:
        self.diagnostics.error(token.position, message, len(token.text), fix)


def _same_shape(form: Form, operands: list[Token]) -> bool:
    """Whether operands and punctuation stand as in a form. A rounding mode at the end may be left out."""
    wanted = form.tokens
    if wanted[-1:] == ("rm",) and len(operands) == len(wanted) - 2:
        wanted = wanted[:-2]
    if len(wanted) != len(operands):
        return False
    return all((name in "(),") == (token.text in "(),") and (name not in "()," or name == token.text)
               for name, token in zip(wanted, operands, strict=True))  # fmt: skip


def _written(tokens: tuple[str, ...]) -> str:
    return "".join(f"{token} " if token == "," else token for token in tokens)


def _value(text: str) -> int | None:
    """A number as it is written; None for anything else."""
    found = re.fullmatch(r"([+-]?)(?:0[xX]([0-9a-fA-F]{1,16})|0[bB]([01]{1,64})|([0-9]{1,20}))", text)
    if found is None:
        return None
    sign, hexadecimal, binary, decimal = found.groups()
    value = int(hexadecimal, 16) if hexadecimal else int(binary, 2) if binary else int(decimal)
    return -value if sign == "-" else value
