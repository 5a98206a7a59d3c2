"""What the memory stage leaves behind of an access, in cycles: who waits for a scratchpad that lies among other addresses."""

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
from tests.machine.programs import GLOBAL, LANE, Assembly, issues, run
from warploom.isa import uop as u
from warploom.isa.regions import Region
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.load_store.wide_access import IN_SHARED, IN_TABLES
from warploom.machine.engine.unit import FOREVER
from warploom.machine.memory.transactions import ATOMIC, LOAD, STORE

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


def test_neighbouring_words_of_a_lane_are_read_from_shared_memory_as_one_access():
    """Two words of each of four lanes, in halves of the warp: half as many passes as of each word by itself."""
    for offset, passes in ((4, 2), (8, 4)):
        words = [{**LOADS, "space": u.SHARED_SPACE}, {**LOADS, "space": u.SHARED_SPACE, "dst": D, "imm": offset}]
        made = stage(*words, shared_banks=4, shared_bank_bytes=4)
        made.registers.lane[A, :4] = 0, 8, 16, 24
        made.core.shared[64:74] = range(40, 50)
        assert execute(made, u.SHARED) == 0
        assert made.row[r.PASSES] == passes and made.core.shared_free == NOW + passes
        assert made.registers.lane[D, :4].tolist() == [40 + offset // 4 + 2 * lane for lane in range(4)]


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


@pytest.mark.parametrize("kept", [0, 1])
def test_only_accesses_of_lanes_to_memory_are_counted_in_order_and_only_where_a_program_asks(kept):
    scalars = {"name": "load_scalar", "dst": u.scalar(0), "a": u.scalar(2), "imm": 0}
    for access, wanted, counts in ((LOADS, u.MEMORY, 1), ({**LOADS, "space": u.SHARED_SPACE}, u.SHARED, 0), (scalars, u.MEMORY, 0)):
        made = stage(access)
        made.core.access_order.kept = kept
        assert execute(made, wanted) == 0
        assert made.core.access_order.left[WARP] == (counts if kept else 0), access


@pytest.mark.parametrize("kept", [0, 1])
def test_an_access_of_both_memories_of_which_only_shared_memory_answers_is_counted_and_has_its_answer(kept):
    """No lane takes part in the access of memory that the bundle holds too."""
    made = stage({**LOADS, "predicate": u.scalar(2)}, {**LOADS, "space": u.SHARED_SPACE, "dst": B}, has_predicates=1)
    made.core.access_order.kept = kept
    assert execute(made) == 0
    order = made.core.access_order
    assert (order.left[WARP], order.open[WARP], made.lsu.count) == (kept, 0, 0)
    assert busy(made, B) == (made.core.shared_free + LATENCY - 1, r.SHORT_SCOREBOARD)
