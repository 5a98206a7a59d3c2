"""Jumps to events of every kind that the page offers, in both directions: they go where the run's own events are."""

import pytest

import warploom
from tests.observe.explorer.browser import run, texts
from warploom.isa import uop as u
from warploom.machine.accounting import events as e
from warploom.machine.sequencer.states import DONE, EXECUTE, IDLE
from warploom.observe.explorer.page import page, page_parts, whole

# Cycles that the jumps of a kind lead to, from the first cycle on (1) and from the last one back (-1), with a warp chosen.
JUMPS = """([name, core, warp, direction]) => {
    const view = explorer.leader, found = [];
    view.select(view.run.slots.find((slot) => slot.core === core && slot.warp === warp));
    explorer.go(direction > 0 ? 0 : view.run.cycles - 1);
    for (let before = -1; before !== view.cycle; ) {
        before = view.cycle;
        explorer.transport.jump(direction, name);
        if (view.cycle !== before) found.push(view.cycle);
    }
    return found;
}"""
WIDE = """
.threads 64
    CONST R1, #{parts}
    CMP   %threadIdx, R1
    BRn   below
    CONST R2, #1
    RET
below:
    CONST R2, #2
    RET
"""


def strict_part(part, whole):
    return 0 != part != whole and part & ~whole == 0


def stores(program, pc):
    first, count = program.code[pc][[u.FIRST_UOP, u.COUNT]]
    return any("store" in (name := u.OPERATIONS[op].name) or "atomic" in name for op in program.uops[first : first + count, u.OP])


def of_warps(result, core, warp, breakpoint_line):
    """{kind: cycles} by the events that the machine wrote down."""
    program, rows = result.program, result.detail.events
    mine = rows[(rows[:, e.CORE] == core) & (rows[:, e.WARP] == warp)]
    issues, requests = e.of_kind(rows, e.ISSUE), e.of_kind(rows, e.REQUEST)
    does, state = None, []
    for kind, stall in zip(mine[:, e.KIND].tolist(), e.named(mine, e.STALL)[["time", "pc", "reason", "since"]].tolist(), strict=True):
        time, pc, reason, since = stall
        if kind == e.ISSUE:
            state.append(time)
        elif kind == e.STALL:  # written down at its end
            if does != (reason, pc, since):
                state.append(since)
            does = (reason, pc, time)
        elif kind == e.LAUNCH:
            does = None
    masks = issues[["time", "after", "lanes"]].tolist()
    return {
        "issue": e.of_kind(mine, e.ISSUE)["time"].tolist(),
        "state": state,
        "divergence": [time for time, after, lanes in masks if strict_part(after & ~(-1 << 64), lanes & ~(-1 << 64))],
        "barrier": e.of_kind(rows, e.BARRIER)["time"].tolist(),
        "miss": requests["time"][requests["outcome"] == e.MISS].tolist(),
        "store": [time for time, pc in issues[["time", "pc"]].tolist() if stores(program, pc)],
        "memory change": result.detail.recording.memory[:, 0].tolist(),
        "launch": e.of_kind(rows, e.LAUNCH)["time"].tolist(),
        "breakpoint": [time for time, pc in issues[["time", "pc"]].tolist() if program.position(pc).line == breakpoint_line],
    }


def of_sequencer(result, core, breakpoint_line):
    """{kind: cycles} by the states of the cores in every cycle, and by what the channels of memory write."""
    trace, program, memory = list(result.trace()), result.program, result.initial_memory.tolist()
    changes = []
    for now, cycle in enumerate(trace, start=1):  # a channel's write is in memory in the cycle after
        for channel in cycle["data_ctrl"]["channels"]:
            if channel["wv"] and memory[channel["wa"]] != channel["wd"]:
                memory[channel["wa"]] = channel["wd"]
                changes.append(now)
    begins, launches = {}, []  # by core: [cycle, state, PC], wherever one of them changes; cycles in which a core takes a block
    for number in range(len(trace[0]["cores"])):
        before, begins[number] = (), []
        for now, cycle in enumerate(trace):
            one = cycle["cores"][number]
            state = (one["core_state"], one["current_pc"], one["block_id"])
            if state != before and state[0] not in (IDLE, DONE):
                begins[number].append((now, *state[:2]))
                if not before or before[0] in (IDLE, DONE):
                    launches.append(now)
            before = state
    executes = {number: [(now, pc) for now, state, pc in found if state == EXECUTE] for number, found in begins.items()}
    return {
        "issue": [now for now, _ in executes[core]],
        "state": [now for now, _, _ in begins[core]],
        "store": changes,
        "launch": launches,
        "breakpoint": [now for found in executes.values() for now, pc in found if program.position(pc).line == breakpoint_line],
    }


def check(view, result, expected, core, warp):
    last = result.cycles - 1
    offered = view.eval_on_selector_all("[aria-label='kind of event'] option", "all => all.map((one) => one.value)")
    assert set(offered) <= set(expected)
    for name, times in expected.items():
        if name not in offered:
            assert times == [], name
            continue
        times = sorted(set(times))
        assert view.evaluate(JUMPS, [name, core, warp, 1]) == [time for time in times if time > 0], name
        assert view.evaluate(JUMPS, [name, core, warp, -1]) == [time for time in times if time < last][::-1], name


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("file", "preset", "changes", "several"),
    [
        ("guppy/nested_loop.guppy", "guppy", {}, "divergence"),
        ("guppy/if_else.guppy", "sm", {}, "divergence"),
        ("tiny/diverge.asm", "tiny-simt", {}, "divergence"),
        ("tiny/reduction_shared.asm", "tiny-simt", {"core.lanes": 2}, "barrier"),
        ("tiny/matadd.asm", "tiny-simt", {}, "miss"),
        ("tiny/histogram.asm", "tiny-simt", {}, "memory change"),
    ],
)
def test_jumps_of_every_kind_lead_to_the_events_of_the_run(show, file, preset, changes, several):
    result = run(file, preset, **changes)
    core, warp = max((row[e.CORE], row[e.WARP]) for row in result.detail.events.tolist() if row[e.KIND] == e.ISSUE)
    line = result.program.position(len(result.program.code) - 2).line
    expected = of_warps(result, core, warp, line)
    assert expected[several]
    assert expected["breakpoint"]
    view = show(page(result))
    view.evaluate(f"explorer.source.toggleBreakpoint({line})")
    check(view, result, expected, core, warp)


@pytest.mark.parametrize("parts", [1, 32, 33])
def test_a_warp_of_64_lanes_may_part_anywhere(show, parts):
    program = warploom.tiny.assemble(WIDE.format(parts=parts), path="wide.asm")
    settings = {"core.lanes": 64, "core.threads_per_block": 64, "core.warps": 1, "gpu.cores": 1}
    result = warploom.GPU("tiny-simt", set=settings, engine="python").run(program, tracing=True, recording=True)
    expected = of_warps(result, 0, 0, 0)
    assert len(expected["divergence"]) == 1
    check(show(page(result)), result, expected, 0, 0)


def test_jumps_in_a_run_of_single_instructions_lead_to_the_states_of_its_cores(show, tiny):
    line = tiny.result.program.position(3).line
    expected = of_sequencer(tiny.result, 1, line)
    view = show(tiny.text)
    view.evaluate(f"explorer.source.toggleBreakpoint({line})")
    check(view, tiny.result, expected, 1, 0)


def test_an_address_with_a_line_lands_where_it_waits_and_the_profile_is_linked_at_the_chosen_line(show):
    result = run("tiny/diverge.asm", "tiny-simt")
    text = "".join(page_parts([result], [whole(result)], profile="diverge.profile.html"))
    view = show(text, "#line=16")
    chosen = "() => explorer.source.chosen"
    view.wait_for_function("() => explorer.source.chosen === 16")
    assert view.evaluate("explorer.leader.cycle") > 0
    link = view.locator("a.profile")
    link.focus()
    assert link.get_attribute("href") == f"diverge.profile.html#line-{view.evaluate(chosen)}"
    view.evaluate("location.hash = '#line=1000'")  # there is none
    assert view.evaluate(chosen) == 16


def test_the_launches_of_the_program_unfold_with_their_times(show):
    row = {"kernel": "k", "grid": [2, 3, 1], "block": [32, 1, 1], "waits_for": "wait 50 %"}
    rows = [row | {"launch": 0, "begins": 0, "cycles": 100}, row | {"launch": 1, "begins": 100, "cycles": 300}]
    result = run("tiny/diverge.asm", "tiny-simt")
    view = show("".join(page_parts([result], [whole(result)], launches={"rows": rows, "shown": [1]})))
    view.click("text=2 launches of the program, 400 cycles")
    assert texts(view, ".launches tbody tr.chosen td.number") == ["1", "100", "300"]
    assert "2×3 blocks of 32" in texts(view, ".launches tbody td")
