"""What a row's lowering writes into: the operands and results of one instruction, as its words say them.

A source may be a register, a constant or a number after the instruction, have a sign or be a part of a register; a result may be scaled,
be cut to 0 to 1, or go into a part of its register. Each becomes micro-ops (`micro_ops.py`) before or after those of the operation itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container

import numpy as np

from warploom.isa.gcn.instruction import DPP_KIND, E32, E64, SDWA_KIND, Decoded
from warploom.isa.gcn.micro_ops import ONES, MicroOps, Number, Value
from warploom.isa.gcn.modifiers import PRESERVED, WHOLE
from warploom.isa.gcn.registers import (
    APERTURES,
    EXEC,
    EXECZ,
    FIRST_VECTOR,
    FLOATS,
    INLINE_ZERO,
    LITERAL,
    M0,
    SCC,
    SCC_SOURCE,
    VCC,
    VCCZ,
    constant,
    constant_float,
    is_constant,
    register_text,
)
from warploom.isa.uop import NONE, scalar

SIGN = 0x80000000
HALVES = {place: int(np.float16(constant_float(place)).view(np.uint16)) for place in FLOATS}  # inline constants of 16-bit floats


Moved = Callable[["Code", Value], Value]


class Code(MicroOps):
    """The micro-ops of one instruction.

    number_of: the number of the instruction at an address, and of one at which none begins the number after the last one. private: the
    first of the four scalar registers that stand for private memory, of each four that may. apertures: those (SHARED_BASE, PRIVATE_BASE)
    of which the program forms addresses that FLAT takes. indexed: which operands M0 chooses, as `vector/register_index.py` has it. moved: a
    source after it has been moved between lanes (DPP). vega: the processor is one of gfx9.
    """

    def __init__(
        self,
        one: Decoded,
        moved: Moved,
        number_of: dict[int, int],
        end: int,
        private: Container[int],
        apertures: Collection[int] = (),
        indexed: int = 0,
        vega: bool = True,
    ) -> None:
        assert one.written is not None
        super().__init__()
        self.moved = moved
        self.one, self.written, self.row = one, one.written, one.written.row
        self.number_of, self.end, self.private, self.apertures, self.vega = number_of, end, private, apertures, vega
        self.indexed = indexed if self.row.format.startswith("VOP") else 0
        self.put_by_index = False
        self.latency = NONE  # its latency class, where its micro-ops do not say it

    def lower(self) -> None:
        """Adds the instruction's micro-ops. Raises Refusal."""
        if self.row.format == "VOP3P" and not self.row.floats and (self.field("neg") or self.field("neg_hi")):
            self.refuse("a sign of a source that is not a float means nothing")
        if self.written.kind == E64 and self.field("op_sel") & ~sum(1 << bit for bit in self.row.chosen_halves):
            self.refuse("op_sel of what has no 16 bits to choose means nothing")
        self.row.lower(self)
        if self.indexed >> 3 and not self.put_by_index and self._writes_vector():
            self.refuse("a result whose register M0 chooses is something that this machine has for v_mov_b32 and results of 32 bits only")

    def _writes_vector(self) -> bool:
        results = [word for word in self.row.words if word[0] == "d" and self.row.place(word, self.written.kind) is not None]
        return any(self.written.code(word) >= FIRST_VECTOR for word in results)

    def field(self, name: str) -> int:
        """A field's value; 0 where its format has none of the name."""
        return self.written.fields.get(name, 0)

    @property
    def following(self) -> int:
        """Address of the next instruction."""
        return self.one.address + self.one.size

    def instruction_at(self, address: int) -> int:
        """The number of the instruction at an address."""
        return self.number_of.get(address & ONES, self.end)

    # -----------------------------------------------------------------------------------------------------
    # Operands

    def word(self, letter: str) -> str:
        """The row's word for an operand."""
        return next(word for word in self.row.words if word[0] == letter and self.row.place(word, self.written.kind) is not None)

    def place(self, letter: str) -> int:
        """The operand code of a register or value."""
        return self.written.code(self.word(letter))

    def of_code(self, code: int, part: int = 0, wide_float: bool = False) -> Value:
        """The value that an operand code stands for, its low or high 32 bits. Numbers keep their sign, but a literal has none."""
        if code >= FIRST_VECTOR:
            return code - FIRST_VECTOR + part
        if code == LITERAL:
            if wide_float:
                return Number(self.written.literal or 0 if part else 0)
            return Number(0 if part else self.written.literal or 0)
        if is_constant(code):
            value = constant(code, wide_float)
            return Number(value >> 32 * part & ONES)
        if code in APERTURES:
            return Number(APERTURES[code][part])
        if code in (VCCZ, EXECZ):
            pair = VCC if code == VCCZ else EXEC
            return Number(0) if part else self.scalar("seq", self.scalar("or", scalar(pair), scalar(pair + 1)), Number(0))
        if code == SCC_SOURCE:
            return Number(0) if part else SCC
        if code >= INLINE_ZERO:
            self.refuse(f"the source {register_text(code, 1)} is something that this machine does not have")
        return scalar(code + part)

    def source(self, letter: str, part: int = 0) -> Value:
        """A source, with its sign and its selected part. part: of 64 bits the low or high word."""
        number = "abc".index(letter)
        wide_float = self.row.floats == 64
        value = self.of_code(self.place(letter), part, wide_float)
        if self.row.floats == 16 and self.place(letter) in HALVES:
            value = Number(HALVES[self.place(letter)])
        if self.indexed >> number & 1 and isinstance(value, int) and self.place(letter) >= FIRST_VECTOR:
            value = self.lane("get_register", self._index(), imm=value)
        positive, minus = self._signs(number)
        if self.written.kind == DPP_KIND and letter == "a":
            value = self.moved(self, value)
        if self.written.kind == SDWA_KIND and number < 2:
            value = self._selected(value, number)
        if self.written.kind == E64 and self.field("op_sel") >> number & 1:
            value = self.lane("shr", value, Number(16))
        if (positive or minus) and not self.row.floats:
            self.refuse("a sign of a source that is not a float means nothing")
        if (positive or minus) and not (wide_float and part == 0):
            mask = 0x8000 if self.row.floats == 16 else SIGN
            if positive:
                value = self.lane("and", value, Number(ONES & ~mask))
            if minus:
                value = self.lane("xor", value, Number(mask))
        return value

    def pair(self, letter: str) -> tuple[Value, Value]:
        """A source of 64 bits: low and high word."""
        return self.source(letter), self.source(letter, 1)

    def _signs(self, number: int) -> tuple[int, int]:
        if self.written.kind == E32:
            return 0, 0
        if self.written.kind == E64:
            return self.field("abs") >> number & 1, self.field("neg") >> number & 1
        return self.field(f"abs{number}"), self.field(f"neg{number}")

    def _selected(self, value: Value, number: int) -> Value:
        """SDWA: a byte or half of a source, with zeros or its sign above."""
        which = self.field(f"src{number}_sel")
        if which == WHOLE:
            return value
        size, first = (8, 8 * which) if which < 4 else (16, 16 * (which - 4))
        top = self.lane("shl", value, Number(32 - size - first)) if first + size < 32 else value
        return self.lane("sra" if self.field(f"sext{number}") else "shr", top, Number(32 - size))

    # -----------------------------------------------------------------------------------------------------
    # Results

    def target(self, part: int = 0) -> int:
        """The register of the result: a vector register, or a scalar one."""
        code = self.place("d") + part
        return code - FIRST_VECTOR if code >= FIRST_VECTOR else scalar(code)

    def put(self, name: str, a: Value = NONE, b: Value = NONE, c: Value = NONE, **more: int) -> None:
        """The micro-op that gives the result of 32 bits of a vector instruction, in the lanes that are active."""
        parted = self.row.keeps_half or (self.written.kind == SDWA_KIND and self.field("dst_sel") != WHOLE)
        changed = parted or self.field("clamp") or self.field("omod")
        if self.indexed >> 3 and not parted:
            self.put_by_index = True
            value = self.scaled(self.lane(name, a, b, c, **more))
            self.vector("put_register", a=self._index(), b=self.lane("mov", value), imm=self.target())
            return
        if not changed:
            self.vector(name, self.target(), a, b, c, **more)
            return
        self.put_narrow(self.scaled(self.lane(name, a, b, c, **more)))

    def _index(self) -> int:
        """What is added to the number of a register."""
        return self.scalar("and", scalar(M0), Number(0xFF))

    def scaled(self, value: int) -> Value:
        """omod and clamp: the result of floats times 2 or 4, or halved; then between 0 and 1. Of integers clamp saturates."""
        if self.field("omod"):
            value = self.lane("fmul", value, Number((0, 0x40000000, 0x40800000, 0x3F000000)[self.field("omod")]))
        if self.field("clamp"):
            if not self.row.floats:
                self.refuse("clamp of whole numbers, which saturates, is something that this machine does not have")
            value = self.lane("fmax", value, Number(0))
            value = self.lane("fmin", value, Number(0x3F800000))
        return value

    def put_narrow(self, value: Value) -> None:
        """SDWA: the result into a part of its register; the rest of it becomes zero, the sign, or stays."""
        high = self.field("op_sel") >> 3 & 1
        if self.row.keeps_half and (high or not self.row.zeros_above):
            self.put_half(value, high)
            return
        target, which = self.target(), self.field("dst_sel")
        if self.written.kind != SDWA_KIND or which == WHOLE:
            if self.row.vega_keeps and self.vega:
                self.put_half(value, 0)
            else:
                self.vector("mov", target, value)
            return
        size, first = (8, 8 * which) if which < 4 else (16, 16 * (which - 4))
        mask = ((1 << size) - 1) << first
        unused = self.field("dst_unused")
        if unused == 1:  # the sign above, zeros below
            value = self.lane("shl", value, Number(32 - size))
            self.vector("sra", target, value, Number(32 - size - first))
            if first:
                self.vector("and", target, target, Number(ONES & ~((1 << first) - 1)))
            return
        part = self.lane("and", self.lane("shl", value, Number(first)), Number(mask))
        if unused == PRESERVED:
            part = self.lane("or", part, self.lane("and", target, Number(ONES & ~mask)))
        self.vector("mov", target, part)

    def put_half(self, value: Value, high: int) -> None:
        """16 bits into the low or high half of the result's register; the other half stays."""
        target = self.target()
        kept = self.lane("and", target, Number(0xFFFF if high else 0xFFFF0000))
        part = self.lane("shl", value, Number(16)) if high else self.lane("and", value, Number(0xFFFF))
        self.vector("or", target, kept, part)

    def put_pair(self, low: Value, high: Value) -> None:
        """A result of 64 bits."""
        self.vector("mov", self.target(), low)
        self.vector("mov", self.target(1), high)

    def put_mask(self, letter: str, holds: Value) -> None:
        """A mask with a bit for each active lane in which a value is not 0. Lanes that are not active have 0."""
        self.vector("ballot", scalar(self.place(letter)), holds)

    def put_scalar(self, *words: Value) -> None:
        """A result of the scalar unit, low word first."""
        for part, word in enumerate(words):
            self.add("mov", self.target(part), word)
