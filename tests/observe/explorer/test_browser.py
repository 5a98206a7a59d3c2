"""The page in a browser, opened from a file, with real clicks and keys. What it shows is compared with the run."""

import re
from base64 import b64decode, b64encode
from types import SimpleNamespace
from zlib import compress, decompress

import pytest

import warploom
from tests.observe.explorer import browser
from tests.places import EXAMPLES
from warploom.machine.accounting import events as e
from warploom.machine.accounting.reasons import REASONS
from warploom.machine.run import recording as r
from warploom.machine.run.driver import drive
from warploom.machine.run.recording import Recorder
from warploom.observe.explorer.page import page
from warploom.observe.facts.timeline import timeline

pytestmark = pytest.mark.skipif(bool(browser.missing()), reason=browser.missing() or "a browser is there")
HOSTILE = "</script><script>window.evil = 1</script><img src=x onerror='window.evil = 2'>"


def run(file, preset, **changes):
    keep = {} if preset == "tiny" else {"tracing": True, "recording": True}
    return warploom.GPU(preset, set=changes, engine="python").run(warploom.load(EXAMPLES / file), **keep)


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = browser.start(playwright)
        yield opened
        opened.close()


@pytest.fixture
def show(chromium, tmp_path):
    """show(text of a page): the page, opened from a file without a network; what it complains of makes the test fail."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    troubles = []

    def opened(text, fragment="", expects_trouble=False):
        file = tmp_path / "page.html"
        file.write_text(text, encoding="utf-8")
        view = context.new_page()
        view.on("pageerror", lambda error: troubles.append(str(error)))
        view.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        view.goto(f"file://{file}{fragment}")
        view.wait_for_selector("#trouble:not([hidden])" if expects_trouble else "#app:not([hidden])")
        if expects_trouble:
            troubles.clear()
        return view

    yield opened
    context.close()
    assert troubles == []


def cycle(view):
    return view.evaluate("explorer.leader.cycle")


def settled(view):
    """Wait until what was asked for is drawn."""
    view.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return view


def texts(view, selector):
    return settled(view).eval_on_selector_all(selector, "elements => elements.map((element) => element.textContent)")


@pytest.fixture(scope="module")
def tiny():
    result = run("tiny/matadd.asm", "tiny")
    return SimpleNamespace(result=result, text=page(result), trace=list(result.trace()))


@pytest.fixture(scope="module")
def warps():
    result = run("tiny/diverge.asm", "tiny-simt")
    return SimpleNamespace(result=result, text=page(result), line=timeline(result))


# ---- moving in time


def test_keys_and_buttons_move_through_the_cycles(show, warps):
    view, last = show(warps.text), warps.result.cycles - 1
    for key, expected in (("ArrowRight", 1), ("Shift+ArrowRight", 11), ("ArrowLeft", 10), ("End", last), ("ArrowRight", last), ("Home", 0)):
        view.keyboard.press(key)
        assert cycle(view) == expected, key
    view.get_by_label("one cycle on").click()
    assert cycle(view) == 1
    view.get_by_label("cycle", exact=True).fill("20")
    view.keyboard.press("Enter")
    assert cycle(view) == 20


def test_playing_goes_both_ways_and_stops_at_a_breakpoint(show, warps):
    view = show(warps.text)
    [issue] = [row for row in warps.line.spans.tolist() if row[5] == 8 and row[4] == 0]  # STR of the lanes that did not branch
    line = warps.result.program.position(9).line
    view.locator(f".line[data-line='{line}'] .number").click()
    stop = next(row[2] for row in warps.line.spans.tolist() if row[5] == 9 and row[4] == 0)
    assert issue[2] < stop
    other = view.locator(f".line[data-line='{line + 1}'] .number")
    for expected in (1, 0):  # the keyboard sets a breakpoint and takes it away again
        other.focus()
        view.keyboard.press("Enter")
        assert view.locator(f".line.stop[data-line='{line + 1}']").count() == expected
    view.get_by_label("speed").select_option("200")
    view.keyboard.press(" ")
    view.wait_for_function(f"() => explorer.leader.cycle === {stop} && !explorer.transport.playing")
    view.keyboard.press("End")
    view.keyboard.press("Shift+Space")
    view.wait_for_function(f"() => explorer.leader.cycle === {stop} && !explorer.transport.playing")


def test_events_of_a_kind_are_found_in_both_directions(show, warps):
    view = show(warps.text)
    issues = [row[e.TIME] for row in warps.result.detail["events"].tolist() if row[e.KIND] == e.ISSUE]
    for expected in issues[:3]:
        view.keyboard.press(".")
        assert cycle(view) == expected
    view.keyboard.press(",")
    assert cycle(view) == issues[1]
    view.get_by_label("kind of event").select_option("divergence")
    view.get_by_label("to the next event", exact=True).click()
    [branch] = [row[e.TIME] for row in warps.result.detail["events"].tolist() if row[e.KIND] == e.ISSUE and row[e.PC] == 6]
    assert cycle(view) == branch
    view.keyboard.press("n")
    view.keyboard.press("n")
    assert "no later event" in view.get_by_role("status").text_content()


def test_the_address_leads_to_a_cycle_and_follows(show, warps):
    view = show(warps.text, "#cycle=24&core=0&warp=0&lane=3")
    assert (cycle(view), view.evaluate("explorer.leader.lane")) == (24, 3)
    view.keyboard.press("ArrowRight")
    view.wait_for_function("() => location.hash === '#cycle=25&core=0&warp=0&lane=3'")
    view.evaluate("location.hash = '#cycle=7'")
    view.wait_for_function("() => explorer.leader.cycle === 7")


def test_a_link_is_followed_though_the_page_was_about_to_write_its_address(show, warps):
    view = show(warps.text)
    # The write of cycle 5 is held until the link has been followed, and then comes due before the event that tells of the link.
    settled(view).evaluate("""new Promise((done) => {
        const { setTimeout, clearTimeout } = window, held = new Map();
        window.setTimeout = (act) => (held.set(held.size + 1, act), held.size);
        window.clearTimeout = (number) => held.delete(number) || clearTimeout(number);
        explorer.go(5);
        requestAnimationFrame(() => requestAnimationFrame(() => {
            location.hash = "#cycle=24&core=0&warp=0";
            window.setTimeout = setTimeout;
            held.forEach((act) => act());
            addEventListener("hashchange", done);
        }));
    })""")
    assert cycle(view) == 24
    view.wait_for_function("() => location.hash === '#cycle=24&core=0&warp=0&lane=0'")


def test_a_link_is_followed_though_its_address_has_been_written_over(show, warps):
    view = show(warps.text)
    settled(view).evaluate("""new Promise((done) => {
        addEventListener("hashchange", done);
        location.hash = "#cycle=24&core=0&warp=0";
        history.replaceState(null, "", "#cycle=5");
    })""")
    assert cycle(view) == 24
    view.wait_for_function("() => location.hash === '#cycle=24&core=0&warp=0&lane=0'")


def test_back_leads_to_the_place_before_a_link(show, warps):
    view = show(warps.text, "#cycle=7&core=0&warp=0&lane=1")
    view.evaluate("location.hash = '#cycle=24&core=0&warp=0&lane=3'")
    view.wait_for_function("() => explorer.leader.cycle === 24")
    view.keyboard.press("ArrowRight")
    view.evaluate("history.back()")
    view.wait_for_function("() => explorer.leader.cycle === 7 && location.hash === '#cycle=7&core=0&warp=0&lane=1'")
    assert view.evaluate("explorer.leader.lane") == 1


# ---- what is shown at a cycle


def test_registers_masks_and_stack_are_those_of_the_recording(show, warps):
    result = warps.result
    view, book = show(warps.text), result.detail["recording"]
    row = next(row for row in book.paths if row[r.LEVEL] == 0)
    now = int(row[r.TIME])
    view.goto(view.url.split("#")[0] + f"#cycle={now}&core=0&warp=0")
    view.wait_for_function(f"() => explorer.leader.cycle === {now}")
    settled(view)
    assert view.locator(".paths .mask").get_attribute("data-lanes") == "".join(str(row[r.MASK] >> lane & 1) for lane in range(4))
    assert result.program.text[row[r.PC]] in texts(view, ".paths li")[0]
    registers = {}
    for (time, _, _, register), values in zip(book.registers.tolist(), book.values.tolist(), strict=True):
        if time <= now:
            registers[result.program.register_names[register]] = [str(value) for value in values]
    table = view.eval_on_selector_all(".registers tbody tr", "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))")
    shown = {name: values for name, *values in table}
    assert {name: shown[name] for name in registers} == registers
    assert registers


def test_memory_shows_what_changed_and_who_wrote_it(show, warps):
    view = show(warps.text)
    view.keyboard.press("End")
    cells = texts(view, ".memory tbody tr:first-child td")
    assert [int(text) for text in cells] == warps.result.memory[: len(cells)].tolist()
    assert view.locator(".memory td.written, .memory td.changed").count() == 3  # 0, 2, 4 and 9 became 0, 3, 4, 9: thread 0's is 0 as before
    writer = texts(view, ".log .cause")[0]
    assert re.search(r"written by warp 0 of block 0, STR .* in cycle \d+", writer)


def test_the_chain_of_causes_leads_from_a_warp_to_memory(show):
    result = run("tiny/matadd.asm", "tiny-simt")
    load = next(row for row in result.detail["events"].tolist() if row[e.KIND] == e.COMPLETE and row[e.PC] == 8)  # the second LDR
    issued, done = load[e.A], load[e.B]
    view = show(page(result), f"#cycle={done - 1}&core={load[e.CORE]}&warp={load[e.WARP]}")
    chain = texts(view, "ol.chain .cause")
    assert f"issued in cycle {issued}: usable from cycle {done + 1}" in chain[1]
    assert any("missed in the L1 in cycle" in text for text in chain)
    assert any("the L2 looked it up in cycle" in text for text in chain)
    assert any(re.search(r"serves line [23] \(bytes (8 to 11|12 to 15)\) until cycle \d+", text) for text in chain)
    view.locator("ol.chain .cause").nth(1).click()
    assert cycle(view) == issued


def chain_at(show, result, name):
    """The chain of causes in the middle of the longest span with a reason, as texts."""
    line = timeline(result)
    number = [activity.name for activity in line.activities].index(name)
    spans = line.spans[line.spans[:, 4] == number]
    core, warp, start, stop = spans[(spans[:, 3] - spans[:, 2]).argmax()][:4].tolist()
    view = show(page(result), f"#cycle={(start + stop) // 2}&core={core}&warp={warp}")
    return texts(view, "ol.chain .cause > span:first-child")


@pytest.mark.parametrize(
    ("file", "preset", "changes"),
    [
        ("tiny/slow_banks.asm", "tiny-simt", {}),
        ("tiny/matadd.asm", "tiny-simt", {"l1.bytes": 0, "l2.bytes": 0, "memory.data_channels": 1}),
        ("guppy/saxpy.guppy", "sm", {}),
        ("guppy/slow_alu.guppy", "guppy", {"core.warps": 4}),
    ],
)
def test_every_wait_for_a_register_ends_when_the_chain_says(show, file, preset, changes):
    view = show(page(run(file, preset, **changes)))
    found = view.evaluate("""(() => {
        const { run, causes } = explorer.leader, wrong = [];
        let waits = 0;
        for (const slot of run.slots)
            for (let row = slot.first; row < slot.last; row++) {
                const [name] = run.activities[run.spans.activity[row]];
                if (!["long_scoreboard", "short_scoreboard", "wait"].includes(name)) continue;
                const cycle = run.spans.start[row], [, register, ...rest] = causes.chain(slot, cycle), [, end] = run.stretch(slot, row);
                waits++;
                if (register?.to !== end || !rest.length) wrong.push([slot.label, cycle, end, register]);
            }
        return { waits, wrong };
    })()""")
    assert found["wrong"] == []
    assert found["waits"] > 3


def test_conflicts_of_banks_are_named_as_the_cause(show):
    result = run("tiny/slow_banks.asm", "tiny-simt")
    chain = chain_at(show, result, "mio_throttle")
    assert re.match(r"shared memory serves warp 0 of block \d since cycle \d+: (LDS|STS)", chain[1])
    assert chain[2].startswith("its accesses take 4.0 passes each, since lanes want the same of 4 banks")


def test_who_is_missing_at_a_barrier_is_named(show):
    result = run("tiny/reduction_shared.asm", "tiny-simt", **{"core.lanes": 2})
    chain = chain_at(show, result, "barrier")
    assert len(chain) == 2
    assert re.match(r"warp [01] of block 0 has not come to the barrier: .* at .* \(line \d+\)", chain[1])


def test_what_an_instruction_waits_for_in_the_alu_is_named(show):
    chain = chain_at(show, run("guppy/slow_alu.guppy", "guppy"), "wait")
    assert re.match(r"r1 is written by div\.u32 .*: usable from cycle \d+", chain[1])
    assert chain[2] == "latency.divide is 4 cycles on this machine"


def test_shared_memory_stands_by_bank(show):
    result = run("tiny/reduction_shared.asm", "tiny-simt")
    view = show(page(result))
    view.keyboard.press("End")
    view.get_by_role("tab", name="shared").click()
    words = {}
    for *_, word, _, new in result.detail["recording"].shared.tolist():
        words[word] = new
    expected = [str(words[byte // 4] >> 8 * (byte % 4) & 255) for byte in range(4 * len(words))]
    assert texts(view, ".shared tbody td") == expected
    assert texts(view, ".shared thead th")[1:] == ["0", "1", "2", "3"]


def test_an_output_image_is_drawn_as_it_is_after_a_cycle(show):
    text = (EXAMPLES / "guppy/texture.guppy").read_text().replace(".threads 4096", ".threads 64")
    program = warploom.guppy.assemble(text, path="texture.guppy")
    result = warploom.GPU("guppy", set={"core.warps": 2}, engine="python").run(program, tracing=True, recording=True)
    view = show(page(result))
    view.get_by_role("tab", name="images").click()
    number = program.view_names.index("u0")
    base = int(program.views[number][0])
    row = """(() => { const canvas = document.querySelector("canvas[aria-label=u0]");
        return [...canvas.getContext("2d").getImageData(0, 0, 64, 1).data].filter((_, at) => at % 4 < 3); })()"""
    assert set(settled(view).evaluate(row)) == {0}
    view.keyboard.press("End")
    texels = result.memory[base : base + 256].view("<u4").tolist()
    assert settled(view).evaluate(row) == [texel >> shift & 255 for texel in texels for shift in (24, 16, 8)]
    assert any(texels)


def test_what_is_on_its_way_is_shown_with_its_cycles(show):
    result = run("tiny/matadd.asm", "tiny-simt")
    rows = result.detail["events"].tolist()
    now = next(row[e.TIME] for row in rows if row[e.KIND] == e.FILL) - 1
    view = show(page(result), f"#cycle={now}")
    view.get_by_role("tab", name="caches").click()
    shown = "\n".join(texts(view, ".caches section"))
    open_ones = [row for row in rows if row[e.KIND] == e.COMPLETE and row[e.A] <= now <= row[e.B]]
    assert open_ones
    for row in open_ones:
        assert f"{result.program.text[row[e.PC]]} (line {result.program.position(row[e.PC]).line}){row[e.A]} to {row[e.B]}" in shown
    assert "0 hits" in shown


def test_the_bar_of_a_line_tells_where_its_cycles_went(show):
    result = run("tiny/slow_banks.asm", "tiny-simt")
    view = show(page(result))
    pc = result.program.text.index("LDS R4, R1")
    profile = result.detail["profile"][pc]
    view.locator(f".line[data-line='{result.program.position(pc).line}'] .heat").hover()
    said = view.locator("#hint").text_content()
    assert f"{profile[0]} issues, 4.0 active lanes on average" in said
    assert f"{profile[: len(REASONS)].sum()} warp-cycles:" in said
    assert "4.0 passes of shared memory an access" in said


def test_the_page_works_inside_the_frame_of_a_notebook(show, tiny):
    view = show(f"<!doctype html><p id=app>a notebook</p>{tiny.result.explorer()._repr_html_()}")
    frame = view.frame_locator("iframe")
    frame.locator("canvas.timeline").wait_for()
    frame.get_by_label("one cycle on").click()
    assert frame.get_by_label("cycle", exact=True).input_value() == "1"


def test_the_block_diagram_shows_the_state_of_every_unit(show, tiny):
    view = show(tiny.text)
    for now in (30, 80, 106):
        view.evaluate(f"explorer.go({now})")
        lit = texts(view, ".diagram .frame.lit")
        shown = " ".join(texts(view, ".diagram text"))
        cores = tiny.trace[now]["cores"]
        assert len(lit) >= sum(core["core_state"] not in (0, 7) for core in cores)
        for number, core in enumerate(cores):
            assert f"core {number}: block {core['block_id']}, 4 threads" in shown
            assert f"PC {core['current_pc']}: " in shown
        for channel in tiny.trace[now]["data_ctrl"]["channels"]:
            if channel["state"]:
                assert f"core {channel['consumer'] // 4} thread {channel['consumer'] % 4}" in shown
    waiting = texts(view, ".waits li")
    assert any(text.startswith("core 1 waits for instruction 8, which program channel 0 brings") for text in waiting)


def test_a_recording_that_was_full_says_how_far_it_reaches(show):
    machine = warploom.GPU("tiny-simt", engine="python").machine(warploom.load(EXAMPLES / "tiny/matmul.asm"), tracing=True, recording=True)
    machine.recorder = Recorder(machine, most_bytes=500)
    result = machine.finish(drive(machine, engine="python"))
    until = result.detail["recording"].until
    view = show(page(result), f"#cycle={until - 1}")
    assert texts(view, ".picture .note") == [
        f"The recording was full: registers and memory are known for cycles 0 to {until - 1} of {result.cycles}."
    ]
    assert view.locator(".registers table").count() == 1
    view.keyboard.press("ArrowRight")
    assert texts(view, ".registers") == [f"The recording was full: it covers cycles 0 to {until - 1}."]


def test_a_run_that_was_not_recorded_shows_lanes_and_causes_and_says_what_is_missing(show):
    result = warploom.GPU("tiny-simt", engine="python").run(warploom.load(EXAMPLES / "tiny/matadd.asm"), tracing=True)
    view = show(page(result), "#cycle=33")
    assert len(texts(view, "ol.chain .cause")) > 2
    assert texts(view, ".registers") == ["This run was not recorded: run it with recording=True to see registers and memory."]
    cells = texts(view, ".memory tbody tr:first-child td")
    assert [int(text) for text in cells] == result.initial_memory[: len(cells)].tolist()


def test_a_run_that_stopped_with_a_fault_opens_at_its_end_and_says_why(show):
    result = run("tiny/diverge.asm", "tiny")
    view = show(page(result))
    assert cycle(view) == result.cycles - 1
    assert texts(view, ".fault")[0].startswith(result.fault)


# ---- the picture


def test_clicks_on_the_picture_choose_cycle_lane_and_warp(show, tiny):
    view = show(tiny.text)
    box = settled(view).locator("canvas.timeline").bounding_box()
    place = view.evaluate("(() => { const t = explorer.leader.timeline; return [t.x(90.5), t.plotTop + t.band + 4 + t.band * 0.6]; })()")
    view.mouse.click(box["x"] + place[0], box["y"] + place[1])
    assert view.evaluate("[explorer.leader.cycle, explorer.leader.slot.core, explorer.leader.lane]") == [90, 1, 2]


def test_the_wheel_zooms_around_the_pointer_and_dragging_moves(show, tiny):
    view = show(tiny.text)
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


def test_the_pixels_of_a_lane_are_those_of_its_state(show, warps):
    view = show(warps.text, "#cycle=48")
    spans = warps.line.spans
    names = [warps.line.activities[activity].name for activity in spans[:, 4]]
    for row, name in zip(spans.tolist(), names, strict=True):
        if name != "selected":
            continue
        for lane in range(4):
            expected = "lanes.active" if row[6] >> lane & 1 else "lanes.inactive"
            pixel = view.evaluate(
                f"""(() => {{ const t = explorer.leader.timeline, r = t.ratio; const lane = t.band / 4;
                const at = t.context.getImageData(t.x({row[2]} + 0.5) * r, (t.plotTop + ({lane} + 0.4) * lane) * r, 1, 1).data;
                return [[...at.slice(0, 3)], explorer.paint.{expected}.rgb]; }})()"""
            )
            assert pixel[0] == pixel[1], (row, lane)


def test_the_keys_that_choose_a_warp_bring_it_into_sight(show):
    result = run("guppy/four_warps.guppy", "guppy", **{"core.warps": 4})
    view = show(page(result))
    view.set_viewport_size({"width": 1280, "height": 560})
    view.keyboard.press("ArrowUp")
    assert settled(view).evaluate("explorer.leader.slot.warp") == 3
    assert texts(view, ".list tr.chosen td:nth-child(2)") == ["w3"]
    assert view.evaluate("explorer.leader.timeline.rowAt(explorer.leader.timeline.plotBottom - 12).slot === explorer.leader.slot")
    view.keyboard.press("ArrowDown")
    view.keyboard.press("]")
    assert view.evaluate("[explorer.leader.slot.warp, explorer.leader.lane]") == [0, 1]


# ---- two runs


def test_two_runs_keep_the_same_cycle_or_the_same_instruction(show):
    first, second = run("tiny/diverge.asm", "tiny-simt"), run("tiny/diverge.asm", "tiny-simt", **{"divergence.first": "taken"})
    view = show(page(first, second, names=["fall through", "taken"]))
    where = {}
    for result in (first, second):
        rows = [row for row in result.detail["events"].tolist() if row[e.KIND] == e.ISSUE and row[e.PC] == 9]
        where[id(result)] = rows[0][e.TIME]
    assert where[id(first)] != where[id(second)]
    view.evaluate(f"explorer.go({where[id(first)]})")
    assert view.evaluate("explorer.views[1].cycle") == where[id(first)]
    view.keyboard.press("s")
    assert view.evaluate("explorer.views.map((view) => view.cycle)") == [where[id(first)], where[id(second)]]
    assert texts(view, ".picture h2")[1].startswith("Btaken")


# ---- words, keys, colours, and what must not be


def test_every_key_of_the_list_is_known_and_terms_are_explained(show, warps):
    view = show(warps.text)
    view.keyboard.press("?")
    assert view.locator("dialog.help").is_visible()
    assert view.locator("dialog.help kbd").count() > 25
    view.keyboard.press("Escape")
    assert not view.locator("dialog.help").is_visible()
    view.locator(".list th [data-term=mask]").first.hover()
    view.wait_for_selector("#hint:not([hidden])")
    assert view.locator("#hint").text_content().startswith("mask: which lanes of a warp execute")
    unknown = view.evaluate(
        "[...document.querySelectorAll('[data-term]')].map((e) => e.dataset.term).filter((t) => t && !explorer.hint.meaning(t))"
    )
    assert unknown == []


def test_colours_follow_the_system_and_the_key(show, warps):
    view = show(warps.text)
    theme = "document.documentElement.dataset.theme"
    view.emulate_media(color_scheme="dark")
    view.wait_for_function(f"() => {theme} === 'dark'")
    view.keyboard.press("t")
    view.keyboard.press("t")
    assert view.evaluate(theme) == "light"


def test_text_of_a_kernel_is_never_markup(show):
    program = warploom.tiny.assemble(f".threads 4 ; {HOSTILE}\nCONST R1, #7\nSTR %threadIdx, R1\nRET\n", path=f"{HOSTILE}.asm")
    view = show(page(warploom.GPU("tiny", engine="python").run(program)))
    view.keyboard.press("End")
    assert HOSTILE in texts(view, ".line[data-line='1'] pre")[0]
    assert view.evaluate("window.evil") is None
    assert view.locator("img").count() == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda raw: b"WLR9" + raw[4:], "is in version 9 of its format, and the page reads version 1"),
        (lambda raw: raw[:-1] + bytes([raw[-1] ^ 1]), "does not fit its checksum"),
        (lambda raw: b"nope" + raw[4:], "are not a run of warploom"),
    ],
)
def test_data_that_do_not_fit_are_named(show, tiny, change, message):
    def changed(found):
        return found[1] + b64encode(compress(change(decompress(b64decode(found[2]))))).decode() + found[3]

    text = re.sub(r'(class="run">)(.*?)(</script>)', changed, tiny.text)
    assert message in show(text, expects_trouble=True).locator("#trouble").text_content()


def test_a_cut_off_page_says_so(show, tiny):
    text = re.sub(r'(class="run">)(.*?)(</script>)', lambda found: found[1] + found[2][:400] + found[3], tiny.text)
    assert "damaged or cut off" in show(text, expects_trouble=True).locator("#trouble").text_content()
