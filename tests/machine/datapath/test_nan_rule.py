"""Which NaN a result is: RISC-V's canonical one, or, where a micro-op says so, the one that an H100 gives. On both engines."""

import numpy as np
import pytest

from tests.machine.datapath.alu_model import warp
from tests.machine.two_engines import both
from warploom.isa import uop as u
from warploom.isa.uop import NUMBER, OPERATIONS, Uop, nvidia_nan
from warploom.machine.datapath.alu import execute_with_doubles
from warploom.machine.engine.unit import unit
from warploom.machine.run.tables import Tables

NAN, NVIDIA, NVIDIA_HALF = 0x7FC00000, 0x7FFFFFFF, 0x7FFF
SIGNALLING, PAYLOAD, INFINITY = 0xFF800001, 0x7FC12345, 0x7F800000
LONG = 0x7FF8000000000000
INVALID = 0xFFF8000000000000
FIRST, SECOND, THIRD, QUIET = 0x7FF0000000000001, 0xFFF4000000000002, 0x7FF8000000000003, 1 << 51
ONE, INFINITE = 0x3FF0000000000000, 0x7FF0000000000000


@unit
def run(registers, tables, lanes):
    execute_with_doubles(registers[0], tables, 0, lanes)


def result(name, *operands, nvidia=True):
    """The bits that an operation gives, whose operands lie in pairs of registers from 2 on."""
    registers = warp(32)
    for place, bits in enumerate(operands):
        registers["lane"][0, 2 + 2 * place, :32] = bits & 0xFFFFFFFF
        registers["lane"][0, 3 + 2 * place, :32] = bits >> 32
    one = Uop(name, 10, a=2, b=4 if len(operands) > 1 else u.NONE, c=6 if len(operands) > 2 else u.NONE, flags=nvidia_nan(name) * nvidia)
    after = both(run, registers, Tables(uops=np.array([one.row()], np.int32)), 32)[1][0]
    low, high = after["lane"][0, 10:12, 5].tolist()
    return low | high << 32 if "d" in OPERATIONS[NUMBER[name]].pairs else low


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("name", "operands"),
    [
        *((name, (nan, 0x3F800000, PAYLOAD)) for name in ("fadd", "fsub", "fmul", "fma", "fmad", "fdiv") for nan in (SIGNALLING, PAYLOAD)),
        ("fsub", (INFINITY, INFINITY)), ("fmul", (INFINITY, 0)), ("fdiv", (0, 0)),
        ("fmin", (SIGNALLING, PAYLOAD)), ("fmax", (SIGNALLING, PAYLOAD)), ("floor", (PAYLOAD,)), ("fround", (PAYLOAD, 0)),
        *((name, (PAYLOAD,)) for name in ("fsqrt", "frcp", "frsqrt", "fsin", "fcos", "fexp2", "flog2")),
        ("fsqrt", (0xBF800000,)), ("flog2", (0xBF800000,)), ("fsin", (INFINITY,)), ("frsqrt", (0xBF800000,)), ("h2f", (0x7C01,)),
    ],
)  # fmt: skip
def test_a_nan_of_32_bits_is_all_ones(name, operands):
    assert result(name, *operands) == NVIDIA
    assert result(name, *operands, nvidia=False) == NAN


def test_a_nan_of_16_bits_is_all_ones():
    assert result("f2h", PAYLOAD) == NVIDIA_HALF
    assert result("f2h", PAYLOAD, nvidia=False) == 0x7E00


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        *((name, (FIRST, SECOND), SECOND | QUIET) for name in ("dadd", "dsub", "dmul", "dmin", "dmax")),
        ("ddiv", (FIRST, SECOND), FIRST | QUIET),
        ("ddiv", (ONE, SECOND), SECOND | QUIET),
        ("dadd", (FIRST, ONE), FIRST | QUIET),
        ("dfma", (FIRST, SECOND, THIRD), SECOND | QUIET),
        ("dfma", (FIRST, ONE, THIRD), THIRD | QUIET),
        ("dfma", (FIRST, ONE, ONE), FIRST | QUIET),
        ("dfma", (INFINITE, 0, THIRD), THIRD | QUIET),
        ("dfma", (INFINITE, 0, ONE), INVALID),
        ("dmul", (INFINITE, 0), INVALID),
        ("dsub", (INFINITE, INFINITE), INVALID),
        ("ddiv", (0, 0), INVALID),
        ("dsqrt", (ONE | 1 << 63,), INVALID),
        ("dsqrt", (FIRST,), FIRST | QUIET),
        ("f2d", (SIGNALLING,), 0xFFF8000020000000),
        ("d2f", (0xFFF0000040000000,), 0xFFC00002),
        ("d2h", (0xFFF0040000000000,), 0xFE01),
    ],
)
def test_a_nan_of_64_bits_is_an_operands(name, operands, expected):
    assert result(name, *operands) == expected
    assert result(name, *operands, nvidia=False) == {"d2f": NAN, "d2h": 0x7E00}.get(name, LONG)


def test_the_flag_is_for_all_operations_that_make_a_nan():
    """A table of names: each is an operation, and a float comes out of it."""
    assert set(NUMBER) >= u.MAKES_NAN
    floats = {name for name in NUMBER if name[0] in "fd" and OPERATIONS[NUMBER[name]].datapath in (u.FLOATING_POINT, u.DOUBLE_PRECISION)}
    others = {"feq", "flt", "fle", "deq", "dlt", "dle", "fclass", "f2i", "f2u", "fnan", "d2i", "d2u", "d2l", "d2ul"}
    assert floats - others == {name for name in u.MAKES_NAN if name in floats}
