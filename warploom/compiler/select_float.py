"""Selection of floats of 32 and 64 bits, and of what leads from one kind of number to another.

A product that only a sum wants becomes a fused multiply-add, rounded once, as GPU compilers contract by default (CUDA C++ Programming
Guide, "-fmad"). Negation and absolute value of 32 bits are sums with -0, as NVIDIA has them: a NaN becomes the canonical one. Signs of 64
bits are integer operations on the upper word.
"""

from __future__ import annotations

import struct

from warploom.compiler.mir import Half, Hidden, Micro, Operand, Reg
from warploom.compiler.ranges import INT32, UINT32, fits
from warploom.compiler.select_integer import IntegerRules
from warploom.compiler.ssa import CANONICAL, FLUSHED, Value
from warploom.isa.uop import L_HALF

SIGN, EXPONENT = 0x80000000, 0x7F800000
HALF_NAN = 0x7FFF
LEAST_NORMAL = 2.0**-126
BOTH = {"fadd": "dadd", "fsub": "dsub", "fmul": "dmul", "fdiv": "ddiv", "fmin": "dmin", "fmax": "dmax", "fsqrt": "dsqrt", "fma": "dfma"}
TESTS = {"feq": "deq", "flt": "dlt", "fle": "dle"}
SINGLE = ("fsin", "fcos", "fexp2", "flog2", "frcp", "frsqrt")
CONTRACTED = ("fadd", "fsub")


class FloatRules(IntegerRules):
    """The rules, by the name of the operation. contract: whether products and sums become one operation."""

    contract = True

    def on_float(self, value: Value) -> bool:
        """Select an operation on floats; False when it is none."""
        if value.imm == FLUSHED:
            self._flushing(value)
            return True
        if value.op in CONTRACTED and self.contract and self._fused(value):
            return True
        if value.op in BOTH:
            if value.type == "f64":
                self._double(BOTH[value.op], self.reg(value), *value.args)
            else:
                self.word(value.op, value, *map(self.low, value.args))
            return True
        if value.op in TESTS:
            if value.args[0].type == "f64":
                self._double(TESTS[value.op], self.reg(value), *value.args)
            else:
                self.word(value.op, value, *map(self.low, value.args))
            return True
        if value.op in SINGLE:
            self.word(value.op, value, self.low(value.args[0]))
            return True
        rule = getattr(self, f"_{value.op}", None)
        if rule is None:
            return False
        rule(value)
        return True

    def _flushing(self, value: Value) -> None:
        """One instruction, as in hardware, which makes zeros of denormal numbers before and after it computes."""
        operands = [self.low(one) if _is_flushed(one) else self._flushed(self.low(one)) for one in value.args]
        if value.op in TESTS:
            self.word(value.op, value, *operands)
            return
        made = self.hidden()
        if value.op in ("fneg", "fabs"):  # sums with -0, as those without
            (x,) = operands
            self.bundle.append(Micro("fsub", made, SIGN, x) if value.op == "fneg" else Micro("and", made, x, SIGN - 1))
        else:
            a, b, c = (*operands, None, None)[:3]
            self.bundle.append(Micro(value.op, made, a, b, c))
        exponent, sign = self.hidden(), self.hidden()
        self.bundle += [Micro("and", exponent, made, EXPONENT), Micro("and", sign, made, SIGN)]
        self.add(Micro("sel", self.reg(value), made, sign, exponent))

    def _flushed(self, operand: Operand) -> Operand:
        """A float, or a zero with its sign where it is denormal."""
        exponent, made = self.hidden(), self.hidden()
        self.bundle += [
            Micro("and", exponent, operand, EXPONENT),
            Micro("and", made, operand, SIGN),
            Micro("sel", made, operand, made, exponent),
        ]
        return made

    def _double(self, op: str, dst: Operand, *args: Value) -> None:
        a, b, c = ([self.pair(operand) for operand in args] + [None, None])[:3]
        self.add(Micro(op, dst, a, b, c))

    def _fused(self, value: Value) -> bool:
        """x * y + z, x * y - z, z - x * y."""
        for place, product in enumerate(value.args):
            if product.op != "fmul" or product is value.args[1 - place] or product.type != value.type or not self.fold(product):
                continue
            x, y, z = *product.args, value.args[1 - place]
            double = value.type == "f64"
            take = self.pair if double else self.low
            a, b, c = take(x), take(y), take(z)
            if value.op == "fsub" and place == 0:
                c = self._negated(c, double)
            elif value.op == "fsub":
                a = self._negated(a, double)
            self.add(Micro("dfma" if double else "fma", self.reg(value), a, b, c))
            return True
        return False

    def _negated(self, operand: Operand, double: bool) -> Operand:
        made = self.hidden(2 if double else 1)
        if not double:
            self.bundle.append(Micro("xor", made, operand, SIGN))
            return made
        low, high = halves_of(operand)
        self.bundle += [Micro("mov", made, low), Micro("xor", Hidden(made.number + 1), high, SIGN)]
        return made

    def _signs(self, value: Value, op: str, bits: int) -> None:
        x, dst = value.args[0], self.reg(value)
        self.add(Micro("mov", Half(dst, 0), self.low(x)), Micro(op, Half(dst, 1), self.high(x), bits))

    def _fneg(self, value: Value) -> None:
        if value.type == "f64":
            self._signs(value, "xor", SIGN)
        else:
            self.word("fsub", value, SIGN, self.low(value.args[0]))

    def _fabs(self, value: Value) -> None:
        if value.type == "f64":
            self._signs(value, "and", SIGN - 1)
            return
        size = self.hidden()
        self.bundle.append(Micro("and", size, self.low(value.args[0]), SIGN - 1))
        self.word("fadd", value, size, SIGN)

    def _ffloor(self, value: Value) -> None:
        """The machine has no floor of 64 bits: of a float below 2^52 the integer part comes back as a float, and is one less where it
        is larger."""
        x = value.args[0]
        if value.type == "f32":
            self.word("floor", value, self.low(x))
            return
        dst, a = self.reg(value), self.pair(x)
        low, high = halves_of(a)
        back, test, exponent, less = self.hidden(2), self.hidden(), self.hidden(), self.hidden(2)
        self.bundle += [
            Micro("d2l", back, a), Micro("l2d", back, back), Micro("dlt", test, a, back), Micro("sub", test, 0, test),
            Micro("mov", less, 0), Micro("and", Hidden(less.number + 1), test, 0xBFF00000), Micro("dadd", back, back, less),
            Micro("and", exponent, high, 0x7FF00000), Micro("slt", exponent, exponent, 0x43300000),
            Micro("and", test, high, SIGN), Micro("or", test, test, Hidden(back.number + 1)),  # -0 stays
        ]  # fmt: skip
        self.add(Micro("sel", Half(dst, 0), back, low, exponent), Micro("sel", Half(dst, 1), test, high, exponent), early=True)

    # ---- from one kind to another

    def _i2f(self, value: Value) -> None:
        x, dst = value.args[0], self.reg(value)
        signed, unsigned = fits(x, INT32), fits(x, UINT32)
        if self.size(x) == 1 and (signed or unsigned):
            op = {"f32": ("i2f", "u2f"), "f64": ("i2d", "u2d")}[value.type][0 if signed else 1]
            self.add(Micro(op, dst, self.low(x)))
            return
        long = "l2d" if x.lo < 0 else "ul2d"
        if value.type == "f64":
            self.add(Micro(long, dst, self.pair(x)))
        else:
            self._rounded_once(dst, x)

    def _rounded_once(self, dst: Reg, x: Value) -> None:
        """64 bits to a 32-bit float. Two roundings could err: bits that a 64-bit float has no room for are first joined into its last."""
        low, high = self.low(x), self.high(x)
        size, sticky, made = self.hidden(), self.hidden(), self.hidden(2)
        top = Hidden(made.number + 1)
        sign = [Micro("sra", size, high, 31), Micro("xor", size, high, size)] if x.lo < 0 else [Micro("mov", size, high)]
        self.bundle += [
            *sign, Micro("shr", size, size, 20), Micro("sne", size, size, 0),  # 2^52 and more
            Micro("and", sticky, low, 0xFFF), Micro("sne", sticky, sticky, 0), Micro("shl", sticky, sticky, 12),
            Micro("or", sticky, sticky, low), Micro("and", sticky, sticky, 0xFFFFF000), Micro("sel", made, sticky, low, size),
            Micro("mov", top, high), Micro("l2d" if x.lo < 0 else "ul2d", made, made),
        ]  # fmt: skip
        self.add(Micro("d2f", dst, made))

    def _f2i(self, value: Value) -> None:
        """Towards zero, saturated. A NaN gives a result with the highest bit set, and 0 where 32 bits become 32 bits: as an
        H100's conversions have it, which the machine's own, RISC-V's, do not."""
        x, dst = value.args[0], self.reg(value)
        double, signed = x.type == "f64", value.type == "i64"
        a = self.pair(x) if double else self.low(x)
        number = self.hidden()
        self.bundle.append(Micro("deq" if double else "feq", number, a, a))
        if dst.size == 2 or not (fits(value, INT32) or fits(value, UINT32)):
            made = self.hidden(2)
            self.bundle.append(Micro("d2l" if signed else "d2ul", made, a if double else self._widened(x)))
            words = [Micro("sel", Half(dst, 0) if dst.size == 2 else dst, made, 0, number)]
            if dst.size == 2:
                words.append(Micro("sel", Half(dst, 1), Hidden(made.number + 1), SIGN, number))
            self.add(*words)
        else:
            made = self.hidden()
            self.bundle.append(Micro(("d2i" if signed else "d2u") if double else ("f2i" if signed else "f2u"), made, a))
            self.add(Micro("sel", dst, made, SIGN if double else 0, number))

    def _widened(self, x: Value) -> Operand:
        made = self.hidden(2)
        self.bundle.append(Micro("f2d", made, self.low(x)))
        return made

    def _f2f(self, value: Value) -> None:
        x = value.args[0]
        if value.imm == CANONICAL:
            narrow = self.hidden()
            self.bundle.append(Micro("d2f", narrow, self.pair(x)))
            self.add(Micro("fadd", self.reg(value), narrow, SIGN))
            return
        self.add(Micro("f2d", self.reg(value), self.low(x)) if value.type == "f64" else Micro("d2f", self.reg(value), self.pair(x)))

    def _h2f(self, value: Value) -> None:
        self.word("h2f", value, self.low(value.args[0]))

    def _f2h(self, value: Value) -> None:
        x = value.args[0]
        if x.type == "f64":
            self.add(Micro("d2h", self.reg(value), self.pair(x)))
        else:
            self.word("f2h", value, self.low(x))

    def _half(self, value: Value) -> None:
        """An operation on 16-bit floats: widened, computed and rounded within one instruction."""
        name, wide = str(value.imm), value.imm == "dfma"
        operands = [self._widened_half(one, wide) for one in value.args]
        a, b, c = (*operands, None)[:3]
        if value.type == "i1":
            self.add(Micro(name, self.reg(value), a, b), latency=L_HALF)
            return
        made = self.hidden(2 if wide else 1)
        self.bundle.append(Micro(name, made, a, b, c))
        if not wide:
            self.add(Micro("f2h", self.reg(value), made), latency=L_HALF)
            return
        number, narrow = self.hidden(), self.hidden()  # a NaN of 64 bits is an operand's, one of 16 bits is not
        self.bundle += [Micro("deq", number, made, made), Micro("d2h", narrow, made)]
        self.add(Micro("sel", self.reg(value), narrow, HALF_NAN, number), latency=L_HALF)

    def _widened_half(self, value: Value, wide: bool) -> Operand:
        """A 16-bit float as one of 32 bits, or of 64 (wide)."""
        made: Operand = self.hidden()
        if value.op == "const" and not wide:
            (number,) = struct.unpack("<e", int(value.imm).to_bytes(2, "little"))
            return int.from_bytes(struct.pack("<f", number), "little")
        self.bundle.append(Micro("h2f", made, self.low(value)))
        if wide:
            single, made = made, self.hidden(2)
            self.bundle.append(Micro("f2d", made, single))
        return made

    def _bits(self, value: Value) -> None:
        """A float as a whole number of the same bits."""
        x, dst = value.args[0], self.reg(value)
        if dst.size == 1:
            self.add(Micro("mov", dst, self.low(x)))
        else:
            self.add(
                Micro("mov", Half(dst, 0), self.low(x)), Micro("mov", Half(dst, 1), self.high(x) if x.type == "f64" else 0), early=True
            )

    def _float(self, value: Value) -> None:
        """A whole number's bits as a float."""
        x, dst = value.args[0], self.reg(value)
        if dst.size == 1:
            self.add(Micro("mov", dst, self.low(x)))
        else:
            self.add(Micro("mov", Half(dst, 0), self.low(x)), Micro("mov", Half(dst, 1), self.high(x)), early=True)


def halves_of(operand: Operand) -> tuple[Operand, Operand]:
    """The words of a pair of virtual or hidden registers."""
    if isinstance(operand, Hidden):
        return operand, Hidden(operand.number + 1)
    assert isinstance(operand, Reg)
    return Half(operand, 0), Half(operand, 1)


def _is_flushed(value: Value) -> bool:
    """Whether a float of 32 bits is none that is denormal."""
    return value.imm == FLUSHED or (value.op == "const" and (value.imm == 0 or not abs(value.imm) < LEAST_NORMAL)) or value.op == "i2f"
