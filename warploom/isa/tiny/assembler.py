"""From text to a Program: tiny-gpu's assembler.

Two passes, as any assembler: the first gives every instruction its address and every label its value, the second
encodes. Everything that is wrong with the text is collected, and reported together.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from warploom.isa.diagnostics import Diagnostic, Diagnostics, nearest
from warploom.isa.frontend import Loaded, Options, Text
from warploom.isa.launching import started
from warploom.isa.program import Position, Program, Source
from warploom.isa.reading import text_of
from warploom.isa.tiny import operands
from warploom.isa.tiny.lowering import lower
from warploom.isa.tiny.paths import check_paths
from warploom.isa.tiny.syntax import Statement, Token, check_commas, is_name, statements
from warploom.isa.tiny.table import (
    ANY_CONDITION,
    BY_MNEMONIC,
    CONDITION_BITS,
    DATA_ROWS,
    FIELDS,
    INSTRUCTIONS,
    PROGRAM_ROWS,
    REGISTER_NAMES,
    WRITABLE,
    Instruction,
)

DIRECTIVES = (".threads", ".block", ".data", ".word")


def assemble(text: str, path: str = "<text>") -> Program:
    """A Program from source text; `path` is what messages call it. Raises SourceError with every error in the text."""
    return assemble_with_warnings(text, path)[0]


def assemble_with_warnings(text: str, path: str = "<text>") -> tuple[Program, list[Diagnostic]]:
    """As `assemble`, with what is allowed in the text but most likely not meant."""
    source = Source(text, path)
    diagnostics = Diagnostics(source)
    program = _Assembly(source, diagnostics).program()
    return program, diagnostics.warnings


def load(source: Text, options: Options) -> Loaded:
    """The front end: a Program from a file or bytes of source text. Raises SourceError, BufferError."""
    path = options.path or (str(source) if isinstance(source, Path) else "<bytes>")
    program, warnings = assemble_with_warnings(text_of(source, path), path)
    return Loaded(started(program, options), warnings)


class _Slot(NamedTuple):
    """An instruction that has its address and waits for its encoding. value: what to encode, if `.word` gave it."""

    head: Token
    statement: Statement
    value: int | None = None


class _Assembly:
    def __init__(self, source: Source, diagnostics: Diagnostics) -> None:
        self.source = source
        self.diagnostics = diagnostics
        self.slots: list[_Slot] = []
        self.labels: operands.Labels = {}
        self.data: list[int] = []
        self.data_overflowed = False
        self.counts: dict[str, tuple[int, Position]] = {}  # of .threads and .block
        self.threads_written = False

    def program(self) -> Program:
        for statement in statements(self.source, self.diagnostics):
            for label in statement.labels:
                self.define(label)
            if statement.head is not None:
                if statement.head.text.startswith("."):
                    self.directive(statement.head, statement)
                else:
                    self.slots.append(_Slot(statement.head, statement))
        words = [slot.value if slot.value is not None else self.encode(slot) for slot in self.slots]
        self.check_sizes()
        self.diagnostics.raise_if_errors()
        positions = [slot.head.position for slot in self.slots]
        check_paths(words, [slot.head for slot in self.slots], self.diagnostics)
        labels = {name: address for name, (address, _) in self.labels.items()}
        threads, block = (self.counts[name][0] if name in self.counts else 0 for name in (".threads", ".block"))
        named = {number for number, slot in enumerate(self.slots) if slot.value is None}
        return lower(words, self.data, threads, positions=positions, source=self.source, labels=labels, named=named, block=block)

    def define(self, label: Token) -> None:
        if label.text in self.labels:
            first = self.labels[label.text][1]
            message = f"the label {label.text!r} is already on line {first.line}"
            self.diagnostics.error(label.position, message, label.length, "give one of the two a different name")
        else:
            self.labels[label.text] = (len(self.slots), label.position)

    # -----------------------------------------------------------------------------------------------------
    # Directives

    def directive(self, head: Token, statement: Statement) -> None:
        name = head.text.lower()
        if name in (".threads", ".block"):
            self.set_count(name, head, statement)
        elif name == ".data":
            self.add_data(head, statement)
        elif name == ".word":
            self.add_words(head, statement)
        else:
            message = f"there is no directive {head.text!r}{nearest(head.text, DIRECTIVES)}"
            self.diagnostics.error(head.position, message, head.length, f"there are {', '.join(DIRECTIVES)}")

    def set_count(self, name: str, head: Token, statement: Statement) -> None:
        """Threads of the launch, or of a block."""
        self.threads_written = self.threads_written or name == ".threads"
        if len(statement.operands) != 1:
            message = f"{name} takes one number, this one has {len(statement.operands)}"
            self.diagnostics.error(head.position, message, head.length, f"write {name} 8")
            return
        token = statement.operands[0]
        value = operands.threads(token, self.diagnostics) if name == ".threads" else operands.block(token, self.diagnostics)
        if value is not None and name in self.counts:
            message = f"{name} is already on line {self.counts[name][1].line}"
            self.diagnostics.error(head.position, message, head.length, "keep one of the two")
        elif value is not None:
            self.counts[name] = (value, head.position)

    def add_data(self, head: Token, statement: Statement) -> None:
        if not statement.operands:
            self.diagnostics.error(head.position, ".data has no values", head.length, "write .data 1 2 3, or take the line away")
        for token in statement.operands:
            found = operands.values(token, self.diagnostics)
            if len(self.data) + len(found) <= DATA_ROWS:
                self.data += found
            elif not self.data_overflowed:
                self.data_overflowed = True
                place = f"{token.text!r} comes at address {len(self.data)}, and the last one is {DATA_ROWS - 1}"
                message = f"more than {DATA_ROWS} bytes of data: {place}"
                self.diagnostics.error(token.position, message, token.length, f"keep .data to {DATA_ROWS} values in all")

    def add_words(self, head: Token, statement: Statement) -> None:
        if not statement.operands:
            self.diagnostics.error(head.position, ".word has no values", head.length, "write .word 0x3012, or take the line away")
        for token in statement.operands:
            word = operands.raw_word(token, self.diagnostics)
            self.slots.append(_Slot(token, statement, word if word is not None else 0))

    # -----------------------------------------------------------------------------------------------------
    # Instructions

    def encode(self, slot: _Slot) -> int:
        """The word of an instruction; 0 after something wrong has been reported."""
        head = slot.head
        found = self.row(slot)
        if found is None or not check_commas(slot.statement, self.diagnostics):
            return 0
        row, values = found
        tokens = slot.statement.operands
        if len(tokens) != len(row.written):
            fix = f"write {row.syntax}" if row.written else f"{row.mnemonic} stands alone"
            message = f"{head.text} takes {_count(len(row.written))}, this one has {len(tokens)}"
            self.diagnostics.error(head.position, message, head.length, fix)
            return 0
        good = True
        for letter, token in zip(row.written, tokens, strict=True):
            value = self.operand(row, letter, token)
            good = good and value is not None
            values[letter] = value or 0
        return row.encode(values) if good else 0

    def row(self, slot: _Slot) -> tuple[Instruction, dict[str, int]] | None:
        """The table's row for a mnemonic, and the value of its condition."""
        head, name = slot.head, slot.head.text.upper()
        if name in BY_MNEMONIC:
            row = BY_MNEMONIC[name]
            return row, {"c": ANY_CONDITION} if "c" in row.operands else {}
        suffix = name.removeprefix("BR").lower()
        if name.startswith("BR") and set(suffix) <= set(CONDITION_BITS):
            if len(set(suffix)) == len(suffix):
                return BY_MNEMONIC["BR"], {"c": sum(CONDITION_BITS[letter] for letter in suffix)}
            self.diagnostics.error(
                head.position, f"{head.text!r} names a condition twice", head.length, "name each of n, z and p at most once"
            )
            return None
        mnemonics = [
            row.mnemonic + conditions for row in INSTRUCTIONS for conditions in (("", "n", "z", "p") if "c" in row.operands else ("",))
        ]
        message = f"there is no instruction {head.text!r}{nearest(head.text, [*mnemonics, *DIRECTIVES])}"
        fix = f"instructions are {', '.join(row.mnemonic for row in INSTRUCTIONS)}"
        if is_name(head.text) and not slot.statement.tokens:
            fix = f"a label ends with a colon: {head.text}:"
        self.diagnostics.error(head.position, message, head.length, fix)
        return None

    def operand(self, row: Instruction, letter: str, token: Token) -> int | None:
        """One operand's value; None after something wrong has been reported."""
        kind = FIELDS[letter].kind
        if kind == "immediate":
            return operands.immediate(token, self.diagnostics)
        if kind == "target":
            value = operands.target(token, self.labels, self.diagnostics)
            if value is not None and value >= len(self.slots):
                message = f"{token.text!r} is address {value}, past the last instruction ({len(self.slots) - 1})"
                self.diagnostics.warning(token.position, message, token.length, "a branch goes to an instruction of the program")
            return value
        value = operands.register(token, f"{FIELDS[letter].role} of {row.mnemonic}", self.diagnostics, self.free_register())
        if letter == "d" and value is not None and value >= WRITABLE:
            message = f"{REGISTER_NAMES[value]} is read-only: the hardware ignores what {row.mnemonic} writes to it"
            self.diagnostics.warning(token.position, message, token.length, f"write to one of R0 to R{WRITABLE - 1}")
        return value

    def free_register(self) -> str:
        """The first register that no instruction names, for a fix that must not overwrite anything; "" where all are used."""
        used = {token.text.upper() for slot in self.slots for token in slot.statement.operands}
        return next((name for name in REGISTER_NAMES[:WRITABLE] if name not in used), "")

    # -----------------------------------------------------------------------------------------------------
    # The program as a whole

    def check_sizes(self) -> None:
        if not self.slots:
            self.diagnostics.error(Position(1, 1), "there is no instruction in this file", fix="the shortest program is .threads 1 and RET")
        elif not self.threads_written:
            first = self.slots[0].head
            fix = "write a line such as .threads 8"
            self.diagnostics.error(first.position, "the program does not say with how many threads it runs", first.length, fix)
        if len(self.slots) > PROGRAM_ROWS:
            head = self.slots[PROGRAM_ROWS].head
            message = f"{len(self.slots)} instructions are too many: program memory holds {PROGRAM_ROWS}, and this is the first beyond it"
            self.diagnostics.error(head.position, message, head.length)


def _count(number: int) -> str:
    return {0: "no operands", 1: "1 operand"}.get(number, f"{number} operands")
