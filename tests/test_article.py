"""The article's examples and figures on this machine; the numbers are the article's own or follow from its rules by hand."""

import importlib.util

import numpy as np
import pytest

from tests.guppy_reference import Warp
from tests.places import ROOT
from warploom import guppy
from warploom.observe.facts.history import ACTIVE, IDLE, NOBODY, STALLED, history

specification = importlib.util.spec_from_file_location("article", ROOT / "examples" / "article.py")
article = importlib.util.module_from_spec(specification)
specification.loader.exec_module(article)

# Figures 8 and 9, read off, for widths 8, 16 and 32; width 64 from counts of the same kind.
RANDOM = {1: 1.0, 8: 1.72, 16: 1.85, 32: 1.90, 64: 2.005}
SORTED = {1: 1.0, 8: 1.03, 16: 1.06, 32: 1.12, 64: 1.25}


def test_example_1_an_if_costs_its_body_to_all_lanes():
    assert article.rows("if", "python") == [
        "A:ffffffff@1 | 0",
        "A:ffffffff@2 | 0",
        "A:ffffffff@3 | -2",  # push_mask needs no ALU
        "A:ffffffff@4 | 0",
        "A:aaaaaaaa@5 | -2",  # mask_nz: the new mask is seen at once
        "A:aaaaaaaa@6 | 0",
        "S:aaaaaaaa@6 | 0",  # the multiply takes two cycles
        "A:aaaaaaaa@7 | 0",
        "A:ffffffff@8 | -2",  # pop_mask
        "A:ffffffff@9 | 0",
        ". | -2",  # ret
    ]


def test_example_2_a_loop_turns_until_its_last_lane_is_done():
    before = ["A:ffffffff@1 | 0", "A:ffffffff@2 | 0", "A:ffffffff@3 | -2"]
    turns = []
    for turn in range(31):
        staying = 0xFFFFFFFF & ~((2 << turn) - 1)  # lanes 0 .. turn have left
        coming = 0xFFFFFFFF & ~((1 << turn) - 1)
        turns += [f"A:{coming:08x}@4 | 0", f"A:{staying:08x}@5 | -2", f"A:{staying:08x}@6 | 0"]
        turns += [f"A:{staying:08x}@7 | 0", f"A:{staying:08x}@3 | -2"]
    after = ["A:80000000@4 | 0", "A:ffffffff@8 | -2", "A:ffffffff@9 | 0", ". | -2"]
    assert article.rows("while", "python") == before + turns + after


def test_example_3_both_sides_of_an_if_else_run_one_after_the_other():
    assert article.rows("if_else", "python") == [
        "A:ffffffff@1 | 0",
        "A:ffffffff@2 | 0",
        "A:000fffff@3 | -2",  # br_push: the true side first
        "A:000fffff@4 | 0",
        "S:000fffff@4 | 0",
        "A:000fffff@5 | 0",
        "A:fff00000@6 | -2",  # pop_mask: over to the other side
        "A:fff00000@7 | 0",  # a divide: four cycles
        "A:ffffffff@8 | 0",  # pop_mask: all together
        "S:ffffffff@8 | 0",
        "S:ffffffff@8 | 0",
        "A:ffffffff@9 | 0",
        ". | -2",
    ]


@pytest.mark.parametrize("name", ["if", "while", "if_else"])
def test_masks_and_instructions_are_those_of_the_language_alone(name):
    result = article.run(name, "python")
    ran = history(result)
    active = ran.state[:, 0, 0] == ACTIVE
    path = list(zip(ran.mask[active, 0, 0].tolist(), ran.pc[active, 0, 0].tolist(), strict=True))
    warp = Warp(result.program, result.program.data.copy(), 32)
    expected = []
    while not warp.done:
        warp.step()
        expected.append((int((warp.mask.astype(np.uint64) << np.arange(32, dtype=np.uint64)).sum()), warp.pc))
    assert path == expected[:-1]


def shares(schedulers):
    """(cycles, most warps active in a cycle, warp-cycles stalled, warp-cycles idle, share of ALU slots in use)"""
    result = article.four_warps(schedulers, "python")
    ran = history(result)
    active = (ran.state == ACTIVE).sum(axis=(1, 2))
    stalled, idle = ((ran.state == state).sum() for state in (STALLED, IDLE))
    return result.cycles, active.max(), stalled, idle, (ran.alu != NOBODY).mean()


def test_figures_1_to_3_four_warps_on_one_two_and_four_schedulers():
    one, two, four = shares(1), shares(2), shares(4)
    assert [case[1] for case in (one, two, four)] == [1, 2, 4]
    # One scheduler cannot feed two ALUs; two nearly can; with four the ALUs are the limit and little is won.
    assert one[4] < 0.6 < 0.85 < two[4] < four[4]
    assert one[0] > 1.5 * two[0]
    assert two[0] > four[0] > 0.9 * two[0]
    # Waiting for results turns into lacking an ALU.
    assert one[2] > two[2] > four[2]
    assert one[3] < two[3] < four[3]


def test_every_scheduler_count_computes_the_same():
    threads = np.arange(128)
    expected = np.zeros(128, np.float32)
    for k in range(1, 9):
        expected += np.float32(7) / (threads + k).astype(np.float32)
    for schedulers in (1, 2, 4):
        result = article.four_warps(schedulers, "python")
        assert guppy.read_view(result.program, result.memory, "u0").view(np.float32).tolist() == expected.tolist()


@pytest.mark.parametrize(("order", "figure"), [("random", RANDOM), ("sorted", SORTED)])
def test_figures_8_and_9_what_different_numbers_of_turns_cost(order, figure):
    cost = article.cost(order, "native")
    assert cost == pytest.approx(figure, rel=0.02)


def test_the_script_prints_all_of_it(capsys):
    article.main()
    said = capsys.readouterr().out
    assert "if.guppy" in said
    assert "warp 3 " in said
    assert "sorted numbers of iterations" in said
