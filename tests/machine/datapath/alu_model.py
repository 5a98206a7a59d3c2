"""What the vector ALU's operations mean, one lane at a time, in Python integers, fractions and 64-bit floats.

Written from the sentences of the operation table, as naively as possible: nothing here is fast, and nothing is shared with the
machine.
"""

import math
import struct
from fractions import Fraction

import numpy as np

from tests.machine.two_engines import both
from warploom.isa import uop as u
from warploom.machine.datapath.alu import execute
from warploom.machine.datapath.register_file import WarpRegisters
from warploom.machine.engine.unit import unit, zeros
from warploom.machine.run.tables import Tables

NAN = 0x7FC00000
LARGEST = 0x7F7FFFFF
WORD = (1 << 32) - 1
NAMES = [
    operation.name
    for operation in u.OPERATIONS
    if operation.unit in (u.ALU, u.SPECIAL) and not operation.pairs and operation.name != "note"
]


def value(bits):
    """The float that 32 bits stand for."""
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(number):
    """The bits of a float that fits 32 bits without rounding."""
    return NAN if math.isnan(number) else struct.unpack("<I", struct.pack("<f", number))[0]


def signed(word):
    return word - (1 << 32) if word >> 31 else word


def nearest(exact):
    """The bits of the 32-bit float nearest to a fraction that is not 0; ties to even."""
    sign, size = (1 << 31 if exact < 0 else 0), abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    unit_in_last_place = Fraction(2) ** (max(exponent, -126) - 23)
    steps = round(size / unit_in_last_place)  # Python's round is to even
    magnitude = steps if exponent < -126 else steps + ((exponent + 126) << 23)
    return sign | min(magnitude, 0x7F800000)


def rounded(exact, double):
    """A result rounded once; exact: a function that gives it as a fraction, for finite operands. double: a 64-bit float that
    says whether it is a NaN or infinite because an operand is, and which sign a zero has."""
    if not math.isfinite(double):
        return bits_of(double)
    fraction = exact()
    return nearest(fraction) if fraction else bits_of(math.copysign(0.0, double))


def add(x, y):
    return rounded(lambda: Fraction(value(x)) + Fraction(value(y)), value(x) + value(y))


def multiply(x, y):
    return rounded(lambda: Fraction(value(x)) * Fraction(value(y)), value(x) * value(y))


def multiply_add(x, y, z):
    return rounded(lambda: Fraction(value(x)) * Fraction(value(y)) + Fraction(value(z)), value(x) * value(y) + value(z))


def divide(x, y):
    a, b = value(x), value(y)
    if b == 0:
        return NAN if a == 0 or math.isnan(a) else ((x ^ y) & 0x80000000) | 0x7F800000
    return rounded(lambda: Fraction(a) / Fraction(b) if math.isfinite(b) else Fraction(0), a / b)


def smaller(x, y, sign):
    """fmin with sign = 1; fmax is fmin of the negated numbers: sign = -1."""
    numbers = [word for word in (x, y) if not math.isnan(value(word))]
    key = lambda word: (sign * value(word), sign * math.copysign(1, value(word)))  # noqa: E731
    return min(numbers, key=key, default=NAN)


def classify(x):
    a, negative = value(x), x >> 31
    if math.isnan(a):
        return 1 << 9 if x >> 22 & 1 else 1 << 8
    kind = 3 if math.isinf(a) else 2 if abs(a) >= 2.0**-126 else 1 if a else 0
    return 1 << (3 - kind if negative else 4 + kind)


def whole(x, low, high):
    a = value(x)
    return high if math.isnan(a) else high if a >= high else low if a <= low else int(a)


def floor(x):
    a = value(x)
    if not math.isfinite(a) or a == 0:
        return bits_of(a)
    return bits_of(float(math.floor(a)))


def whole_float(x, mode):
    a = value(x)
    if not math.isfinite(a) or a == 0:
        return bits_of(a)
    away = math.floor(abs(a) + 0.5) if abs(a) < 2**24 else int(abs(a))
    to = {0: round(a), 1: math.trunc(a), 2: math.floor(a), 3: math.ceil(a), 4: away if a > 0 else -away}.get(mode, math.trunc(a))
    return bits_of(math.copysign(float(to), a))


def x86_nan(a, b, c):
    if not math.isnan(value(c)):
        return c
    return next((word | 0x400000 for word in (a, b) if math.isnan(value(word))), 0xFFC00000)


def quotient(a, b):
    return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) if b else -1


def remainder(a, b):
    return a - quotient(a, b) * b if b else a


def square_root(x):
    a = value(x)
    if a < 0 or not math.isfinite(a) or a == 0:
        return bits_of(a if a >= 0 or a == 0 else math.nan)
    scale = 300  # the root of a * 4^scale, cut to a whole number, keeps more bits than any rounding looks at
    root = math.isqrt(int(Fraction(a) * 4**scale))
    return nearest(Fraction(2 * root + (root * root != Fraction(a) * 4**scale), 2 << scale))


def half_of(number):
    """The bits of the 16-bit float nearest to a number; NumPy's, with one NaN."""
    with np.errstate(all="ignore"):
        return 0x7E00 if math.isnan(number) else int(np.float64(number).astype(np.float16).view(np.uint16))


def of_half(bits):
    number = np.array(bits & 0xFFFF, np.uint16).view(np.float16)
    return bits_of(float(number))


INTEGER = {
    "mov": lambda a, b, c: a,
    "add": lambda a, b, c: a + b,
    "sub": lambda a, b, c: a - b,
    "mul": lambda a, b, c: a * b,
    "mulh": lambda a, b, c: signed(a) * signed(b) >> 32,
    "mulhu": lambda a, b, c: a * b >> 32,
    "mulhsu": lambda a, b, c: signed(a) * b >> 32,
    "mad": lambda a, b, c: a * b + c,
    "div": lambda a, b, c: quotient(signed(a), signed(b)),
    "divu": lambda a, b, c: a // b if b else WORD,
    "rem": lambda a, b, c: remainder(signed(a), signed(b)),
    "remu": lambda a, b, c: a % b if b else a,
    "and": lambda a, b, c: a & b,
    "or": lambda a, b, c: a | b,
    "xor": lambda a, b, c: a ^ b,
    "shl": lambda a, b, c: a << b % 32,
    "shr": lambda a, b, c: a >> b % 32,
    "sra": lambda a, b, c: signed(a) >> b % 32,
    "min": lambda a, b, c: min(signed(a), signed(b)),
    "max": lambda a, b, c: max(signed(a), signed(b)),
    "minu": lambda a, b, c: min(a, b),
    "maxu": lambda a, b, c: max(a, b),
    "seq": lambda a, b, c: int(a == b),
    "sne": lambda a, b, c: int(a != b),
    "slt": lambda a, b, c: int(signed(a) < signed(b)),
    "sltu": lambda a, b, c: int(a < b),
    "compare": lambda a, b, c: {a < b: 4, a == b: 2, a > b: 1}[True],
    "sel": lambda a, b, c: a if c else b,
    "clz": lambda a, b, c: 32 - a.bit_length(),
    "ctz": lambda a, b, c: len(f"{a:032b}") - len(f"{a:032b}".rstrip("0")),
    "popc": lambda a, b, c: bin(a).count("1"),
    "brev": lambda a, b, c: int(f"{a:032b}"[::-1], 2),
    "carry": lambda a, b, c: a + b + c >> 32,
    "borrow": lambda a, b, c: int(a - b - c < 0),
    "shrd": lambda a, b, c: (a << 32 | b) >> c % 32,
}
FLOAT = {
    "fadd": lambda a, b, c: add(a, b),
    "fsub": lambda a, b, c: add(a, b ^ 0x80000000),
    "fmul": lambda a, b, c: multiply(a, b),
    "fma": multiply_add,
    "fmad": lambda a, b, c: add(multiply(a, b), c),
    "fdiv": lambda a, b, c: divide(a, b),
    "fmin": lambda a, b, c: smaller(a, b, 1),
    "fmax": lambda a, b, c: smaller(a, b, -1),
    "feq": lambda a, b, c: int(value(a) == value(b)),
    "flt": lambda a, b, c: int(value(a) < value(b)),
    "fle": lambda a, b, c: int(value(a) <= value(b)),
    "floor": lambda a, b, c: floor(a),
    "fclass": lambda a, b, c: classify(a),
    "f2i": lambda a, b, c: whole(a, -(1 << 31), (1 << 31) - 1),
    "f2u": lambda a, b, c: whole(a, 0, WORD),
    "i2f": lambda a, b, c: nearest(Fraction(signed(a))) if a else 0,
    "u2f": lambda a, b, c: nearest(Fraction(a)) if a else 0,
    "h2f": lambda a, b, c: of_half(a),
    "f2h": lambda a, b, c: half_of(value(a)),
    "fround": lambda a, b, c: whole_float(a, b),
    "fnan": x86_nan,
    "fsqrt": lambda a, b, c: square_root(a),
    "frcp": lambda a, b, c: divide(bits_of(1.0), a),
}
MODEL = INTEGER | FLOAT  # the operations of one lane, with one right answer

EDGES = [
    *(0, 1, 2, 3, 31, 32, 33, 255, 0x8000, 0x10001, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, WORD - 1, WORD),
    *(bits_of(x) for x in (1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, 3.0, -3.75, 2.0**23, 8388607.5, -8388607.5, 2.0**24 + 2)),
    *(bits_of(x) for x in (2.0**31, -(2.0**31), 2.0**31 - 128, -(2.0**31) - 256, 2.0**32, 2.0**32 - 256, -(2.0**-149))),
    *(0x7F800000, 0xFF800000, NAN, 0xFFC00000, 0x7FC12345, 0x7F800001, 0xFFBFFFFF),  # infinities, NaNs of both kinds
    *(bits_of(x) for x in (65504.0, 65519.996, 65520.0, 2.0**-14, 2.0**-24, 2.0**-25, 2.0**-25 + 2.0**-48, 1 + 2.0**-11, 1 + 3 * 2.0**-11)),
    *(0x7C00, 0xFC01, 0x03FF, 0x8400),  # 16-bit floats
    *(0x007FFFFF, 0x00800000, 0x00800001, 0x807FFFFF, LARGEST, 0x80000000 | LARGEST, 0x3F800001, 0x3F7FFFFF),
]


@unit
def run(registers, tables, lanes):
    """What both engines execute."""
    execute(registers[0], tables, 0, lanes)


def warp(lanes=64, active=None):
    """The registers of one warp whose first lanes, or those of a list of numbers, are active."""
    registers = zeros(1, WarpRegisters)
    for lane in range(lanes):
        registers["active"][0, lane] = WORD if active is None or lane in active else 0
    return registers


def executed(registers, uop, lanes=64):
    """The registers after a micro-op, on both engines."""
    return both(run, registers, Tables(uops=np.array([uop.row()], np.int32)), lanes)[1][0]


def compute(name, a, b=(), c=()):
    """An operation over lists of words, as many lanes at a time as there are; returns a list of words."""
    found = []
    for start in range(0, len(a), 64):
        registers = warp()
        for row, words in enumerate((a, b, c), 1):
            part = list(words)[start : start + 64]
            registers["lane"][0, row, : len(part)] = part
        after = executed(registers, u.Uop(name, 4, a=1, b=2, c=3))
        found += after["lane"][0, 4, : len(a[start : start + 64])].tolist()
    return found
