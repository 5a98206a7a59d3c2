"""The address decoder call by call, against a model in whole numbers: regions, places, faults, and who answers."""

import random

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench
from tests.machine.programs import FREE
from warploom.isa.regions import (
    CONSOLE,
    PAGE_BYTES,
    REGION_ADDRESS,
    REGION_BASE,
    REGION_CACHED,
    REGION_COLUMNS,
    REGION_END,
    REGION_OFFSET,
    REGION_UOP,
    REGION_WRITABLE,
    SCRATCHPAD,
)
from warploom.isa.uop import CONSTANT_SPACE, DST, GLOBAL_SPACE, IMM, LOCAL_SPACE, NONE, NUMBER, OP, SIZE, SPACE, VIEW, A, B
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.accounting.notes import NUMBER as NUMBER_OF_NOTE
from warploom.machine.accounting.notes import THREAD, VALUES, WRITTEN
from warploom.machine.core.load_store import address_space
from warploom.machine.core.load_store.address_space import locate, place_of, translate

LANES, WARP, ADDRESS, DATA = 6, 2, FREE, FREE + 1
ORDINARY = 0
# Base, end, offset, writable, cached, stride, moved, kind. Two that touch, of which one has a place further on; one of each kind.
MAP = np.array(
    [
        (0x100, 0x140, 0, 1, 1, 0, 9, ORDINARY),
        (0x140, 0x160, 0x1000, 1, 0, 0, 9, ORDINARY),
        (0x200, 0x240, 0x40, 0, 1, 0, 9, ORDINARY),
        (0x300, 0x320, 0x80, 1, 1, 0x400, 0x60, ORDINARY),
        (0x400, 0x440, 0x10, 1, 1, 0, 9, SCRATCHPAD),
        (0x4F0, 0x500, 0x20, 1, 1, 0, 9, ORDINARY),
        (0x500, 0x508, 0x20, 1, 0, 0, 9, CONSOLE),
    ],
    np.int64,
)
PAGES_PLACE = 0x100000  # of the first page
UNMAPPED, READ_ONLY = FAULT_NUMBER["unmapped"], FAULT_NUMBER["read_only_region"]


def decoder(name="load", size=4, space=GLOBAL_SPACE, core=0, imm=0, pages=0):
    """A core with the map, and so many pages that may appear, before an access. size: bytes a lane."""
    gpu, cores, tables = bench(core__warps=4, core__lanes=LANES, core__threads_per_block=LANES, gpu__cores=4)
    core = cores[core]
    tables.regions, tables.memory = with_pages(pages), np.zeros(64, np.uint32)
    tables.uops = np.zeros((1, tables.uops.shape[1]), np.int32)
    columns = (OP, A, B, DST, SIZE, SPACE, IMM, VIEW)
    tables.uops[0, list(columns)] = NUMBER[name], ADDRESS, DATA, NONE if name == "store" else FREE + 2, size, space, imm, NONE
    tables.notes = np.zeros((32, 16), np.int64)
    core.spaces.regions = len(MAP)
    registers = core.registers[WARP]
    registers.active[:LANES], registers.lane[DATA, :LANES] = 0xFFFFFFFF, 0x1A0 + np.arange(LANES)
    return gpu, core, tables, registers


ROWS = MAP.tolist()
TAKEN = {address for row in ROWS for address in range(row[0], row[1])}  # by regions


def region_of(address, size):
    return next((row for row in ROWS if row[0] <= address and address + size <= row[1]), None)


def placed(row, address, core):
    _, _, offset, _, _, stride, moved, _ = row
    return address + offset + (moved + core * stride if core and stride else 0)


def with_pages(count):
    """The map, and after it rows of pages that nothing has touched."""
    regions = np.pad(MAP, ((0, 0), (0, REGION_COLUMNS - MAP.shape[1])))
    rows = np.zeros((count, REGION_COLUMNS), np.int64)
    rows[:, REGION_OFFSET] = PAGES_PLACE + PAGE_BYTES * np.arange(count)
    rows[:, [REGION_WRITABLE, REGION_CACHED]] = 1
    return np.concatenate([regions, rows])


class Memory:
    """The model: what answers at an address, and pages, each of which is what no region has of 4 KiB, address by address."""

    def __init__(self, pages):
        self.free, self.pages = [PAGES_PLACE + PAGE_BYTES * number for number in range(pages)], []

    def find(self, address, size):
        """The row that answers, of a new page if need be; None for nothing."""
        found = region_of(address, size) or next((row for row in self.pages if row[0] <= address < row[1]), None)
        if found is None and self.free:
            first = address - address % PAGE_BYTES
            base, end = address, address + size
            while base > first and base - 1 not in TAKEN:
                base -= 1
            while end < first + PAGE_BYTES and end not in TAKEN:
                end += 1
            found = (base, end, self.free.pop(0) - first, 1, 1, 0, 0, ORDINARY)
            self.pages.append(found)
        return found


CHOSEN = [0x100, 0x13C, 0x140, 0x15C, 0x200, 0x23C, 0x300, 0x31C, 0x400, 0x43C, 0x4FC, 0x500, 0x504]
EDGES = [0xFC, 0xFE, 0x13E, 0x15E, 0x160, 0x1FC, 0x240, 0x2FC, 0x320, 0x3FC, 0x440, 0x508, 0x4EC]


GAPS = [0, 0xFC, 0x160, 0x1FC, 0x240, 0x2FC, 0x440, 0x4EC, 0x508, 0xFFC, 0x1000, 0x1FFC, 0x30000, 0x30FFC, 0xFFFFF000, 0xFFFFFFFC]


@pytest.mark.every(3)
@pytest.mark.parametrize("pages", [0, 4, 64])
@pytest.mark.parametrize("core", [0, 1, 3])
@pytest.mark.parametrize("name", ["load", "load_scalar", "store", "atomic_add"])
def test_each_lane_finds_the_place_of_its_region_or_page_or_the_first_fault(name, core, pages):
    chosen = random.Random(f"{name} {core} {pages}")
    _, own, tables, registers = decoder(name, core=core, pages=pages)
    access, memory = own.access, Memory(pages)
    for _ in range(60):
        size = chosen.choice([1, 2, 4])
        tables.uops[0, SIZE] = size
        near = chosen.choice(
            [
                CHOSEN,
                CHOSEN[:4],
                CHOSEN[8:],
                CHOSEN[8:10],
                CHOSEN[11:],
                CHOSEN[10:],
                CHOSEN + EDGES,
                *([CHOSEN + GAPS] * 4 if pages else []),
            ]
        )
        wanted = [chosen.choice(near) for _ in range(LANES)]
        wanted = [one + 4 - size if one in CHOSEN and one & 12 else one for one in wanted]  # to a region's last byte
        wanted = [one - one % size for one in wanted] if pages else wanted  # a page is for accesses that are aligned: no others come so far
        takes = chosen.choice([[True] * LANES, [chosen.random() < 0.5 for _ in range(LANES)], [lane == 2 for lane in range(LANES)]])
        access.address[:LANES], access.place[:LANES] = wanted, 77
        registers.active[:LANES] = [0xFFFFFFFF * one for one in takes]
        access.scratchpad, access.cached, access.run, tables.notes[:] = 1, 0, 1, 0
        found = int(locate(own, registers, tables, 0, LANES))
        rows = []
        for lane, (address, one) in enumerate(zip(wanted, takes, strict=True)):
            row = memory.find(address, size) if one else None
            rows.append(row)
            if one and (row is None or (not row[3] and name in ("store", "atomic_add"))):
                fault = UNMAPPED if row is None else READ_ONLY
                assert (found, access.fault, access.lane, access.value) == (fault, fault, lane, address)
                break
            assert access.place[lane] == (placed(row, address, core) if one else 77)
        else:
            reached = [row for row in rows if row]
            assert found == 0
            assert access.cached == all(row[4] for row in reached)
            assert access.scratchpad == (bool(reached) and all(row[7] == SCRATCHPAD for row in reached))
            printed = [(lane, wanted[lane], 0xA0 + lane) for lane, row in enumerate(rows) if name == "store" and row and row[7] == CONSOLE]
            assert said(tables) == printed
            assert access.run == (not any(row in memory.pages for row in reached))
        assert [tuple(row) for row in tables.regions[len(MAP) :, :8].tolist() if row[1]] == memory.pages


@pytest.mark.parametrize("core", [0, 3])
@pytest.mark.parametrize("name", ["load", "store", "atomic_add"])
def test_what_lanes_find_at_once_in_one_region_each_of_them_finds_by_itself(name, core):
    """The same accesses one after the other, so that the region that answered before is often a different one."""
    chosen = random.Random(f"{name} {core}")
    gpu, own, tables, registers = decoder(name, core=core)
    _, single, said_singly, _ = decoder(name, core=core)
    gpu.memory_bytes = 1 << 32
    places = chosen.sample([CHOSEN[:2], CHOSEN[2:4], CHOSEN[4:6], CHOSEN[6:8], CHOSEN[8:10], CHOSEN[11:], CHOSEN] * 20, 140)
    for near in places:
        wanted = [chosen.choice(near) for _ in range(LANES)]
        takes = chosen.choice([[True] * LANES, [False] * LANES, [chosen.random() < 0.5 for _ in range(LANES)]])
        registers.lane[ADDRESS, :LANES], registers.active[:LANES] = wanted, [0xFFFFFFFF * one for one in takes]
        single.access.address[:LANES], single.access.run = wanted, 0
        found = int(translate(gpu, own, WARP, tables, 0, 50))
        assert found == int(locate(single, registers, said_singly, 0, LANES))
        assert said(tables) == said(said_singly)
        names = ("cached", "scratchpad") if found == 0 else ("fault", "lane", "value", "limit")
        assert [int(getattr(own.access, one)) for one in names] == [int(getattr(single.access, one)) for one in names]
        reached = [lane for lane in range(LANES) if takes[lane] and found == 0]
        assert [own.access.place[lane] for lane in reached] == [single.access.place[lane] for lane in reached]
        tables.notes[:] = said_singly.notes[:] = 0


def place_in(tables, page):
    """What the row of a page says: (first address, address after it, place of its first byte)."""
    base, end, offset = tables.regions[len(MAP) + page, [REGION_BASE, REGION_END, REGION_OFFSET]].tolist()
    return base, end, base + offset


def test_a_page_ends_where_regions_begin_and_is_made_once_for_all_lanes():
    _, own, tables, registers = decoder("store", pages=2)
    registers.active[:LANES] = [0, *[0xFFFFFFFF] * (LANES - 1)]
    own.access.address[:LANES] = [0x30000, 0x180, 0x160, 0x1FC, 0x17C, 0x164]  # the first lane takes no part
    assert locate(own, registers, tables, 0, LANES) == 0
    assert place_in(tables, 0) == (0x160, 0x200, PAGES_PLACE + 0x160) and place_in(tables, 1)[1] == 0
    assert tables.regions[len(MAP), [REGION_UOP, REGION_ADDRESS]].tolist() == [0, 0x180]  # what made it appear
    assert own.access.place[1:LANES].tolist() == [PAGES_PLACE + one for one in (0x180, 0x160, 0x1FC, 0x17C, 0x164)]
    assert place_of(own, tables, np.int64(0x1FC), 4) == PAGES_PLACE + 0x1FC
    assert place_of(own, tables, np.int64(0x508), 4) == -1  # of the same 4 KiB, and not of the page


def test_pages_that_share_a_slot_of_their_table_are_told_apart():
    """Seven pages are looked up by their numbers modulo 7: these here begin at three of the slots, and the last of them is the sixth."""
    _, own, tables, registers = decoder("store", pages=7)
    registers.active[1:LANES] = 0
    numbers = [0x105, 0x10C, 0x113, 0x106, 0x11A, 0x107, 0x101]
    for page, number in enumerate(numbers):
        assert place_of(own, tables, np.int64(number * PAGE_BYTES), 4) == -1
        own.access.address[0] = number * PAGE_BYTES + 12
        assert locate(own, registers, tables, 0, LANES) == 0 and own.access.place[0] == PAGES_PLACE + page * PAGE_BYTES + 12
    for page, number in enumerate(numbers):
        assert place_of(own, tables, np.int64(number * PAGE_BYTES), 4) == PAGES_PLACE + page * PAGE_BYTES
    assert place_of(own, tables, np.int64(0x108 * PAGE_BYTES), 4) == -1


def test_a_page_that_is_one_too_many_is_a_fault():
    _, own, tables, registers = decoder("store", pages=64)
    registers.active[1:LANES] = 0
    for number in range(64):
        own.access.address[0] = 0x10000000 + PAGE_BYTES * number + 8
        assert locate(own, registers, tables, 0, LANES) == 0
        assert own.access.place[0] == PAGES_PLACE + PAGE_BYTES * number + 8
    own.access.address[0] = 0x20000004
    assert locate(own, registers, tables, 0, LANES) == own.access.fault == UNMAPPED
    assert (own.access.lane, own.access.value) == (0, 0x20000004)
    own.access.address[0] = 0x10000FFC  # those that there are stay
    assert locate(own, registers, tables, 0, LANES) == 0 and own.access.place[0] == PAGES_PLACE + 0xFFC


def said(tables):
    """(lane, address, byte) of what was printed; thread numbers begin with 0 here."""
    return [tuple(row) for row in tables.notes[1 : 1 + int(tables.notes[0, WRITTEN]), [THREAD, NUMBER_OF_NOTE, VALUES]].tolist()]


@pytest.mark.parametrize("core", [0, 1, 3])
def test_a_single_place_is_found_alike(core):
    _, own, tables, _ = decoder(core=core)
    for address in {edge + step for edge in CHOSEN + EDGES for step in (-4, -1, 0, 1, 4)}:
        for size in (1, 4, 8):
            row = region_of(address, size)
            assert place_of(own, tables, np.int64(address), size) == (-1 if row is None else placed(row, address, core))
    own.spaces.regions = 0  # one memory of 256 bytes
    for address, size in ((0, 4), (248, 8), (252, 4), (253, 4), (256, 1), (1000, 4)):
        assert place_of(own, tables, np.int64(address), size) == (address if address + size <= 256 else -1)


@pytest.mark.parametrize("imm", [0, 4, -8])
@pytest.mark.parametrize("core", [0, 2])
@pytest.mark.parametrize("size", [1, 2, 4, 8])
@pytest.mark.parametrize("space", [LOCAL_SPACE, CONSTANT_SPACE])
def test_spaces_of_their_own_have_an_end_and_local_words_of_a_warp_lie_side_by_side(monkeypatch, space, size, core, imm):
    """The lanes that take part, one after the other, until one lies outside or is not aligned; the first says so."""
    looked_up = []
    monkeypatch.setattr(address_space, "access_constants", lambda core, registers, lanes, words, now: looked_up.append((lanes, words, now)))
    chosen = random.Random(f"{space} {size} {core} {imm}")
    gpu, own, tables, registers = decoder(size=size, space=space, core=core, imm=imm)
    access, spaces, limit = own.access, own.spaces, {LOCAL_SPACE: 24, CONSTANT_SPACE: 40}[space]
    spaces.local_bytes, spaces.local_base, spaces.local_place, spaces.constant_bytes, spaces.constant_place = 24, 0x8000, 0x400, 40, 0x2000
    kind = FAULT_NUMBER["local_out_of_range" if space == LOCAL_SPACE else "constant_out_of_range"]
    for near in ([0, 8, 16], [limit - size], [limit - size, limit - size + 1, limit], [0, 1, 2, 4, 8], [8], ["a run"]):
        inside = [chosen.choice(near) for _ in range(LANES)]
        inside = [lane * size for lane in range(LANES)] if near == ["a run"] else inside
        for takes in ([True] * LANES, [lane in (1, 4) for lane in range(LANES)]):
            registers.lane[ADDRESS, :LANES] = [(address - imm) & 0xFFFFFFFF for address in inside]
            registers.active[:LANES] = takes
            access.cached = access.run = access.fault = 9
            del looked_up[:]
            found = int(translate(gpu, own, WARP, tables, 0, 50))
            bad = next((lane for lane in range(LANES) if takes[lane] and (inside[lane] + size > limit or inside[lane] % size)), None)
            if bad is not None:
                outside = inside[bad] + size > limit
                expected = kind if outside else FAULT_NUMBER["misaligned"]
                assert (found, access.fault, access.lane, access.value) == (expected, expected, bad, inside[bad])
                assert access.limit == (limit if outside else size) and not looked_up
                continue
            assert (found, access.fault, access.cached) == (0, 0, 1)
            words = [(core * own.warps.slots + WARP) * 6 * LANES + (address >> 2) * LANES + lane for lane, address in enumerate(inside)]
            for lane, address in enumerate(inside):
                if takes[lane] and space == LOCAL_SPACE:
                    byte = 4 * words[lane] + address % 4
                    assert (access.address[lane], access.place[lane]) == (0x8000 + byte, 0x400 + byte)
                elif takes[lane]:
                    assert (access.address[lane], access.place[lane]) == (address, 0x2000 + address)
            if space == CONSTANT_SPACE:
                assert all(access.address[lane] == 0 for lane in range(LANES) if not takes[lane])
            seen = access.address[:LANES].tolist()
            assert access.run == (all(takes) and all(seen[lane] == seen[0] + lane * size for lane in range(LANES)))
            assert looked_up == ([] if space == LOCAL_SPACE else [(LANES, 2 if size == 8 else 1, 50)])


@pytest.mark.parametrize("regions", [0, 1])
def test_an_address_of_global_memory_is_its_place_where_no_region_is_declared(regions):
    gpu, own, tables, registers = decoder()
    own.spaces.regions, gpu.memory_bytes = regions * len(MAP), 0x1000
    registers.lane[ADDRESS, :LANES] = [0x140 + 4 * lane for lane in range(LANES)]
    assert translate(gpu, own, WARP, tables, 0, 50) == 0
    assert own.access.place[:LANES].tolist() == [0x140 + 4 * lane + 0x1000 * regions for lane in range(LANES)]
    registers.lane[ADDRESS, 3] = 0x1000
    assert translate(gpu, own, WARP, tables, 0, 50) == own.access.fault != 0


def test_a_console_may_be_all_there_is():
    _, own, tables, registers = decoder("store", size=1)
    tables.regions, own.spaces.regions = MAP[-1:], 1
    own.access.address[:LANES] = range(0x500, 0x500 + LANES)
    assert locate(own, registers, tables, 0, LANES) == 0
    assert said(tables) == [(lane, 0x500 + lane, 0xA0 + lane) for lane in range(LANES)]
    assert place_of(own, tables, np.int64(0x507), 1) == 0x527
    tables.regions = np.concatenate([MAP[-1:], MAP[:1]])
    assert locate(own, registers, tables, 0, LANES) == 0 and len(said(tables)) == 2 * LANES
