"""What is said of warps, lanes, blocks and barriers, sentence by sentence, of states that are written down here."""

from types import SimpleNamespace

import numpy as np
import pytest

from warploom.machine.device import report


def device(cores=2, **fields):
    """Cores whose record has these fields: `warps.active=[...]` by core."""
    records = [{"warps": {}, "blocks": {}, "barriers": {}} for _ in range(cores)]
    for name, values in fields.items():
        part, field = name.split("__")
        for record, value in zip(records, values, strict=True):
            record[part][field] = value
    return SimpleNamespace(cores=records, gpu={"grid": {}}, config=SimpleNamespace(core=SimpleNamespace(lanes=4)))


@pytest.mark.parametrize("first", [0, 0b1010_0001, (1 << 64) - 1])
def test_warps_that_run_are_listed_by_core_and_slot_up_to_the_last(first):
    second = 1 << 63 | 1
    expected = [(core, warp) for core, active in enumerate((first, second)) for warp in range(64) if active >> warp & 1]
    assert list(report.live_warps(device(warps__active=[np.uint64(first), np.uint64(second)]))) == expected


@pytest.mark.parametrize("extents", [(1, 1, 1), (4, 1, 1), (2, 3, 4), (3, 2, 5), (1, 5, 2)])
def test_a_number_goes_through_x_first_then_y_then_z(extents):
    x, y, z = extents
    expected = [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
    assert [report._in_three(number, extents) for number in range(x * y * z)] == expected


@pytest.mark.parametrize(
    ("lanes", "said"),
    [
        ([], "block (1,2,0), warp 3"),
        ([2], "thread (4,0,1) of block (1,2,0)"),
        ([2, 3], "thread (4,0,1) and 1 more of block (1,2,0)"),
        ([2, 0, 1], "thread (4,0,1) and 2 more of block (1,2,0)"),
    ],
)
def test_threads_of_a_block_in_three_dimensions_are_named_by_the_first(lanes, said):
    """Lane 2 of warp 3, of four lanes: thread 14 of blocks of 5 x 2 x 3. Block 7 of 3 x 4 x 5."""
    made = device()
    made.gpu["grid"] = {"grid_dim": np.array([3, 4, 5]), "block_dim": np.array([5, 2, 3])}
    assert report._by_dimension(made, 7, 3, lanes) == said


@pytest.mark.parametrize(
    ("low", "high", "said"), [(4, 4, None), (5, 4, None), (3, 4, "block 3 has"), (2, 4, "blocks 2 to 3 have"), (0, 9, "blocks 0 to 8 have")]
)
def test_blocks_that_wait_for_room_are_named(low, high, said):
    made = device()
    made.gpu["grid"] = {"low": low, "high": high}
    expected = [f"{said} not started, because no core has room before others end"] if said else []
    assert report._not_started(made) == expected


@pytest.mark.parametrize(("mask", "said"), [(0b1, "lane 0 of it waits"), (0b100, "lane 2 of it waits"), (0b110, "lanes 1-2 of it wait")])
def test_one_waits_and_several_wait(mask, said):
    assert report._wait(mask) == said


@pytest.mark.parametrize(
    ("waiting", "arrived", "expected", "grid", "said"),
    [
        ([0, 0], [0, 0], [0, 0], 0, []),
        ([0b0100, 0], [0b0100, 0], [0, 0], 0, ["barrier 0 expects 3 warps of the block, and 1 came; not there: warps 5-6"]),
        ([0, 0b0100], [0, 0b0110], [0, 0], 0, ["barrier 1 expects 3 warps of the block, and 2 came; not there: warp 6"]),
        ([0, 0b0100], [0, 0b0110], [9, 4], 0, ["barrier 1 expects 4 warps of the block, and 2 came; not there: warp 6"]),
        ([0b0100, 0], [0b1110, 0], [4, 0], 0, ["barrier 0 expects 4 warps of the block, and 3 came"]),
        ([0b1010, 0], [0b1010, 0], [0, 0], 0, []),  # others wait
        ([0, 0], [0, 0], [0, 0], 0b0100, ["the barrier of the grid waits for 8 warps, and 5 came"]),
        ([0, 0], [0, 0], [0, 0], 0b1010, []),
    ],
)
def test_a_warp_at_a_barrier_says_who_is_expected_and_who_is_missing(waiting, arrived, expected, grid, said):
    """Warp slot 2 of core 1, of the block in slot 1 whose warps 4 to 6 are in the slots 2, 1 and 3."""
    made = device(
        warps__block=[None, [0, 1, 1, 1]],
        warps__rank=[None, [0, 5, 4, 6]],
        barriers__at_grid=[None, grid],
        barriers__waiting=[None, np.array([[15, 15], waiting])],
        barriers__arrived=[None, np.array([[15, 15], arrived])],
        barriers__expected=[None, np.array([[9, 9], expected])],
        blocks__alive=[None, [0b0001, 0b1110]],
    )
    made.gpu |= {"live": 8, "grid": {"waiting": 5}}
    assert list(report._barrier_text(made, 1, 2)) == said


@pytest.mark.parametrize(
    ("at_grid", "cores", "said"),
    [
        (0b0100, [0, 0, 0], "a barrier across cores waits for all warps of core 1; not there: warps 5-6"),
        (0b0110, [0, 0, 0], "a barrier across cores waits for all warps of core 1; not there: warp 6"),
        (0b1110, [0, 0b10, 0], "barrier 1 across cores expects more cores; there: core 1"),
        (0b1110, [0b1101, 0, 0b1011], "barrier 2 across cores expects more cores; there: cores 0-1, 3"),
        (0b1110, [0b1101, 0, 0], "a barrier across cores opens"),
    ],
)
def test_a_warp_at_a_barrier_across_cores_says_which_cores_have_come_or_which_warps_its_own_waits_for(at_grid, cores, said):
    """Warp slot 2 of core 1, whose warps 4 to 6 are in the slots 2, 1 and 3."""
    made = device(
        warps__block=[None, [0, 0, 0, 0]],
        warps__rank=[None, [0, 5, 4, 6]],
        barriers__at_grid=[None, at_grid],
        barriers__waiting=[None, np.zeros((1, 2), int)],
        blocks__alive=[None, [0b1110]],
    )
    made.gpu |= {"live": 2, "grid": {"waiting": 0}, "core_barriers": {"cores": np.array(cores)}}
    assert list(report._barrier_text(made, 1, 2)) == [said]


@pytest.mark.parametrize("live", [1, report.MOST_WARPS, report.MOST_WARPS + 1, 64])
def test_so_many_warps_are_said_line_by_line_and_the_others_counted(monkeypatch, live):
    monkeypatch.setattr(report, "live_warps", lambda machine: ((0, warp) for warp in range(live)))
    monkeypatch.setattr(report, "_warp_line", lambda machine, core, warp: f"line of {core} {warp}")
    more = live - report.MOST_WARPS
    assert report.running(None) == [f"line of 0 {warp}" for warp in range(min(live, report.MOST_WARPS))] + (
        [f"and {more} more warps"] if more > 0 else []
    )
