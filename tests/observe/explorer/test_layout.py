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
