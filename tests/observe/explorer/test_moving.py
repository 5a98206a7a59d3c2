"""Moving through the cycles of a page in a browser: keys, buttons, events, breakpoints, and the address."""

from tests.observe.explorer.browser import cycle, run, settled, texts
from warploom.machine.accounting import events as e
from warploom.machine.sequencer.states import EXECUTE
from warploom.observe.explorer.page import page


def test_keys_and_buttons_move_through_the_cycles(show, warps):
    view, last = show(warps.text, "#cycle=0"), warps.result.cycles - 1
    for key, expected in (("ArrowRight", 1), ("Shift+ArrowRight", 11), ("ArrowLeft", 10), ("End", last), ("ArrowRight", last), ("Home", 0)):
        view.keyboard.press(key)
        assert cycle(view) == expected, key
    view.get_by_label("one cycle forwards").click()
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
    view = show(warps.text, "#cycle=0")
    issues = [row[e.TIME] for row in warps.result.detail.events.tolist() if row[e.KIND] == e.ISSUE]
    for expected in issues[:3]:
        view.keyboard.press(".")
        assert cycle(view) == expected
    view.keyboard.press(",")
    assert cycle(view) == issues[1]
    view.get_by_label("kind of event").select_option("divergence")
    view.get_by_label("to the next event", exact=True).click()
    [branch] = [row[e.TIME] for row in warps.result.detail.events.tolist() if row[e.KIND] == e.ISSUE and row[e.PC] == 6]
    assert cycle(view) == branch
    view.keyboard.press("n")
    view.keyboard.press("n")
    assert "no later event" in view.get_by_role("status").text_content()


def test_the_page_opens_where_the_first_instruction_is_issued(show, warps, tiny):
    assert cycle(show(warps.text)) == min(row[e.TIME] for row in warps.result.detail.events.tolist() if row[e.KIND] == e.ISSUE) > 0
    first = next(now for now, line in enumerate(tiny.trace) if any(core["core_state"] == EXECUTE for core in line["cores"]))
    assert cycle(show(tiny.text)) == first > 0
    assert cycle(show(tiny.text, "#cycle=0")) == 0


def test_the_page_opens_with_the_warp_that_issues_first(show):
    result = run("guppy/four_warps.guppy", "sm")
    issues = [row for row in result.detail.events.tolist() if row[e.KIND] == e.ISSUE]
    view = show(page(result))
    core, warp = view.evaluate("[explorer.leader.slot.core, explorer.leader.slot.warp]")
    assert [cycle(view), core, warp] in [[row[e.TIME], row[e.CORE], row[e.WARP]] for row in issues if row[e.TIME] == issues[0][e.TIME]]


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


def test_of_two_programs_the_source_of_the_run_that_leads_is_shown(show, warps):
    other = run("tiny/matadd.asm", "tiny-simt")
    view = settled(show(page(warps.result, other, names=["diverge", "matadd"])))
    shown = "[...document.querySelectorAll('.source:not([hidden]) h2')].map((one) => one.textContent)"
    assert view.evaluate(shown) == ["diverge.asm"]
    assert "times as fast" in texts(view, ".difference")[0]
    view.keyboard.press("x")
    assert settled(view).evaluate(shown) == ["matadd.asm"]
    view.keyboard.press("f")
    view.keyboard.type("line 3")
    view.keyboard.press("Enter")
    assert settled(view).evaluate("explorer.message.textContent") == "line 3"
    view.keyboard.press("Escape")
    assert "at the same instruction" not in "".join(texts(view, ".bar button"))
