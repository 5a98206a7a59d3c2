"""The page in Firefox: it opens, shows what the run did, moves and fits, as in Chromium."""

import re
import time

import pytest

import warploom
from tests.observe.explorer import firefox as driver
from tests.observe.explorer.browser import run
from tests.observe.explorer.test_jumps import JUMPS, of_warps
from tests.observe.explorer.test_large_page import LARGE, ONLY_UNPACKED, TRIES, enlarged
from warploom.machine.accounting import events as e
from warploom.observe.explorer.page import page

LEFT, DOWN, RIGHT, END = "\ue012", "\ue015", "\ue014", "\ue010"
BYTES_A_ROW = 16  # in a window of 1920 pixels
MOST = 6  # times as long as unpacking; where the packed text is laid out too, over twenty times


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if reason := driver.missing():
        pytest.skip(reason)
    opened = driver.Firefox(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture
def show(browser, tmp_path):
    def opened(text, fragment="", width=1280, height=800):
        file = tmp_path / "page.html"
        file.write_text(text, encoding="utf-8")
        browser.resize(width, height)
        browser.open(file, fragment)
        return browser

    return opened


def texts(view, selector):
    view.settle()
    return view.evaluate("[...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector)


def cycle(view):
    return view.evaluate("explorer.leader.cycle")


def test_it_opens_at_the_first_issue_and_moves_with_keys(show, warps, tiny):
    view = show(warps.text)
    first = int(warps.result.detail.events[warps.result.detail.events[:, e.KIND] == e.ISSUE, e.TIME].min())
    assert cycle(view) == first
    view.press(RIGHT)
    assert cycle(view) == first + 1
    view.press(END)
    assert cycle(view) == warps.result.cycles - 1
    view = show(tiny.text, "#cycle=20")
    assert cycle(view) == 20
    assert [text.strip() for text in texts(view, ".line pre")] == [text.strip() for text in tiny.result.program.source.lines]


def test_jumps_of_every_kind_are_those_of_the_run(show):
    result = run("guppy/nested_loop.guppy", "guppy")
    view = show(page(result))
    expected = of_warps(result, 0, 0, 0)
    offered = view.evaluate("[...document.querySelectorAll(\"[aria-label='kind of event'] option\")].map((one) => one.value)")
    assert "divergence" in offered
    for name in offered:
        times = [time for time in sorted(set(expected[name])) if time > 0]
        assert view.evaluate(f"({JUMPS})(arguments[0])", [name, 0, 0, 1]) == times, name


def test_memory_after_the_run_is_the_runs(show, warps):
    view = show(warps.text)
    view.press(END)
    cells = texts(view, ".memory tbody tr:first-child td")
    assert [int(text) for text in cells] == warps.result.memory[: len(cells)].tolist()


@pytest.mark.parametrize(("file", "preset"), [("tiny/diverge.asm", "tiny-simt"), ("guppy/if_else.guppy", "guppy")])
def test_the_instructions_of_the_set_in_use_are_explained(show, file, preset):
    result = run(file, preset)
    view = show(page(result))
    view.press("?")
    listed = view.evaluate("[...document.querySelectorAll('dl.instructions dt')].map((one) => one.dataset.mnemonic)")
    assert set(listed) == {text.split()[0] for text in result.program.text}


@pytest.mark.parametrize("width", [700, 900, 1280, 1920])
def test_the_header_fits_with_two_runs(show, width):
    program = warploom.tiny.assemble(".threads 4\n    RET\n", path="a_program_with_quite_a_long_name.asm")
    result = warploom.GPU("tiny-simt", engine="python").run(program, tracing=True, recording=True)
    view = show(page(result, result, names=["fall through", "taken"]), width=width, height=700)
    assert view.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    boxes = view.evaluate(
        "[...document.querySelectorAll('header.bar button, header.bar select, header.bar input')]"
        ".map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right])"
    )
    assert len(boxes) == 14
    assert all(0 <= left < right <= width for left, right in boxes)


def test_every_byte_of_a_row_is_in_view_in_a_wide_window(show):
    program = warploom.tiny.assemble(f".threads 4\n.data {'255 ' * 128}\n    RET\n", path="full.asm")
    view = show(page(warploom.GPU("tiny", engine="python").run(program)), width=1920, height=1000)
    assert view.evaluate("((one) => [one.scrollWidth - one.clientWidth, one.scrollLeft])(document.querySelector('.memory'))") == [0, 0]
    assert view.evaluate("document.querySelectorAll('.memory thead th').length - 1") >= BYTES_A_ROW


@pytest.mark.parametrize("width", [700, 1920])
def test_no_line_of_the_source_is_cut(show, warps, width):
    view = show(warps.text, width=width, height=900)
    assert view.evaluate("((one) => one.scrollWidth - one.clientWidth)(document.querySelector('.lines'))") == 0
    over = view.evaluate("[...document.querySelectorAll('.line pre, .line .comment')].map((one) => one.scrollWidth - one.clientWidth)")
    assert max(over) <= 0


def test_parts_are_resized_with_the_keys(show, warps):
    view = show(warps.text)
    for name, part, side, key in (
        ("width of the source", ".source", "width", LEFT),
        ("height of the picture", ".picture", "height", DOWN),
        ("width of the left pane", ".pane", "width", LEFT),
    ):
        size = f"document.querySelector('{part}').getBoundingClientRect().{side}"
        before = view.evaluate(size)
        view.evaluate("document.querySelector(`[role=separator][aria-label='${arguments[0]}']`).focus()", name)
        view.press(key)
        assert abs(view.evaluate(size) - before) > 5, name


def test_a_large_page_opens_in_the_time_of_unpacking_it(show, warps, browser, tmp_path):
    large = enlarged(warps.text, 3 * LARGE // 4 + 100_000)
    bare = re.sub(r"<style>.*?</style>", "", large, count=1, flags=re.DOTALL)
    file = tmp_path / "bare.html"
    file.write_text(bare.replace('<script type="module">import "explorer/main.js";</script>', ONLY_UNPACKED), encoding="utf-8")
    browser.send("WebDriver:Navigate", url=f"file://{file}")
    end = time.monotonic() + driver.PATIENCE
    while (least := browser.evaluate("window.took ?? null")) is None:
        assert time.monotonic() < end
        time.sleep(0.05)
    file.unlink()
    for _ in range(TRIES):
        view = show(large)
        took = view.evaluate("performance.now()")
        if took < MOST * least:
            break
    assert took < MOST * least
