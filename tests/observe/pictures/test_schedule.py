"""The picture of a schedule: one scheduler's issues, with what the code's control words say, the warps that wait, and the pipes."""

from itertools import pairwise

import numpy as np
import pytest

import warploom
from tests.isa.sass.places import path_of
from tests.places import EXAMPLES
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.uop import ISSUE_UNIT, PORTS
from warploom.machine.accounting import events as e
from warploom.observe.pictures import DrawingError
from warploom.observe.pictures.picture import picture
from warploom.observe.pictures.schedule import MOST_CYCLES

PROGRAM = ".threads 4\n.block 4\nMUL R0, %blockIdx, %blockDim\nADD R0, R0, %threadIdx\nSTR R0, R0\nRET\n"


@pytest.fixture(scope="module")
def product():
    """A tiled product of 8 warps on one multiprocessor: two warps for each of the four schedulers."""
    path = str(path_of(90))
    buffers = {name: np.ones((16, 16), np.float32) for name in "abc"}
    options = Options(path, grid=1, block=(16, 16), arguments={"n": 16}, buffers=buffers, more={"kernel": "matmul"})
    program, _ = open_source(path, None, options)
    gpu = warploom.GPU("h100-sxm", set={"gpu.cores": 1})
    return gpu.run(program, tracing=True)


def test_the_issues_are_those_of_one_scheduler_and_their_words_those_of_the_code(product):
    found = picture(product, "schedule", cycles=(1500, 1563)).data
    rows = e.of_kind(product.detail.events, e.ISSUE)
    wanted = [
        (time, warp)
        for time, warp in rows[["time", "warp"]].tolist()
        if 1500 <= time < found.stop and warp % 4 == found.scheduler
    ]  # fmt: skip
    assert found.start >= 1500 and found.stop == 1564
    assert [(one.cycle, one.warp) for one in found.issues] == sorted(wanted)
    assert len(found.warps) == 2 and {one.warp for one in found.stretches} == set(found.warps)
    (load, *_), (add, *_) = ([one for one in found.issues if one.text.startswith(name)] for name in ("LDS", "FFMA"))
    assert (load.role, add.role) == ("shared_load", "float")
    by_text = {one.text: one.word for one in found.issues}
    raised = {number for word in by_text.values() for number in word.sets}
    assert raised and any(set(word.waits) & raised for text, word in by_text.items() if text.startswith("FFMA"))


def test_a_warp_issues_again_when_its_stall_count_has_run_out(product):
    found = picture(product, "schedule", cycles=(1500, 1700)).data
    assert found.stop - found.start == MOST_CYCLES and found.more == 1701 - found.stop
    for warp in found.warps:
        own = [one for one in found.issues if one.warp == warp]
        assert all(later.cycle >= one.cycle + one.word.stall for one, later in pairwise(own))


def test_each_cycle_of_a_warp_has_one_activity_and_it_issues_where_it_is_selected(product):
    found = picture(product, "schedule", cycles=(1500, 1595)).data
    for warp in found.warps:
        own = [one for one in found.stretches if one.warp == warp]
        assert all(one.stop == later.start for one, later in pairwise(own))
        selected = {cycle for one in own if one.activity == "selected" for cycle in range(one.start, one.stop)}
        assert {one.cycle for one in found.issues if one.warp == warp} == selected


def test_the_list_says_the_word_and_code_without_words_has_none(product):
    lines = ["".join(text for text, _ in line) for line in picture(product, "schedule", cycles=(1500, 1563)).lines(100)]
    adds = [line for line in lines if "FFMA" in line]
    assert adds and all(" float " in line and "stall 3, " in line and "?" in line for line in adds)
    plain = warploom.GPU("tiny-simt", engine="python").run(warploom.load(PROGRAM.encode(), "tiny"), tracing=True)
    shown = picture(plain, "schedule")
    lines = ["".join(text for text, _ in line) for line in shown.lines(80)]
    assert "the code has no control words" in shown.subtitle
    assert not any("control word" in line for line in lines if line.lstrip().startswith("cycle"))
    assert [one["text"].split()[0] for one in shown.facts()["issues"]] == ["MUL", "ADD", "STR", "RET"]


def test_roles_are_those_of_instructions_also_behind_bundles():
    """An instruction of several micro-ops has one issue, and the next one its own unit."""
    program = warploom.load(EXAMPLES / "guppy" / "if_else.guppy")
    found = picture(warploom.GPU("guppy", engine="python").run(program, tracing=True), "schedule").data
    assert all(one.role == PORTS[int(program.code[one.pc, ISSUE_UNIT])] for one in found.issues)
    assert [one.role for one in found.issues if one.text.startswith(("if", "else", "pop_mask"))] == ["control"] * sum(
        one.text.startswith(("if", "else", "pop_mask")) for one in found.issues
    )


def test_what_there_is_not():
    with pytest.raises(DrawingError, match="run one instruction at a time: use pipeline"):
        _ = picture(warploom.GPU("tiny").run(warploom.load(PROGRAM.encode(), "tiny")), "schedule").data
