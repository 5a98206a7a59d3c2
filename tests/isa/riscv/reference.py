"""What RV32IMAF's instructions mean, in Python's integers and fractions. Written from the specification alone."""

import math
from fractions import Fraction

WORD = (1 << 32) - 1
NAN, INFINITY = 0x7FC00000, 0x7F800000
NX, UF, OF, DZ, NV = 1, 2, 4, 8, 16
RNE, RTZ, RDN, RUP, RMM = range(5)


def signed(word):
    return word - (1 << 32) if word >> 31 else word


def quotient(a, b):
    return int(Fraction(a, b)) if b else -1  # towards zero


def remainder(a, b):
    return a - b * quotient(a, b) if b else a


INTEGER = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "sll": lambda a, b: a << (b & 31),
    "slt": lambda a, b: signed(a) < signed(b),
    "sltu": lambda a, b: a < b,
    "xor": lambda a, b: a ^ b,
    "srl": lambda a, b: a >> (b & 31),
    "sra": lambda a, b: signed(a) >> (b & 31),
    "or": lambda a, b: a | b,
    "and": lambda a, b: a & b,
    "mul": lambda a, b: a * b,
    "mulh": lambda a, b: signed(a) * signed(b) >> 32,
    "mulhsu": lambda a, b: signed(a) * b >> 32,
    "mulhu": lambda a, b: a * b >> 32,
    "div": lambda a, b: quotient(signed(a), signed(b)),
    "divu": quotient,
    "rem": lambda a, b: remainder(signed(a), signed(b)),
    "remu": remainder,
    "czero.eqz": lambda a, b: a if b else 0,
    "czero.nez": lambda a, b: 0 if b else a,
}
ATOMIC = {
    "amoswap.w": lambda old, b: b,
    "amoadd.w": lambda old, b: old + b,
    "amoxor.w": lambda old, b: old ^ b,
    "amoand.w": lambda old, b: old & b,
    "amoor.w": lambda old, b: old | b,
    "amomin.w": lambda old, b: min(old, b, key=signed),
    "amomax.w": lambda old, b: max(old, b, key=signed),
    "amominu.w": min,
    "amomaxu.w": max,
}


def is_nan(bits):
    return bits & 0x7FFFFFFF > INFINITY


def signals(bits):
    return is_nan(bits) and not bits & 0x400000


def negative(bits):
    return bits >> 31


def is_infinite(bits):
    return bits & 0x7FFFFFFF == INFINITY


def exact(bits):
    """The fraction that a finite float stands for."""
    field, fraction = bits >> 23 & 255, bits & 0x7FFFFF
    size = Fraction(fraction | (1 << 23 if field else 0)) * Fraction(2) ** (max(field, 1) - 150)
    return -size if negative(bits) else size


def steps(size, mode, minus):
    """A magnitude rounded to a whole number."""
    whole = math.floor(size)
    rest = size - whole
    if mode == RNE:
        return whole + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1))
    if mode == RMM:
        return whole + (rest >= Fraction(1, 2))
    return whole + (rest > 0 and mode == (RDN if minus else RUP))


def rounded(number, mode, minus):
    """(bits, flags) of a fraction. minus: the sign of a zero."""
    minus = number < 0 if number else minus
    sign, size = minus << 31, abs(number)
    if not size:
        return sign, 0
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size

    def at(least):
        place = Fraction(2) ** (max(exponent, least) - 23)
        return steps(size / place, mode, minus) * place

    result = at(-126)
    flags = NX if result != size else 0
    if flags and at(-10000) < Fraction(2) ** -126:
        flags |= UF
    if result >= Fraction(2) ** 128:
        largest = mode == RTZ or (mode == RDN and not minus) or (mode == RUP and minus)
        return sign | INFINITY - largest, OF | NX
    if result < Fraction(2) ** -126:
        return sign | int(result * 2**149), flags
    exponent = result.numerator.bit_length() - result.denominator.bit_length()
    return sign | (exponent + 127 << 23) + int(result / Fraction(2) ** (exponent - 23)) - (1 << 23), flags


def added(a, b, mode):
    if is_infinite(a) or is_infinite(b):
        return (NAN, NV) if is_infinite(a) and is_infinite(b) and a != b else (a if is_infinite(a) else b, 0)
    minus = negative(a) if negative(a) == negative(b) else mode == RDN
    return rounded(exact(a) + exact(b), mode, minus)


def multiplied_added(a, b, c, mode):
    minus = negative(a) ^ negative(b)
    if (is_infinite(a) and not b << 1 & WORD) or (is_infinite(b) and not a << 1 & WORD):
        return NAN, NV
    if is_nan(c):
        return NAN, 0
    if is_infinite(a) or is_infinite(b):
        return (NAN, NV) if is_infinite(c) and negative(c) != minus else (minus << 31 | INFINITY, 0)
    if is_infinite(c):
        return c, 0
    zero = minus if minus == negative(c) else mode == RDN
    return rounded(exact(a) * exact(b) + exact(c), mode, zero)


def multiplied(a, b, mode):
    sign = (a ^ b) & 1 << 31
    if is_infinite(a) or is_infinite(b):
        return (NAN, NV) if not a << 1 & WORD or not b << 1 & WORD else (sign | INFINITY, 0)
    return rounded(exact(a) * exact(b), mode, sign >> 31)


def divided(a, b, mode):
    sign = (a ^ b) & 1 << 31
    if is_infinite(a):
        return (NAN, NV) if is_infinite(b) else (sign | INFINITY, 0)
    if is_infinite(b):
        return sign, 0
    if not b << 1 & WORD:
        return (NAN, NV) if not a << 1 & WORD else (sign | INFINITY, DZ)
    return rounded(exact(a) / exact(b), mode, sign >> 31)


def root(a, mode):
    if not a << 1 & WORD:
        return a, 0
    if negative(a):
        return NAN, NV
    if is_infinite(a):
        return a, 0
    scale = 2**400
    whole = math.isqrt(int(exact(a) * scale * scale))  # as many bits as decide any rounding; a sticky one where more follow
    sticky = Fraction(1, 2) if whole * whole != exact(a) * scale * scale else 0
    return rounded((whole + sticky) / Fraction(scale), mode, 0)


def with_nans(function, count):
    """NaN operands give the canonical NaN, a signalling one the flag."""

    def computed(*operands):
        own, mode = operands[:count], operands[-1]
        flags = NV if any(map(signals, own)) else 0
        if count == 3 and any(map(is_nan, own)):
            a, b, c = own
            if not is_nan(a) and not is_nan(b):
                return NAN, flags | multiplied_added(a, b, c, mode)[1]
            return NAN, flags
        return (NAN, flags) if any(map(is_nan, own)) else function(*own, mode)

    return computed


MINUS = 1 << 31
FLOAT = {
    "fadd.s": with_nans(added, 2),
    "fsub.s": with_nans(lambda a, b, mode: added(a, b ^ MINUS, mode), 2),
    "fmul.s": with_nans(multiplied, 2),
    "fdiv.s": with_nans(divided, 2),
}
FUSED = {
    "fmadd.s": with_nans(multiplied_added, 3),
    "fmsub.s": with_nans(lambda a, b, c, mode: multiplied_added(a, b, c ^ MINUS, mode), 3),
    "fnmsub.s": with_nans(lambda a, b, c, mode: multiplied_added(a ^ MINUS, b, c, mode), 3),
    "fnmadd.s": with_nans(lambda a, b, c, mode: multiplied_added(a ^ MINUS, b, c ^ MINUS, mode), 3),
}
ROOT = {"fsqrt.s": with_nans(root, 1)}


def to_integer(bits, mode, least, most):
    if is_nan(bits):
        return most & WORD, NV
    if is_infinite(bits):
        return (least if negative(bits) else most) & WORD, NV
    size = steps(abs(exact(bits)), mode, negative(bits))
    value = -size if negative(bits) else size
    if not least <= value <= most:
        return min(max(value, least), most) & WORD, NV
    return value & WORD, NX if value != exact(bits) else 0


TO_INTEGER = {
    "fcvt.w.s": lambda a, mode: to_integer(a, mode, -(1 << 31), (1 << 31) - 1),
    "fcvt.wu.s": lambda a, mode: to_integer(a, mode, 0, WORD),
}
FROM_INTEGER = {
    "fcvt.s.w": lambda a, mode: rounded(Fraction(signed(a)), mode, 0),
    "fcvt.s.wu": lambda a, mode: rounded(Fraction(a), mode, 0),
}


def key(bits):
    """An order of all numbers, -0 before +0."""
    return -(bits & 0x7FFFFFFF) - 1 if negative(bits) else bits


def chosen(pick):
    def computed(a, b):
        flags = NV if signals(a) or signals(b) else 0
        if is_nan(a) or is_nan(b):
            return NAN if is_nan(a) and is_nan(b) else b if is_nan(a) else a, flags
        return pick(a, b, key=key), flags

    return computed


def compared(holds, quiet):
    def computed(a, b):
        if is_nan(a) or is_nan(b):
            return 0, NV if not quiet or signals(a) or signals(b) else 0
        first, second = (key(0 if word << 1 & WORD == 0 else word) for word in (a, b))
        return int(holds(first, second)), 0

    return computed


COMPARED = {
    "feq.s": compared(lambda a, b: a == b, True),
    "flt.s": compared(lambda a, b: a < b, False),
    "fle.s": compared(lambda a, b: a <= b, False),
}
CHOSEN = {"fmin.s": chosen(min), "fmax.s": chosen(max)}
SIGNS = {
    "fsgnj.s": lambda a, b: a & ~MINUS | b & MINUS,
    "fsgnjn.s": lambda a, b: a & ~MINUS | ~b & MINUS,
    "fsgnjx.s": lambda a, b: a ^ b & MINUS,
}
