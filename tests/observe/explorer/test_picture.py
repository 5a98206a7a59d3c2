"""The picture of lanes in a browser: clicks, the wheel, keys, and its pixels."""

from math import isfinite

import pytest

from tests.observe.explorer.browser import cycle, run, settled, texts
from warploom.observe.explorer.page import page


def test_clicks_on_the_picture_choose_cycle_lane_and_warp(show, tiny):
    view = show(tiny.text)
    box = settled(view).locator("canvas.timeline").bounding_box()
    place = view.evaluate("(() => { const t = explorer.leader.timeline; return [t.x(90.5), t.plotTop + t.band + 4 + t.band * 0.6]; })()")
    view.mouse.click(box["x"] + place[0], box["y"] + place[1])
    assert view.evaluate("[explorer.leader.cycle, explorer.leader.slot.core, explorer.leader.lane]") == [90, 1, 2]


def test_the_wheel_zooms_around_the_pointer_and_dragging_moves(show, tiny):
    view = show(tiny.text, "#cycle=0")
    box = settled(view).locator("canvas.timeline").bounding_box()
    under = "explorer.leader.timeline.cycleAt(400)"
    before = view.evaluate(under)
    view.mouse.move(box["x"] + 400, box["y"] + 80)
    view.mouse.wheel(0, -900)
    view.wait_for_function(f"() => explorer.leader.timeline.scale > 4 * {view.evaluate('explorer.leader.timeline.leastScale')}")
    assert view.evaluate(under) == pytest.approx(before, abs=0.01)
    view.mouse.down()
    view.mouse.move(box["x"] + 300, box["y"] + 80, steps=4)
    view.mouse.up()
    assert view.evaluate("explorer.leader.timeline.cycleAt(300)") == pytest.approx(before, abs=0.01)
    assert cycle(view) == 0
    view.keyboard.press("PageDown")
    assert view.evaluate("explorer.leader.timeline.cycleAt(300)") > before
    view.keyboard.press("0")
    assert view.evaluate("explorer.leader.timeline.from") == 0


def off_lane(row, lane):
    """By the masks of a span: columns 10 and 11 are the lanes with a thread, and those whose thread has ended."""
    return "ended" if row[11] >> lane & 1 else "diverged" if row[10] >> lane & 1 else "no thread"


def test_the_three_reasons_of_a_lane_that_does_not_execute_look_different(show):
    """diverge on a warp of 32 lanes has 4 threads; two of them end while two go on; before that the two halves diverge."""
    view = settled(show(page(run("tiny/diverge.asm", "sm"))))
    assert set(texts(view, ".picture .legend .term")) >= {"diverged", "ended", "no thread"}
    looks = view.evaluate("['diverged', 'ended', 'no thread'].map((name) => explorer.paint.lanes[name].css)")
    assert len(set(looks)) == 3
    states = view.evaluate("explorer.leader.run.laneStates(explorer.leader.run.slots[0].last - 1)")
    assert states[4:] == ["no thread"] * 28
    assert "ended" in states[:4]
    sentences = view.evaluate("""(() => {
        const slot = explorer.leader.run.slots[0], said = (lane, cycle) => explorer.leader.sentence(slot, lane, cycle);
        let last = explorer.leader.run.cycles - 1;
        while (last > 0 && said(0, last).includes("no warp")) last -= 1;
        return [0, 1, 2, 3, 31].map((lane) => said(lane, last));
    })()""")
    assert "lane 31 (no thread)" in sentences[4]
    assert any("(ended)" in sentence for sentence in sentences[:4])


def test_the_pixels_of_a_lane_are_those_of_its_state(show, warps):
    view = settled(show(warps.text, "#cycle=48"))
    spans = warps.line.spans
    names = [warps.line.activities[activity].name for activity in spans[:, 4]]
    for row, name in zip(spans.tolist(), names, strict=True):
        if name != "selected":
            continue
        for lane in range(4):
            expected = "lanes.active" if row[6] >> lane & 1 else f"lanes.{off_lane(row, lane)}"
            pixel = view.evaluate(
                f"""(() => {{ const t = explorer.leader.timeline, r = t.ratio; const lane = t.band / 4;
                const at = t.context.getImageData(t.x({row[2]} + 0.5) * r, (t.plotTop + ({lane} + 0.4) * lane) * r, 1, 1).data;
                const look = explorer.paint.{expected}; // its colour, or that of its pattern's lines
                return [[...at.slice(0, 3)], look.rgb, look.markedCss.match(/\\d+/g).map(Number)]; }})()"""
            )
            assert pixel[0] in pixel[1:], (row, lane)


def test_the_keys_that_choose_a_warp_bring_it_into_sight(show):
    result = run("guppy/four_warps.guppy", "guppy", **{"core.warps": 4})
    view = show(page(result))
    view.set_viewport_size({"width": 1280, "height": 560})
    settled(view).keyboard.press("ArrowUp")
    assert settled(view).evaluate("explorer.leader.slot.warp") == 3
    assert texts(view, ".list tr.chosen td:nth-child(2)") == ["warp 0:3"]
    assert view.evaluate("explorer.leader.timeline.rowAt(explorer.leader.timeline.plotBottom - 12).slot === explorer.leader.slot")
    view.keyboard.press("ArrowDown")
    view.keyboard.press("]")
    assert view.evaluate("[explorer.leader.slot.warp, explorer.leader.lane]") == [0, 1]


@pytest.mark.every(2)
@pytest.mark.parametrize("key", ["+", "-", "1", "PageDown", "PageUp", "ArrowDown", "0"])
def test_a_key_that_comes_before_the_first_picture_leaves_it_whole(show, warps, key):
    """The observer tells of the page in the same task in which it is set up: before anything has been laid out."""
    press = f"document.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}' }}))"
    observe = f"new MutationObserver(() => document.getElementById('loading') || window.early || ({press}, window.early = true))"
    view = show(warps.text, script=f"{observe}.observe(document, {{ subtree: true, childList: true, attributes: true }})")
    assert view.evaluate("window.early")
    shown = settled(view).evaluate("(({ scale, from, top }) => [scale, from, top])(explorer.leader.timeline)")
    assert all(isfinite(value) for value in shown), shown
    assert view.evaluate("explorer.leader.timeline.scale >= explorer.leader.timeline.leastScale")
