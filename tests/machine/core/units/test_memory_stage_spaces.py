"""The memory stage with other address spaces and with textures, call by call: what it asks of their units, and what it leaves behind."""

import numpy as np
import pytest

from tests.machine.core.units.stage_bench import (
    ADDS,
    FILLED,
    LATENCY,
    LOADS,
    NOW,
    PC,
    STORES,
    WARP,
    A,
    B,
    C,
    D,
    busy,
    counted,
    entered,
    execute,
    stage,
)
from warploom.isa import uop as u
from warploom.isa.regions import REGION_BASE, REGION_END, REGION_MOVED, REGION_OFFSET, REGION_STRIDE
from warploom.isa.views import (
    FIXED_2022,
    FIXED_ADDRESS,
    FIXED_ARITHMETIC,
    FIXED_FILTER,
    FIXED_FORMAT,
    FIXED_HEIGHT,
    FIXED_WIDTH,
    FIXED_WORDS,
    VIEW_BASE,
    VIEW_BYTES,
    VIEW_HEIGHT,
    VIEW_PITCH,
    VIEW_WIDTH,
)
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.load_store.address_space import place_of
from warploom.machine.core.load_store.wide_access import AT_PLACES
from warploom.machine.core.units.memory_stage import no_memory
from warploom.machine.core.units.texture_access import _send_texels, no_texture, sample_fixed_texture
from warploom.machine.engine.unit import FOREVER
from warploom.machine.memory.transactions import LOAD, STORE

# ---------------------------------------------------------------------------------------------------------
# With other address spaces, which a translation stands for here


def spaces(*uops, cached=1, scratchpad=0, fault=0, reason=r.LONG_SCOREBOARD, ready=0, **settings):
    """`stage`, with places 1024 bytes after the addresses."""
    made = stage(*uops, **settings)
    core = made.core
    core.spaces.used = 1
    core.constants.ready, core.constants.reason = 77, 0  # of an earlier bundle

    def translate(gpu, core, warp, tables, k, now):
        base = made.registers.lane[tables.uops[k, u.A], :4].astype(np.int64) + tables.uops[k, u.IMM]
        core.access.address[:4], core.access.place[:4] = base, base + 1024
        core.access.cached, core.access.scratchpad, core.access.run = cached, scratchpad, 0
        made.calls.append(("translate", now))
        if ready:
            core.constants.ready, core.constants.reason = ready, reason
        return fault

    made.units.translate = translate
    return made


@pytest.mark.parametrize("cached", [0, 1])
def test_values_move_at_places_and_transactions_are_of_addresses(cached):
    made = spaces(LOADS, cached=cached, watched=1)
    assert execute(made) == 0
    assert made.registers.lane[C, :4].tolist() == [256 + address // 4 for address in FILLED]
    assert entered(made)[6:8] == (1 - cached, 2) and made.lsu.line[1, :2].tolist() == [0, 1]
    assert made.calls == [("translate", NOW), ("watch", 0, 68, NOW)]
    made = spaces({**LOADS, "size": 8}, has_wide=1)
    assert execute(made) == 0 and made.calls[-1] == ("wide", 0, AT_PLACES)


def test_a_translation_that_fails_moves_nothing():
    made = spaces(STORES, fault=13, watched=1, has_wide=1)
    assert execute(made) == 13 and made.calls == [("translate", NOW)] and counted(made) == [0] * 5


@pytest.mark.parametrize("free, begin", [(0, NOW), (NOW + 5, NOW + 5)])
@pytest.mark.parametrize("counts, stalls", [(1, 3), (2, 3 + 1)])
@pytest.mark.parametrize("access", [LOADS, STORES, ADDS], ids=["load", "store", "atomic"])
def test_a_scratchpad_among_other_addresses_takes_its_passes(access, counts, stalls, free, begin):
    """The first two lanes on one word of bank 0, the last on the bank's next: a pass more for an atomic."""
    made = spaces(access, scratchpad=1, shared_banks=4, shared_bank_bytes=4, shared_free=free, counts=counts)
    made.core.monitor.scratchpad_stalls = 3
    made.registers.lane[A, :4] = 0, 0, 4, 16
    assert execute(made) == 0
    passes = 2 + (access is ADDS)
    assert counted(made) == [1, 0, 0, 0, passes] and made.core.shared_free == begin + passes
    assert made.core.monitor.scratchpad_stalls == stalls + (access is ADDS and counts > 1)
    assert busy(made)[0] == (0 if access is STORES else begin + LATENCY + passes - 1)
    assert busy(made)[1] == (0 if access is STORES else r.SHORT_SCOREBOARD)
    assert made.lsu.count == 0 and made.warps.stores[WARP] == made.warps.pending[WARP] == 0


def test_constants_have_caches_of_their_own_and_say_when_they_are_there():
    made = spaces({**LOADS, "space": u.CONSTANT_SPACE}, ready=NOW + 30, reason=r.IMC_MISS)
    assert execute(made) == 0
    assert busy(made) == (NOW + 30, r.IMC_MISS) and made.lsu.count == 0 and counted(made) == [1, 0, 0, 0, 0]
    made = spaces(LOADS)  # what an earlier bundle waited for is forgotten
    assert execute(made) == 0 and busy(made) == (FOREVER, r.LONG_SCOREBOARD)


@pytest.mark.parametrize("tracks", [0, 1])
@pytest.mark.parametrize(
    "access, size, space, sectors",
    [
        (LOADS, 8, u.LOCAL_SPACE, {0: 0b1011, 1: 0b1001, 2: 1}),
        (STORES, 8, u.LOCAL_SPACE, {0: 0b1011, 1: 0b1001, 2: 1}),
        (LOADS, 8, u.GLOBAL_SPACE, {0: 0b1001, 1: 0b1000}),
        (LOADS, 4, u.LOCAL_SPACE, {0: 0b1001, 1: 0b1000}),
    ],
)
def test_the_halves_of_a_wide_local_access_are_rows_apart(access, size, space, sectors, tracks):
    """The second row, 16 bytes after the first, is in other sectors, and at last in other lines."""
    made = spaces({**access, "size": size, "space": space}, has_wide=1)
    made.lsu.tracks_bytes = tracks
    made.registers.lane[A, :4] = 0, 8, 48, 112
    assert execute(made) == 0
    total = entered(made)[7]
    assert dict(zip(made.lsu.line[1, :total].tolist(), made.lsu.sectors[1, :total].tolist(), strict=True)) == sectors


@pytest.mark.parametrize("tracks", [0, 1, 2])
@pytest.mark.parametrize("access", [LOADS, STORES], ids=["load", "store"])
def test_the_bytes_that_a_store_writes_are_noted_where_a_cache_keeps_them(access, tracks):
    made = stage(access)
    made.lsu.tracks_bytes, made.lsu.written[1, 0, 0] = tracks, 99
    assert execute(made) == 0
    assert made.lsu.written[1, 0, 0] == (0xFF if tracks and access is STORES else 99)


# ---------------------------------------------------------------------------------------------------------
# Textures and images


def texels(*uops, rows=((0, 4, 64, -1), (128, -1, -1, -1)), fault=0, **settings):
    """`stage`, with a sampler that fetches these texels."""
    made = stage(*uops, machine={"texture__count": 1}, **settings)

    def sampler(core, warp, tables, k, transactions):
        core.texels.address[: len(rows), :4] = rows
        core.access.fault = fault or core.access.fault
        return _send_texels(core, len(rows), np.int64(4), 4, transactions)

    made.units.sampler = sampler
    return made


SAMPLES = {"name": "sample_fixed", "dst": C, "a": A, "b": B, "c": B}


@pytest.mark.parametrize("capacity", [0, 4])
def test_a_sample_enters_the_texture_unit(capacity):
    made = texels(SAMPLES, watched=1)
    made.core.lane_slots.capacity, made.core.access.fault = capacity, 13  # of an access before
    assert execute(made, u.TEXTURE) == 0
    assert entered(made, made.core.texture, 2)[:8] == (LOAD, WARP, PC, 0b1111, 33, 0, 0, 3)
    texture = made.core.texture
    assert texture.line[2, :3].tolist() == [0, 1, 2] and made.lsu.count == 0
    assert counted(made) == [1, 3, 3, 1, 0] and made.core.lane_slots.rows == 2
    assert busy(made) == (FOREVER, r.LONG_SCOREBOARD) and made.calls == [("watch", 0, 0, NOW)]
    assert made.core.lane_slots.held == (3 if capacity else 0)
    assert made.core.lane_slots.line[0, :2].tolist() == ([0, 2] if capacity else [0, 0])


def test_a_texel_that_is_nowhere_is_a_fault():
    made = texels(SAMPLES, fault=9)
    assert execute(made, u.TEXTURE) == 9 and made.core.texture.count == 0


IMAGE = 1024  # a byte: no line of it is line 0


def test_texels_are_written_inside_their_image():
    made = stage(STORES, watched=1)
    made.tables.uops[1] = u.Uop("store_image", a=A, b=B, c=D, view=0).row()
    made.tables.views = np.zeros((1, 16), np.int64)
    made.tables.views[0, [VIEW_BASE, VIEW_BYTES, VIEW_PITCH, VIEW_WIDTH, VIEW_HEIGHT]] = IMAGE, 128, 32, 3, 4
    made.registers.lane[A, :4], made.registers.lane[B, :4], made.registers.lane[D, :4] = (2, 3, 0, 1), (3, 0, 4, 1), (1, 2, 3, 4)
    made.core.access.run = made.core.access.scratchpad = made.core.spaces.used = 1  # what an access before has left says nothing of texels
    made.lsu.sector_shift = 2
    assert execute(made) == 0
    assert made.tables.profile[:, r.SECTORS_NEEDED].sum() == 2  # a word each
    places = [IMAGE + 96 + 8, IMAGE + 32 + 4]
    assert entered(made)[0] == STORE and entered(made)[7] == 2 and made.gpu.progress == NOW
    assert sorted(made.lsu.line[1, :2].tolist()) == sorted(place >> made.lsu.line_shift for place in places)
    assert made.calls[0][:2] == ("watch", 0) and len(made.calls) == 1
    assert [made.tables.memory[place // 4] for place in places] == [1, 4]
    made.tables.memory[:], made.registers.lane[D, :4] = 0, 0
    made.core.access.changed = 0
    assert execute(made) == 0 and made.core.access.changed == 1


def test_texels_that_are_all_outside_of_their_image_are_no_transaction():
    made = stage(STORES)
    made.tables.uops[1] = u.Uop("store_image", a=A, b=B, c=D, view=0).row()
    made.tables.views = np.zeros((1, 16), np.int64)
    made.tables.views[0, [VIEW_BASE, VIEW_BYTES, VIEW_PITCH, VIEW_WIDTH, VIEW_HEIGHT]] = IMAGE, 128, 32, 3, 4
    made.registers.lane[A, :4] = 3
    assert execute(made) == 0 and entered(made)[7] == 0 and counted(made)[1:] == [0] * 4


def test_scalars_say_where_a_texel_is_written():
    made = stage(STORES)
    made.tables.uops[1] = u.Uop("store_image", a=u.scalar(0), b=u.scalar(1), c=D, view=0).row()
    made.tables.views = np.zeros((1, 16), np.int64)
    made.tables.views[0, [VIEW_BYTES, VIEW_PITCH, VIEW_WIDTH, VIEW_HEIGHT]] = 128, 32, 3, 4
    made.registers.scalar[:2] = 2, 3
    assert execute(made) == 0 and made.core.access.address[:4].tolist() == [96 + 8] * 4


def test_a_texel_at_address_0_is_one():
    made = texels(SAMPLES, rows=((0, -1, -1, -1),))
    assert execute(made, u.TEXTURE) == 0 and entered(made, made.core.texture, 2)[7] == 1
    made = texels(SAMPLES, rows=((-1, -1, -1, -1),))
    assert execute(made, u.TEXTURE) == 0 and entered(made, made.core.texture, 2)[7] == 0


HERE, REGISTERS = 0x1000, 512  # where the texture's memory begins, and its unit's registers in it; it ends with them


def fixed(linear=0, base=HERE, form=0, register=HERE + REGISTERS):
    """A unit of 4 x 4 texels of a word, in a region where byte a lies at a - 0xf00. Lane l samples texel (l, 2); lane 2 takes no part."""
    made = stage({**SAMPLES, "imm": register - (1 << 32 if register >= 1 << 31 else 0)}, active=0b1011, machine={"texture__count": 1})
    memory = made.tables.memory
    memory[:] = np.arange(1024) + 5000
    block = (REGISTERS + 256) // 4
    memory[block : block + FIXED_WORDS] = 0
    memory[block + FIXED_ARITHMETIC], memory[block + FIXED_ADDRESS] = FIXED_2022, base
    memory[[block + FIXED_WIDTH, block + FIXED_HEIGHT]], memory[block + FIXED_FILTER], memory[block + FIXED_FORMAT] = 2, linear, form
    made.tables.regions = np.zeros((1, 8), np.int64)
    made.tables.regions[0, [REGION_BASE, REGION_END, REGION_OFFSET]] = HERE, HERE + REGISTERS + 128, 256 - HERE
    made.core.spaces.regions = 1
    made.registers.lane[A, :4], made.registers.lane[B, :4] = np.arange(4) << 21, 2 << 21
    made.registers.lane[D, :4] = 0
    made.tables.uops[1, u.C] = D
    made.core.access.fault = 0
    made.units.sampler = sample_fixed_texture
    return made


def test_a_fixed_point_sample_finds_registers_and_texels_by_their_addresses():
    made = fixed()
    assert execute(made, u.TEXTURE) == 0
    words = (256 + 32) // 4 + np.arange(4)
    assert made.registers.lane[C, [0, 1, 3]].tolist() == (words + 5000)[[0, 1, 3]].tolist() and made.registers.lane[C, 2] == 0
    texture = made.core.texture
    assert entered(made, texture, 2)[7] == 1 and texture.line[2, 0] == (HERE + 32) >> 6 and texture.sectors[2, 0] == 0b0100
    made = fixed(linear=1)
    assert execute(made, u.TEXTURE) == 0 and made.core.lane_slots.rows == 4


@pytest.mark.parametrize(
    "settings, fault, lane, value, limit",
    [
        ({"register": HERE + REGISTERS + 4}, "unmapped", 0, HERE + REGISTERS + 4, 0),
        ({"register": 0xFFFF0000}, "unmapped", 0, 0xFFFF0000, 0),
        ({"base": HERE + REGISTERS + 128 - 32 - 12}, "unmapped", 3, HERE + REGISTERS + 128, 0),
        ({"base": HERE + 2}, "misaligned", 0, HERE + 34, 4),
        ({"base": HERE - 36}, "unmapped", 0, HERE - 4, 0),
    ],
)
def test_a_fixed_point_sample_of_what_is_not_there_is_a_fault(settings, fault, lane, value, limit):
    made = fixed(**settings)
    access = made.core.access
    access.limit = 99
    assert execute(made, u.TEXTURE) == FAULT_NUMBER[fault]
    assert (access.lane, access.value, access.limit) == (lane, value, limit)
    assert made.core.texture.count == 0 and made.registers.lane[C, :4].tolist() == [0] * 4


@pytest.mark.parametrize(
    "regions, core, address, size, place",
    [
        (0, 0, 4092, 4, 4092), (0, 0, 4092, 5, -1), (0, 3, 0, 4096, 0),
        (2, 0, 0x1000, 16, 64), (2, 0, 0x0FFF, 4, -1), (2, 0, 0x100C, 4, 76), (2, 0, 0x100D, 4, -1), (2, 3, 0x1004, 4, 68),
        (2, 0, 0x2004, 4, 260), (2, 1, 0x2004, 4, 260 + 1000 + 32), (2, 3, 0x2004, 4, 260 + 1000 + 96),
    ],
)  # fmt: skip
def test_a_place_is_where_a_core_has_the_bytes_of_an_address(regions, core, address, size, place):
    """Region 0: 16 bytes that all cores share. Region 1: 16 of each core's own, 32 bytes apart, those of all but the first elsewhere."""
    made = stage(LOADS)
    made.tables.regions = np.zeros((2, 8), np.int64)
    made.tables.regions[0, :3] = 0x1000, 0x1010, 64 - 0x1000
    made.tables.regions[1, [REGION_BASE, REGION_END, REGION_OFFSET]] = 0x2000, 0x2010, 256 - 0x2000
    made.tables.regions[1, [REGION_STRIDE, REGION_MOVED]] = 32, 1000
    made.core.spaces.regions, made.core.number = regions, core
    assert place_of(made.core, made.tables, address, np.int64(size)) == place


def test_stand_ins_do_nothing():
    assert no_memory(*[None] * 8) == FAULT_NUMBER["unsupported"] and no_texture(None, 0, None, 0, 3) == 3
