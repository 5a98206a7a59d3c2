"""The masks against counts by hand, against the original machine's, and against the history of the same run."""

import numpy as np
import pytest

import warploom
from tests import guppy_golden
from tests.guppy_history import repeat
from tests.observe.pictures.runs import never_sent, run
from warploom.observe.facts import history as h
from warploom.observe.facts import timeline as t
from warploom.observe.facts.lane_states import OFF
from warploom.observe.pictures import DrawingError, picture
from warploom.observe.pictures import masks as m
from warploom.observe.pictures.masks import FIRST_ACTIVITY, LANE_STATES, NO_WARP, NOBODY
from warploom.observe.pictures.view import Columns, view_of

BLACK = LANE_STATES.index("diverged")
HALF_ENDS = """
.threads 4
CONST R1, #2
DIV R2, %threadIdx, R1
MUL R2, R2, R1
SUB R2, %threadIdx, R2
CONST R3, #0
CMP R2, R3
BRp ODD
RET
ODD:
ADD R4, R1, R1
ADD R4, R4, R1
ADD R4, R4, R1
RET
"""
LETTERS = {"#": "selected", "w": "wait", ".": "diverged"}


def drawn(name, gpu, *changes, **part):
    return picture(run(name, gpu, *changes), "masks", **part).data


def letters(masks, slot):
    named = {name: letter for letter, name in LETTERS.items()} | {"none": " "}
    return ["".join(named[masks.names[cell]] for cell in row) for row in masks.slots[slot].cells]


def test_an_if_cycle_by_cycle():
    """mov mov push and mask_nz | odd lanes: mul, a wait for its result, add, pop | mov ret: by hand from the program."""
    masks = drawn("guppy/if.guppy", "guppy")
    assert letters(masks, 0) == ["#####....##", "######w####"] * 16
    # 16 of 32 lanes are off in 4 of 11 cycles.
    assert masks.lane_cycles == {"diverged": 16 * 4, "ended": 0, "no thread": 0, "selected": 32 * 7 + 16 * 3, "wait": 16}
    assert masks.bought == 32 * 11
    assert masks.black_area == pytest.approx(64 / 352)


def test_a_loop_with_as_many_turns_as_the_lane_s_number():
    """The article's example. A turn is lt, mask_nz, add, add, jmp; lane L is there for L turns and the test that ends them.

    Of turn t (0 to 31) lanes t and above execute lt and mask_nz, those above t the other three; the last turn ends at its mask_nz.
    """
    masks = drawn("guppy/while.guppy", "guppy")
    off = sum(2 * t for t in range(32)) + sum(3 * (t + 1) for t in range(31))
    assert masks.lane_cycles["diverged"] == off
    assert masks.black_area == pytest.approx(off / (32 * 162))


@pytest.mark.parametrize(
    "name",
    ["p01_if_odd", "p02_loop_to_16", "p02_loop_to_16_pipe4", "p03_if_else", "p05_break_continue", "p16_lane_locks", "p18_four_way"],
)
def test_the_black_area_is_the_original_machine_s(name):
    recorded = guppy_golden.load(name)["result"]
    found = picture(repeat(name, "python"), "masks").data.lane_cycles
    assert sum(found[name] for name in OFF) == recorded["lane_inactive"]


def test_it_agrees_with_the_history_of_the_run():
    result = run("guppy/four_warps.guppy", "guppy", ("core.warps", 4), ("alu.count", 2), ("core.schedulers", 4))
    masks, history = picture(result, "masks").data, h.history(result)
    for slot in masks.slots:
        state = history.state[:, 0, slot.warp]
        active = slot.cells[0] == FIRST_ACTIVITY
        ends = (slot.cells[0] != NO_WARP) & (state == h.EMPTY)  # the history shows the last instruction as gone already
        assert ((state == h.ACTIVE) == (active & ~ends)).all()
        assert ends.sum() == 1


def test_an_alu_is_taken_until_it_takes_another_instruction():
    """Two instructions of one cycle, three that need no ALU, a multiply of two cycles (`while` has no other)."""
    masks = drawn("guppy/if.guppy", "guppy")
    assert masks.units[0].holders.tolist() == [0, 0, NOBODY, 0, NOBODY, 0, 0, 0, NOBODY, 0, NOBODY]


def test_lookups_are_those_that_the_run_counts():
    result = run("guppy/load_strided.guppy", "guppy")
    masks = picture(result, "masks").data
    first, second = masks.traffic
    assert (first.name, first.core, second.name, second.core) == ("L1, texture", 0, "L2", None)
    hits, misses, merged, stores, passed = first.counts.sum(axis=1).tolist()
    assert (hits, misses, merged, passed) == (result.counters["l1_hits"], result.counters["l1_misses"], 0, 0)
    assert stores == 16 - never_sent(result)
    assert first.counts.shape == (5, result.cycles)


def test_a_run_that_waits_for_its_stores_shows_a_lookup_of_each():
    result = run("guppy/load_strided.guppy", "sm")
    first = picture(result, "masks").data.traffic[0]
    assert first.counts.sum() == result.counters["transactions"]


def test_lanes_that_have_no_thread_are_no_divergence():
    """diverge has 4 threads: on a warp of 32 lanes 28 are never used, and half of the others in each branch."""
    masks = drawn("tiny/diverge.asm", "sm")
    assert np.isin(masks.slots[0].cells[4:], (NO_WARP, LANE_STATES.index("no thread"))).all()
    assert masks.share("no thread") == pytest.approx(28 / 32)
    assert 0 < masks.black_area < 4 / 32
    assert "no thread 87.5 %" in m.caption(masks)


def test_lanes_that_have_ended_are_no_divergence(tmp_path):
    """The even threads return at once, the others go on: nothing of the even lanes' time is divergence."""
    file = tmp_path / "half.asm"
    file.write_text(HALF_ENDS)
    for mechanism in ("stack", "its", "minpc"):
        gpu = warploom.GPU("tiny-simt", set={"core.divergence": mechanism}, engine="python")
        masks = picture(gpu.run(warploom.load(file), tracing=True), "masks").data
        rows = ["".join(str(LANE_STATES[cell])[0] if cell < FIRST_ACTIVITY else "#" for cell in row) for row in masks.slots[0].cells]
        ends = rows[0].rstrip("n").rfind("#") + 1
        assert set(rows[0][ends:].rstrip("n")) == {"e"}, (mechanism, rows)
        assert "e" not in rows[1], (mechanism, rows)
        assert masks.lane_cycles["ended"] > 0
        assert masks.share("no thread") == 0


def test_a_part_of_a_run():
    result = run("guppy/four_warps.guppy", "guppy", ("core.warps", 4), ("alu.count", 2), ("core.schedulers", 4))
    whole, part = picture(result, "masks").data, picture(result, "masks", cycles=(40, 59), warps=[1, 3]).data
    assert [slot.warp for slot in part.slots] == [1, 3]
    assert (part.slots[1].cells == whole.slots[3].cells[:, 40:60]).all()
    assert part.bought == 2 * 32 * 20


def test_slots_that_never_held_a_warp_are_left_out_and_counted():
    masks = drawn("tiny/diverge.asm", "tiny-simt")  # 2 cores of 4 slots, one warp
    assert [(slot.core, slot.warp) for slot in masks.slots] == [(0, 0)]
    assert masks.hidden == 7


def test_cells_of_several_cycles_have_the_exact_shares():
    result = run("guppy/while.guppy", "guppy")
    exact, small = picture(result, "masks").data, m.data(result, view_of(result), most_columns=50)
    assert (small.columns.each, small.slots[0].cells.shape) == (4, (32, 41))
    assert small.lane_cycles == exact.lane_cycles
    shares = small.slots[0].shares
    assert shares.sum(axis=1) == pytest.approx(np.ones((32, 41)))
    for column in range(41):
        cells = exact.slots[0].cells[:, 4 * column : 4 * column + 4]
        assert shares[:, BLACK, column] == pytest.approx((cells == BLACK).mean(axis=1))
        assert shares[:, FIRST_ACTIVITY, column] == pytest.approx((cells == FIRST_ACTIVITY).mean(axis=1))
    assert (small.slots[0].cells == shares.argmax(axis=1)).all()  # in letters a cell shows what takes most of it


def test_cells_of_several_lanes_have_the_exact_shares():
    result = run("guppy/if.guppy", "guppy")
    found = m.data(result, view_of(result), most_rows=8, most_shared_rows=8)
    assert (found.lanes_a_row, found.slots[0].cells.shape) == (4, (8, 11))
    assert found.slots[0].shares[3, BLACK].tolist() == [0, 0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0, 0]
    assert found.black_area == pytest.approx(64 / 352)


def test_an_alu_s_shares():
    result = run("guppy/four_warps.guppy", "guppy", ("core.warps", 4), ("alu.count", 2), ("core.schedulers", 2))
    exact, small = picture(result, "masks").data, m.data(result, view_of(result), most_columns=20)
    for unit, whole in zip(small.units, exact.units, strict=True):
        for warp in range(4):
            assert unit.shares[warp] @ np.diff(small.columns.edges()) == pytest.approx((whole.holders == warp).sum())


def test_a_core_that_runs_one_instruction_at_a_time_shows_its_states():
    """matadd has 8 threads: two full blocks. Two cores take 178 cycles, as recorded from the original hardware."""
    result = run("tiny/matadd.asm", "tiny")
    masks = picture(result, "masks").data
    assert [(slot.core, slot.cells.shape) for slot in masks.slots] == [(0, (4, 178)), (1, (4, 178))]
    assert masks.sequencer
    states = [name.removesuffix("_thread_cycles") for name in result.counters if name.endswith("_thread_cycles")]
    for state in ("fetch", "decode", "request", "wait", "execute", "update"):
        assert state in states
        assert masks.lane_cycles[state] == result.counters[f"{state}_thread_cycles"]
    assert masks.black_area == 0


def test_threads_that_a_block_lacks_are_no_divergence():
    masks = drawn("tiny/partial_block.asm", "tiny")
    assert masks.lane_cycles["no thread"] > 0
    assert masks.lane_cycles["diverged"] == masks.lane_cycles["ended"] == 0


def test_without_events_it_says_what_to_do():
    with pytest.raises(DrawingError, match="run it with tracing=True"):
        _ = picture(run("guppy/if.guppy", "guppy", tracing=False), "masks").data


def test_a_million_warp_cycles():
    """64 warps for 16 384 cycles each, in spans of 4 cycles, half of the spans with half of the lanes."""
    spans = np.zeros((4096, t.SPAN_COLUMNS), np.int64)
    spans[:, t.START] = np.arange(4096) * 4
    spans[:, t.STOP] = spans[:, t.START] + 4
    spans[:, t.MASK] = np.where(np.arange(4096) % 2, 0x0000FFFF, 0xFFFFFFFF)
    spans[:, t.THREADS] = 0xFFFFFFFF
    for _ in range(64):
        shares = m._shares(spans, 32, 16, Columns(0, 16384, 16), 17)
        assert (shares[:, BLACK] == np.array([[0.0], [0.5]])).all()


def test_a_notebook_shows_it_and_it_saves_itself(tmp_path):
    pytest.importorskip("matplotlib")
    result = warploom.GPU("guppy", engine="python").run(
        warploom.load(str(run("guppy/if.guppy", "guppy").program.source.path)), tracing=True
    )
    found = result.picture("masks", cycles=(0, 5))
    assert found._repr_png_().startswith(b"\x89PNG")
    found.save(tmp_path / "x.svg")
    text = (tmp_path / "x.svg").read_text()
    assert "if on guppy: execution masks, cycles 0 to 5 of 11" in text
