"""The pictures of quantities over time: occupancy and issue slots, memory traffic."""

import numpy as np
import pytest

from tests.observe.pictures.runs import never_sent, run
from warploom.observe.pictures import DrawingError, issue, memory, picture
from warploom.observe.pictures.series import columns_for
from warploom.observe.pictures.view import view_of

FOUR = ("guppy/four_warps.guppy", "guppy", ("core.warps", 4), ("alu.count", 2), ("core.schedulers", 2))
STRIDED = ("guppy/load_strided.guppy", "guppy", ("core.warps", 4))


def total(series, panel, name):
    length = np.diff(series.columns.edges())
    return sum((part.values * length).sum() for part in series.panels[panel].parts if part.name == name)


@pytest.mark.parametrize("columns", [1000, 17])
def test_issues_and_occupancy_are_those_that_the_run_counts(columns):
    result = run(*FOUR)
    series = issue.data(result, view_of(result), most_columns=columns)
    assert total(series, 0, "selected") == pytest.approx(result.instructions)
    whole = sum(total(series, 0, name) for name in ("selected", "not_selected", "any other reason"))
    assert whole == pytest.approx(result.counters["warp_cycles"])
    assert total(series, 1, "taken") == pytest.approx(100 * result.instructions / 2)  # two schedulers
    assert issue.facts(series) == {
        "occupancy": pytest.approx(result.counters["warp_cycles"] / (4 * result.cycles)),
        "issue_slots_taken": pytest.approx(result.instructions / (2 * result.cycles)),
    }


def test_a_warp_whose_unit_is_full_is_not_one_that_could_issue():
    """slow_alu: eight warps and one ALU, which is taken by a division. Only warps that another one was picked over could have issued."""
    result = run("guppy/slow_alu.guppy", "guppy", ("core.warps", 8))
    series = picture(result, "issue").data
    assert result.counters["math_pipe_throttle_warp_cycles"] > 0
    assert total(series, 0, "not_selected") == pytest.approx(result.counters["not_selected_warp_cycles"])


def test_a_cycle_that_is_wider_than_a_point_is_shown_as_it_is():
    """A run of 400 cycles on 1072 points: a step a cycle, no means."""
    result = run("guppy/while.guppy", "guppy")
    assert picture(result, "issue").data.columns.each == 1
    assert memory.data(run(*STRIDED), view_of(run(*STRIDED)), most_columns=300).columns.each == 1
    assert columns_for(1000, 1001) == 250


def test_the_lanes_of_an_instruction():
    """The odd lanes of `if` execute the seventh to tenth cycle's instructions: 16 of 32 lanes; in one of the cycles nothing issues."""
    series = picture(run("guppy/if.guppy", "guppy"), "issue").data
    lanes = series.panels[2].parts[0].values
    assert lanes[[0, 4, 5, 7, 8, 9, 10]].tolist() == [32, 32, 16, 16, 16, 32, 32]
    assert np.isnan(lanes[6])


def test_a_sequencer_s_slot_is_its_execute_state():
    series = picture(run("tiny/matadd.asm", "tiny"), "issue").data
    assert total(series, 0, "EXECUTE") == pytest.approx(26)  # two blocks of 13 instructions
    assert series.panels[0].mark == ("2 cores", 2)


@pytest.mark.parametrize("columns", [1000, 13])
def test_transactions_are_those_that_the_run_counts(columns):
    result = run(*STRIDED)
    series = memory.data(result, view_of(result), most_columns=columns)
    assert [panel.title for panel in series.panels][:2] == ["Transactions of the cores: L1, texture cache", "Lookups in L2"]
    assert total(series, 0, "miss") == pytest.approx(result.counters["l1_misses"])
    looked = sum(total(series, 0, name) for name in ("hit", "miss", "merged", "store"))
    assert looked == pytest.approx(result.counters["transactions"] - never_sent(result))
    assert total(series, 1, "miss") + total(series, 1, "store") == pytest.approx(result.counters["l2_misses"])


def test_hit_rates():
    result = run("guppy/load_coalesced.guppy", "guppy")
    series = picture(result, "memory").data
    hits, misses = result.counters["l1_hits"], result.counters["l1_misses"]
    (rate, _) = next(panel for panel in series.panels if panel.title.startswith("Hit rate")).parts
    assert rate.name == f"L1, texture cache {100 * hits / (hits + misses):.1f} %"


def test_a_sequencer_shows_its_channels():
    """Channels that serve, as the counters have them: the run ends before the last handshake does."""
    result = run("tiny/matadd.asm", "tiny")
    series = picture(result, "memory").data
    assert total(series, 0, "serve a request") == pytest.approx(result.counters["data_channel_busy_cycles"], abs=8)
    assert series.panels[0].mark == ("4 channels", 4)
    assert total(series, 2, "their core waits for data memory") == pytest.approx(result.counters["wait_thread_cycles"])


def test_a_kernel_without_memory_says_so():
    with pytest.raises(DrawingError, match="no access to memory in these cycles"):
        _ = picture(run("guppy/if.guppy", "guppy"), "memory").data


@pytest.mark.parametrize("kind", ["issue", "memory"])
def test_they_can_be_drawn(kind):
    pytest.importorskip("matplotlib")
    assert "on guppy" in picture(run(*STRIDED), kind).svg()
    assert "on tiny" in picture(run("tiny/matadd.asm", "tiny"), kind, dark=True).svg()
