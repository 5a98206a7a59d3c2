"""Quads and fragments of a run, against the picture that it has drawn and the counters that it has kept."""

import numpy as np
import pytest

import warploom
from warploom.graphics import Depth, Mesh, Pipeline, Scene
from warploom.graphics.machine.drawing import draw_on
from warploom.machine.accounting import events as e
from warploom.machine.run import recording as r
from warploom.observe.explorer.data import Part, _contents
from warploom.observe.facts.fragments import drawing

SIZE = 8
CORNERS = [[0, 1, 0], [-1, -1, 0], [1, -1, 0], [0, -1, -0.5], [1, 1, -0.5], [-1, 1, -0.5]]


@pytest.fixture(scope="module")
def drawn():
    mesh = Mesh(CORNERS, pipeline=Pipeline(Depth("less")))
    return draw_on(warploom.GPU("vortex-2024", engine="python"), Scene([mesh]), SIZE, SIZE, watched=0)


def test_fragments_are_those_that_were_counted_and_make_the_picture(drawn):
    result = drawn.results[0][1]
    found = drawing(result)
    fragments, quads = found.fragments, found.quads
    assert len(fragments) == result.counters["fragments"]
    assert (fragments["fate"] == e.FAILED_DEPTH).sum() == result.counters["fragments_killed_late"] > 0
    assert len(quads) == result.counters["quads"]
    assert np.bitwise_count(quads["covered"]).sum() == result.counters["covered_pixels"]
    picture, depths = (buffer.reshape(SIZE, SIZE) for buffer in (drawn.target.color, drawn.target.depth_stencil))
    for y, x in np.unique(fragments[["y", "x"]]).tolist():
        here = found.at(x, y)
        written = here[here["color_after"] >= 0]
        assert written["color_after"][-1] == picture[y, x]
        assert here["depth_after"][-1] == depths[y, x]
        assert (here["color_before"][1:] == -1).all() or len(written) > 1


def test_a_fragment_is_of_the_quad_that_its_lane_was_given(drawn):
    found = drawing(drawn.results[0][1])
    of = found.quads[found.fragments["quad"]]
    assert (found.fragments["quad"] >= 0).all()
    for name in ("core", "warp", "lane", "triangle"):
        assert (of[name] == found.fragments[name]).all()
    assert (of["time"] < found.fragments["time"]).all()
    pixel = (found.fragments["y"] - of["y"]) * 2 + found.fragments["x"] - of["x"]
    assert (of["covered"] >> pixel & 1 == 1).all()


def test_what_became_of_a_fragment_is_a_sentence(drawn):
    found = drawing(drawn.results[0][1])
    lost = found.fragments[found.fragments["fate"] == e.FAILED_DEPTH][0]
    assert "failed the depth test, its depth is" in found.said_of(lost)
    assert "becomes" in found.said_of(found.fragments[0])


def test_what_the_merger_writes_is_a_change_of_memory_by_its_warp(drawn):
    result = drawn.results[0][1]
    fragments, changes = drawing(result).fragments, result.detail.recording.memory
    written = fragments[fragments["color_after"] >= 0]
    assert {(int(row[r.TIME]), int(row[r.NEW])) for row in changes} >= set(written[["time", "color_after"]].tolist())
    by = {int(row[r.TIME]): int(row[r.WARP]) for row in changes}
    assert all(by[int(one["time"])] == one["warp"] for one in written)


def test_the_page_has_the_fragments_and_where_the_picture_is(drawn):
    result = drawn.results[0][1]
    tables, _, header = _contents(result, None, Part(0, result.cycles, 0, result.cycles))
    assert len(tables["fragments"]["fate"]) == result.counters["fragments"]
    target = header["run"]["target"]
    assert (target["pitch"], target["width"], target["height"]) == (4 * SIZE, SIZE, SIZE)
    memory = result.memory[target["base"] :][: 4 * SIZE * SIZE].view(np.uint32)
    assert (memory == drawn.target.color).all()


def test_a_run_that_draws_nothing_says_so():
    result = warploom.GPU("tiny-simt", engine="python").run(warploom.load(b".threads 4\nRET\n", "tiny"), tracing=True)
    with pytest.raises(ValueError, match="the run has drawn nothing"):
        drawing(result)
