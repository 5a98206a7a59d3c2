import itertools

import pytest

from tests.observe.pictures.runs import run
from warploom.observe.pictures import DrawingError, picture
from warploom.observe.pictures.pipeline import MOST_ROWS


def test_an_if_else_instruction_by_instruction():
    """By hand, from the latencies of the preset: multiply 2 cycles, divide 4, the others 1."""
    rows = picture(run("guppy/if_else.guppy", "guppy"), "pipeline").data.rows
    assert [(row.text.split()[0], row.lanes, row.stretches[-1].start, row.until) for row in rows] == [
        ("utof", 32, 0, 1),
        ("lt.u32", 32, 1, 2),
        ("br_push", 32, 2, 3),
        ("mul.f32", 20, 3, 5),
        ("add.f32", 20, 5, 6),
        ("pop_mask", 20, 6, 7),
        ("div.f32", 12, 7, 11),
        ("pop_mask", 12, 8, 9),
        ("mov", 32, 11, 12),
        ("ret", 32, 12, 13),
    ]
    assert rows[8].stretches == ((9, 11, "wait"), (11, 12, "selected"))


def test_a_load_is_on_its_way_until_its_first_reader_can_issue():
    rows = picture(run("guppy/load_strided.guppy", "guppy"), "pipeline").data.rows
    load, reader = rows[1], rows[2]
    assert (load.text.split()[0], reader.text.split()[0]) == ("ld", "add.u32")
    assert reader.stretches[0].activity == "long_scoreboard"
    assert load.until == reader.stretches[0].stop


def test_the_stages_of_tiny_gpu():
    """Recorded from the original hardware: 11 cycles from a block's first FETCH to the UPDATE of an instruction without memory access."""
    rows = picture(run("tiny/matadd.asm", "tiny"), "pipeline").data.rows
    assert len(rows) == 13
    assert [one.activity for one in rows[0].stretches] == ["fetch", "decode", "request", "wait", "execute", "update"]
    assert [one.stop - one.start for one in rows[0].stretches] == [6, 1, 1, 1, 1, 1]
    assert all(one.stretches[0].start == before.stretches[-1].stop for before, one in itertools.pairwise(rows))


def test_a_chosen_warp_and_part():
    result = run("guppy/four_warps.guppy", "guppy", ("core.warps", 4), ("alu.count", 2), ("core.schedulers", 2))
    found = picture(result, "pipeline", warps=[2], cycles=(50, 90)).data
    assert found.warp == 2
    assert found.rows[0].stretches[0].start >= 50
    assert found.rows[-1].stretches[-1].stop <= 91
    whole = picture(result, "pipeline").data
    assert (whole.warp, len(whole.rows), whole.more) == (0, MOST_ROWS, 72 - MOST_ROWS)  # 288 instructions of four warps


def test_it_says_where_there_is_no_instruction():
    with pytest.raises(DrawingError, match="no warp is there in these cycles"):
        _ = picture(run("tiny/diverge.asm", "tiny-simt"), "pipeline", cores=[1]).data
    with pytest.raises(DrawingError, match="executes no instruction in these cycles"):
        _ = picture(run("tiny/diverge.asm", "tiny-simt"), "pipeline", cycles=(0, 2)).data


@pytest.mark.parametrize(("name", "gpu"), [("tiny/matadd.asm", "tiny"), ("guppy/load_strided.guppy", "guppy")])
def test_it_can_be_drawn(name, gpu):
    pytest.importorskip("matplotlib")
    assert "lanes" in picture(run(name, gpu), "pipeline").svg()
