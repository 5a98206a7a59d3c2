"""The first screen of the page: what limits the run, and the ways from there to where it shows."""

import json
import re

import numpy as np
import pytest
from numba import float32

import warploom
from tests.observe.explorer.browser import cycle, run, settled, texts
from warploom import cuda
from warploom.observe.diagnosis.diagnosis import diagnose
from warploom.observe.explorer.answers import answer
from warploom.observe.explorer.page import page

# What the chosen warp does, for how long, and the longest wait for loads of any warp.
STRETCH = """(() => {
  const { run, slot, cycle } = explorer.leader, span = run.spanAt(slot, cycle), name = (row) => run.activities[run.spans.activity[row]][0];
  const long = (slot, row) => { const [from, to] = run.stretch(slot, row); return to - from; };
  const rows = run.slots.flatMap((slot) => Array.from({ length: slot.last - slot.first }, (_, n) => [slot, slot.first + n]));
  const waits = rows.filter(([, row]) => name(row) === "long_scoreboard");
  return [name(span), long(slot, span), Math.max(...waits.map(([slot, row]) => long(slot, row)))];
})()"""


@cuda.jit
def strided(a, out):
    i = cuda.grid(1)
    x = a[i * 16]
    out[i] = x + float32(1)


@pytest.fixture(scope="module")
def columns():
    cuda.use(warploom.GPU("sm"))
    try:
        strided[4, 64](np.ones(4096, np.float32), np.zeros(256, np.float32))
    finally:
        cuda.use(None)
    program = strided.result.program
    return warploom.GPU("sm", engine="python").run(program, tracing=True, recording=True)


@pytest.fixture(scope="module")
def text(columns):
    return page(columns)


def common(text):
    return json.loads(re.search(r'<script type="application/json" id="common">(.*?)</script>', text, re.DOTALL)[1])


def test_the_page_has_the_findings_of_the_profile_with_where_they_show(columns, text):
    (told,) = common(text)["answers"]
    first = diagnose(columns.profile())[0]
    assert told["findings"][0]["what"] == first.what
    waits = told["findings"][0]["waits"]
    assert waits and columns.program.position(waits[0]).line == columns.program.position(first.instructions[0]).line + 1
    assert {rate["name"] for rate in told["speed_of_light"]} >= {"issue", "L1", "DRAM"}
    assert sum(cycles for _, cycles in told["stalls"]) == columns.counters["warp_cycles"]


def test_a_run_that_is_too_long_to_be_repeated_has_no_answer(monkeypatch):
    monkeypatch.setattr("warploom.observe.explorer.answers.MOST_CYCLES", 10)
    assert answer(run("tiny/matadd.asm", "tiny")) == {}


def test_it_opens_with_them_and_a_click_leads_to_the_longest_wait_with_its_causes(show, columns, text):
    view = show(text)
    first = diagnose(columns.profile())[0]
    assert texts(view, "button.finding")[0] == first.what
    view.locator("button.finding").first.click()
    settled(view)
    chain = texts(view, ".cause")
    assert chain[0].startswith("warp ") and "out[i] = x + float32(1) (line" in chain[0]
    assert "it needs a result of x = a[i * 16] (line" in chain[1]
    state = view.evaluate(STRETCH)
    assert state[0] == "long_scoreboard" and state[1] == state[2]


def test_the_hottest_line_clicked_lands_where_it_waits(show, text):
    view = show(text)
    line = next(number for number, one in enumerate(texts(view, ".line pre"), 1) if "out[i] = x" in one)
    view.locator(".line pre").nth(line - 1).click()
    settled(view)
    state = (
        "(() => { const v = explorer.leader, s = v.run.spanAt(v.slot, v.cycle); return v.run.activities[v.run.spans.activity[s]][0]; })()"
    )
    assert view.evaluate(state) == "long_scoreboard"
    here = cycle(view)
    view.locator(".line pre").nth(line - 1).click(modifiers=["Shift"])
    assert view.evaluate(state) == "selected" and cycle(view) != here


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("cycle 90", "cycle 90"),
        ("line 20", "line 20"),
        ("block 3 thread 37", "thread 37 of block 3: warp 0:7, lane 5"),
        ("out[12]", "out[12]"),
        ("a", "a"),
        ("out[99" + "9999]", "nothing here is called out[99" + "9999]"),
        ("no" + "body", "nothing here is called no" + "body"),
    ],
)
def test_the_search_box_finds_lines_arrays_threads_and_cycles(show, text, asked, said):
    view = show(text)
    view.keyboard.press("f")
    view.keyboard.type(asked)
    view.keyboard.press("Enter")
    assert settled(view).locator(".message").text_content() == said
    if asked.startswith("block"):
        assert view.evaluate("[explorer.leader.slot.label, explorer.leader.lane]") == ["warp 0:7", 5]
    if asked == "out[12]":
        assert view.locator(".memory td.chosen").count() == 1


def test_registers_say_which_variable_they_hold_and_others_are_folded(show, text):
    view = show(text)
    view.keyboard.press("l")
    assert texts(view, ".registers tr:not(.nameless) th b") == ["i"]  # x has its first value, 0, still
    assert all(view.eval_on_selector_all(".registers .nameless", "all => all.map((one) => one.offsetParent === null)"))


def test_two_runs_are_told_apart_in_a_sentence(show, columns):
    other = warploom.GPU("sm", engine="python", set={"l1.latency": 300}).run(columns.program, tracing=True, recording=True)
    view = show(page(columns, other, names=["fast", "slow"]))
    said = view.locator(".difference").text_content()
    assert re.match(r"fast is \d\.\d\d times as fast: .* cycles against .*, most of it in long_scoreboard: ", said), said


@pytest.mark.parametrize("width", [390, 1280, 2560])
def test_nothing_stands_out_of_the_window(show, text, width):
    view = show(text)
    view.set_viewport_size({"width": width, "height": 900})
    assert settled(settled(view)).evaluate("document.documentElement.scrollWidth") == width
    first = view.locator("button.finding").first.bounding_box()
    assert first["x"] >= 0 and first["x"] + first["width"] <= width and first["y"] < 900


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("cycle 120", "cycle 120"),
        ("@7", "cycle 7"),
        ("block 3 thread 33", r"thread 33 of block 3: .*, lane 1"),
        ("thread 5 of block 1", r"thread 5 of block 1: .*, lane 5"),
        ("block 2", r"thread 0 of block 2: .*, lane 0"),
        ("a[37]", r"a\[37\]"),
        ("out", "out"),
        ("float32(1)", r"line \d+"),
        (f"a[{1 << 12}]", "nothing here is called .*"),  # not as it would stand in the source, which is this file
        (f"block {2 + 2} thread 0", "nothing here is called .*"),
        ("erewhon"[::-1], "nothing here is called .*"),
    ],
)
def test_the_search_box_goes_where_a_text_leads(show, text, typed, said):
    view = show(text)
    view.keyboard.press("f")
    view.keyboard.type(typed)
    view.keyboard.press("Enter")
    assert re.fullmatch(said, settled(view).evaluate("explorer.message.textContent"))
    if found := re.fullmatch(r"(?:cycle |@)(\d+)", typed):
        assert cycle(view) == int(found[1])
    if found := re.search(r"lane (\d+)", said):
        assert view.evaluate("explorer.leader.lane") == int(found[1])
        block = int(re.search(r"block (\d)", typed)[1])
        assert view.evaluate("((l) => l.run.spans.block[l.run.spanAt(l.slot, l.cycle)])(explorer.leader)") == block
