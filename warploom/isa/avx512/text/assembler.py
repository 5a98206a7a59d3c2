"""From text to an image: x86 assembly in Intel's notation, as compilers print it.

    .threads 16
    main:
        vpcmpltud k2, zmm0, dword ptr [rip + limit]{1to16}
        vpaddd zmm1 {k2}, zmm1, zmm0
        ret
    .data
    limit: .long 8

Jumps are as short as they can be: all begin so, and those that do not reach become long, until none is left. Directives that say nothing
to a
simulator (.globl, .type, .cfi_startproc ...) are passed over. Everything that is wrong is reported together.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import NamedTuple

from warploom.isa.avx512.instruction import Row
from warploom.isa.avx512.operands import Immediate, Memory, Operand, Written
from warploom.isa.avx512.table import ALIASES, BY_MNEMONIC
from warploom.isa.avx512.text.encoder import encode
from warploom.isa.avx512.text.forms import fitting, rows_of, suggestion
from warploom.isa.avx512.text.parser import Mistake, Piece, labels, number, statement, without_comment, written
from warploom.isa.diagnostics import Diagnostics, nearest
from warploom.isa.image import Image, Segment
from warploom.isa.labels import address_of, mark_of
from warploom.isa.program import Position, Source

CODE_BASE, DATA_BASE = 0x400000, 0x600000
MOST_BYTES = 1 << 20
DATA = {".byte": "<B", ".short": "<H", ".word": "<H", ".value": "<H", ".long": "<I", ".int": "<I", ".quad": "<Q", ".float": "<f"}
ROOM = (".zero", ".space", ".skip")
ALIGN = (".p2align", ".balign", ".align")
SECTIONS = (".text", ".data", ".rodata", ".bss", ".section")
PASSED = (".globl", ".global", ".type", ".size", ".intel_syntax", ".file", ".ident", ".loc", ".addrsig", ".addrsig_sym", ".weak", ".hidden")
FAR = 1 << 24  # stands for an address that is not known yet


@dataclass
class Item:
    """Something that takes room. rows: of an instruction those that it can be, the shorter ones first. data: of anything else its bytes."""

    position: Position
    text: str
    section: int
    operands: Written = field(default_factory=lambda: Written(()))
    rows: list[Row] = field(default_factory=list)
    data: bytes = b""
    align: int = 0
    address: int = 0
    size: int = 0


class Assembly(NamedTuple):
    """What came out: the image, and the threads that the text asks for (0: it does not say)."""

    image: Image
    threads: int


def assemble(source: Source, diagnostics: Diagnostics) -> Assembly:
    """An image from source text. Raises SourceError with every error in it."""
    return _Assembler(source, diagnostics).assembly()


class _Assembler:
    def __init__(self, source: Source, diagnostics: Diagnostics) -> None:
        self.source, self.diagnostics = source, diagnostics
        self.items: list[Item] = []
        self.marks: dict[str, tuple[int, int]] = {}  # label: section, number of the item before which it stands
        self.numbered: list[tuple[str, int, int]] = []  # the same of labels that are numbers, of which there may be many
        self.section = self.threads = 0
        self.bytes = 0

    def assembly(self) -> Assembly:
        for line_number, line in enumerate(self.source.lines, start=1):
            self._line(without_comment(line), line_number)
        if not any(item.rows for item in self.items) and not self.diagnostics.errors:
            self.diagnostics.error(Position(1, 1), "there is no instruction in this file", fix="the shortest program is: ret")
        self.diagnostics.raise_if_errors()
        self._lay_out()
        pieces: tuple[list[bytes], list[bytes]] = ([], [])
        for place, item in enumerate(self.items):
            pieces[item.section].append(self._bytes(item, place))
        self.diagnostics.raise_if_errors()
        return Assembly(self._image(b"".join(pieces[0]), b"".join(pieces[1])), self.threads)

    def _line(self, line: str, line_number: int) -> None:
        found, start = labels(line)
        for label in found:
            position = Position(line_number, label.column)
            if label.text.isdigit():
                self.numbered.append((label.text, self.section, len(self.items)))
            elif label.text in self.marks:
                self.diagnostics.error(position, f"the label {label.text!r} is there already", len(label.text), "give it another name")
            else:
                self.marks[label.text] = (self.section, len(self.items))
        if (parts := statement(line, start)) is None:
            return
        head, pieces = parts
        if head.text.startswith("."):
            self._directive(head, pieces, line_number)
        else:
            self._instruction(head, pieces, line_number)

    def _instruction(self, head: Piece, pieces: list[Piece], line_number: int) -> None:
        position = Position(line_number, head.column)
        mnemonic = head.text.lower()
        rows = rows_of(mnemonic)
        if not rows:
            known = [*BY_MNEMONIC, *ALIASES]
            self.diagnostics.error(position, f"there is no instruction {head.text!r}{nearest(mnemonic, known)}", len(head.text))
            return
        try:
            operands = written(pieces)
        except Mistake as mistake:
            piece = next((piece for piece in pieces if piece.text == mistake.text), head)
            self.diagnostics.error(Position(line_number, piece.column), mistake.message, max(len(piece.text), 1), mistake.fix)
            return
        fit = fitting(rows, operands)
        if not fit:
            self._misfit(rows, operands, head, pieces, line_number)
            return
        if self.section != 0:
            self.diagnostics.error(position, "an instruction cannot lie among data", len(head.text), "write .text before it")
        self._add(Item(position, mnemonic, self.section, operands, fit), 15)

    def _misfit(self, rows: list[Row], operands: Written, head: Piece, pieces: list[Piece], line_number: int) -> None:
        """Say what is wrong with operands that no row takes; of the likely mistakes, which one."""
        mnemonic, place = head.text, Position(line_number, head.column)
        masks = {row.masks for row in rows}
        for nth, operand in enumerate(operands.operands):
            vectors = all(nth < len(row.places) and row.places[nth] in ("vm", "vmb") for row in rows)
            if vectors and isinstance(operand, Immediate) and not operand.label:
                piece = pieces[nth]
                said = f"{mnemonic} takes no number here: a constant lies in a register, or in memory, one element for all lanes"
                fix = f"write dword ptr [rip + constant]{{1to16}}, and below .data: constant: .long {operand.value}"
                self.diagnostics.error(Position(line_number, piece.column), said, len(piece.text), fix)
                return
        if operands.mask and masks == {""}:
            self.diagnostics.error(place, f"{mnemonic} takes no mask", len(mnemonic), suggestion(rows))
        elif masks == {"K"} and not operands.mask:
            self.diagnostics.error(place, f"{mnemonic} needs a mask, which it clears", len(mnemonic), suggestion(rows))
        else:
            self.diagnostics.error(place, f"the operands are not those of {mnemonic}", len(mnemonic), suggestion(rows))

    def _directive(self, head: Piece, pieces: list[Piece], line_number: int) -> None:
        position, name = Position(line_number, head.column), head.text
        if name in SECTIONS:
            asked = pieces[0].text if name == ".section" and pieces else name
            self.section = 0 if asked.startswith(".text") else 1
        elif name == ".threads":
            value = number(pieces[0].text) if len(pieces) == 1 else None
            if value is None or not 0 < value <= 1 << 16:
                self.diagnostics.error(position, ".threads takes one number, 1 to 65536", len(name), "write .threads 16")
            self.threads = value or 0
        elif name in DATA:
            self._add(Item(position, name, self.section, data=b"".join(self._datum(name, piece, line_number) for piece in pieces)), 0)
        elif name in ROOM or name in ALIGN:
            value = number(pieces[0].text) if pieces else None
            most = MOST_BYTES if name in ROOM else 12 if name == ".p2align" else 4096
            if value is None or not 0 <= value <= most:
                self.diagnostics.error(position, f"{name} takes a number, 0 to {most}", len(name))
            elif name in ROOM:
                self._add(Item(position, name, self.section, data=bytes(value)), 0)
            elif name != ".p2align" and value & value - 1:
                self.diagnostics.error(position, f"{name} takes a power of two", len(name))
            else:
                self._add(Item(position, name, self.section, align=1 << value if name == ".p2align" else max(value, 1)), 0)
        elif name not in PASSED and not name.startswith(".cfi"):
            known = [*DATA, *ROOM, *ALIGN, *SECTIONS, ".threads"]
            self.diagnostics.error(position, f"there is no directive {name!r}{nearest(name, known)}", len(name))

    def _datum(self, name: str, piece: Piece, line_number: int) -> bytes:
        form = DATA[name]
        try:
            if name == ".float":
                return struct.pack(form, float(piece.text))
            value = number(piece.text)
            bits = 8 * struct.calcsize(form)
            if value is not None and -(1 << bits - 1) <= value < 1 << bits:
                return struct.pack(form, value & (1 << bits) - 1)
        except (ValueError, OverflowError):
            pass
        kind = "float" if name == ".float" else f"number of {8 * struct.calcsize(form)} bits"
        self.diagnostics.error(Position(line_number, piece.column), f"{piece.text!r} is not a {kind}", max(len(piece.text), 1))
        return b""

    def _add(self, item: Item, most: int) -> None:
        self.bytes += max(most, len(item.data), item.align)
        if self.bytes > MOST_BYTES:
            if self.bytes < FAR:
                self.diagnostics.error(item.position, f"the program is larger than {MOST_BYTES >> 10} KiB")
            self.bytes = FAR
            return
        self.items.append(item)

    # -----------------------------------------------------------------------------------------------------
    # Second pass

    def _lay_out(self) -> None:
        """Give everything its address. A jump that does not reach takes its longer form, which moves what follows; so until nothing
        does."""
        for item in self.items:
            item.size = len(encode(item.rows[0], self._resolved(item, 0, unknown=True), 0)) if item.rows else len(item.data)
        while True:
            addresses = [CODE_BASE, DATA_BASE]
            for item in self.items:
                here = addresses[item.section]
                item.address = here
                if item.align:
                    item.size = -here % item.align
                addresses[item.section] = here + item.size
            grown = False
            for place, item in enumerate(self.items):
                if len(item.rows) > 1 and item.rows[0].operand_text == "rel8":
                    target = self._address_of(item.operands.operands[0], place)
                    if target is not None and not -128 <= target - item.address - item.size < 128:
                        item.rows = [row for row in item.rows if row.operand_text == "rel32"]
                        item.size = len(encode(item.rows[0], self._resolved(item, place, unknown=True), 0))
                        grown = True
            if not grown:
                return

    def _bytes(self, item: Item, place: int) -> bytes:
        if item.align:
            return (b"\x90" if item.section == 0 else b"\0") * item.size
        if not item.rows:
            return item.data
        found = encode(item.rows[0], self._resolved(item, place), item.address)
        return found[: item.size].ljust(item.size, b"\x90")

    def _resolved(self, item: Item, place: int, unknown: bool = False) -> Written:
        """An instruction's operands with the addresses of its labels. unknown: they are not known yet."""
        operands: list[Operand] = []
        for operand in item.operands.operands:
            if isinstance(operand, Immediate) and operand.label:
                address = 0 if unknown else self._found(operand.label, item, place)
                operands.append(operand._replace(value=address, label=""))
            elif isinstance(operand, Memory) and operand.label:
                address = FAR if unknown else self._found(operand.label, item, place)
                operands.append(operand._replace(displacement=operand.displacement + address, label=""))
            else:
                operands.append(operand)
        return item.operands._replace(operands=tuple(operands))

    def _address_of(self, operand: Operand, place: int) -> int | None:
        if not isinstance(operand, Immediate):
            return None
        return self._place(operand.label, place) if operand.label else operand.value

    def _found(self, label: str, item: Item, place: int) -> int:
        address = self._place(label, place)
        if address is None:
            length = len(self.source.lines[item.position.line - 1].rstrip()) - item.position.column + 1
            self.diagnostics.error(item.position, f"there is no label {label!r}{nearest(label, self.marks)}", max(length, 1))
            return item.address
        return address

    def _place(self, label: str, place: int) -> int | None:
        """Address of a label; `1b` and `1f` are the nearest 1 before and after."""
        mark = mark_of(label, place, self.marks, self.numbered)
        return None if mark is None else address_of(mark, self.items, (CODE_BASE, DATA_BASE))

    def _image(self, code: bytes, data: bytes) -> Image:
        room = -(-len(code) // 4) * 4
        segments = [Segment("program", CODE_BASE, code.ljust(room, b"\0"), room, False, ((CODE_BASE, CODE_BASE + len(code)),))]
        if data:
            segments.append(Segment("data", DATA_BASE, data, -(-len(data) // 4) * 4))
        instructions = [item for item in self.items if item.rows]
        symbols = {name: self._place(name, 0) or 0 for name in self.marks}
        entry = next((symbols[name] for name in ("_start", "main") if name in symbols), CODE_BASE)
        starts = frozenset(item.address for item in instructions)
        lines = {item.address: item.position for item in instructions}
        return Image(self.source.path, segments, entry, symbols, starts, (self.source,), lines)
