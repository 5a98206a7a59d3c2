"""Atomics on 64 bits, on floats and on counters that wrap, against Python's numbers, bit for bit, on both engines."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.core.load_store.test_atomic import MEANING as ON_WORDS
from tests.machine.datapath.alu_model import EDGES as WORD_EDGES
from tests.machine.datapath.alu_model import WORD, smaller, warp
from tests.machine.datapath.alu_model import add as add_floats
from tests.machine.datapath.test_double_precision import EDGES as LONG_EDGES
from tests.machine.datapath.test_double_precision import LONG, bits_of, signed, value
from tests.machine.two_engines import both
from warploom.isa.needs import MORE_ATOMICS
from warploom.isa.uop import NUMBER, OPERATIONS
from warploom.machine.core.load_store.wide_atomic import FADD, FMAX, FMIN, _float_32, atomic_double_word, atomic_word
from warploom.machine.engine.unit import unit

NAN = 0x7FF8000000000000


def add_doubles(x, y):
    with np.errstate(all="ignore"):
        return bits_of(float(np.float64(value(x)) + np.float64(value(y))))


def smaller_double(x, y, sign):
    numbers = [bits for bits in (x, y) if not math.isnan(value(bits))]
    return min(numbers, key=lambda bits: (sign * value(bits), sign * math.copysign(1, value(bits))), default=NAN)


def wrapping(old, b, c):
    return 0 if old >= b else old + 1


def falling(old, b, c):
    return b if old == 0 or old > b else old - 1


def add_halves(old, b):
    """Both halves, in 64 bits, which are exact; a NaN is 0x7fff."""
    one, other = (np.array([value], np.uint32).view(np.float16).astype(np.float64) for value in (old, b))
    with np.errstate(all="ignore"):
        total = (one + other).astype(np.float16)
    return int(np.where(np.isnan(total), np.uint16(0x7FFF), total.view(np.uint16)).astype(np.uint16).view(np.uint32)[0])


def add_bfloats(old, b):
    """Both halves as high halves of floats, exactly, rounded by hand; a NaN is 0x7fff."""
    found = 0
    for place in (0, 16):
        halves = np.array([(value >> place & 0xFFFF) << 16 for value in (old, b)], np.uint32)
        one, other = halves.view(np.float32).astype(np.longdouble)
        with np.errstate(all="ignore"):
            total = one + other
            if np.isnan(total):
                found |= 0x7FFF << place
                continue
            if np.isinf(total) or total == 0:
                found |= int(np.array([total], np.float32).view(np.uint32)[0]) >> 16 << place
                continue
            unit = np.ldexp(np.longdouble(1), max(int(np.frexp(total)[1]) - 8, -133))
            rounded = np.rint(total / unit) * unit
            found |= int(np.array([rounded], np.longdouble).astype(np.float32).view(np.uint32)[0]) >> 16 << place
    return found


ON_32_BITS = {
    "atomic_inc": wrapping, "atomic_dec": falling, "atomic_rsub": lambda old, b, c: b - old & WORD,
    "atomic_fadd": lambda old, b, c: add_floats(old, b),
    "atomic_fmin": lambda old, b, c: smaller(old, b, 1), "atomic_fmax": lambda old, b, c: smaller(old, b, -1),
    "atomic_hadd": lambda old, b, c: add_halves(old, b), "atomic_bfadd": lambda old, b, c: add_bfloats(old, b),
}  # fmt: skip
ON_64_BITS = {
    "atomic_add": lambda old, b, c: (old + b) & LONG, "atomic_min": lambda old, b, c: min(signed(old, 64), signed(b, 64)) & LONG,
    "atomic_max": lambda old, b, c: max(signed(old, 64), signed(b, 64)) & LONG, "atomic_minu": lambda old, b, c: min(old, b),
    "atomic_maxu": lambda old, b, c: max(old, b), "atomic_and": lambda old, b, c: old & b, "atomic_or": lambda old, b, c: old | b,
    "atomic_xor": lambda old, b, c: old ^ b, "atomic_exchange": lambda old, b, c: b,
    "atomic_cas": lambda old, b, c: c if old == b else old, "atomic_inc": wrapping, "atomic_dec": falling,
    "atomic_rsub": lambda old, b, c: b - old & LONG, "atomic_fadd": lambda old, b, c: add_doubles(old, b),
    "atomic_fmin": lambda old, b, c: smaller_double(old, b, 1),
    "atomic_fmax": lambda old, b, c: smaller_double(old, b, -1),
}  # fmt: skip
words = st.one_of(st.sampled_from(WORD_EDGES), st.integers(0, WORD))
longs = st.one_of(st.sampled_from(LONG_EDGES), st.integers(0, LONG))


@unit
def run_64(row, registers, op, memory, high, said):
    """What both engines execute."""
    said[0] = atomic_double_word(row, registers[0], op, 2, 4, memory, high)


@unit
def run_32(row, registers, op, memory, said):
    """What both engines execute."""
    said[0] = atomic_word(row, registers[0], registers[0].lane[1], op, 2, 4, memory)


def test_every_atomic_of_the_table_has_a_meaning_here():
    names = {operation.name for operation in OPERATIONS if operation.name.startswith("atomic_")}
    assert set(ON_64_BITS) == names - {"atomic_hadd", "atomic_bfadd"} and set(ON_32_BITS) | set(ON_WORDS) == names
    assert {OPERATIONS[number].name for number in MORE_ATOMICS} == set(ON_32_BITS)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", sorted(ON_64_BITS))
@settings(deadline=None, max_examples=60)
@given(olds=st.lists(longs, min_size=4, max_size=4), bs=st.lists(longs, min_size=4, max_size=4), c=longs, high=st.sampled_from([1, 5]))
def test_64_bits_hold_afterwards_what_the_table_says(name, olds, bs, c, high):
    bs[1] = olds[1]
    registers, memory = warp(4, [0, 1, 3]), np.zeros(64, np.uint32)
    registers["wide"][0, 1, :4], registers["wide"][0, 2, :4] = bs, c
    rows = np.array([64, 0, 128, 200], np.uint32) if high == 5 else np.array([8, 0, 16, 24], np.uint32)
    for row, old in zip(rows.tolist(), olds, strict=True):
        memory[row // 4], memory[row // 4 + high] = old & WORD, old >> 32
    _, (_, after, _, memory_after, _, said) = both(run_64, rows, registers, NUMBER[name], memory, high, np.zeros(1, np.int64))
    changed = False
    for lane, (row, old, b) in enumerate(zip(rows.tolist(), olds, bs, strict=True)):
        found = int(memory_after[row // 4]) | int(memory_after[row // 4 + high]) << 32
        assert found == (ON_64_BITS[name](old, b, c) if lane != 2 else old)
        changed |= found != old
        if lane != 2:
            assert int(after["lane"][0, 2, lane]) | int(after["lane"][0, 3, lane]) << 32 == old
    assert bool(said[0]) == changed


@pytest.mark.parametrize(("name", "sign"), [("atomic_fmin", 1), ("atomic_fmax", 0)])
def test_of_two_zeros_the_negative_one_is_smaller(name, sign):
    zeros = [(old << 63, b << 63) for old in (0, 1) for b in (0, 1)]
    registers, memory = warp(4, [0, 1, 2, 3]), np.zeros(8, np.uint32)
    registers["wide"][0, 1, :4] = [b for _, b in zeros]
    memory[1::2] = [old >> 32 for old, _ in zeros]
    rows = np.arange(0, 32, 8, dtype=np.uint32)
    _, (_, _, _, after, _, _) = both(run_64, rows, registers, NUMBER[name], memory, 1, np.zeros(1, np.int64))
    found = [int(high) >> 31 for high in after[1::2]]
    assert found == [max(old >> 63, b >> 63) if sign else min(old >> 63, b >> 63) for old, b in zeros]
    assert not after[::2].any()


@pytest.mark.every(2)
@pytest.mark.parametrize("name", sorted(ON_32_BITS))
@settings(deadline=None, max_examples=100)
@given(olds=st.lists(words, min_size=4, max_size=4), bs=st.lists(words, min_size=4, max_size=4))
def test_32_bits_hold_afterwards_what_the_table_says(name, olds, bs):
    registers, memory = warp(4, [0, 1, 3]), np.array(olds, np.uint32)
    registers["lane"][0, 1, :4] = bs
    _, (_, after, _, found, said) = both(run_32, np.array([0, 4, 8, 12], np.uint32), registers, NUMBER[name], memory, np.zeros(1, np.int64))
    expected = [ON_32_BITS[name](old, b, 0) if lane != 2 else old for lane, (old, b) in enumerate(zip(olds, bs, strict=True))]
    assert found.tolist() == expected
    assert after["lane"][0, 2, :4].tolist() == [old if lane != 2 else 0 for lane, old in enumerate(olds)]
    assert bool(said[0]) == (expected != olds)


def test_floats_are_added_one_lane_after_the_other():
    big, one = struct.unpack("<I", struct.pack("<f", 2.0**24))[0], 0x3F800000
    registers = warp(4)
    registers["lane"][0, 1, :4] = one
    _, (_, after, _, memory, _) = both(
        run_32, np.zeros(4, np.uint32), registers, NUMBER["atomic_fadd"], np.array([big], np.uint32), np.zeros(1, np.int64)
    )
    assert memory.tolist() == [big] and after["lane"][0, 2, :4].tolist() == [big] * 4  # each one is rounded away


@pytest.mark.parametrize("op", [FMIN, FMAX, FADD])
def test_floats_of_32_bits_of_every_pair_of_kinds(op):
    """Zeros of both signs, numbers, infinities and NaNs. Of zeros the negative one is the smaller."""
    kinds = [0, 1 << 31, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC12345, 0x00000001]
    meaning = {FMIN: "atomic_fmin", FMAX: "atomic_fmax", FADD: "atomic_fadd"}[op]
    for old in kinds:
        for value_of_lane in kinds:
            held, operand = np.array([7, old], np.uint32), np.array([9, value_of_lane], np.uint32)
            with np.errstate(all="ignore"):
                _float_32(operand, held, op, 1)
            assert held.tolist() == [7, ON_32_BITS[meaning](old, value_of_lane, 0)], (hex(old), hex(value_of_lane))
            assert operand.tolist() == [9, value_of_lane]
