"""MUFU by tables of recorded results: the argument's place in a table, and the exponent and the sign of the result.

In each function an argument without sign has exponent e and mantissa m. Found on an H100, and true of all of its recorded results:

* Subnormal arguments are zeros, and so are subnormal results.
* RCP is the same in every binade; RSQ and SQRT in every other one.
* EX2 takes 23 bits of the fraction, the rest cut off; of a negative argument the complement of the fraction, unless that is 0.
* LG2 adds the logarithm of the mantissa to the exponent, and cuts off what does not fit; of an argument below 1/2, the one of m / 2.
* SIN and COS take 25 bits of the fraction of a turn, the rest cut off, and in every other quarter their complement.
* TANH was recorded from 1/4 to 2. Outside it is computed.
"""

from __future__ import annotations

from collections.abc import Mapping

from warploom.isa.sass.code import ONE, ZERO, Code, Number, Operand

COS, SIN, EX2, LG2, RCP, RSQ = range(6)
SQRT, TANH = 8, 9
TABLE_OF: Mapping[int, str] = {COS: "sin", SIN: "sin", EX2: "ex2", LG2: "lg2", RCP: "rcp", RSQ: "rsq", SQRT: "sqrt", TANH: "tanh"}
SIGN, LARGEST, INFINITY, NAN = 0x80000000, 0x7FFFFFFF, 0x7F800000, 0x7FFFFFFF
HIDDEN_ONE, MANTISSA, SMALLEST = 1 << 23, (1 << 23) - 1, 0x00800000
MINUS_INFINITY = 0xFF800000


class _Argument:
    """An argument in its parts."""

    def __init__(self, code: Code, value: Operand) -> None:
        self.code = code
        self.bits = code.new("mov", value)
        self.size = code.new("and", self.bits, Number(LARGEST))
        self.sign = code.new("and", self.bits, Number(SIGN))
        self.exponent = code.new("shr", self.size, Number(23))
        self.mantissa = code.new("and", self.size, Number(MANTISSA))
        self.zero = code.new("seq", self.exponent, ZERO)

    def choose(self, where: Operand, one: Operand, other: Operand) -> int:
        """One where a truth value holds, else the other."""
        return self.code.new("sel", one, other, where)

    def finished(self, found: Operand, of_zero: Operand, of_infinity: Operand, of_negative: Operand | None = None) -> int:
        """A result, with those of arguments that no table has."""
        code = self.code
        if of_negative is not None:
            found = self.choose(code.new("sne", self.sign, ZERO), of_negative, found)
        found = self.choose(self.zero, of_zero, found)
        infinite = code.new("seq", self.size, Number(INFINITY))
        if of_negative is not None:
            infinite = code.new("seq", self.bits, Number(INFINITY))
        found = self.choose(infinite, of_infinity, found)
        return self.choose(code.new("sltu", Number(INFINITY), self.size), Number(NAN), found)


def exact(code: Code, which: int, value: Operand, first: int, computed: Operand | None = None) -> int:
    """The result of a function. first: of its table, in words. computed: what TANH is where it was not recorded."""
    one = _Argument(code, value)
    if which in (SIN, COS):
        return _circular(one, which, first)
    if which == TANH:
        assert computed is not None
        row = code.new("sub", one.exponent, Number(125))
        place = code.new("add", code.new("shl", row, Number(23)), one.mantissa)
        found = code.new("or", code.new("look_up", place, imm=first), one.sign)
        return one.choose(code.new("sltu", row, Number(3)), found, computed)
    return {RCP: _reciprocal, RSQ: _root, SQRT: _root, EX2: _power, LG2: _logarithm}[which](one, which, first)


def _scaled(one: _Argument, found: Operand, exponents: Operand) -> int:
    """Bits whose exponent is larger by so many; 0 where that would be subnormal."""
    code = one.code
    bits = code.new("add", found, code.new("shl", exponents, Number(23)))
    return one.choose(code.new("slt", bits, Number(SMALLEST)), ZERO, bits)


def _reciprocal(one: _Argument, which: int, first: int) -> int:
    code = one.code
    found = code.new("look_up", one.mantissa, imm=first)
    found = code.new("or", _scaled(one, found, code.new("sub", Number(127), one.exponent)), one.sign)
    return one.finished(found, code.new("or", one.sign, Number(INFINITY)), one.sign)


def _root(one: _Argument, which: int, first: int) -> int:
    """RSQ and SQRT."""
    code = one.code
    odd = code.new("xor", code.new("and", one.exponent, ONE), ONE)
    found = code.new("look_up", code.new("or", code.new("shl", odd, Number(23)), one.mantissa), imm=first)
    half = code.new("sra", code.new("sub", code.new("sub", one.exponent, Number(127)), odd), ONE)
    if which == SQRT:
        return one.finished(_scaled(one, found, half), one.sign, Number(INFINITY), Number(NAN))
    infinity = code.new("or", one.sign, Number(INFINITY))
    return one.finished(_scaled(one, found, code.new("sub", ZERO, half)), infinity, ZERO, Number(NAN))


def _fixed(one: _Argument, bits: int) -> int:
    """An argument's size with so many bits after the point, the rest cut off; modulo 2^32."""
    code = one.code
    whole = code.new("or", one.mantissa, Number(HIDDEN_ONE))
    ahead = code.new("sub", one.exponent, Number(127 + 23 - bits))
    behind = code.new("sub", ZERO, ahead)
    larger = one.choose(code.new("sltu", ahead, Number(32)), code.new("shl", whole, ahead), ZERO)
    smaller = one.choose(code.new("sltu", behind, Number(32)), code.new("shr", whole, behind), ZERO)
    return one.choose(code.new("slt", ahead, ZERO), smaller, larger)


def _power(one: _Argument, which: int, first: int) -> int:
    code = one.code
    fixed = _fixed(one, 23)
    negative = code.new("sne", one.sign, ZERO)
    fraction, whole = code.new("and", fixed, Number(MANTISSA)), code.new("shr", fixed, Number(23))
    turned = code.new("and", negative, code.new("sne", fraction, ZERO))
    fraction = one.choose(turned, code.new("xor", fraction, Number(MANTISSA)), fraction)
    whole = one.choose(negative, code.new("sub", code.new("sub", ZERO, whole), turned), whole)
    found = _scaled(one, code.new("look_up", fraction, imm=first), whole)
    beyond = one.choose(negative, ZERO, Number(INFINITY))
    found = one.choose(code.new("sltu", Number(133), one.exponent), beyond, found)
    return one.finished(found, Number(0x3F800000), beyond)


def _logarithm(one: _Argument, which: int, first: int) -> int:
    code = one.code
    low = code.new("sltu", one.exponent, Number(127))
    place = code.new("or", code.new("shl", low, Number(23)), one.mantissa)
    direct = code.new("look_up", place, imm=first)
    whole = one.choose(low, code.new("sub", Number(126), one.exponent), code.new("sub", one.exponent, Number(127)))
    top = code.new("sub", Number(31), code.new("clz", code.new("or", whole, ONE)))
    room = code.new("sub", Number(23), top)
    # The logarithm of the mantissa, at most 1, times 2^room: exact, and then cut off.
    size = code.new("and", direct, Number(LARGEST))
    scaled = code.new("fmul", size, code.new("shl", code.new("add", room, Number(127)), Number(23)))
    bits = code.new("shl", code.new("add", top, Number(127)), Number(23))
    bits = code.new("add", bits, code.new("and", code.new("shl", whole, room), Number(MANTISSA)))
    bits = code.new("add", bits, code.new("f2i", scaled))
    found = code.new("or", bits, code.new("shl", low, Number(31)))
    found = one.choose(code.new("seq", whole, ZERO), direct, found)
    return one.finished(found, Number(MINUS_INFINITY), Number(INFINITY), Number(NAN))


def _circular(one: _Argument, which: int, first: int) -> int:
    code = one.code
    fixed = one.choose(one.zero, ZERO, _fixed(one, 25))
    quarter = code.new("and", code.new("add", code.new("shr", fixed, Number(23)), Number(which == COS)), Number(3))
    step = code.new("and", fixed, Number(MANTISSA))
    odd = code.new("and", quarter, ONE)
    found = code.new("look_up", one.choose(odd, code.new("xor", step, Number(MANTISSA)), step), imm=first)
    whole = code.new("and", odd, code.new("seq", step, ZERO))
    found = one.choose(whole, Number(0x3F800000), found)
    found = code.new("xor", found, code.new("shl", code.new("shr", quarter, ONE), Number(31)))
    if which == SIN:
        found = code.new("xor", found, one.sign)
    return one.choose(code.new("sltu", one.exponent, Number(255)), found, Number(NAN))
