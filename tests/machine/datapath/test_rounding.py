"""Rounding modes and flags of 32-bit floats, micro-op by micro-op, against exact fractions, on both engines."""

import random
from itertools import product

import numpy as np
import pytest

from tests.isa.riscv import reference
from tests.isa.riscv.test_lowering import FLOAT_EDGES
from tests.machine.datapath.alu_model import warp
from tests.machine.two_engines import both
from warploom.gpu import GPU
from warploom.isa.program import Program
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import IMMEDIATE, Uop, scalar
from warploom.machine.accounting.status import LaunchError
from warploom.machine.datapath.alu import execute_with_rounding
from warploom.machine.datapath.rounding import DOWN, INEXACT, INVALID, NEAREST_EVEN, UNDERFLOW, UP, round_float, round_int
from warploom.machine.engine.unit import unit
from warploom.machine.run.tables import Tables

LANES = 64
A, B, C, PAIR, VALUE, FLAGS = 1, 2, 3, 4, 6, 7
EXACT = {
    "exact_add": lambda a, b, c, mode: reference.FLOAT["fadd.s"](a, b, mode),
    "exact_sub": lambda a, b, c, mode: reference.FLOAT["fsub.s"](a, b, mode),
    "exact_mul": lambda a, b, c, mode: reference.FLOAT["fmul.s"](a, b, mode),
    "exact_div": lambda a, b, c, mode: reference.FLOAT["fdiv.s"](a, b, mode),
    "exact_fma": reference.FUSED["fmadd.s"],
    "exact_sqrt": lambda a, b, c, mode: reference.ROOT["fsqrt.s"](a, mode),
    "exact_int": lambda a, b, c, mode: reference.FROM_INTEGER["fcvt.s.w"](a, mode),
    "exact_uint": lambda a, b, c, mode: reference.FROM_INTEGER["fcvt.s.wu"](a, mode),
}


@unit
def three(registers, tables, lanes):
    """The three micro-ops of an operation."""
    for k in range(3):
        execute_with_rounding(registers[0], tables, k, lanes)


@unit
def one(registers, tables, lanes):
    """One micro-op."""
    execute_with_rounding(registers[0], tables, 0, lanes)


def rounded(exact, rounding, mode, rows):
    """(value, flags) by lane."""
    uops = [Uop(exact, dst=PAIR, a=A, b=B, c=C)]
    for name, target in ((rounding, VALUE), (f"{rounding}_flags", FLAGS)):
        uops.append(Uop(name, dst=target, a=PAIR, b=IMMEDIATE, imm=mode))
    registers = warp()
    for register, row in zip((A, B, C), rows, strict=True):
        registers["lane"][0, register, :LANES] = row
    after = both(three, registers, Tables(uops=np.array([uop.row() for uop in uops], np.int32)), LANES)[1][0]
    return list(zip(after["lane"][0, VALUE, :LANES].tolist(), after["lane"][0, FLAGS, :LANES].tolist(), strict=True))


def operands(seed):
    source = random.Random(seed)
    return [[source.choice([source.choice(FLOAT_EDGES), source.getrandbits(32)]) for _ in range(LANES)] for _ in range(3)]


@pytest.mark.parametrize("exact", ["exact_add", "exact_sub", "exact_mul", "exact_div", "exact_fma"])
def test_a_quiet_nan_beside_an_infinity_raises_no_flag_and_a_signalling_one_does(exact):
    """IEEE 754, sections 6.2 and 7.2."""
    infinity, one, quiet, signalling = 0x7F800000, 0x3F800000, 0x7FC00001, 0x7F800001
    others = [infinity, infinity | 1 << 31, one, quiet]
    for nan, flag in ((quiet, 0), (signalling, 16)):
        rows = [[*others, *[nan] * 4], [*[nan] * 4, *others], [one] * 8]
        padded = [row + [one] * (LANES - 8) for row in rows]
        assert rounded(exact, "round_float", 0, padded)[:8] == [(0x7FC00000, flag)] * 8


def test_operands_may_all_be_the_same_in_every_lane():
    """Two scalar registers and the immediate: 6 * 7 + 5."""
    six, seven, five = (int(np.float32(value).view(np.uint32)) for value in (6, 7, 5))
    registers = warp()
    registers["scalar"][0, :2] = six, five
    row = Uop("exact_fma", dst=PAIR, a=scalar(0), b=IMMEDIATE, c=scalar(1), imm=seven).row()
    after = both(one, registers, Tables(uops=np.array([row], np.int32)), LANES)[1][0]
    low, high = after["lane"][0, PAIR : PAIR + 2, :LANES].astype(np.uint64)
    assert (high << np.uint64(32) | low).view(np.float64).tolist() == [47.0] * LANES


@pytest.mark.parametrize("exact", EXACT)
@pytest.mark.parametrize("mode", range(5))
def test_results_and_flags_of_floats(exact, mode):
    rows = operands(mode)
    wanted = [EXACT[exact](a, b, c, mode) for a, b, c in zip(*rows, strict=True)]
    assert rounded(exact, "round_float", mode, rows) == wanted


@pytest.mark.parametrize("mode", range(5))
def test_results_and_flags_of_integers(mode):
    rows = operands(mode + 5)
    for rounding, name in (("round_int", "fcvt.w.s"), ("round_uint", "fcvt.wu.s")):
        wanted = [reference.TO_INTEGER[name](a, mode) for a in rows[0]]
        assert rounded("exact_float", rounding, mode, rows) == wanted


def test_a_lane_that_does_not_take_part_keeps_both_registers_of_the_pair():
    registers = warp(active=[1])
    registers["lane"][0, A] = 0x3F800000
    registers["lane"][0, PAIR : PAIR + 2] = 77
    uops = np.array([Uop("exact_float", dst=PAIR, a=A).row()], np.int32)
    after = both(one, registers, Tables(uops=uops), LANES)[1][0]
    assert after["lane"][0, PAIR, :3].tolist() == [77, 0, 77]
    assert after["lane"][0, PAIR + 1, :3].tolist() == [77, 0x3FF00000, 77]


def test_a_program_with_both_kinds_of_floats_is_refused():
    builder = ProgramBuilder()
    builder.add([Uop("exact_int", dst=PAIR, a=A)], text="one")
    builder.add([Uop("i2d", dst=PAIR, a=A)], text="other")
    builder.add([Uop("exit")], text="end")
    uops, code, text = builder.arrays()
    program = Program("test", "test", uops, code, text, 8, ())
    with pytest.raises(LaunchError, match="neither 64-bit floats nor notes"):
        GPU("sm", engine="python").run(program)


@pytest.mark.parametrize(
    ("mode", "value", "flags"),
    [(UP, 0x0080_0000, INEXACT), (NEAREST_EVEN, 0x0080_0000, INEXACT | UNDERFLOW), (DOWN, 0x007F_FFFF, INEXACT | UNDERFLOW)],
)
def test_what_rounding_makes_the_smallest_normal_number_is_tiny_only_if_it_stays_below_with_exponents_without_an_end(mode, value, flags):
    """IEEE 754-2019, 7.5, tininess after rounding: 24 ones from 2**-127 on, and a one 28 places behind the last of them."""
    bits = np.uint64((1023 - 127) << 52 | (1 << 23) - 1 << 29 | 1)
    assert tuple(map(int, round_float(bits, mode))) == (value, flags)


@pytest.mark.parametrize("mode", range(5))
@pytest.mark.parametrize("exact", ["exact_add", "exact_sub", "exact_fma"])
def test_zeros_of_like_signs_keep_it_and_a_sum_that_cancels_has_that_of_the_rounding_mode(exact, mode):
    """IEEE 754, section 6.3: every pair of zeros, of ones and of one and zero, with each sign."""
    zero, one, sign = 0, 0x3F800000, 1 << 31
    numbers = [zero, zero | sign, one, one | sign]
    given = [(a, b, c) for a, b, c in product(numbers, repeat=3)]
    assert rounded(exact, "round_float", mode, list(zip(*given, strict=True))) == [EXACT[exact](*row, mode) for row in given]


@pytest.mark.parametrize("mode", range(5))
@pytest.mark.parametrize(("signed", "smallest", "largest"), [(0, 0, (1 << 32) - 1), (1, 1 << 31, (1 << 31) - 1)])
def test_what_no_integer_holds_becomes_the_nearest_one_and_any_nan_the_largest(signed, smallest, largest, mode):
    """RISC-V, "Single-precision floating-point conversion and move instructions": NaNs of either sign, and what is too large."""
    invalid = [(np.nan, largest), (np.inf, largest), (-np.inf, smallest), (2.0**32, largest), (-(2.0**32), smallest), (1e300, largest)]
    for number, value in [*invalid, (-1e300, smallest), (2.0**40, largest)]:
        assert tuple(map(int, round_int(np.float64(number).view(np.uint64), mode, signed))) == (value, INVALID), number
    for bits in (0xFFF8 << 48, 0xFFF0 << 48 | 1, 0x7FF0 << 48 | 1):
        assert tuple(map(int, round_int(np.uint64(bits), mode, signed))) == (largest, INVALID), hex(bits)
