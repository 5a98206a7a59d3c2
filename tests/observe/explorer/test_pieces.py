"""A long run in a browser: it lies in the page in pieces, and every cycle of it can be looked at."""

import itertools

import numpy as np
import pytest

from tests.machine.run import test_pieces as long
from tests.observe.explorer import reader
from tests.observe.explorer.browser import settled, texts
from warploom.machine.run import pieces as module
from warploom.machine.run import recording as r
from warploom.machine.run.pieces import pieces
from warploom.observe.explorer.data import Part
from warploom.observe.explorer.page import page_parts


@pytest.fixture(scope="module")
def cut(tmp_path_factory):
    """(the run recorded as a whole, the text of its page in pieces)."""
    folder = tmp_path_factory.mktemp("long")
    result, before, parts = long.long_run(folder), None, []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LEAD", long.LEAD)
        for piece in pieces(result, piece_bytes=1):
            parts.append((piece.result, Part(piece.first, piece.stop, piece.begins, piece.ends, before)))
            before = piece.result.initial_memory if before is None else before
    assert len(parts) > 3
    return long.long_run(folder, recording=True), "".join(page_parts([result], [parts]))


def loaded(view):
    return view.evaluate("[explorer.leader.run.first, explorer.leader.run.stop]")


def go(view, cycle):
    view.evaluate(f"Promise.resolve(explorer.go({cycle}))")
    return settled(view)


def test_the_texts_follow_each_other(cut):
    whole, text = cut
    runs = reader.runs(text)
    assert runs[0][0]["run"]["first"] == 0
    assert runs[-1][0]["run"]["stop"] == whole.cycles
    assert all(one["run"]["stop"] == other["run"]["first"] for (one, _, _), (other, _, _) in itertools.pairwise(runs))
    assert all(header["run"]["cycles"] == whole.cycles for header, _, _ in runs)


def test_only_the_piece_that_is_looked_at_is_unpacked(show, cut):
    whole, text = cut
    view = settled(show(text))
    first, stop = loaded(view)
    assert (first, stop < whole.cycles) == (0, True)
    assert view.evaluate("explorer.cycles") == whole.cycles
    view.keyboard.press("End")
    view.wait_for_function(f"() => explorer.leader.cycle === {whole.cycles - 1}")
    assert loaded(view)[1] == whole.cycles


def test_registers_and_memory_of_every_piece_are_those_of_the_run(show, cut):
    whole, text = cut
    view = settled(show(text))
    for cycle in (*range(10, whole.cycles, 150), 20):  # forwards, and once back
        go(view, cycle)
        first, stop = loaded(view)
        assert first <= cycle < stop
        registers, memory = long.state_after(whole, cycle)
        told = view.evaluate(
            """(() => { const { run, cycle } = explorer.leader; run.memory.at(cycle);
            const rows = (slot) => run.program.registers.map((_, number) => [...run.register(slot, number, cycle).values]);
            return [run.slots.map((slot) => [slot.warp, rows(slot)]),
              [...run.memory.bytes]]; })()"""
        )
        for warp, rows in told[0]:
            count = min(len(rows), registers.shape[2])
            assert np.array_equal(np.array(rows)[:count], registers[0, warp, :count, :4]), (cycle, warp)
        assert told[1] == memory.view(np.uint8).tolist(), cycle


def test_jumps_and_links_cross_the_pieces(show, cut):
    whole, text = cut
    times = sorted(set(whole.detail.recording.memory[:, r.TIME].tolist()))
    view = settled(show(text, f"#cycle={times[len(times) // 2]}&core=0&warp=1&lane=2"))
    view.wait_for_function(f"() => explorer.leader.cycle === {times[len(times) // 2]}")
    assert view.evaluate("[explorer.leader.slot.warp, explorer.leader.lane]") == [1, 2]
    go(view, 0)
    for time in times:
        view.evaluate("explorer.transport.jump(1, 'memory change')")
        view.wait_for_function(f"() => explorer.leader.cycle === {time}")
    view.evaluate("explorer.transport.jump(-1, 'memory change')")
    view.wait_for_function(f"() => explorer.leader.cycle === {times[-2]}")


def test_the_bars_beside_the_source_are_of_the_whole_run(show, cut):
    whole, text = cut
    view = settled(show(text))
    issues = view.evaluate("[...explorer.source.heat[0].issues]")
    assert issues == whole.detail.profile[:, 0].tolist()


def test_a_stretch_says_what_it_is(show, tmp_path):
    result = long.long_run(tmp_path)
    (piece,) = pieces(result, 500, 520)
    view = settled(show("".join(page_parts([result], [[(piece.result, Part(500, 520, piece.begins, piece.ends))]]))))
    assert view.evaluate("explorer.leader.cycle") == 500
    assert f"This page has the cycles 500 to 519 of {result.cycles}" in texts(view, ".picture .note")[0].replace("\u202f", "")
    view.keyboard.press("End")
    assert settled(view).evaluate("explorer.leader.cycle") == 519
