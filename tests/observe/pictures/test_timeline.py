import numpy as np
import pytest

from tests.observe.pictures.runs import run
from warploom.observe.pictures import picture
from warploom.observe.pictures import timeline as p
from warploom.observe.pictures.view import view_of
from warploom.observe.text.styled import plain

FOUR = ("guppy/four_warps.guppy", "guppy", ("core.warps", 4), ("alu.count", 2), ("core.schedulers", 2))


def test_the_warp_cycles_are_those_that_the_run_counts():
    result = run(*FOUR)
    rows = picture(result, "timeline").data
    counted = {
        name.removesuffix("_warp_cycles"): value for name, value in result.counters.items() if name.endswith("_warp_cycles") and value
    }
    assert rows.warp_cycles == counted


def test_an_if_else_cycle_by_cycle():
    """By hand: utof lt br_push mul, a wait for it, add pop div pop, two cycles of waiting for the divide, mov ret."""
    rows = picture(run("guppy/if_else.guppy", "guppy"), "timeline").data
    names = [rows.names[cell] for cell in rows.rows[0].cells]
    assert names == ["selected"] * 4 + ["wait"] + ["selected"] * 4 + ["wait"] * 2 + ["selected"] * 2


def test_columns_of_several_cycles_have_the_exact_shares():
    result = run(*FOUR)
    whole, small = picture(result, "timeline").data, p.data(result, view_of(result), most_columns=20)
    assert small.columns.each == 10
    for row, exact in zip(small.rows, whole.rows, strict=True):
        for column in range(small.columns.count):
            cells = exact.cells[10 * column : 10 * column + 10]
            assert row.shares[:, column] == pytest.approx(np.bincount(cells, minlength=len(small.names)) / len(cells))


def test_in_letters():
    lines = [plain(line) for line in picture(run("guppy/if_else.guppy", "guppy"), "timeline").lines(80)]
    assert lines[0] == "if_else on guppy: timeline of the warps, 13 cycles"
    assert " ".join(" ".join(lines[2:4]).split()) == "selected in 76.9 % of the cycles of all warps; most of the others are wait, 23.1 %"
    assert lines[5] == "warp 0:0       ####w####ww##"
    assert "   #  selected                   76.9 %              10 warp-cycles" in lines


def test_in_blocks_of_colour():
    row = list(picture(run("guppy/if_else.guppy", "guppy"), "timeline").lines(80, colours=True))[5]
    assert plain(row) == "warp 0:0       " + "█" * 13
    assert [style for _, style in row[1:6]] == ["#FFE873"] * 4 + ["#C79FDB"]


def test_a_core_that_runs_one_instruction_at_a_time():
    rows = picture(run("tiny/matadd.asm", "tiny"), "timeline").data
    assert [(row.core, len(row.cells)) for row in rows.rows] == [(0, 178), (1, 178)]
    # 13 instructions a block; an instruction is in EXECUTE for a cycle.
    assert rows.warp_cycles["execute"] == 26


@pytest.mark.parametrize("dark", [False, True])
def test_it_can_be_drawn(dark):
    pytest.importorskip("matplotlib")
    assert "not_selected 32.2 %" in picture(run(*FOUR), "timeline", dark=dark).svg()
