"""Selection of 64-bit integers on pairs of registers: carries, long products, shifts across the words, division by estimates.

GPUs have no 64-bit integer unit either: NVIDIA's compilers make the same sequences of IADD3 with carry, IMAD.WIDE and SHF. Additions,
comparisons and shifts are one bundle each. A division is a sequence: the quotient is estimated twice in 64-bit floats, whose 53 bits are
enough together, and corrected by one (Brent and Zimmermann, "Modern Computer Arithmetic", section 1.4: estimate and correct).
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.compiler.mir import Half, Micro, Operand, Reg
from warploom.compiler.ranges import fits
from warploom.compiler.selection import Selection
from warploom.compiler.ssa import I64, Value

Words = tuple[Operand, Operand]
PAIR_BITS = 64


class WideRules(Selection):
    """Rules for pairs."""

    def words(self, value: Value) -> Words:
        """Both words of a value."""
        return self.low(value), self.high(value)

    def into(self, value: Value) -> Words:
        """Where the words of a result go; one that is not wanted, to a hidden register."""
        reg = self.reg(value)
        return (Half(reg, 0), Half(reg, 1)) if reg.size == 2 else (reg, self.hidden())

    def wide_move(self, value: Value, x: Value) -> None:
        """The same number in other registers."""
        if self.size(value) == 1:
            self.word("mov", value, self.low(x))
            return
        (low, high), (a, b) = self.into(value), self.words(x)
        self.add(Micro("mov", low, a), Micro("mov", high, b))

    # ---- arithmetic

    def wide_arithmetic(self, value: Value) -> None:
        """add, sub, mul, and, or, xor."""
        x, y = value.args
        a, b = self.words(x), self.words(y)
        self._arithmetic(value.op, self.into(value), a, b)

    def _arithmetic(self, op: str, to: Words, a: Words, b: Words) -> None:
        low, high = to
        if op in ("and", "or", "xor"):
            self.add(Micro(op, low, a[0], b[0]), Micro(op, high, a[1], b[1]), early=True)
            return
        carry, part = self.hidden(), self.hidden()
        if op == "add":
            self.bundle += [Micro("add", low, a[0], b[0]), Micro("sltu", carry, low, a[0]), Micro("add", part, a[1], b[1])]
            self.add(Micro("add", high, part, carry), early=True)
        elif op == "sub":
            self.bundle += [Micro("sltu", carry, a[0], b[0]), Micro("sub", low, a[0], b[0]), Micro("sub", part, a[1], b[1])]
            self.add(Micro("sub", high, part, carry), early=True)
        else:
            self.bundle.append(Micro("mulhu", part, a[0], b[0]))
            if b[1] != 0:
                self.bundle.append(Micro("mad", part, a[0], b[1], part))
            if a[1] != 0:
                self.bundle.append(Micro("mad", part, a[1], b[0], part))
            self.add(Micro("mul", low, a[0], b[0]), Micro("mov", high, part), early=True)

    # ---- comparisons

    def wide_comparison(self, value: Value) -> None:
        """eq, ne, lt of numbers of which at least one is a pair."""
        x, y = value.args
        a, b = self.words(x), self.words(y)
        dst = self.low(value)
        if value.op == "lt":
            self.add(*self._less(dst, a, b, x, y), early=True)
            return
        low, high = self.hidden(), self.hidden()
        self.bundle += [Micro("xor", low, a[0], b[0]), Micro("xor", high, a[1], b[1]), Micro("or", low, low, high)]
        differs = (x.lo < 0 and y.hi > I64[1]) or (y.lo < 0 and x.hi > I64[1])
        if differs:  # the same bits, one number signed and the other not
            self.bundle += [Micro("shr", high, a[1], 31), Micro("or", low, low, high)]
        self.add(Micro("seq" if value.op == "eq" else "sne", dst, low, 0), early=True)

    def _less(self, dst: Operand, a: Words, b: Words, x: Value, y: Value) -> list[Micro]:
        above, same, below = self.hidden(), self.hidden(), self.hidden()
        signed = x.hi <= I64[1] and y.hi <= I64[1]
        uops = [
            Micro("slt" if signed else "sltu", above, a[1], b[1]), Micro("seq", same, a[1], b[1]), Micro("sltu", below, a[0], b[0]),
            Micro("sel", above, below, above, same),
        ]  # fmt: skip
        if not signed and x.lo < 0:  # a negative number is below every other one
            uops += [Micro("shr", same, a[1], 31), Micro("or", above, above, same)]
        if not signed and y.lo < 0:
            uops += [Micro("shr", same, b[1], 31), Micro("xor", same, same, 1), Micro("and", above, above, same)]
        return [*uops, Micro("mov", dst, above)]

    def wide_smaller(self, value: Value) -> None:
        """min, max."""
        x, y = value.args
        a, b = self.words(x), self.words(y)
        chosen = self.hidden()
        self.bundle += self._less(chosen, a, b, x, y)
        first, second = (a, b) if value.op == "min" else (b, a)
        low, high = self.into(value)
        self.add(Micro("sel", low, first[0], second[0], chosen), Micro("sel", high, first[1], second[1], chosen), early=True)

    # ---- shifts

    def wide_shift(self, value: Value) -> None:
        """shl and shr. By 64 and more nothing is left but signs, as PTX's shifts have it; a number below 0 is a large one there."""
        x, n = value.args
        a = self.words(x)
        low, high = self.into(value)
        left = value.op == "shl"
        down = "shr" if x.lo >= 0 else "sra"
        if n.op == "const" and 0 <= int(n.imm) < PAIR_BITS:
            self._shift_by(int(n.imm), left, down, (low, high), a)
            return
        if not fits(n, (0, PAIR_BITS - 1)):
            near, sign = self.hidden(), self.hidden()
            self.bundle += [
                Micro("sltu", near, self.low(n), PAIR_BITS),
                Micro("sra", sign, a[1], 31) if down == "sra" and not left else Micro("mov", sign, 0),
            ]
            self._shift_by_varying(value, self.low(n), left, down, lambda word, made: Micro("sel", word, made, sign, near))
            return
        self._shift_by_varying(value, self.low(n), left, down, lambda word, made: Micro("mov", word, made))

    def _shift_by_varying(self, value: Value, amount: Operand, left: bool, down: str, written: Callable[[Operand, Operand], Micro]) -> None:
        """A shift by a number that is not known before. written: the micro-op that puts a result, a hidden register, into a word."""
        a = self.words(value.args[0])
        low, high = self.into(value)
        # Both words moved, and what passes from one to the other; then the case of 32 and more.
        rest, p, q, far, first = self.hidden(), self.hidden(), self.hidden(), self.hidden(), self.hidden()
        self.bundle += [Micro("xor", rest, amount, 31), Micro("and", far, amount, 32)]
        if left:
            self.bundle += [
                Micro("shr", p, a[0], 1), Micro("shr", p, p, rest), Micro("shl", q, a[1], amount), Micro("or", q, q, p),
                Micro("shl", p, a[0], amount), Micro("sel", first, p, q, far), Micro("sel", p, 0, p, far),
            ]  # fmt: skip
            self.add(written(high, first), written(low, p), early=True)
            return
        self.bundle += [
            Micro("shl", p, a[1], 1), Micro("shl", p, p, rest), Micro("shr", q, a[0], amount), Micro("or", q, q, p),
            Micro(down, p, a[1], amount), Micro("sel", first, p, q, far),
            Micro("sra", q, a[1], 31) if down == "sra" else Micro("mov", q, 0),
            Micro("sel", q, q, p, far),
        ]  # fmt: skip
        self.add(written(low, first), written(high, q), early=True)

    def _shift_by(self, n: int, left: bool, down: str, to: Words, a: Words) -> None:
        low, high = to
        passing, part = self.hidden(), self.hidden()
        if left and n >= 32:
            self.add(Micro("shl", high, a[0], n - 32), Micro("mov", low, 0), early=True)
        elif left:
            self.bundle += [Micro("shr", passing, a[0], 32 - n), Micro("shl", part, a[1], n)]
            self.add(Micro("or", high, part, passing), Micro("shl", low, a[0], n), early=True)
        elif n >= 32:
            sign = Micro("sra", part, a[1], 31) if down == "sra" else Micro("mov", part, 0)
            self.add(sign, Micro(down, low, a[1], n - 32), Micro("mov", high, part), early=True)
        else:
            self.bundle += [Micro("shl", passing, a[1], 32 - n), Micro("shr", part, a[0], n)]
            self.add(Micro("or", low, part, passing), Micro(down, high, a[1], n), early=True)

    # ---- the rest

    def wide_from_end(self, value: Value) -> None:
        """An index that counts from the end where it is negative."""
        index, size = value.args
        a, b = self.words(index), self.words(size)
        sign, p, q = self.hidden(), self.hidden(), self.hidden()
        self.bundle += [Micro("sra", sign, a[1], 31), Micro("and", p, b[0], sign), Micro("and", q, b[1], sign)]
        self._arithmetic("add", self.into(value), a, (p, q))

    def wide_count(self, value: Value) -> None:
        """popc, clz, ctz, brev of 64 bits."""
        a = self.words(value.args[0])
        p, q = self.hidden(), self.hidden()
        low, high = self.into(value)
        self.bundle += [Micro(value.op, p, a[0]), Micro(value.op, q, a[1])]
        if value.op == "brev":
            self.add(Micro("mov", low, q), Micro("mov", high, p), early=True)
            return
        if value.op != "popc":  # the second word counts where the first one is empty
            near, far = (q, p) if value.op == "clz" else (p, q)
            full = self.hidden()
            self.bundle += [Micro("seq", full, near, 32), Micro("sel", far, far, 0, full)]
        self.add(Micro("add", low, p, q), *([Micro("mov", high, 0)] if self.size(value) == 2 else []), early=True)

    def wide_division(self, value: Value) -> None:
        """floordiv and floormod, of which at least one operand is a pair."""
        x, y = value.args
        signs: list[Words] = []
        parts: list[Reg] = []
        for operand in (x, y):
            a = self.words(operand)
            part, sign = self.new(2), self.new()
            if operand.lo >= 0:
                self.add(Micro("mov", Half(part, 0), a[0]), Micro("mov", Half(part, 1), a[1]), early=True)
                signs.append((0, 0))
            else:  # (a ^ s) - s, s the sign spread over the word
                p, q, borrow = self.hidden(), self.hidden(), self.hidden()
                self.add(Micro("sra", sign, a[1], 31), early=True)
                self.bundle += [Micro("xor", p, a[0], sign), Micro("xor", q, a[1], sign), Micro("sltu", borrow, p, sign)]
                self.bundle += [Micro("sub", Half(part, 0), p, sign), Micro("sub", q, q, sign)]
                self.add(Micro("sub", Half(part, 1), q, borrow), early=True)
                signs.append((sign, sign))
            parts.append(part)
        quotient, rest = self._unsigned_division(*parts)
        self._round_down(value, quotient, rest, parts[1], signs[0][0], signs[1][0])

    def _unsigned_division(self, a: Reg, b: Reg) -> tuple[Reg, Reg]:
        """Quotient and rest of pairs without sign."""
        divisor, estimate, one, two, rest, quotient = (self.new(2) for _ in range(6))
        self.add(Micro("ul2d", divisor, b))
        top = self.hidden(2)
        self.add(Micro("ul2d", top, a), Micro("ddiv", estimate, top, divisor))
        self.add(Micro("d2ul", one, estimate))
        self._wide_product(rest, one, b)
        self._arithmetic("sub", halves(two), halves(a), halves(rest))
        part = self.hidden(2)
        self.add(Micro("l2d", part, two), Micro("ddiv", part, part, divisor), Micro("d2l", estimate, part), early=True)
        self._arithmetic("add", halves(quotient), halves(one), halves(estimate))
        self._wide_product(one, quotient, b)
        self._arithmetic("sub", halves(rest), halves(a), halves(one))
        # The rest is between -b and 2 b, and a divisor of 2^63 and more goes in once at most.
        large, small, low, high = self.new(), self.new(), self.hidden(), self.hidden()
        self.bundle += [Micro("shr", large, Half(b, 1), 31), *self._unsigned_less(small, a, b)]
        self.bundle += [Micro("xor", low, small, 1), Micro("sel", Half(quotient, 0), low, Half(quotient, 0), large)]
        self.bundle += [Micro("sel", Half(quotient, 1), 0, Half(quotient, 1), large), Micro("sub", high, 0, low)]
        self.bundle += [Micro("and", low, Half(b, 0), high), Micro("and", high, Half(b, 1), high)]
        borrow, p, q = self.hidden(), self.hidden(), self.hidden()
        self.bundle += [Micro("sltu", borrow, Half(a, 0), low), Micro("sub", p, Half(a, 0), low), Micro("sub", q, Half(a, 1), high)]
        self.bundle += [Micro("sub", q, q, borrow), Micro("sel", Half(rest, 0), p, Half(rest, 0), large)]
        self.add(Micro("sel", Half(rest, 1), q, Half(rest, 1), large), early=True)
        # One too many: the rest is negative.
        sign = self.new()
        negative = [Micro("sra", sign, Half(rest, 1), 31), Micro("xor", p := self.hidden(), large, 1), Micro("sub", p, 0, p)]
        self.add(*negative, Micro("and", sign, sign, p), early=True)
        self._corrected(quotient, rest, b, sign, "add")
        # One too few: it is not below the divisor.
        below = self.hidden()
        self.add(*self._unsigned_less(below, rest, b), Micro("sub", sign, below, 1), early=True)
        self._corrected(quotient, rest, b, sign, "sub")
        return quotient, rest

    def _wide_product(self, to: Reg, a: Reg, b: Reg) -> None:
        self._arithmetic("mul", halves(to), halves(a), halves(b))

    def _unsigned_less(self, dst: Operand, a: Reg, b: Reg) -> list[Micro]:
        same, below, above = self.hidden(), self.hidden(), self.hidden()
        return [
            Micro("sltu", above, Half(a, 1), Half(b, 1)), Micro("seq", same, Half(a, 1), Half(b, 1)),
            Micro("sltu", below, Half(a, 0), Half(b, 0)), Micro("sel", dst, below, above, same),
        ]  # fmt: skip

    def _corrected(self, quotient: Reg, rest: Reg, b: Reg, mask: Reg, op: str) -> None:
        """Where `mask` is all ones: rest = rest op b, and the quotient is one less (add) or one more (sub)."""
        p, q = self.hidden(), self.hidden()
        self.bundle += [Micro("and", p, Half(b, 0), mask), Micro("and", q, Half(b, 1), mask)]
        kept = self.new(2)
        self._arithmetic(op, halves(kept), halves(rest), (p, q))
        self.add(Micro("mov", Half(rest, 0), Half(kept, 0)), Micro("mov", Half(rest, 1), Half(kept, 1)), early=True)
        count = self.new(2)
        # Adding the mask takes one away; subtracting it adds one.
        self._arithmetic(op, halves(count), halves(quotient), (mask, mask))
        self.add(Micro("mov", Half(quotient, 0), Half(count, 0)), Micro("mov", Half(quotient, 1), Half(count, 1)), early=True)

    def _round_down(self, value: Value, quotient: Reg, rest: Reg, b: Reg, sx: Operand, sy: Operand) -> None:
        """From the quotient and rest of magnitudes to those of the numbers, rounded down. sx, sy: signs, spread."""
        low, high = self.into(value)
        differ, p, q, t = self.hidden(), self.hidden(), self.hidden(), self.hidden()
        self.bundle += [
            Micro("xor", differ, sx, sy), Micro("or", p, Half(rest, 0), Half(rest, 1)), Micro("sne", p, p, 0), Micro("sub", p, 0, p),
            Micro("and", p, p, differ),
        ]  # fmt: skip
        if value.op == "floordiv":  # -(q + off) where signs differ
            self.bundle += [
                Micro("sub", q, Half(quotient, 0), p), Micro("sltu", t, q, Half(quotient, 0)), Micro("add", t, Half(quotient, 1), t),
                Micro("xor", q, q, differ), Micro("xor", t, t, differ), Micro("sltu", p, q, differ), Micro("sub", low, q, differ),
                Micro("sub", t, t, differ),
            ]  # fmt: skip
            self.add(Micro("sub", high, t, p), early=True)
            return
        # b - r where signs differ and something is left; then the sign of the divisor
        m, borrow = self.hidden(), self.hidden()
        self.bundle += [
            Micro("sltu", borrow, Half(b, 0), Half(rest, 0)), Micro("sub", q, Half(b, 0), Half(rest, 0)),
            Micro("sub", t, Half(b, 1), Half(rest, 1)), Micro("sub", t, t, borrow), Micro("sel", q, q, Half(rest, 0), p),
            Micro("sel", t, t, Half(rest, 1), p), Micro("mov", m, sy), Micro("xor", q, q, m), Micro("xor", t, t, m),
            Micro("sltu", borrow, q, m), Micro("sub", low, q, m), Micro("sub", t, t, m),
        ]  # fmt: skip
        self.add(Micro("sub", high, t, borrow), early=True)


def halves(reg: Reg) -> Words:
    """Both words of a pair."""
    return Half(reg, 0), Half(reg, 1)
