"""The fixed-point texture unit of 2022 on: its registers, its texels' addresses and its filter, a lane at a time. That of 2021 is in
`test_fixed_point.py`; here that it is chosen."""

import random

import numpy as np
import pytest

from tests.machine.core.texture.fixed_model import ARGB_FIELDS, axis, mixed, unpacked
from warploom.isa import views
from warploom.isa.uop import IMMEDIATE, Uop
from warploom.isa.views import FIXED_2021, FIXED_2022, FIXED_2024, FIXED_ADDRESS, FIXED_ARITHMETIC, FIXED_LEVELS, FIXED_OFFSETS
from warploom.machine.core.texture.fixed_point import FixedTexture, vortex_sample
from warploom.machine.core.texture.fixed_sampler import PLACES, filter_fixed, locate_fixed, texel_at, texel_shift
from warploom.machine.core.texture.sampler import Texels
from warploom.machine.datapath.register_file import WarpRegisters
from warploom.machine.engine.unit import mirror, zeros

LANES, BLOCK, WORDS = 6, 5, 4096
U, V, DETAIL, OUT = 1, 2, 3, 4


def unit_of(arithmetic, chosen, **settings):
    """A memory of random texels, with the unit's registers in it."""
    memory = np.array([chosen.randrange(1 << 32) for _ in range(WORDS)], np.uint32)
    memory[BLOCK + FIXED_ARITHMETIC] = arithmetic
    for register in range(FIXED_ADDRESS, FIXED_OFFSETS):
        memory[BLOCK + register] = 0
    for name, value in settings.items():
        memory[BLOCK + getattr(views, f"FIXED_{name.upper()}")] = value
    for level in range(FIXED_LEVELS):
        memory[BLOCK + FIXED_OFFSETS + level] = 64 * level
    return memory


def sampled(memory, u, v, detail, active):
    """(rows, addresses, the lanes' results): both steps of a sample. The filter reads from a second copy of the memory."""
    (registers,), (texels,) = mirror(zeros(1, WarpRegisters)), mirror(zeros(1, Texels))
    for register, values in ((U, u), (V, v), (DETAIL, detail)):
        registers.lane[register, :LANES] = values
    registers.lane[OUT, :LANES], registers.active[:LANES] = 77, active
    uops = np.array([Uop("sample_fixed", dst=OUT, a=U, b=V, c=DETAIL).row()], np.int32)
    rows = locate_fixed(registers, uops, 0, LANES, memory, BLOCK, texels)
    texels.address[PLACES : PLACES + rows, :LANES] = texels.address[:rows, :LANES] + 4 * WORDS
    filter_fixed(registers, uops, 0, LANES, np.concatenate([memory, memory]), BLOCK, texels, rows)
    return rows, texels.address[:rows, :LANES].copy(), registers.lane[OUT, :LANES].tolist()


@pytest.mark.parametrize("linear", [0, 1])
@pytest.mark.parametrize("arithmetic", [FIXED_2022, FIXED_2024])
def test_every_sample_is_what_the_model_says(arithmetic, linear):
    chosen, newer = random.Random(linear), arithmetic == FIXED_2024
    for form, name in enumerate(ARGB_FIELDS):
        size = len(ARGB_FIELDS[name]) // 8
        width, height, wrap_u, wrap_v = chosen.randrange(5), chosen.randrange(5), chosen.randrange(4), chosen.randrange(4)
        if not newer:  # mirrors lead outside
            wrap_u, wrap_v = wrap_u % 2, wrap_v % 2
        memory = unit_of(
            arithmetic, chosen, address=256, width=width, height=height, format=form, filter=linear, wrap_u=wrap_u, wrap_v=wrap_v
        )
        u, v = ([chosen.randrange(1 << 32) for _ in range(LANES)] for _ in range(2))
        detail = [0, 1, 2, 3, FIXED_LEVELS - 1, FIXED_LEVELS]  # of a number of a level its low bits count
        active = [0xFFFFFFFF] * LANES
        active[1 + form % 3] = 0
        rows, addresses, out = sampled(memory, u, v, detail, active)
        assert rows == (4 if linear else 1)
        data = memory.tobytes()
        for lane in range(LANES):
            if not active[lane]:
                assert addresses[:, lane].tolist() == [-1] * rows and out[lane] == 77
                continue
            level = detail[lane] % FIXED_LEVELS
            columns, lines = max(width - level, 0), max(height - level, 0)
            left, right, weight_u = axis(u[lane], columns, wrap_u, linear, newer)
            top, bottom, weight_v = axis(v[lane], lines, wrap_v, linear, newer)
            where = [256 + 64 * level + size * ((y << columns) + x) for y in (top, bottom) for x in (left, right)]
            assert addresses[:, lane].tolist() == where[:rows]
            texels = [unpacked(int.from_bytes(data[at : at + size], "little"), name, newer) for at in where]
            upper, lower = mixed(*texels[:2], weight_u, newer), mixed(*texels[2:], weight_u, newer)
            assert out[lane] == (mixed(upper, lower, weight_v, newer) if linear else texels[0]), (name, lane)


@pytest.mark.parametrize("linear", [0, 1])
def test_the_arithmetic_of_2021_has_one_level_and_its_own_formats(linear):
    chosen = random.Random(2021)
    for form in range(6):
        memory = unit_of(FIXED_2021, chosen, address=512, width=3, height=2, format=form, filter=linear, wrap_u=1, wrap_v=2)
        u, v = ([chosen.randrange(1 << 32) for _ in range(LANES)] for _ in range(2))
        rows, addresses, out = sampled(memory, u, v, [0, 1, 2, 3, 15, 16], [1] * LANES)
        for lane in range(LANES):
            places = np.zeros(4, np.int64)
            wanted = vortex_sample(memory, FixedTexture(512, form, linear, 1, 2, 3, 2), np.uint32(u[lane]), np.uint32(v[lane]), places)
            assert out[lane] == wanted
            assert addresses[:, lane].tolist() == places[:rows].tolist()


@pytest.mark.parametrize("arithmetic, largest", [(FIXED_2021, 20), (FIXED_2022, 23), (FIXED_2024, 23)])
def test_an_image_is_no_larger_than_a_coordinate_tells_apart_and_addresses_have_32_bits(arithmetic, largest):
    """The last texel of a column of an image said to be of 2^31 lines, and of a row of as many columns."""
    last = (1 << largest) - 1
    last_format = 5 if arithmetic == FIXED_2021 else 6  # a8: a byte a texel; higher numbers are that too
    active = [0] + [1] * (LANES - 1)
    for form in (last_format, last_format + 3):
        for width, height, u, v in ((31, 0, last, 0), (0, 31, 0, last)):
            memory = unit_of(arithmetic, random.Random(1), address=0xFFFFFF00, width=width, height=height, format=form)
            assert texel_shift(memory, BLOCK) == 0
            (registers,), (texels,) = mirror(zeros(1, WarpRegisters)), mirror(zeros(1, Texels))
            registers.lane[U, :LANES], registers.lane[V, :LANES], registers.active[:LANES] = u, v, active
            uops = np.array([Uop("sample_fixed", dst=OUT, a=U, b=V, c=IMMEDIATE, imm=0).row()], np.int32)
            assert locate_fixed(registers, uops, 0, LANES, memory, BLOCK, texels) == 1
            assert texels.address[0, :LANES].tolist() == [-1] + [(0xFFFFFF00 + last) % (1 << 32)] * (LANES - 1)


def test_only_the_lowest_bits_of_filter_and_wraps_count():
    chosen = random.Random(4)
    u, v = ([chosen.randrange(1 << 32) for _ in range(LANES)] for _ in range(2))
    plain = unit_of(FIXED_2024, random.Random(5), address=256, width=3, height=3, filter=1, wrap_u=2, wrap_v=1)
    more = unit_of(FIXED_2024, random.Random(5), address=256, width=3, height=3, filter=1 + 2, wrap_u=2 + 4, wrap_v=1 + 8)
    one, other = (sampled(memory, u, v, [0] * LANES, [1] * LANES) for memory in (plain, more))
    assert one[0] == other[0] and one[1].tolist() == other[1].tolist()


def test_a_texel_lies_anywhere_in_a_word():
    memory = np.array([0x04030201, 0x98070605], np.uint32)
    assert [texel_at(memory, place, 6, FIXED_2024) >> 24 for place in range(8)] == [1, 2, 3, 4, 5, 6, 7, 0x98]
    assert texel_at(memory, 6, 2, FIXED_2022) == unpacked(0x9807, "a1r5g5b5", 0) != unpacked(0x9807, "a1r5g5b5", 1)
    assert texel_at(memory, 6, 2, FIXED_2024) == unpacked(0x9807, "a1r5g5b5", 1)
    assert texel_at(memory, 5, 1, FIXED_2021) & 0xFF == 0  # of r5g6b5 red, which is lowest there, has the texel's highest bits: 0x07 >> 3
