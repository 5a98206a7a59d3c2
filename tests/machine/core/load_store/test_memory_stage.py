"""What the memory stage leaves behind of an access, in cycles: who waits for a scratchpad that lies among other addresses."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, mask
from tests.machine.programs import FREE, GLOBAL, LANE, Assembly, issues, run
from warploom.isa import uop as u
from warploom.isa.regions import Region
from warploom.isa.views import VIEW_BASE, VIEW_HEIGHT, VIEW_PITCH, VIEW_WIDTH
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.load_store.memory_stage import _send_texels, access_memory
from warploom.machine.core.load_store.wide_access import AT_PLACES, IN_SHARED, IN_TABLES
from warploom.machine.engine.unit import FOREVER
from warploom.machine.memory.transactions import ATOMIC, LOAD, STORE

A, B, C, D = range(FREE, FREE + 4)
PAD = Region("pad", 0x1000, 0x80, kind="scratchpad")


def issued(*accesses, latency):
    """The cycles in which these accesses of the scratchpad issue, each followed by an instruction that reads register B."""
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.op("add", A, A, imm=0x1000)
    code.mov(B, 5)
    for access in accesses:
        if access == "store":
            code.store(A, LANE)
        elif access == "load":
            code.load(B, A)
        else:
            code(access, dst=B, a=A, b=LANE)
        code.op("add", C, B, imm=1)
    code("exit")
    result = run(code.program(regions=(PAD, Region("after", 0x1080, 0x1000))), tracing=True, shared__latency=latency)
    assert result.status == "done", result.fault
    return np.diff([time for time, _, pc, _ in issues(result) if pc >= 3][: 2 * len(accesses)]).tolist()


@pytest.mark.parametrize("latency", [7, 20])
def test_who_reads_what_comes_from_a_scratchpad_waits_for_it_and_a_store_holds_up_nobody(latency):
    assert issued("load", latency=latency) == [latency]
    assert issued("atomic_add", latency=latency) == [latency]
    assert issued("store", latency=latency)[0] < 7
    assert issued("store", latency=7) == issued("store", latency=latency)


# ---------------------------------------------------------------------------------------------------------
# Call by call: what it asks the other units for, and what it leaves to them

WARP, PC, NOW, LATENCY = 2, 1, 100, 9
FILLED = [0, 4, 64, 68]  # byte addresses of the lanes: two sectors of 16 bytes, in two lines of 64


def stage(*uops, active=0b1111, machine=None, **settings):
    """A core about to execute a bundle, and what it calls. Register A: FILLED; B: 7, 8, 9, 10."""
    code = Assembly()
    code("nop")
    code.bundle(*uops)
    code("exit")
    gpu, cores, tables = bench(code, core__warps=4, **(machine or {}))
    core, registers = cores[0], cores[0].registers[WARP]
    tables.uops, tables.code = tables.uops.copy(), tables.code.copy()
    tables.profile, tables.memory = np.zeros((3, 64), np.int64), np.arange(1024, dtype=np.uint32)
    core.warps.mask[WARP] = core.warps.expanded_from[WARP] = active
    core.warps.started[WARP], core.shared_latency, core.shared_free = 33, LATENCY, 0
    registers.active[:4] = [0xFFFFFFFF * (active >> lane & 1) for lane in range(4)]
    registers.lane[A, :4], registers.lane[B, :4] = FILLED, (7, 8, 9, 10)
    core.lsu.used, core.texture.used, core.blocks.shared_bytes = mask(0), mask(0, 1), 256
    core.warps.block[WARP], core.lane_slots.capacity = 1, 0
    for name, value in settings.items():
        setattr(core, name, value)
    calls = []
    units = SimpleNamespace(
        watch=lambda gpu, core, warp, pc, tables, k, now: calls.append(("watch", k - first, int(core.access.address[3]), now)),
        execute=lambda registers, tables, k, lanes: calls.append(("execute", k - first)),
        wide=lambda core, warp, tables, k, where: calls.append(("wide", k - first, where)),
    )
    first = int(tables.code[PC, u.FIRST_UOP])
    made = SimpleNamespace(gpu=gpu, core=core, tables=tables, units=units, calls=calls, registers=registers)
    made.warps, made.lsu, made.row = core.warps, core.lsu, tables.profile[PC]
    gpu.progress = 5
    return made


def execute(made, wanted=u.MEMORY, now=NOW):
    return access_memory(made.gpu, made.core, WARP, PC, wanted, made.tables, made.units, np.int64(now))


def busy(made, register=C):
    board = made.core.scoreboard
    return int(board.ready[WARP, register]), int(board.reason[WARP, register])


def entered(made, unit=None, slot=1):
    """(kind, warp, instruction, lanes, launch, extra cycles, bypass, transactions, issue) of the access in a slot."""
    lsu = unit or made.lsu
    assert (lsu.count, lsu.used) == (1, mask(*range(slot + 1)))
    access = lsu.access[slot]
    columns = (lsu.kind, lsu.warp, lsu.pc, lsu.mask, lsu.launched, lsu.extra, lsu.bypass)
    return (*(int(column[access]) for column in columns), int(lsu.total[slot]), int(lsu.issued[access]))


def counted(made):
    return made.row[[r.ACCESSES, r.TRANSACTIONS, r.SECTORS, r.SECTORS_NEEDED, r.PASSES]].tolist()


LOADS = {"name": "load", "dst": C, "a": A, "imm": 0}
STORES = {"name": "store", "a": A, "b": B, "imm": 0}
ADDS = {"name": "atomic_add", "dst": C, "a": A, "b": B, "imm": 0}


@pytest.mark.parametrize("active", [0b1111, 0b1001])
@pytest.mark.parametrize("access", [LOADS, STORES, ADDS], ids=["load", "store", "atomic"])
def test_an_access_moves_values_and_enters_the_unit(access, active):
    made = stage(access, active=active)
    made.core.monitor.scratchpad_stalls = 3
    assert execute(made) == 0
    kind = {"load": LOAD, "store": STORE, "atomic_add": ATOMIC}[access["name"]]
    assert entered(made) == (kind, WARP, PC, active, 33, 0, 0, 2, NOW)
    assert counted(made) == [1, 2, 2, -(-4 * active.bit_count() // 16), 0]
    stores, warps = kind == STORE, made.warps
    assert (warps.stores[WARP], warps.unsent[WARP], warps.pending[WARP]) == (stores, stores, not stores)
    assert busy(made) == ((0, 0) if stores else (FOREVER, r.LONG_SCOREBOARD))
    lanes = [lane for lane in range(4) if active >> lane & 1]
    words = np.arange(1024)
    at = [FILLED[lane] // 4 for lane in lanes]
    if kind != STORE:
        assert made.registers.lane[C, lanes].tolist() == at
    if kind != LOAD:
        words[at] = [lane + 7 + (words[FILLED[lane] // 4] if kind == ATOMIC else 0) for lane in lanes]
    assert made.tables.memory.tolist() == words.tolist()
    assert made.gpu.progress == (5 if kind == LOAD else NOW)
    assert (made.core.monitor.scratchpad_stalls, made.core.shared_free, made.calls) == (3, 0, [])


def test_a_bundle_is_a_store_when_one_of_its_micro_ops_is_and_each_adds_its_transactions():
    made = stage(LOADS, {"name": "add", "dst": B, "a": B, "b": B}, {**STORES, "imm": 128})
    made.core.watched = 1
    assert execute(made) == 0
    assert entered(made)[0] == STORE and entered(made)[7] == 4
    assert counted(made) == [1, 4, 4, 2, 0]
    assert made.calls == [
        ("watch", 0, 68, NOW),
        ("watch", 1, 68, NOW),
        ("execute", 1),
        ("watch", 2, 196, NOW),
    ]  # when the addresses are known


def test_lanes_on_one_word_make_an_atomic_longer():
    found = []
    for name, together in (("atomic_add", 1), ("atomic_add", 2), ("atomic_add", 3), ("atomic_exchange", 3), ("atomic_add", 4)):
        made = stage({**ADDS, "name": name}, {**ADDS, "name": name, "a": B}, atomic_lanes=together)
        made.registers.lane[A, :4], made.registers.lane[B, :4] = 8, (4, 4, 8, 12)  # the bundle has the longest
        assert execute(made) == 0
        found.append(entered(made)[5])
    assert found == [3, 1, 1, 3, 0]


@pytest.mark.parametrize("address, fault", [(66, "misaligned"), (4096, "address_out_of_range")])
def test_a_fault_ends_a_bundle_before_it_counts(address, fault):
    made = stage({**LOADS, "dst": B}, {**STORES, "a": C}, {**STORES, "imm": 4})
    made.registers.lane[C, :4] = 0, 0, address, 0
    made.core.watched = 1
    assert execute(made) == FAULT_NUMBER[fault]
    assert (made.core.access.lane, made.core.access.value) == (2, address)
    assert made.row[[r.ACCESSES, r.TRANSACTIONS]].tolist() == [0, 0] and made.lsu.count == 0 and made.tables.memory[0] == 0
    assert len(made.calls) == 1


@pytest.mark.parametrize("free, begin", [(0, NOW), (NOW + 5, NOW + 5)])
@pytest.mark.parametrize("access", [LOADS, STORES, ADDS], ids=["load", "store", "atomic"])
def test_shared_memory_answers_after_its_passes(access, free, begin):
    """Of block 1, whose memory begins at byte 256; lanes 0, 1 and 3 on one bank of four, the first two on one word."""
    made = stage({**access, "space": u.SHARED_SPACE}, shared_banks=4, shared_bank_bytes=4, shared_free=free, watched=1)
    made.registers.lane[A, :4] = 0, 0, 4, 16
    made.core.shared[64:72] = range(40, 48)
    assert execute(made, u.SHARED) == 0
    passes = 3 if access is ADDS else 2
    assert made.core.shared_free == begin + passes and counted(made) == [1, 0, 0, 0, passes]
    assert busy(made) == (0 if access is STORES else begin + passes + LATENCY - 1, 0 if access is STORES else r.SHORT_SCOREBOARD)
    assert made.lsu.count == 0 and made.calls == [("watch", 0, 256 + 16, NOW)]
    values = {"load": [40, 41, 44], "store": [8, 9, 10], "atomic_add": [55, 50, 54]}[access["name"]]
    assert made.core.shared[[64, 65, 68]].tolist() == values
    if access is LOADS:
        assert made.registers.lane[C, :4].tolist() == [40, 40, 41, 44]


def test_shared_memory_has_an_end_and_wide_accesses():
    made = stage({**LOADS, "space": u.SHARED_SPACE})
    made.registers.lane[A, 3] = 256
    assert execute(made, u.SHARED) == FAULT_NUMBER["shared_out_of_range"]
    made = stage({**LOADS, "space": u.SHARED_SPACE, "size": 8}, has_wide=1)
    made.registers.lane[A, :4] = 0, 8, 64, 72
    assert execute(made, u.SHARED) == 0 and made.calls == [("wide", 0, IN_SHARED)]


def test_a_bundle_of_both_memories_holds_shared_memory_and_waits_for_the_other():
    made = stage(LOADS, {**LOADS, "space": u.SHARED_SPACE, "dst": B}, shared_free=NOW + 4)
    assert execute(made) == 0
    assert entered(made)[7] == 2 and busy(made) == (FOREVER, r.LONG_SCOREBOARD)
    assert made.core.shared_free == NOW + 4 + made.row[r.PASSES] and made.row[r.PASSES] > 0


def test_each_micro_op_works_in_the_lanes_of_its_predicate():
    """The first in lanes 1 and 3, the second in lane 0: one access of three lanes."""
    lanes = u.scalar(2)
    made = stage({**LOADS, "predicate": lanes}, {**STORES, "predicate": u.scalar(4)}, has_predicates=1)
    made.core.registers[WARP].scalar[[2, 4]] = 0b11010, 0b00001
    assert execute(made) == 0
    assert entered(made)[3] == 0b1011 and made.warps.expanded_from[WARP] == 0b0001
    assert made.registers.lane[C, :4].tolist() == [0, 1, 0, 17] and made.tables.memory[:3].tolist() == [7, 1, 2]
    assert counted(made)[3] == 1 + 1  # 8 and 4 bytes, of sectors of 16


def test_arithmetic_in_a_bundle_looks_at_its_predicate_itself():
    for unit in ("add", "frcp"):
        named = {"predicate": u.scalar(2)}
        made = stage({**LOADS, **named}, {"name": unit, "dst": B, "a": B, **named}, has_predicates=1)
        made.core.registers[WARP].scalar[2] = 0b0010
        assert execute(made) == 0
        assert made.warps.expanded_from[WARP] == 0b1111 and made.registers.active[:4].tolist() == [0xFFFFFFFF] * 4
        assert made.calls == [("execute", 1)] and entered(made)[3] == 0b0010


@pytest.mark.parametrize("wide, size, called", [(1, 8, True), (1, 4, False)])
def test_what_is_wide_goes_to_its_unit(wide, size, called):
    for access, kind in ((LOADS, LOAD), (STORES, STORE), (ADDS, ATOMIC)):
        made = stage({**access, "size": size}, has_wide=wide)
        made.registers.lane[A, :4] = 0, 8, 64, 72
        assert execute(made) == 0
        assert made.calls == ([("wide", 0, IN_TABLES)] if called else []) and entered(made)[0] == kind
        assert counted(made)[1:4] == [2, 2, 2 if called else 1]


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
        core.access.fault = fault
        return _send_texels(core, len(rows), np.int64(4), 4, transactions)

    made.units.sampler = sampler
    return made


SAMPLES = {"name": "sample_fixed", "dst": C, "a": A, "b": B, "c": B}


@pytest.mark.parametrize("capacity", [0, 4])
def test_a_sample_enters_the_texture_unit(capacity):
    made = texels(SAMPLES, watched=1)
    made.core.lane_slots.capacity = capacity
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


def test_texels_are_written_inside_their_image():
    made = stage(STORES, watched=1)
    made.tables.uops[1] = u.Uop("store_image", a=A, b=B, c=D, view=0).row()
    made.tables.views = np.zeros((1, 16), np.int64)
    made.tables.views[0, [VIEW_BASE, VIEW_PITCH, VIEW_WIDTH, VIEW_HEIGHT]] = 16, 32, 3, 4
    made.registers.lane[A, :4], made.registers.lane[B, :4] = (2, 3, 0, 1), (3, 0, 4, 1)
    assert execute(made) == 0
    assert made.core.access.address[:4].tolist() == [16 + 96 + 8, 0, 0, 16 + 32 + 4]
    assert entered(made)[0] == STORE and entered(made)[7] == 2 and made.gpu.progress == NOW
    assert made.calls[0][:2] == ("watch", 0) and len(made.calls) == 1
