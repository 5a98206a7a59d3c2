"""What the rules of selection share: where a value is, its halves, and the bundle that is being put together."""

from __future__ import annotations

import struct

from warploom.compiler.mir import Half, Hidden, Instr, Micro, Operand, Reg, Scalar
from warploom.compiler.ranges import INT32, UINT32, fits
from warploom.compiler.ssa import At, Block, Value
from warploom.isa.uop import NONE

WORD = 0xFFFFFFFF
REREAD = ("wrap", "bits", "float", "from_end")  # some of them change no bit


class Selection:
    """Instructions of the block that is being selected, and the registers of values.

    wide: whole numbers of which the high half is wanted. regions: of values on which all lanes agree the region in which they do
    (`uniform.py`). uses: how often each value is an operand.
    """

    def __init__(self, wide: set[Value], regions: dict[Value, int], uses: dict[Value, int]) -> None:
        self.wide, self.regions, self.uses = wide, regions, uses
        self.regs: dict[Value, Reg] = {}
        self.code: list[Instr] = []
        self.bundle: list[Micro] = []
        self.at = At()
        self.folded: set[Value] = set()  # made part of the one instruction that uses them
        self.block: Block | None = None
        # variables: after which instruction of a block they are a value
        self.bound: list[tuple[Instr | None, Block, str, Value, str, int]] = []
        self._regs = 0
        self._hidden = 0

    # ---- registers

    def new(self, size: int = 1, bank: str = "v", region: int = 0) -> Reg:
        """A virtual register."""
        self._regs += 1
        return Reg(self._regs, size, bank, region)

    def size(self, value: Value) -> int:
        """How many registers a value takes."""
        return words_of(value, self.wide)

    def reg(self, value: Value) -> Reg:
        """The register of a value."""
        if value not in self.regs:
            region = self.regions.get(value)
            if (same := self.same_word(value)) is not None and same.op != "param":
                self.regs[value] = self.reg(same)
            else:
                self.regs[value] = self.new(self.size(value)) if region is None else self.new(1, "s", region)
        return self.regs[value]

    def place(self, value: Value) -> Reg | None:
        """The register of a value that has one."""
        while value not in self.regs and (same := self.same_word(value)) is not None:
            value = same
        return self.regs.get(value)

    def same_word(self, value: Value) -> Value | None:
        """The value whose register a value shares that is a different reading of the same word, as a cast between whole numbers."""
        x = value.args[0] if value.op in REREAD else None
        if x is None or x.op == "const" or self.size(value) != 1 or (x.op != "param" and self.size(x) != 1):
            return None
        if x.op != "param" and self.regions.get(value) != self.regions.get(x):
            return None
        same = value.op in ("bits", "float") or (value.op == "wrap" and value.imm in (32, 64)) or (value.op == "from_end" and x.lo >= 0)
        return x if same else None

    def hidden(self, count: int = 1) -> Hidden:
        """A hidden register of the bundle, or the first of several."""
        self._hidden += count
        return Hidden(self._hidden - count)

    # ---- operands

    def low(self, value: Value) -> Operand:
        """The low word of a value; of a number of one word, it."""
        if value.op in REREAD and (same := self.same_word(value)) is not None:
            return self.low(same)
        if value.op == "const":
            return bits_of(value) & WORD
        if value.op == "param":
            return Scalar(int(value.imm))
        reg = self.reg(value)
        return reg if reg.size == 1 else Half(reg, 0)

    def high(self, value: Value) -> Operand:
        """The high word of a value; of a number of one word what extends it, perhaps by a micro-op of the bundle."""
        if value.op == "const":
            return bits_of(value) >> 32 & WORD
        if self.size(value) == 2:
            return Scalar(int(value.imm) + 1) if value.op == "param" else Half(self.reg(value), 1)
        if value.lo >= 0:
            return 0
        sign = self.hidden()
        self.bundle.append(Micro("sra", sign, self.low(value), 31))
        return sign

    def pair(self, value: Value) -> Operand:
        """A value as two lane registers that follow one another, as 64-bit floats and memory want it."""
        if value.op not in ("const", "param") and self.size(value) == 2:
            return self.reg(value)
        words = self.low(value), self.high(value)
        made = self.hidden(2)
        self.bundle += [Micro("mov", made, words[0]), Micro("mov", Hidden(made.number + 1), words[1])]
        return made

    def lane(self, value: Value) -> Operand:
        """A value of one word in a lane register, where an operation takes nothing else."""
        operand = self.low(value)
        if isinstance(operand, Reg | Half) and (not isinstance(operand, Reg) or operand.bank == "v"):
            return operand
        made = self.hidden()
        self.bundle.append(Micro("mov", made, operand))
        return made

    # ---- instructions

    def add(self, *uops: Micro, early: bool = False, latency: int = NONE) -> None:
        """The bundle and these micro-ops are an instruction, of a latency class of its own if one is named."""
        self.bundle += uops
        self.code.append(Instr(self.bundle, self.at, early or len(self.bundle) > 1, latency=latency))
        self.bundle, self._hidden = [], 0

    def word(self, op: str, value: Value, *operands: Operand) -> None:
        """The instruction `value = op operands` on words; where the value has two, the high one follows from its sign."""
        a, b, c = (*operands, None, None, None)[:3]
        dst = self.reg(value)
        if dst.size == 1:
            self.add(Micro(op, dst, a, b, c))
            return
        high = Micro("sra", Half(dst, 1), Half(dst, 0), 31) if value.lo < 0 else Micro("mov", Half(dst, 1), 0)
        self.add(Micro(op, Half(dst, 0), a, b, c), high, early=True)

    def fold(self, value: Value, into: Value | None = None) -> bool:
        """Whether a value has one use and stands in this block, so that it may become part of the instruction that uses it.

        into: what uses it, where that may be of a lane and the value one that all lanes agree on.
        """
        agreed = value in self.regions and (into is None or into in self.regions)
        if self.uses.get(value, 0) != 1 or value.block is not self.block or agreed:
            return False
        self.folded.add(value)
        return True


def words_of(value: Value, wide: set[Value]) -> int:
    """How many registers a value takes. wide: whole numbers of which the high half is wanted."""
    if not value.is_int:
        return 2 if value.type == "f64" else 1
    if fits(value, INT32) or fits(value, UINT32):
        return 1
    return 2 if value in wide or value.op in ("param", "const") else 1


def bits_of(value: Value) -> int:
    """The bits of a constant, 64 of a whole number."""
    if value.type == "f32":
        return int.from_bytes(struct.pack("<f", value.imm), "little")
    if value.type == "f64":
        return int.from_bytes(struct.pack("<d", value.imm), "little")
    return int(value.imm) & 0xFFFFFFFFFFFFFFFF
