"""Memory accesses of a warp against lanes that access bytes one after the other, and the faults that they can be."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.programs import FREE, GLOBAL, LANE, THREAD, Assembly, run, words
from tests.machine.two_engines import both
from warploom.isa import uop as u
from warploom.isa.needs import MORE_ATOMICS
from warploom.isa.uop import Uop
from warploom.isa.views import VIEW_BASE, VIEW_BYTES, VIEW_COLUMNS, VIEW_WRITABLE
from warploom.machine.accounting.faults import FAULTS
from warploom.machine.core.load_store.lane_access import Access, _first_fault, addresses, atomic, load, store
from warploom.machine.datapath.register_file import WarpRegisters, expand
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.run.tables import Tables

LANES, WORDS, WORD = 6, 16, 0xFFFFFFFF
ADDRESS, VALUE, OTHER, RESULT = 1, 2, 3, 4
A, B, C, D = range(FREE, FREE + 4)


@unit
def drive(accesses, warps, tables, mask):
    registers, uops, memory = warps[0], tables.uops, tables.memory
    expand(mask, registers.active, LANES)
    fault = addresses(accesses[0], registers, tables, 0, LANES, memory.shape[0] * 4)
    if fault == 0:
        if uops[0, u.OP] == LOAD:
            load(accesses[0], accesses[0].address, registers, tables, 0, LANES, memory)
        elif uops[0, u.OP] == STORE:
            store(accesses[0], accesses[0].address, registers, tables, 0, LANES, memory)
        else:
            atomic(accesses[0], accesses[0].address, registers, tables, 0, LANES, memory)
    return fault


LOAD, STORE = u.NUMBER["load"], u.NUMBER["store"]


def perform(uop, where, values, others, memory, mask=(1 << LANES) - 1, views=()):
    """(fault, destination, memory, access) of one micro-op whose addresses, values and compared values lie in registers."""
    warps = zeros(1, WarpRegisters)
    for register, row in ((ADDRESS, where), (VALUE, values), (OTHER, others)):
        warps["lane"][0, register, :LANES] = np.array(row, np.uint64).astype(np.uint32)
    table = np.array([uop.row()], np.int32)
    rows = np.array(views, np.int32).reshape(-1, VIEW_COLUMNS)
    tables = Tables(uops=table, views=rows, memory=np.array(memory, np.uint32))
    fault, after = both(drive, np.zeros(1, Access), warps, tables, np.uint64(mask))
    return FAULTS[fault].name, after[1]["lane"][0, RESULT, :LANES].tolist(), after[2].memory.tolist(), after[0][0]


words_ = st.lists(st.integers(0, WORD), min_size=WORDS, max_size=WORDS)
lanes_ = st.lists(st.integers(0, WORD), min_size=LANES, max_size=LANES)
masks = st.integers(1, (1 << LANES) - 1)


@st.composite
def places(draw):
    """A size and an aligned address for each lane; often those of neighbouring words."""
    size = draw(st.sampled_from([1, 2, 4]))
    if draw(st.booleans()):
        start = draw(st.integers(0, WORDS - LANES)) * 4
        return 4, [start + 4 * lane for lane in range(LANES)]
    return size, [draw(st.integers(0, WORDS * 4 // size - 1)) * size for _ in range(LANES)]


@settings(max_examples=200, deadline=None)
@given(places(), words_, lanes_, masks, st.booleans(), st.integers(-8, 8))
def test_loads_and_stores_agree_with_bytes(place, memory, values, mask, signed, offset):
    size, where = place
    base = [(address - offset) & WORD for address in where]
    raw = bytearray(np.array(memory, np.uint32).tobytes())
    active = [lane for lane in range(LANES) if mask >> lane & 1]

    uop = Uop("load", dst=RESULT, a=ADDRESS, imm=offset, size=size, flags=u.SIGNED if signed else 0)
    fault, got, after, access = perform(uop, base, values, values, memory, mask)
    expected = [int.from_bytes(raw[a : a + size], "little", signed=signed and size < 4) & WORD for a in where]
    assert (fault, after) == ("none", memory)
    assert got == [expected[lane] if lane in active else 0 for lane in range(LANES)]
    assert [access["address"][lane] for lane in active] == [where[lane] for lane in active]

    fault, _, after, access = perform(Uop("store", a=ADDRESS, b=VALUE, imm=offset, size=size), base, values, values, memory, mask)
    before = bytes(raw)
    for lane in active:
        raw[where[lane] : where[lane] + size] = (values[lane] & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    assert after == np.frombuffer(raw, np.uint32).tolist()
    assert access["changed"] == 1 or bytes(raw) == before


def signed(value):
    return value - (1 << 32) if value >> 31 else value


ATOMICS = {
    "atomic_add": lambda old, b, c: old + b, "atomic_min": lambda old, b, c: min(old, b, key=signed),
    "atomic_max": lambda old, b, c: max(old, b, key=signed), "atomic_minu": lambda old, b, c: min(old, b),
    "atomic_maxu": lambda old, b, c: max(old, b), "atomic_and": lambda old, b, c: old & b, "atomic_or": lambda old, b, c: old | b,
    "atomic_xor": lambda old, b, c: old ^ b, "atomic_exchange": lambda old, b, c: b, "atomic_cas": lambda old, b, c: c if old == b else old,
}  # fmt: skip


def test_every_atomic_operation_is_tested():
    names = {operation.name for operation in u.OPERATIONS if operation.name.startswith("atomic_")}
    assert set(ATOMICS) == names - {u.OPERATIONS[number].name for number in MORE_ATOMICS}  # those are in test_wide_atomic.py


@pytest.mark.every(3)
@pytest.mark.parametrize("name", ATOMICS)
@settings(max_examples=30, deadline=None)
@given(where=st.lists(st.integers(0, 3), min_size=LANES, max_size=LANES), memory=words_, values=lanes_, mask=masks, equal=st.booleans())
def test_atomics_are_done_one_lane_after_the_other(name, where, memory, values, mask, equal):
    if equal:
        values = [memory[place] for place in where]
    others = values[::-1]
    uop = Uop(name, dst=RESULT, a=ADDRESS, b=VALUE, c=OTHER)
    fault, got, after, _ = perform(uop, [4 * place for place in where], values, others, memory, mask)
    model, old = list(memory), [0] * LANES
    for lane, place in enumerate(where):
        if mask >> lane & 1:
            old[lane] = model[place]
            model[place] = ATOMICS[name](model[place], values[lane], others[lane]) & WORD
    assert (fault, got, after) == ("none", old, model)


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("order", [1, -1], ids=["side by side", "backwards"])
def test_a_store_says_whether_it_has_changed_anything(size, order):
    """All lanes but one, or all, write what is there already."""
    memory = [0x01020304 * (place + 1) & WORD for place in range(WORDS)]
    raw = np.array(memory, np.uint32).tobytes()
    where = [8 + size * lane for lane in range(LANES)][::order]
    same = [int.from_bytes(raw[place : place + size], "little") for place in where]
    store_it = Uop("store", a=ADDRESS, b=VALUE, size=size)
    assert perform(store_it, where, same, same, memory)[3]["changed"] == 0
    for lane in range(LANES):
        other = [value ^ (lane == one) for one, value in enumerate(same)]
        assert perform(store_it, where, other, other, memory)[3]["changed"] == 1
        assert perform(store_it, where, other, other, memory, mask=(1 << LANES) - 1 ^ 1 << lane)[3]["changed"] == 0


def test_of_lanes_that_store_to_one_place_the_highest_wins():
    uop = Uop("store", a=ADDRESS, b=VALUE)
    assert perform(uop, [8] * LANES, [10, 11, 12, 13, 14, 15], [0] * LANES, [0] * WORDS, 0b011111)[2][2] == 14


def test_a_destination_may_be_the_address():
    uop = Uop("load", dst=ADDRESS, a=ADDRESS)
    warps = zeros(1, WarpRegisters)
    warps["lane"][0, ADDRESS, :LANES] = [0, 4, 8, 4, 0, 0]
    table, rows = np.array([uop.row()], np.int32), np.zeros((0, VIEW_COLUMNS), np.int32)
    tables = Tables(uops=table, views=rows, memory=np.arange(100, 116, dtype=np.uint32))
    _, after = both(drive, np.zeros(1, Access), warps, tables, np.uint64(0b1111))
    assert after[1]["lane"][0, ADDRESS, :LANES].tolist() == [100, 101, 102, 101, 0, 0]


# ---------------------------------------------------------------------------------------------------------
# Faults: the first lane that is wrong, its address, and what it may be


@pytest.mark.parametrize(
    ("size", "where", "mask", "found"),
    [
        (4, [0, 64, 4, 68, 0, 0], 0b111111, ("address_out_of_range", 1, 64, 64)),
        (4, [0, 64, 4, 68, 0, 0], 0b111101, ("address_out_of_range", 3, 68, 64)),
        (4, [0, 64, 4, 68, 0, 0], 0b110101, ("none", 0, 0, 0)),
        (4, [0, 0, 0, 0, 0, 0xFFFFFFFC], 0b111111, ("address_out_of_range", 5, 0xFFFFFFFC, 64)),
        (4, [0, 2, 4, 4, 4, 4], 0b111111, ("misaligned", 1, 2, 4)),
        (2, [0, 2, 3, 4, 4, 4], 0b111111, ("misaligned", 2, 3, 2)),
        (2, [0, 2, 62, 64, 4, 4], 0b111111, ("address_out_of_range", 3, 64, 64)),
        (1, [0, 1, 63, 3, 4, 4], 0b111111, ("none", 0, 0, 0)),
        (4, [4, 62, 66, 0, 0, 0], 0b111111, ("address_out_of_range", 1, 62, 64)),
    ],
)
@pytest.mark.parametrize("name", ["load", "store"])
def test_wrong_addresses_are_found_and_nothing_moves(name, size, where, mask, found):
    uop = Uop(name, dst=RESULT, a=ADDRESS, b=VALUE, size=size)
    fault, got, memory, access = perform(uop, where, [7] * LANES, [0] * LANES, [1] * WORDS, mask)
    assert fault == found[0]
    if fault != "none":
        assert (access["lane"], access["value"], access["limit"]) == found[1:]
        assert (got, memory) == ([0] * LANES, [1] * WORDS)


def view(base, size, writable=0):
    row = [0] * VIEW_COLUMNS
    row[VIEW_BASE], row[VIEW_BYTES], row[VIEW_WRITABLE] = base, size, writable
    return row


@pytest.mark.parametrize(
    ("where", "mask", "run"),
    [
        ([8, 12, 16, 20, 24, 28], 0b111111, 1),
        ([0, 4, 8, 12, 16, 20], 0b111111, 1),
        ([40, 44, 48, 52, 56, 60], 0b111111, 1),
        ([8, 12, 16, 20, 24, 28], 0b111011, 0),
        ([8, 12, 16, 20, 28, 24], 0b111111, 0),
    ],
)
def test_lanes_that_follow_one_another_are_a_run(where, mask, run):
    *_, access = perform(Uop("load", dst=RESULT, a=ADDRESS), where, where, where, range(WORDS), mask)
    assert access["run"] == run


def test_a_view_bounds_an_access_relative_to_its_beginning():
    views = [view(16, 8), view(16, 8, 1)]
    inside, behind, before = [16, 20, 16, 20, 16, 20], [16, 24, 16, 16, 16, 16], [16, 16, 12, 16, 16, 16]
    reads, writes = Uop("load", dst=RESULT, a=ADDRESS, view=0), Uop("store", a=ADDRESS, b=VALUE, view=1)
    assert perform(reads, inside, inside, inside, range(WORDS), views=views)[0] == "none"
    fault, *_, access = perform(reads, behind, inside, inside, range(WORDS), views=views)
    assert (fault, access["lane"], access["value"], access["limit"]) == ("view_out_of_range", 1, 8, 8)
    fault, *_, access = perform(writes, before, inside, inside, range(WORDS), views=views)
    assert (fault, access["lane"], access["value"]) == ("view_out_of_range", 2, -4)
    assert perform(Uop("store", a=ADDRESS, b=VALUE, view=0), inside, inside, inside, range(WORDS), views=views)[0] == "read_only"
    assert perform(writes, inside, inside, inside, range(WORDS), views=views)[0] == "none"


def fault(code, *, threads=4, **changes):
    result = run(code.program(threads=threads, block=threads, **changes.pop("program", {})), **changes)
    assert result.status == "error"
    return result.fault


def test_a_load_out_of_range_says_which_lane_wanted_what():
    code = Assembly()
    code.op("shl", A, LANE, imm=11)
    code.load(B, A)
    code("exit")
    assert "lane 2 accesses address 0x1000, but memory has 0x1000 bytes" in fault(code)


def test_a_misaligned_store():
    code = Assembly()
    code.mov(A, 6)
    code.store(A, B)
    code("exit")
    assert "lane 0 accesses address 0x6, which is not a multiple of 4" in fault(code)


def test_shared_memory_ends_where_the_block_s_ends():
    code = Assembly()
    code.mov(A, 32)
    code.load(B, A, space=u.SHARED_SPACE)
    code("exit")
    assert "accesses shared address 0x20, but the block has 0x20 bytes of shared memory" in fault(code, program={"shared_bytes": 32})


def test_blocks_do_not_see_each_other_s_shared_memory():
    code = Assembly()
    code.op("shl", A, THREAD, imm=2)
    code("atomic_add", dst=B, a=A, b=GLOBAL, space=u.SHARED_SPACE)
    code("barrier")
    code.load(C, A, space=u.SHARED_SPACE)
    code.op("shl", D, GLOBAL, imm=2)
    code.store(D, C)
    code("exit")
    result = run(code.program(threads=16, block=4, shared_bytes=16), core__blocks=4, core__warps=4)
    assert words(result)[:16].tolist() == list(range(16))


def test_atomics_on_shared_memory_are_done_one_lane_after_the_other():
    code = Assembly()
    code("atomic_add", dst=B, a=A, b=u.IMMEDIATE, imm=0, space=u.SHARED_SPACE)
    code.mov(C, 5)
    code("atomic_add", dst=B, a=A, b=C, space=u.SHARED_SPACE)
    code.op("shl", D, GLOBAL, imm=2)
    code.store(D, B)
    code("exit")
    result = run(code.program(threads=8, block=8, shared_bytes=16))
    assert sorted(words(result)[:8].tolist()) == [5 * number for number in range(8)]
    # Four lanes on one word: four passes, and the next access waits until they are over.
    assert result.counters["shared_passes"] == 2 * 2 * 4


@unit
def drive_addresses(accesses, warps, tables, mask, lanes):
    expand(mask, warps[0].active, lanes)
    return addresses(accesses[0], warps[0], tables, 0, lanes, 1 << 32)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_an_active_lane_outside_of_a_view_or_not_aligned_is_found_and_so_are_neighbours(data):
    """The view may begin anywhere: an address is aligned that is so from there on."""
    size = data.draw(st.sampled_from([1, 2, 4, 8, 16]))
    start = data.draw(st.integers(0, 100) | st.integers(0, (1 << 32) - 1))
    limit = data.draw(st.integers(0, min(100, (1 << 32) - start)) | st.integers(0, (1 << 32) - max(start, 1)))
    near = st.integers(-20, 120).map(lambda offset: (start + offset) % (1 << 32))
    inside = st.integers(0, max(limit // size - 1, 0)).map(lambda item: (start + item * size) % (1 << 32))
    row = data.draw(
        st.lists(st.one_of(inside, inside, near), min_size=1, max_size=LANES)
        | st.tuples(inside, st.integers(1, LANES)).map(lambda run: [(run[0] + lane * size) % (1 << 32) for lane in range(run[1])])
    )
    active = data.draw(st.just([WORD] * len(row)) | st.lists(st.sampled_from([0, WORD]), min_size=len(row), max_size=len(row)))
    warps = zeros(1, WarpRegisters)
    warps["lane"][0, ADDRESS, : len(row)] = np.array(row, np.uint64).astype(np.uint32)
    views = np.array([view(*(int(number) - (number >> 31 << 32) for number in (start, limit)))], np.int32)
    tables = Tables(uops=np.array([Uop("load", dst=RESULT, a=ADDRESS, view=0, size=size).row()], np.int32), views=views)
    mask = np.uint64(sum(1 << lane for lane, on in enumerate(active) if on))
    fault, after = both(drive_addresses, np.zeros(1, Access), warps, tables, mask, len(row))
    here = [at for at, on in zip(row, active, strict=True) if on]
    assert (fault != 0) == any(not (start <= at and at + size <= start + limit and (at - start) % size == 0) for at in here)
    run = len(here) == len(row) and all(at == row[0] + lane * size for lane, at in enumerate(row))
    assert after[0][0]["run"] == (fault == 0 and run)
    assert (after[0][0]["lowest"], after[0][0]["highest"]) == (min(here, default=WORD), max(here, default=-1))


def test_the_lowest_lane_of_the_warp_with_a_fault_is_named_and_none_after_its_last():
    """Four lanes of a row of 64, of which the fourth and one after it have an address beyond memory."""
    (access,) = mirror(np.zeros(1, Access))
    tables = SimpleNamespace(uops=np.array([Uop("load", dst=1, a=2).row()]))
    active = np.full(64, WORD, np.uint32)
    access.address[:5] = 0, 4, 8, 64, 68
    _first_fault(access, active, tables, 0, 4, 0, 64)
    assert (FAULTS[access.fault].name, access.lane, access.value, access.limit) == ("address_out_of_range", 3, 64, 64)
    access.fault, access.address[3] = 0, 12
    _first_fault(access, active, tables, 0, 4, 0, 64)
    assert access.fault == 0
    access.address[1:4] = 6, 9, 100
    _first_fault(access, active, tables, 0, 4, 0, 64)
    assert (FAULTS[access.fault].name, access.lane, access.value, access.limit) == ("misaligned", 1, 6, 4)
    active[0], access.fault, access.address[1:4] = 0, 0, (4, 8, 12)
    access.address[0] = access.address[-1] = 68  # a lane that does not take part, and the last place of the row
    _first_fault(access, active, tables, 0, 4, 0, 64)
    assert access.fault == 0
