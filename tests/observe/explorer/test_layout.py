"""The page's layout in windows of several widths: nothing is cut off that cannot be reached."""

from itertools import pairwise

import pytest

import warploom
from tests.observe.explorer.browser import cycle, run, settled
from warploom.observe.explorer.page import page


def sized(show, text, width, height, fragment=""):
    view = show(text, fragment)
    view.set_viewport_size({"width": width, "height": height})
    return settled(settled(view))


# ---- the header


@pytest.mark.parametrize("width", [700, 900, 901, 1000, 1280, 1920])
def test_the_header_fits_with_two_runs(show, width):
    program = warploom.tiny.assemble(".threads 4\n    RET\n", path="a_program_with_quite_a_long_name.asm")
    result = warploom.GPU("tiny-simt", engine="python").run(program, tracing=True, recording=True)
    view = sized(show, page(result, result, names=["fall through", "taken"]), width, 700)
    view.evaluate("explorer.say('a sentence that is as long as the longest one that the page says in its bar')")
    assert settled(view).evaluate("document.documentElement.scrollWidth") == width
    boxes = view.eval_on_selector_all(
        "header.bar button, header.bar select, header.bar input",
        "all => all.map((one) => [one.getBoundingClientRect(), one.clientHeight]).map(([{ left, right }, tall]) => [left, right, tall])",
    )
    assert len(boxes) == 14
    assert all(0 <= left < right <= width for left, right, _ in boxes)
    assert max(tall for *_, tall in boxes) < 32


# ---- memory


@pytest.mark.parametrize("width", [1000, 1366, 1600, 2560])
def test_every_byte_of_a_row_of_memory_is_in_view(show, width):
    program = warploom.tiny.assemble(f".threads 4\n.data {'255 ' * 128}\n    RET\n", path="full.asm")
    view = sized(show, page(warploom.GPU("tiny", engine="python").run(program)), width, 1000)
    memory = view.locator(".memory")
    for style in ("auto", "hex"):
        view.get_by_label("how numbers are written").last.select_option(style)
        for unit in ("words", "bytes"):
            view.get_by_role("button", name="bytes" if unit == "words" else "words", exact=True).click()
            settled(view)
            assert memory.evaluate("one => [one.scrollWidth - one.clientWidth, one.scrollLeft]") == [0, 0], (style, unit)
            columns = memory.locator("thead th").count() - 1
            row = [cell.strip() for cell in memory.locator("tbody tr").first.locator("td").all_text_contents()]
            assert len(row) == columns >= {"words": 2, "bytes": 16 if width >= 1600 else 8}[unit]
            assert set(row) == {{"bytes": {"auto": "255", "hex": "ff"}, "words": {"auto": "-1", "hex": "0xffffffff"}}[unit][style]}


# ---- the source


PLACES = """all => all.map((one) => [one.textContent, Math.max(...[...one.getClientRects()].map((box) => box.right)),
    one.scrollWidth - one.clientWidth, one.closest(".lines").getBoundingClientRect().right])"""


def test_no_line_of_the_source_is_cut(show, warps):
    view = sized(show, warps.text, 700, 900)
    view.get_by_role("button", name="micro-ops").click()
    places = view.eval_on_selector_all(".line pre, .line .comment, .uops code", PLACES)
    assert [text for text, right, over, most in places if right > most or over > 0] == []
    assert view.evaluate("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.lines'))") == 0
    lines = view.locator(".line pre").all_text_contents()
    assert [text.strip() for text in lines] == [text.strip() for text in warps.result.program.source.lines]


@pytest.mark.parametrize("width", [1280, 1920])
def test_a_line_of_the_source_keeps_to_one_row_and_is_scrolled_to_in_a_wide_window(show, warps, width):
    view = sized(show, warps.text, width, 900)
    assert set(view.eval_on_selector_all(".line pre", "all => all.map((one) => Math.round(one.getBoundingClientRect().height))")) == {19}
    view.evaluate("document.querySelector('.lines').scrollLeft = 1e6")
    places = view.eval_on_selector_all(".line pre", PLACES)
    assert [text for text, right, over, most in places if right > most + 1 or over > 0] == []


# ---- bars between the parts


BARS = {
    "width of the source": (".source", True),
    "height of the picture": (".picture", False),
    "width of the left pane": (".pane", True),
    "width of the first run": (".run", True),
}


def size(view, part, upright):
    return settled(view).locator(part).first.bounding_box()["width" if upright else "height"]


def check_bar(view, name, part, upright):
    bar = view.get_by_role("separator", name=name).first
    before, now = size(view, part, upright), cycle(view)
    box = bar.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    view.mouse.move(x, y)
    view.mouse.down()
    view.mouse.move(x + (50 if upright else 0), y + (0 if upright else 50), steps=3)
    view.mouse.up()
    view.mouse.move(x + 300, y + 100)  # the bar is let go of
    assert size(view, part, upright) == pytest.approx(before + 50, abs=1)
    wider = size(view, part, upright)
    bar.focus()
    view.keyboard.press("ArrowLeft" if upright else "ArrowUp")
    assert size(view, part, upright) < wider - 5
    assert cycle(view) == now
    for _ in range(60):
        view.keyboard.press("ArrowRight" if upright else "ArrowDown")
    beyond = "(({ scrollWidth, scrollHeight }) => [scrollWidth - innerWidth, scrollHeight - innerHeight])(document.documentElement)"
    assert view.evaluate(beyond) == [0, 0]
    assert bar.bounding_box()["x"] < 1280
    assert bar.bounding_box()["y"] < 800
    drawn = "(({ canvas, width, height }) => [canvas.clientWidth - width, canvas.clientHeight - height])(explorer.leader.timeline)"
    assert settled(view).evaluate(drawn) == pytest.approx([0, 0], abs=1)
    bar.dblclick()
    assert size(view, part, upright) == pytest.approx(before, abs=1)


@pytest.mark.parametrize("name", ["width of the source", "height of the picture", "width of the left pane"])
def test_bars_give_the_parts_of_a_run_more_room(show, warps, name):
    check_bar(sized(show, warps.text, 1280, 800), name, *BARS[name])


@pytest.mark.parametrize("name", ["height of the picture", "width of the first run"])
def test_bars_give_the_parts_of_two_runs_more_room(show, warps, name):
    check_bar(sized(show, page(warps.result, warps.result), 1280, 800), name, *BARS[name])


def test_a_narrow_window_stands_its_parts_one_below_the_other(show, tiny):
    view = sized(show, tiny.text, 800, 700)
    assert view.locator(".split:visible").count() == 0
    boxes = [one.bounding_box() for one in view.locator(".panel").all()]
    assert len({(box["x"], box["width"]) for box in boxes}) == 1
    assert all(above["y"] + above["height"] < below["y"] for above, below in pairwise(boxes))


def test_a_scalar_register_is_read_without_scrolling_past_all_lanes(show):
    result = run("gcn/if.gcn", "gcn")
    view = show(page(result), f"#cycle={result.cycles // 2}")
    settled(view)
    ends = view.evaluate("""() => {
        const pane = document.querySelector(".registers .matrix").closest(".registers").getBoundingClientRect().right;
        return [...document.querySelectorAll(".registers td.scalar")].filter((cell) => cell.textContent).map((cell) => {
            const text = document.createRange();
            text.selectNodeContents(cell);
            return text.getBoundingClientRect().right <= pane;
        });
    }""")
    assert ends and all(ends)
