"""From text to a code object in memory: GCN's assembly as LLVM prints it.

    .kernel saxpy              a kernel begins here; it is started like this unless the command line says otherwise:
    .grid 4
    .block 64
        s_load_dwordx2 s[8:9], s[4:5], 0x0
        v_lshlrev_b32 v0, 2, v0
        ...
        s_endpgm

A kernel may also be declared as compilers do, between `.amdhsa_kernel NAME` and `.end_amdhsa_kernel`, which says what its waves find in
their registers. `.kernel` declares the usual: s[0:3] private memory, s[4:5] the address of the arguments, s6, s7 and s8 the block's number
in x, y and z, v0, v1 and v2 the work-item's number in its block. `.lds`, `.private` and `.arg` say how much memory it has, and its
arguments; `declared.py` keeps all that. Directives that say nothing to a simulator are passed over. Everything that is wrong is reported
together.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from warploom.isa.diagnostics import Diagnostics, nearest
from warploom.isa.gcn.instruction import Row
from warploom.isa.gcn.kernels.code_object import CodeObject
from warploom.isa.gcn.table import BY_MNEMONIC
from warploom.isa.gcn.text.declared import END, MOST_BYTES, Declared
from warploom.isa.gcn.text.encoder import encode, forms_of
from warploom.isa.gcn.text.parser import Line, Mistake, Piece, expression, line_of, whole
from warploom.isa.image import Image, Segment
from warploom.isa.labels import address_of, mark_of
from warploom.isa.launch import Launch
from warploom.isa.program import Position, Source

CODE_BASE, DATA_BASE = 0x4000_0000, 0x4800_0000
DATA = {".byte": 1, ".short": 2, ".half": 2, ".hword": 2, ".2byte": 2, ".long": 4, ".int": 4, ".word": 4, ".4byte": 4, ".quad": 8,
        ".8byte": 8,         ".float": -4, ".double": -8}  # fmt: skip
KERNEL_WORDS = (".kernel", ".grid", ".block", ".lds", ".private", ".arg", ".amdhsa_kernel")
SECTIONS = {".text": 0, ".data": 1, ".rodata": 1, ".bss": 1}
PASSED = (".amdgcn_target", ".globl", ".global", ".type", ".size", ".protected", ".hidden", ".weak", ".set", ".file", ".loc", ".ident",
          ".addrsig",           ".addrsig_sym", ".cfi", ".hsa", ".local", ".comm", ".amdhsa_code_object_version", ".option")  # fmt: skip


@dataclass
class Item:
    """An instruction, data or an alignment. data: of an instruction where it names no label. size: bytes."""

    position: Position
    section: int
    line: Line
    row: Row | None = None
    kind: str = ""
    data: bytes = b""
    values: list[Piece] = field(default_factory=list)
    width: int = 0
    align: int = 0
    size: int = 0
    address: int = 0


class Assembly(NamedTuple):
    """What came out: the image with its kernels, and how the text says that it is started. usual: by kernel, its arguments unless
    others are given, and the sizes of buffers of their names."""

    found: CodeObject
    launch: Launch | None
    usual: Mapping[str, tuple[dict[str, int | float], dict[str, int]]]


def assemble(source: Source, diagnostics: Diagnostics) -> Assembly:
    """A code object from source text. Raises SourceError with every error in it."""
    return _Assembler(source, diagnostics).assembly()


class _Assembler:
    def __init__(self, source: Source, diagnostics: Diagnostics) -> None:
        self.source, self.diagnostics = source, diagnostics
        self.items: list[Item] = []
        self.marks: dict[str, tuple[int, int]] = {}
        self.numbered: list[tuple[str, int, int]] = []
        self.kernels: list[Declared] = []
        self.section = self.bytes = 0
        self.open: Declared | None = None  # between .amdhsa_kernel and its end
        self.within = ""  # what ends a block that is passed over
        self.extents: dict[str, int | tuple[int, ...]] = {}

    def assembly(self) -> Assembly:
        for number, line in enumerate(self.source.lines, start=1):
            self._line(line, number)
        if not any(item.row for item in self.items) and not self.diagnostics.errors:
            self.diagnostics.error(Position(1, 1), "there is no instruction in this file", fix="the shortest program is: s_endpgm")
        self.diagnostics.raise_if_errors()
        self._lay_out()
        parts = [b"".join(self._encoded(item, place) for place, item in enumerate(self.items) if item.section == one) for one in (0, 1)]
        self.diagnostics.raise_if_errors()
        return self._assembly(*parts)

    # -----------------------------------------------------------------------------------------------------
    # First pass

    def _line(self, text: str, number: int) -> None:
        if self.within:
            self.within = "" if text.strip().startswith(self.within) else self.within
            return
        line = line_of(text)
        for label in line.labels:
            if label.text.isdigit():
                self.numbered.append((label.text, self.section, len(self.items)))
            elif label.text in self.marks:
                said = f"the label {label.text!r} is there already"
                self.diagnostics.error(Position(number, label.column), said, len(label.text), "give it another name")
            else:
                self.marks[label.text] = (self.section, len(self.items))
        if line.head is None:
            return
        position = Position(number, line.head.column)
        try:
            if line.head.text.startswith("."):
                self._directive(line, position)
            else:
                self._instruction(line, position)
        except Mistake as mistake:
            self._report(mistake, line, position)

    def _report(self, mistake: Mistake, line: Line, position: Position) -> None:
        pieces = [piece for piece in (*line.operands, *line.after) if mistake.text and mistake.text in piece.text]
        head = line.head or Piece("", position.column)
        place = pieces[0] if pieces else head
        column = place.column + (place.text.index(mistake.text) if pieces else 0)
        length = len(mistake.text) if pieces else len(head.text)
        self.diagnostics.error(Position(position.line, column), mistake.message, max(length, 1), mistake.fix)

    def _instruction(self, line: Line, position: Position) -> None:
        assert line.head is not None
        found = forms_of(line.head.text)
        if found is None:
            raise Mistake(f"there is no instruction {line.head.text!r}{nearest(line.head.text, BY_MNEMONIC)}", line.head.text)
        if self.section:
            raise Mistake("an instruction cannot lie among data", line.head.text, "write .text before it")
        item = Item(position, 0, line, *found)
        # Labels are not known yet: a number in the place of one is a literal, so its size is right; and every mistake but a missing label
        # is found here. What names no label is done.
        labels: list[str] = []

        def later(label: str) -> int:
            labels.append(label)
            return 0

        words = encode(*found, line.operands, line.after, 0, later).encoded()
        item.size, item.data = len(words), b"" if labels else words
        self._add(item)

    def _add(self, item: Item) -> None:
        self.bytes += item.size + item.align
        if self.bytes > MOST_BYTES:
            raise Mistake(f"the program is larger than {MOST_BYTES >> 20} MiB")
        self.items.append(item)

    def _directive(self, line: Line, position: Position) -> None:
        assert line.head is not None
        name, operands = line.head.text, line.operands
        if self.open is not None:
            if name == END:
                self.open = None
            else:
                self.open.descriptor_line(name, [piece.text for piece in (*operands, *line.after)])
        elif name in SECTIONS or name in (".section", ".pushsection", ".popsection"):
            asked = operands[0].text if name.endswith("section") and operands else name
            self.section = 0 if asked.startswith(".text") or name == ".popsection" else 1
        elif name in KERNEL_WORDS:
            self._about_kernel(name, line, position)
        elif name in DATA:
            width = DATA[name]
            self._add(Item(position, self.section, line, values=operands, width=width, size=abs(width) * len(operands)))
        elif name in (".zero", ".space", ".skip"):
            size = whole(operands[0].text if operands else "", name, 0, MOST_BYTES)
            self._add(Item(position, self.section, line, data=bytes(size), size=size))
        elif name in (".p2align", ".balign", ".align"):
            value = whole(operands[0].text if operands else "", name, 0, 12 if name == ".p2align" else 4096)
            align = 1 << value if name == ".p2align" else max(value, 1)
            if align & align - 1:
                raise Mistake(f"{name} takes a power of two", operands[0].text)
            self._add(Item(position, self.section, line, align=align))
        elif name in (".ascii", ".asciz", ".string"):
            text = ",".join(piece.text for piece in operands).strip('"').encode("utf-8", "replace") + (b"" if name == ".ascii" else b"\0")
            self._add(Item(position, self.section, line, data=text, size=len(text)))
        elif name == ".amdgpu_metadata":
            self.within = ".end_amdgpu_metadata"
        elif not name.startswith(PASSED):
            known = [*DATA, *SECTIONS, *KERNEL_WORDS, ".p2align"]
            raise Mistake(f"there is no directive {name!r}{nearest(name, known)}", name)

    def _about_kernel(self, name: str, line: Line, position: Position) -> None:
        pieces = [*line.operands, *line.after]
        words = [piece.text for piece in pieces]
        if name in (".kernel", ".amdhsa_kernel"):
            self._begin_kernel(name, words, position)
        elif name in (".grid", ".block"):
            sizes = tuple(whole(word, name, 1, 1 << 20) for word in words)
            if not 1 <= len(sizes) <= 3:
                raise Mistake(f"{name} takes one to three numbers", "", f"write {name} 16, 16")
            self.extents[name[1:]] = sizes
        elif not self.kernels:
            raise Mistake(f"{name} belongs to a kernel, and there is none before it", name, "write .kernel NAME before it")
        elif name == ".arg":
            self.kernels[-1].argument(pieces, position.line)
        else:
            self.kernels[-1].memory(name, words)

    def _begin_kernel(self, name: str, words: list[str], position: Position) -> None:
        if len(words) != 1:
            raise Mistake(f"{name} takes a name", "", f"write {name} main")
        if any(kernel.name == words[0] for kernel in self.kernels):
            raise Mistake(f"the kernel {words[0]!r} is there already", words[0])
        if name == ".amdhsa_kernel":
            self.open = Declared(words[0], position)
            self.kernels.append(self.open)
            return
        self.kernels.append(Declared.of_text(words[0], position))
        if words[0] in self.marks:
            raise Mistake(f"the label {words[0]!r} is there already", words[0], "leave the label out: .kernel is one")
        self.marks[words[0]] = (self.section, len(self.items))

    # -----------------------------------------------------------------------------------------------------
    # Second pass

    def _lay_out(self) -> None:
        ends = [CODE_BASE, DATA_BASE]
        for item in self.items:
            item.address = ends[item.section]
            if item.align:
                item.size = -item.address % item.align
            ends[item.section] += item.size

    def _encoded(self, item: Item, place: int) -> bytes:
        try:
            if item.row is not None and not item.data:
                operands, after = item.line.operands, item.line.after
                return encode(item.row, item.kind, operands, after, item.address, lambda label: self._found(label, place)).encoded()
            if item.values:
                return b"".join(self._datum(item, piece.text, place) for piece in item.values)
        except Mistake as mistake:
            self._report(mistake, item.line, item.position)
        if item.align and item.section == 0 and not item.size % 4:
            return struct.pack("<I", 0xBF800000) * (item.size // 4)  # s_nop
        return item.data or bytes(item.size)

    def _datum(self, item: Item, text: str, place: int) -> bytes:
        if item.width < 0:
            try:
                return struct.pack("<f" if item.width == -4 else "<d", float(text))
            except (ValueError, OverflowError):
                raise Mistake(f"{text!r} is not a float", text) from None
        value = sum(sign * (term if isinstance(term, int) else self._found(term, place)) for sign, term in expression(text))
        if not -(1 << 8 * item.width - 1) <= value < 1 << 8 * item.width:
            raise Mistake(f"{text!r} has more than {8 * item.width} bits", text)
        return (value % (1 << 8 * item.width)).to_bytes(item.width, "little")

    def _found(self, label: str, place: int) -> int:
        """Address of a label; `1b` and `1f` are the nearest 1 before and after."""
        if label == "." and place < len(self.items):
            return self.items[place].address
        mark = mark_of(label, place, self.marks, self.numbered)
        if mark is None:
            raise Mistake(f"there is no label {label!r}{nearest(label, self.marks)}", label)
        return address_of(mark, self.items, (CODE_BASE, DATA_BASE))

    # -----------------------------------------------------------------------------------------------------
    # What came out

    def _assembly(self, code: bytes, data: bytes) -> Assembly:
        segments = [Segment("program", CODE_BASE, code, -(-len(code) // 4) * 4, False, ((CODE_BASE, CODE_BASE + len(code) // 4 * 4),))]
        if data:
            segments.append(Segment("data", DATA_BASE, data, -(-len(data) // 4) * 4))
        symbols = {name: self._found(name, 0) for name in self.marks}
        lines = {item.address: item.position for item in self.items if item.row}
        if not self.kernels:
            name = next((name for name, address in symbols.items() if address == CODE_BASE), "main")
            self.kernels.append(Declared.of_text(name, Position(1, 1)))
            symbols.setdefault(name, CODE_BASE)
        found = {}
        for kernel in self.kernels:
            if kernel.name not in symbols:
                said = f"there is no label {kernel.name!r}, where this kernel begins{nearest(kernel.name, symbols)}"
                self.diagnostics.error(kernel.position, said, len(".amdhsa_kernel"))
                continue
            found[kernel.name] = kernel.kernel(symbols[kernel.name])
        usual = {kernel.name: kernel.usual_values(symbols, self.diagnostics) for kernel in self.kernels}
        self.diagnostics.raise_if_errors()
        image = Image(self.source.path, segments, next(iter(found.values())).entry, symbols, frozenset(lines), (self.source,), lines)
        launch = Launch(block=self.extents.get("block", 64), grid=self.extents.get("grid", 1)) if self.extents else None
        return Assembly(CodeObject(image, 0, "gfx900", found), launch, usual)
