"""Laws of whole runs, on every kind of machine: when all warps have ended nothing is left on its way, and what goes in comes out."""

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, LANE, Assembly, finished, run, words
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons as r
from warploom.machine.device.report import counters
from warploom.machine.memory.channels import DATA_HOLD

A, B, C, D = range(FREE, FREE + 4)


def busy():
    """Ten warps, in blocks of two: loads, whole stores and bytes, atomics, a branch on which lanes disagree, fences and barriers."""
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=6)
    code.mov(C, 2)
    code.label("top")
    code.load(B, A)
    code.branch(LANE, "odd")
    code.op("add", B, B, imm=1)
    code.label("odd")
    code.store(A, B)
    code.store(A, B, 4, size=1)
    code("atomic_add", dst=D, a=A, b=B, imm=8)
    code.op("sub", C, C, imm=1)
    code.branch(C, "top")
    code("fence")
    code("barrier")
    code("exit")
    return code.program(threads=40, block=8)


MACHINES = [
    {},
    {"l1__write": "back", "l2__write": "back", "lsu__stores": 4},
    {"l1__allocate": True, "l2__allocate": True, "l1__replacement": "plru"},
    {"l1__bytes": 0, "l2__bytes": 0},
    {"dram__banks": 2, "dram__row": 256, "dram__bandwidth": 8, "l2__write_buffer": 2, "l2__mshrs": 2},
    {"crossbar__core": 8, "crossbar__slice": 8, "l2__bytes": 2048, "l2__slices": 2, "l1__mshrs": 2, "lsu__queue": 2},
    {"memory__kind": "channels", "gpu__cores": 2},
    {"core__divergence": "dwf"},
    {"core__divergence": "its", "fetch__buffer": 2, "fetch__sets": 4},
    {"core__divergence": "minpc", "core__schedulers": 2, "pipes__owner": "scheduler", "operands__banks": 2},
]  # fmt: skip


@pytest.fixture(scope="module", params=MACHINES, ids=lambda changes: " ".join(map(str, changes.values())) or "small")
def ended(request):
    return finished(busy(), **request.param)


def field(record, path):
    for name in path.split("."):
        record = record[name]
    return record


# By part: what is empty or 0, and pairs of numbers that are equal because everything that was handed out has been given back.
EMPTY_AT_THE_END = {
    "gpu": [
        "live",
        "unfinished",
        "l2.waiting",
        "l2.misses.used",
        "l2.writing",
        "l2.in_use",
        "l2.stalled",
        "l2.turn",
        "dram.waiting",
        "dram.count",
        "grid.waiting",
        "fault.kind",
    ],
    "cores": [
        *("warps.active", "warps.awake", "warps.draining", "warps.pending", "warps.stores", "warps.unsent", "warps.at_barrier"),
        *("warps.fencing", "warps.starved", "warps.waiting_memory", "warps.wants", "warps.alarms.ringing", "warps.threads"),
        *("blocks.used", "blocks.alive", "barriers.waiting", "barriers.arrived", "path_table.count", "mask_stack.count"),
        *("lsu.count", "lsu.used", "lsu.waiting", "lsu.stores", "lsu.misses.table.used", "texture.count", "texture.misses.table.used"),
    ],
}
GIVEN_BACK = {
    "gpu": [("l2.fresh", "l2.freed"), ("dram.fresh", "dram.freed"), ("wheel.used", "wheel.freed"),
            ("partial_stores.fresh", "partial_stores.freed")],
    "cores": [("lsu.fresh", "lsu.freed"), ("lsu.misses.fresh", "lsu.misses.freed")],
}  # fmt: skip


def test_nothing_is_left_on_its_way(ended):
    for part, paths in EMPTY_AT_THE_END.items():
        assert [path for path in paths if np.any(field(getattr(ended, part), path))] == []
    for part, pairs in GIVEN_BACK.items():
        for out, back in pairs:
            assert np.array_equal(field(getattr(ended, part), out), field(getattr(ended, part), back)), (out, back)


THREADS, WARPS, ROUNDS = 40, 10, 2


def test_a_program_counts_the_same_whatever_the_machine(ended):
    """A round is seven instructions, and an eighth for lane 0; two come before the loop, three after it. Each lane has its own line."""
    found = counters(ended)
    assert found["thread_instructions"] == THREADS * (2 + 7 * ROUNDS + 3) + WARPS * ROUNDS
    assert found["diverged_branches"] == WARPS * ROUNDS
    assert ended.profile[3, r.DIVERGED] == WARPS * ROUNDS
    assert found["transactions"] == found["sectors"] == THREADS * ROUNDS * 4  # a load, two stores, an atomic operation
    lane_0 = (np.arange(THREADS) % 4 == 0).astype(np.uint32)
    lines = words(ended)[: 16 * THREADS].reshape(THREADS, 16)
    assert lines[:, 0].tolist() == lines[:, 1].tolist() == (2 * lane_0).tolist()
    assert lines[:, 2].tolist() == (3 * lane_0).tolist()
    assert not lines[:, 3:].any()


def test_what_leaves_a_level_reaches_the_next_one(ended):
    found, config = counters(ended), ended.config
    if config.l1.bytes:
        assert found["l1_hits"] + found["l1_misses"] == THREADS * ROUNDS  # of loads alone
    if config.l2.bytes and config.l1.write == "through":
        assert found["l2_hits"] + found["l2_misses"] == found["transactions"] - found["l1_hits"]
    if config.l2.bytes:
        assert found["l2_atomics"] == THREADS * ROUNDS
    if config.l2.bytes and config.memory.kind == "dram":
        assert found["dram_bytes"] - found["dram_bytes_written"] == found["l2_fill_bytes"]
        assert found["dram_bytes_written"] == found["l2_passed_on_bytes"] + found["l2_write_back_bytes"]
        assert found["dram_bytes"] == 16 * found["dram_requests"]  # a sector each
    if config.dram.banks:
        assert found["dram_row_hits"] + found["dram_row_misses"] == found["dram_requests"]
    if config.memory.kind == "channels":
        assert found["data_requests"] == found["l2_fill_bytes"] + found["l2_passed_on_bytes"] + found["l2_write_back_bytes"]
        assert found["data_channel_busy_cycles"] == DATA_HOLD * found["data_requests"]


@pytest.mark.parametrize("changes", [MACHINES[number] for number in (0, 1, 3, 5, 7)], ids=str)
def test_what_is_written_down_is_what_is_counted(changes):
    """Each event of a traced run is one more of its counter, and says nothing of what it has nothing to do with."""
    result = run(busy(), tracing=True, **changes)
    found, rows = result.counters, result.detail.events
    of = {kind: e.of_kind(rows, number) for number, kind in enumerate(e.KINDS)}
    requests, looked_up = of["request"], of["l2"]
    assert len(of["issue"]) == found["instructions"]
    assert len(requests) == found["transactions"]
    assert (requests["outcome"] == e.HIT).sum() == found["l1_hits"]
    assert (np.isin(requests["outcome"], (e.MISS, e.MERGED)) & (requests["outcome"] != e.STORE)).sum() == found["l1_misses"]
    assert len(looked_up) == found["l2_hits"] + found["l2_misses"]
    assert len(of["complete"]) == found["accesses"]
    without_l2 = result.config.l2.bytes == 0  # else what memory serves is in the events of the second cache
    assert len(of["memory"]) == (found["dram_requests"] if without_l2 else 0)
    assert (len(of["fill"]) == 0) == (found["l1_misses"] == 0)
    assert len(of["barrier"]) == WARPS and of["barrier"]["opens"].sum() == THREADS // 8  # the last of each block opens it
    started = rows[(rows[:, e.KIND] == e.BLOCK) & (e.named(rows, e.BLOCK)["ends"] == e.BLOCK_STARTS)]
    assert started[:, [e.WARP, e.PC, e.MASK]].tolist() == [[-1, -1, 0]] * (THREADS // 8)
    assert sorted(of["block"][["block", "ends"]].tolist()) == [(block, end) for block in range(THREADS // 8) for end in (0, 1)]
    for kind in ("fill", "memory", "l2"):
        assert (rows[rows[:, e.KIND] == e.KINDS.index(kind)][:, [e.WARP, e.PC]] == -1).all(), kind
    assert sorted(of["end"]["core"].tolist()) == [0] * WARPS
    stalls = of["stall"]
    assert (stalls["since"] < stalls["time"]).all()
    spans = np.bincount(stalls["reason"], stalls["time"] - stalls["since"], len(r.REASONS))
    for number, reason in enumerate(r.REASONS):
        assert spans[number] == (0 if number == r.SELECTED else found[f"{reason.name}_warp_cycles"]), reason.name


@pytest.mark.parametrize(("write_buffer", "stalls"), [(0, False), (1, True), (2, True), (64, False)])
def test_a_slice_stands_still_while_as_many_lines_are_on_their_way_to_memory_as_it_has_room_for(write_buffer, stalls):
    """Stores that pass it on, to memory that takes eight bytes a cycle: two warps of four lanes, each with a line of its own."""
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=6)
    code.store(A, B)
    code("exit")
    made = finished(code.program(threads=8, block=8), l2__write_buffer=write_buffer, dram__bandwidth=8, lsu__stores=64)
    assert (counters(made)["l2_stalls"] > 0) == stalls
    assert counters(made)["l2_passed_on_bytes"] == 8 * 16
    assert not made.gpu["l2"]["writing"].any()
