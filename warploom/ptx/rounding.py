"""Rounding up, down, towards zero: what the machine rounds to the nearest, and its neighbour where the exact result lies beyond it.

A result is a float of 64 bits and its *rest*, what it lacks: of a sum by Knuth's TwoSum, of a product by a fused multiply-add, of a
multiply-add by Boldo and Muller's error, of a quotient or a root by its remainder. Of 32-bit operands a float of 64 bits with its rest is
always exact. Results that are so small that a rest would vanish are scaled first.

Sources: Knuth, "The Art of Computer Programming" 2, 4.2.2; Boldo and Muller, "Exact and Approximated Error of the FMA", IEEE Transactions
on Computers 60, 2011; Boldo and Melquiond, "Emulation of a FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd", 2008.
"""

from __future__ import annotations

from typing import NamedTuple

from warploom.compiler.ssa import CANONICAL, Value
from warploom.ptx.translation import Translation

UP, DOWN, ZERO, ODD = "rp", "rm", "rz", "odd"
DIRECTED = (ZERO, DOWN, UP)
SCALE = 2.0**600
SMALL = 2.0**-900  # of a product: below, its rest could vanish
HALF_ROOT = 2.0**300


class Exact(NamedTuple):
    """A result of 64 bits, and what it lacks; None: nothing."""

    near: Value
    rest: Value | None = None


class Rounding:
    """Operations with a mode. t: where values are made."""

    def __init__(self, t: Translation, mode: str) -> None:
        self.t, self.mode = t, mode

    # ---- floats of 64 bits, in short

    def _op(self, op: str, *args: Value) -> Value:
        return self.t.pure(op, *args, type="f64")

    def _real(self, number: float) -> Value:
        return self.t.b.real(number, "f64")

    def _less(self, x: Value, y: Value) -> Value:
        return self.t.pure("flt", x, y, type="i1")

    def _both(self, *truths: Value) -> Value:
        found = truths[0]
        for one in truths[1:]:
            found = self.t.pure("and", found, one, type="i1")
        return found

    def _either(self, x: Value, y: Value) -> Value:
        return self.t.pure("or", x, y, type="i1")

    def _choice(self, condition: Value, x: Value, y: Value) -> Value:
        return self.t.pure("sel", condition, x, y, type="f64")

    def _equal(self, x: Value, y: Value) -> Value:
        return self.t.pure("feq", x, y, type="i1")

    def _size(self, x: Value) -> Value:
        return self._op("fabs", x)

    def _finite(self, x: Value) -> Value:
        return self._less(self._size(x), self._real(float("inf")))

    def _sign(self, x: Value) -> Value:
        """Its sign's bit, as 1 or 0."""
        bits = self.t.pure("bits", x, type="u64")
        return self.t.pure("shr", bits, self.t.whole(31 if x.type == "f32" else 63), type="u64")

    def wide(self, x: Value) -> Value:
        """As a float of 64 bits."""
        return x if x.type == "f64" else self.t.pure("f2f", x, type="f64")

    # ---- exact results

    def sum(self, a: Value, b: Value) -> Exact:
        """a + b."""
        near = self._op("fadd", a, b)
        part = self._op("fsub", near, a)
        rest = self._op("fadd", self._op("fsub", a, self._op("fsub", near, part)), self._op("fsub", b, part))
        return Exact(self._zero(near, rest, self.t.pure("or", self._sign(a), self._sign(b), type="u64")), rest)

    def _zero(self, near: Value, rest: Value, negative: Value) -> Value:
        """A sum of nothing is rounded down to -0, but of two positive zeros."""
        if self.mode != DOWN:
            return near
        zero = self._both(self._equal(near, self._real(0.0)), self._equal(rest, self._real(0.0)))
        signed = self._choice(self.t.pure("ne", negative, self.t.whole(0), type="i1"), self._real(-0.0), self._real(0.0))
        return self._choice(zero, signed, near)

    def product(self, a: Value, b: Value) -> Exact:
        """a * b."""
        near = self._op("fmul", a, b)
        small = self._less(self._size(near), self._real(SMALL))
        x, y = self._scaled(small, a, b)
        scale = self._choice(small, self._real(SCALE), self._real(1.0))
        rest = self._op("fma", x, y, self._op("fneg", self._op("fmul", near, scale)))
        lost = self._both(small, self._equal(near, self._real(0.0)))  # of a product of two tiny numbers its sign is left
        signs = self._op("fmul", self._signed_one(a), self._signed_one(b))
        return Exact(near, self._choice(lost, signs, rest))

    def _scaled(self, small: Value, a: Value, b: Value) -> tuple[Value, Value]:
        """Two factors of a small product, the smaller one made larger."""
        first = self._less(self._size(a), self._size(b))
        up, one = self._real(SCALE), self._real(1.0)
        by_a = self._choice(self._both(small, first), up, one)
        by_b = self._choice(self._both(small, self.t.pure("eq", first, self.t.b.truth(False), type="i1")), up, one)
        return self._op("fmul", a, by_a), self._op("fmul", b, by_b)

    def _signed_one(self, x: Value) -> Value:
        """1 with a number's sign, or 0."""
        zero = self._real(0.0)
        return self._choice(self._less(zero, x), self._real(1.0), self._choice(self._less(x, zero), self._real(-1.0), zero))

    def multiply_add(self, a: Value, b: Value, c: Value) -> Exact:
        """a * b + c, rounded once."""
        near = self._op("fma", a, b, c)
        tiny = self._less(self._size(self._op("fmul", a, b)), self._real(SMALL))
        large = self._less(self._real(1 / HALF_ROOT), self._size(c))
        small = self._both(tiny, self.t.pure("eq", large, self.t.b.truth(False), type="i1"))
        x, y = self._scaled(small, a, b)
        scale = self._choice(small, self._real(SCALE), self._real(1.0))
        z, scaled = self._op("fmul", c, scale), self._op("fmul", near, scale)
        upper = self._op("fmul", x, y)
        lower = self._op("fma", x, y, self._op("fneg", upper))
        plain = Rounding(self.t, "")
        first = plain.sum(z, lower)
        second = plain.sum(upper, first.near)
        assert first.rest is not None and second.rest is not None
        gamma = self._op("fadd", self._op("fsub", second.near, scaled), second.rest)
        rest = self._op("fadd", gamma, first.rest)
        sign = self.t.pure("xor", self._sign(a), self._sign(b), type="u64")
        vanished = self._both(small, self._equal(upper, self._real(0.0)), self._equal(rest, self._real(0.0)))
        rest = self._choice(
            self._either(vanished, self._both(tiny, large)), self._op("fmul", self._signed_one(a), self._signed_one(b)), rest
        )
        return Exact(self._zero(near, rest, self.t.pure("or", sign, self._sign(c), type="u64")), rest)

    def quotient(self, a: Value, b: Value) -> Exact:
        """a / b. The remainder has the sign of what is missing, times the divisor's."""
        near = self._op("fdiv", a, b)
        small = self._less(self._size(a), self._real(SMALL))
        x, y = self._scaled(small, near, b)
        scale = self._choice(small, self._real(SCALE), self._real(1.0))
        left = self._op("fma", self._op("fneg", x), y, self._op("fmul", a, scale))
        return Exact(near, self._op("fmul", self._signed_one(left), self._signed_one(b)))

    def root(self, a: Value) -> Exact:
        """The square root."""
        near = self._op("fsqrt", a)
        small = self._less(a, self._real(SMALL))
        half = self._op("fmul", near, self._choice(small, self._real(HALF_ROOT), self._real(1.0)))
        scaled = self._op("fmul", a, self._choice(small, self._real(SCALE), self._real(1.0)))
        return Exact(near, self._op("fma", self._op("fneg", half), half, scaled))

    def whole(self, number: Value) -> Exact:
        """A whole number of at most 64 bits."""
        t = self.t
        if number.lo >= -(1 << 53) and number.hi <= 1 << 53:
            return Exact(t.pure("i2f", number, type="f64"))
        upper = t.pure("shr", number, t.whole(32), type="i64" if number.lo < 0 else "u64")
        lower = t.fit(number, "u32")
        high = self._op("fmul", t.pure("i2f", upper, type="f64"), self._real(2.0**32))
        return Rounding(t, "").sum(high, t.pure("i2f", lower, type="f64"))

    # ---- rounded

    def single(self, exact: Exact) -> Value:
        """As a float of 32 bits."""
        near = self.t.pure("f2f", exact.near, type="f32", imm=CANONICAL)
        if not self.mode:
            return near
        return self._stepped(near, *self._beside(self.wide(near), exact))

    def half(self, exact: Exact) -> Value:
        """As the bits of a float of 16 bits."""
        t = self.t
        near = t.pure("f2h", exact.near, type="u64")
        if not self.mode:
            return near
        back = t.pure("h2f", near, type="f32")
        above, below = self._beside(self.wide(back), exact)
        grows, shrinks = self._steps(above, below, t.pure("shr", near, t.whole(15), type="u64"))
        return t.fit(t.pure("sub", t.pure("add", near, grows), shrinks), "u16")

    def double(self, exact: Exact, *operands: Value) -> Value:
        """As a float of 64 bits. operands: what it was made of; finite ones make an infinite result too large."""
        if not self.mode or exact.rest is None:
            return exact.near
        near, rest = exact.near, exact.rest
        infinite = self._equal(self._size(near), self._real(float("inf")))
        rest = self._choice(self._both(infinite, *map(self._finite, operands)), self._op("fneg", self._signed_one(near)), rest)
        return self._stepped(near, self._less(self._real(0.0), rest), self._less(rest, self._real(0.0)))

    def _beside(self, near: Value, exact: Exact) -> tuple[Value, Value]:
        """Whether the exact result lies above what it was rounded to, and whether below."""
        above, below = self._less(near, exact.near), self._less(exact.near, near)
        if exact.rest is None:
            return above, below
        same, zero = self._equal(near, exact.near), self._real(0.0)
        return (
            self._either(above, self._both(same, self._less(zero, exact.rest))),
            self._either(below, self._both(same, self._less(exact.rest, zero))),
        )

    def _stepped(self, near: Value, above: Value, below: Value) -> Value:
        """A float, or its neighbour: numbers of one sign follow one another as their bits do."""
        t = self.t
        bits = t.pure("bits", near, type="u64")
        grows, shrinks = self._steps(above, below, self._sign(near))
        if self.mode == ODD:  # the last bit is set where anything is missing
            missing = t.pure("sel", self._either(above, below), t.whole(1), t.whole(0), type="u64")
            made = t.pure("or", t.pure("sub", bits, shrinks, type="u64"), missing, type="u64")
        else:
            made = t.pure("sub", t.pure("add", bits, grows, type="u64"), shrinks, type="u64")
        return t.pure("float", made, type=near.type)

    def _steps(self, above: Value, below: Value, sign: Value) -> tuple[Value, Value]:
        """By how much the bits of a result's size grow and shrink."""
        t = self.t
        negative = t.pure("ne", sign, t.whole(0), type="i1")
        positive = t.pure("eq", negative, t.b.truth(False), type="i1")

        def number(truth: Value) -> Value:
            return t.pure("sel", truth, t.whole(1), t.whole(0), type="u64")

        if self.mode == UP:
            return number(self._both(above, positive)), number(self._both(above, negative))
        if self.mode == DOWN:
            return number(self._both(below, negative)), number(self._both(below, positive))
        return t.whole(0), number(self._either(self._both(below, positive), self._both(above, negative)))


def mode_of(modifiers: tuple[str, ...]) -> str:
    """The rounding of an instruction: "" to the nearest."""
    return next((word for word in modifiers if word in DIRECTED), "")
