"""The page's layout in windows of several widths: nothing is cut off that cannot be reached."""

import pytest

import warploom
from tests.observe.explorer.browser import settled
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


@pytest.mark.parametrize("width", [1000, 1280, 1366, 1600, 1920, 2560])
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


@pytest.mark.parametrize("width", [700, 1280, 1920])
def test_no_line_of_the_source_is_cut(show, warps, width):
    view = sized(show, warps.text, width, 900)
    view.get_by_role("button", name="micro-ops").click()
    places = view.eval_on_selector_all(
        ".line pre, .line .comment, .uops code",
        """all => all.map((one) => [one.textContent, Math.max(...[...one.getClientRects()].map((box) => box.right)),
            one.scrollWidth - one.clientWidth, one.closest(".lines").getBoundingClientRect().right])""",
    )
    assert [text for text, right, over, most in places if right > most or over > 0] == []
    assert view.evaluate("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.lines'))") == 0
    lines = view.locator(".line pre").all_text_contents()
    assert [text.strip() for text in lines] == [text.strip() for text in warps.result.program.source.lines]
