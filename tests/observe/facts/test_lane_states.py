"""Why lanes do not execute: by hand, and what events tell against what the machine counts."""

import numpy as np
import pytest

import warploom
from tests.places import EXAMPLES
from warploom.machine.accounting import reasons as r
from warploom.observe.facts import lane_states
from warploom.observe.facts import timeline as t

# The even threads end at once, the odd ones go on, and of those the third takes a branch of its own.
UNEVEN = """
.threads 6
CONST R1, #2
DIV R2, %threadIdx, R1
MUL R2, R2, R1
SUB R2, %threadIdx, R2
CONST R3, #0
CMP R2, R3
BRp ODD
RET
ODD:
CONST R3, #3
CMP %threadIdx, R3
BRz THIRD
ADD R4, R1, R1
ADD R4, R4, R1
THIRD:
ADD R4, R4, R1
RET
"""


def test_a_warp_by_hand():
    """Four lanes, three threads. Lane 0 ends in the second row, where lane 1 runs on; lane 2 comes back for the last one."""
    warp, issued = np.zeros(5, np.int64), np.array([True, True, False, True, True])
    mask = np.array([0b111, 0b001, 0b010, 0b010, 0b110])
    following = np.array([0b001, 0b010, 0b010, 0b110, 0b110])
    ends = np.array([False, True, False, False, True])
    found = lane_states.lane_masks(warp, np.full(5, 0b111), issued, mask, following, ends, 4)
    assert found.threads.tolist() == [0b111] * 5
    assert found.ended.tolist() == [0, 0, 0b001, 0b001, 0b001]


def test_a_branch_that_only_some_take_ends_no_lane():
    """Lanes that are left out for good, without an instruction that may end them, are diverged."""
    warp, issued = np.zeros(3, np.int64), np.ones(3, bool)
    mask, following = np.array([0b11, 0b01, 0b01]), np.array([0b01, 0b01, 0b01])
    found = lane_states.lane_masks(warp, np.full(3, 0b11), issued, mask, following, np.zeros(3, bool), 2)
    assert found.ended.tolist() == [0, 0, 0]


def test_threads_that_come_into_a_warp_belong_to_it_from_then_on():
    warp, issued, none = np.zeros(3, np.int64), np.ones(3, bool), np.zeros(3, bool)
    mask = np.array([0b01, 0b11, 0b01])
    found = lane_states.lane_masks(warp, np.full(3, 0b01), issued, mask, mask, none, 2)
    assert found.threads.tolist() == [0b01, 0b11, 0b11]


def runs():
    for mechanism in ("stack", "its", "minpc"):
        yield "uneven", "tiny-simt", {"core.divergence": mechanism}
    for name in ("while", "if_else", "four_warps"):
        yield f"guppy/{name}.guppy", "guppy", {"core.warps": 4}
    yield "tiny/diverge.asm", "sm", {}
    yield "tiny/partial_block.asm", "tiny-simt", {}


@pytest.mark.parametrize(("name", "gpu", "changes"), [*runs()], ids=str)
def test_events_tell_what_the_machine_counts(name, gpu, changes, tmp_path):
    """Summed over the issues, by instruction: the machine keeps the masks of its threads, a view works them out from events."""
    file = EXAMPLES / name
    if name == "uneven":
        file = tmp_path / "uneven.asm"
        file.write_text(UNEVEN)
    result = warploom.GPU(gpu, set=changes, engine="python").run(warploom.load(file), tracing=True)
    line = t.timeline(result)
    issues = line.spans[line.spans[:, t.ACTIVITY] == r.SELECTED]
    off = t.off_lanes(issues, line.lanes)
    for word, column in ((lane_states.DIVERGED, r.LANES_DIVERGED), (lane_states.ENDED, r.LANES_ENDED)):
        told = np.zeros(len(result.program), np.int64)
        np.add.at(told, issues[:, t.PC], np.bitwise_count(off[word].astype(np.uint64)).astype(np.int64))
        assert told.tolist() == result.detail.profile[:, column].tolist(), word
    if name == "uneven":
        assert result.detail.profile[:, r.LANES_ENDED].sum() > 0
        assert result.detail.profile[:, r.LANES_DIVERGED].sum() > 0


def test_every_lane_is_exactly_one_thing():
    result = warploom.GPU("tiny-simt", engine="python").run(warploom.load(EXAMPLES / "tiny/diverge.asm"), tracing=True)
    line = t.timeline(result)
    masks = [line.spans[:, t.MASK], *t.off_lanes(line.spans, line.lanes).values()]
    assert (sum(np.bitwise_count(mask.astype(np.uint64)).astype(int) for mask in masks) == line.lanes).all()
