"""64-bit floats on pairs of registers: every operation against NumPy or exact fractions, bit for bit, on both engines."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.datapath.alu_model import WORD, half_of, warp
from tests.machine.programs import FREE, THREAD, Assembly, finished
from tests.machine.two_engines import both
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.table_check import ProgramError
from warploom.isa.uop import IMMEDIATE, NEGATE_PREDICATE, NONE, Uop, scalar
from warploom.machine.accounting.status import LaunchError
from warploom.machine.datapath.alu import execute_with_doubles
from warploom.machine.datapath.double_precision import _half_of
from warploom.machine.datapath.register_file import WarpRegisters
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.run.tables import Tables

DOUBLES = [operation for operation in u.OPERATIONS if operation.datapath == u.DOUBLE_PRECISION]
NAN = 0x7FF8000000000000
LONG = (1 << 64) - 1
NUMBERS = [
    *(1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 3.0, 1 + 2.0**-52, 1 - 2.0**-53, 2.0**53 + 2, -0.75, 1 + 2.0**-24, 1 + 3 * 2.0**-24),
    *(2.0**31, -(2.0**31), 2.0**31 - 0.5, -(2.0**31) - 0.5, 2.0**32, 2.0**32 - 0.5),
    *(2.0**63, -(2.0**63), 2.0**63 - 1024, 2.0**64, 2.0**64 - 2048),
    *(65504.0, 65519.99999999999, 65520.0, 2.0**-14, 2.0**-25, 2.0**-25 + 2.0**-60, 2.0**-24 * 1.5),  # where 16-bit floats do
    *(1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 3 * 2.0**-11 - 2.0**-52),  # halfway between two of them, to the even one
    *(1 + 2.0**-11 + 2.0**-30, 1 + 2.0**-11 - 2.0**-40),  # rounded to 32 bits first, these are halfway
    *(2.0**-149, 2.0**-150, 2.0**128, 2.0**128 - 2.0**103),  # where 32-bit floats begin and end
]
EDGES = [
    *(0, 1, 1 << 63, (1 << 63) | 1, LONG, (1 << 63) - 1, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF),
    *(0x7FF0000000000000, 0xFFF0000000000000, NAN, 0xFFF8000000000000, 0x7FF0000000000001, 0x7FF8000000012345),
    *(struct.unpack("<Q", struct.pack("<d", x))[0] for x in NUMBERS),
]


def value(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def bits_of(number):
    return NAN if math.isnan(number) else struct.unpack("<Q", struct.pack("<d", number))[0]


def single(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def signed(bits, width):
    return bits - (1 << width) if bits >> (width - 1) else bits


def numpy(operation):
    """An operation of NumPy's on 64-bit floats, as one on bits."""

    def apply(*operands):
        with np.errstate(all="ignore"):
            return bits_of(float(operation(*(np.float64(value(bits)) for bits in operands))))

    return apply


def multiply_add(x, y, z):
    a, b, c = value(x), value(y), value(z)
    if not math.isfinite(a) or not math.isfinite(b):
        return numpy(lambda p, q, r: p * q + r)(x, y, z)
    if not math.isfinite(c):
        return bits_of(c)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if not exact:
        both_negative = (x ^ y) >> 63 and z >> 63 and (not a or not b)
        return 1 << 63 if both_negative else 0
    return nearest(exact)


def nearest(exact):
    """The bits of the 64-bit float nearest to a fraction that is not 0; ties to even."""
    sign, size = (1 << 63 if exact < 0 else 0), abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    steps = round(size / Fraction(2) ** (max(exponent, -1022) - 52))
    magnitude = steps if exponent < -1022 else steps + ((exponent + 1022) << 52)
    return sign | min(magnitude, 0x7FF0000000000000)


def smaller(x, y, sign):
    numbers = [bits for bits in (x, y) if not math.isnan(value(bits))]
    return min(numbers, key=lambda bits: (sign * value(bits), sign * math.copysign(1, value(bits))), default=NAN)


def whole(x, low, high):
    a = value(x)
    return high if math.isnan(a) else high if a >= high else low if a <= low else int(a)


def to_single(x):
    with np.errstate(all="ignore"):
        found = np.float32(value(x))
    return 0x7FC00000 if np.isnan(found) else int(found.view(np.uint32))


MODEL = {
    "dadd": numpy(np.add),
    "dsub": numpy(np.subtract),
    "dmul": numpy(np.multiply),
    "dfma": multiply_add,
    "ddiv": numpy(np.divide),
    "dsqrt": numpy(np.sqrt),
    "dmin": lambda x, y: smaller(x, y, 1),
    "dmax": lambda x, y: smaller(x, y, -1),
    "deq": lambda x, y: int(value(x) == value(y)),
    "dlt": lambda x, y: int(value(x) < value(y)),
    "dle": lambda x, y: int(value(x) <= value(y)),
    "f2d": lambda x: bits_of(single(x)),
    "d2f": to_single,
    "d2h": lambda x: half_of(value(x)),
    "i2d": lambda x: bits_of(float(signed(x, 32))),
    "u2d": lambda x: bits_of(float(x)),
    "d2i": lambda x: whole(x, -(1 << 31), (1 << 31) - 1) & WORD,
    "d2u": lambda x: whole(x, 0, WORD),
    "l2d": lambda x: nearest(Fraction(signed(x, 64))) if x else 0,
    "ul2d": lambda x: nearest(Fraction(x)) if x else 0,
    "d2l": lambda x: whole(x, -(1 << 63), (1 << 63) - 1) & LONG,
    "d2ul": lambda x: whole(x, 0, LONG),
}
A, B, C, D = 10, 12, 14, 16  # where the pairs lie


@unit
def run(registers, tables, lanes):
    """What both engines execute."""
    execute_with_doubles(registers[0], tables, 0, lanes)


def compute(name, rows, lanes=64, **fields):
    """An operation over rows of operands, up to 64 at a time; returns its results as numbers, with the registers after the last."""
    operation = u.OPERATIONS[u.NUMBER[name]]
    letters = [letter for letter in "abc" if letter in operation.operands]
    found, after = [], None
    for start in range(0, len(rows), lanes):
        part = rows[start : start + lanes]
        registers = warp(lanes)
        registers["lane"][0, D : D + 2] = 0xDEADBEEF
        for place, column in zip((A, B, C), range(len(letters)), strict=False):
            for lane, operands in enumerate(part):
                registers["lane"][0, place, lane] = operands[column] & WORD
                registers["lane"][0, place + 1, lane] = operands[column] >> 32
        uop = Uop(name, D, **dict(zip(letters, (A, B, C), strict=False)), **fields)
        after = both(run, registers, Tables(uops=np.array([uop.row()], np.int32)), lanes)[1][0]
        low, high = after["lane"][0, D, : len(part)].tolist(), after["lane"][0, D + 1, : len(part)].tolist()
        found += [x | y << 32 if "d" in operation.pairs else x for x, y in zip(low, high, strict=True)]
        if "d" not in operation.pairs:
            assert set(high) == {0xDEADBEEF}
    return found, after


def operands_of(name):
    return [letter for letter in "abc" if letter in u.OPERATIONS[u.NUMBER[name]].operands]


def narrowed(name, bits):
    """A word where the operation takes a word."""
    return bits if "a" in u.OPERATIONS[u.NUMBER[name]].pairs else (bits >> 32 ^ bits) & WORD


def test_every_operation_on_pairs_has_a_model():
    assert set(MODEL) == {operation.name for operation in DOUBLES}


@pytest.mark.every(3)
@pytest.mark.parametrize("name", MODEL)
def test_an_operation_means_what_the_table_says_for_edge_values(name):
    count = len(operands_of(name))
    rows = [(narrowed(name, x), y, EDGES[(7 * k) % len(EDGES)])[:count] for k, x in enumerate(EDGES) for y in (EDGES if count > 1 else [0])]
    assert compute(name, rows)[0] == [MODEL[name](*row) for row in rows]


numbers = st.one_of(
    st.sampled_from(EDGES), st.integers(0, LONG), st.floats(0.5, 2).map(bits_of), st.floats(-(2.0**65), 2.0**65).map(bits_of)
)


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(sorted(MODEL)), st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=64))
def test_an_operation_means_what_the_table_says_for_any_values(name, triples):
    rows = [(narrowed(name, x), y, z)[: len(operands_of(name))] for x, y, z in triples]
    assert compute(name, rows)[0] == [MODEL[name](*row) for row in rows]


def test_a_multiply_add_is_rounded_once():
    """(1 + e) (1 - e) - 1 = -e^2 with e = 2^-52, of which a product rounded on its way keeps nothing."""
    e = 2.0**-52
    row = (bits_of(1 + e), bits_of(1 - e), bits_of(-1.0))
    assert compute("dfma", [row])[0] == [bits_of(-e * e)]


def test_a_destination_may_overlap_a_source():
    registers = warp(4)
    registers["lane"][0, 10:14, :4] = np.array([[0], [0x3FF00000], [0], [0x40000000]])  # 1.0 and 2.0
    after = both(run, registers, Tables(uops=np.array([Uop("dadd", 11, a=10, b=12).row()], np.int32)), 4)[1][0]
    assert after["lane"][0, 11:13, 0].tolist() == [0, 0x40080000]


def test_mask_and_predicate_leave_lanes_out():
    registers = warp(4, active={0, 1, 2})
    registers["lane"][0, 10:14, :4] = np.array([[0], [0x3FF00000], [0], [0x40000000]])
    registers["scalar"][0, 2] = 0b0101
    for flags, written in ((0, [1, 0, 1, 0]), (NEGATE_PREDICATE, [0, 1, 0, 0])):
        uop = Uop("dmul", 16, a=10, b=12, predicate=scalar(2), flags=flags)
        after = both(run, registers.copy(), Tables(uops=np.array([uop.row()], np.int32)), 4)[1][0]
        assert (after["lane"][0, 17, :4] != 0).astype(int).tolist() == written


def test_a_word_may_come_from_an_immediate_or_a_scalar_register():
    registers = warp(4)
    registers["scalar"][0, 1] = 7
    for uop, expected in ((Uop("i2d", 16, a=IMMEDIATE, imm=-3), -3.0), (Uop("u2d", 16, a=scalar(1)), 7.0)):
        after = both(run, registers.copy(), Tables(uops=np.array([uop.row()], np.int32)), 4)[1][0]
        assert value(int(after["lane"][0, 16, 3]) | int(after["lane"][0, 17, 3]) << 32) == expected


def axpy():
    """memory[8 t] = 2.5 t + 1, as 64-bit floats."""
    code = Assembly()
    code("i2d", dst=FREE, a=THREAD)
    code("i2d", dst=FREE + 2, a=IMMEDIATE, imm=5)
    code("i2d", dst=FREE + 4, a=IMMEDIATE, imm=2)
    code("ddiv", dst=FREE + 2, a=FREE + 2, b=FREE + 4)
    code("i2d", dst=FREE + 4, a=IMMEDIATE, imm=1)
    code("dfma", dst=FREE + 6, a=FREE, b=FREE + 2, c=FREE + 4)
    code.op("shl", FREE + 8, THREAD, imm=3)
    code.store(FREE + 8, FREE + 6)
    code.store(FREE + 8, FREE + 7, 4)
    code("exit")
    return code


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_program_computes_with_doubles(engine):
    machine = finished(axpy().program(threads=4), engine=engine)
    assert machine.memory.view(np.float64)[:4].tolist() == [1.0, 3.5, 6.0, 8.5]


def test_the_scoreboard_knows_both_registers_of_a_pair():
    builder = ProgramBuilder()
    builder.add([Uop("dfma", 10, a=12, b=14, c=16)], text="dfma")
    builder.add([Uop("dlt", 10, a=12, b=14)], text="dlt")
    rows = builder.arrays()[1]
    groups = [set(row[u.USE : u.USE + row[u.USES]].tolist()) for row in rows]
    assert groups == [set(range(10, 18)), {10, 12, 13, 14, 15}]
    assert rows[:, u.WRITES].tolist() == [2, 1]


@pytest.mark.parametrize(
    ("uop", "said"),
    [
        (Uop("dadd", 30, a=31, b=4), "source A 31: it is a pair of lane registers, this one and the next"),
        (Uop("dadd", 31, a=2, b=4), "destination 31: it is a pair of lane registers"),
        (Uop("dmul", 4, a=2, b=IMMEDIATE), "source B -2: it is a pair of lane registers"),
        (Uop("dlt", scalar(0), a=2, b=4), "destination 65536: dlt writes lane registers"),
        (Uop("d2i", 4, a=2, size=1), "size 1: d2i has no other than 4"),
    ],
)
def test_what_is_no_pair_is_refused(uop, said):
    code = Assembly()
    code.bundle({name: getattr(uop, name) for name in ("name", "dst", "a", "b", "c", "size") if getattr(uop, name) != NONE})
    code("exit")
    with pytest.raises(ProgramError, match=said):
        GPU("sm").run(code.program(registers=32))


def test_a_machine_without_such_floats_refuses_them():
    with pytest.raises(LaunchError, match="64-bit floats"):
        GPU("tiny").run(axpy().program(threads=4))


def test_a_16_bit_float_is_rounded_once():
    """Rounded to 32 bits first, 1 + 2^-11 + 2^-30 would be halfway between two 16-bit floats, and become the even one."""
    number = bits_of(1 + 2.0**-11 + 2.0**-30)
    assert compute("d2h", [(number,)])[0] == [0x3C01]


@pytest.mark.parametrize("elevenths, expected", [(1, 0x3C00), (3, 0x3C02), (5, 0x3C02), (7, 0x3C04), (2047, 0x4000)])
def test_halfway_between_two_16_bit_floats_is_the_even_one(elevenths, expected):
    (registers,) = mirror(zeros(1, WarpRegisters))
    for sign in (0, 0x8000):
        registers.wide[0, 3] = np.uint64(bits_of((-1 if sign else 1) * (1 + elevenths * 2.0**-11)))
        assert _half_of(registers, 3) == sign | expected
