"""What the panes of a page show at a cycle, in a browser, compared with the run."""

import re

import numpy as np
import pytest

import warploom
from tests.isa.sass.places import path_of
from tests.observe.explorer.browser import EXAMPLES, cycle, run, settled, texts
from warploom.isa.frontend import Options
from warploom.isa.frontends import meanings, open_source
from warploom.machine.accounting import events as e
from warploom.machine.accounting.reasons import REASONS
from warploom.machine.run import recording as r
from warploom.machine.run.driver import drive
from warploom.machine.run.recording import Recorder
from warploom.machine.sequencer.states import DONE, FETCH, IDLE
from warploom.observe.explorer.page import page
from warploom.observe.facts import timeline as t
from warploom.observe.facts.timeline import timeline


def test_registers_masks_and_stack_are_those_of_the_recording(show, warps):
    result = warps.result
    view, book = show(warps.text), result.detail.recording
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
    complete = e.of_kind(result.detail.events, e.COMPLETE)
    load = complete[complete["pc"] == 8][0]  # the second LDR
    issued, done = int(load["issued"]), int(load["done"])
    view = show(page(result), f"#cycle={done - 1}&core={load['core']}&warp={load['warp']}")
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
    assert chain[2].startswith("its accesses take 4.0 passes each, since lanes want different words of the same of 4 banks")


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
    for *_, word, _, new in result.detail.recording.shared.tolist():
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
    rows = result.detail.events.tolist()
    now = next(row[e.TIME] for row in rows if row[e.KIND] == e.FILL) - 1
    view = show(page(result), f"#cycle={now}")
    view.get_by_role("tab", name="caches").click()
    shown = "\n".join(texts(view, ".caches section"))
    open_ones = [row for row in e.of_kind(result.detail.events, e.COMPLETE)[["pc", "issued", "done"]].tolist() if row[1] <= now <= row[2]]
    assert open_ones
    for pc, issued, done in open_ones:
        assert f"{result.program.text[pc]} (line {result.program.position(pc).line}){issued} to {done}" in shown
    assert "0 hits" in shown


def test_the_bar_of_a_line_tells_where_its_cycles_went(show):
    result = run("tiny/slow_banks.asm", "tiny-simt")
    view = show(page(result))
    pc = result.program.text.index("LDS R4, R1")
    profile = result.detail.profile[pc]
    view.locator(f".line[data-line='{result.program.position(pc).line}'] .heat").hover()
    said = view.locator("#hint").text_content()
    assert f"{profile[0]} issues, 4.0 active lanes on average" in said
    assert f"{profile[: len(REASONS)].sum()} warp-cycles:" in said
    assert "4.0 passes of shared memory per access" in said


def test_the_page_works_inside_the_frame_of_a_notebook(show, tiny):
    view = show(f"<!doctype html><p id=app>a notebook</p>{tiny.result.explorer()._repr_html_()}")
    frame = view.frame_locator("iframe")
    frame.locator("canvas.timeline").wait_for()
    frame.get_by_label("first cycle").click()
    frame.get_by_label("one cycle forwards").click()
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
    assert any(text.startswith("core 1 waits for instruction 8, which program channel 0 fetches") for text in waiting)


def test_a_decoder_without_an_instruction_shows_none(show, tiny):
    view, instructions = show(tiny.text), {}
    for now, line in enumerate(tiny.trace):
        for number, core in enumerate(line["cores"]):
            instructions.setdefault((core["core_state"] in (IDLE, FETCH, DONE), number), (now, core["current_pc"]))
    assert len(instructions) == 4
    for (empty, number), (now, pc) in instructions.items():
        view.evaluate(f"explorer.go({now})")
        shown = texts(view, ".diagram [data-term=decoder].value")[number]
        assert shown == "no instruction" if empty else tiny.result.program.text[pc].startswith(shown.rstrip("…"))
    view.keyboard.press("End")
    assert texts(view, ".diagram [data-term=decoder].value") == ["no instruction"] * 2


def test_a_recording_that_was_full_says_how_far_it_reaches(show):
    machine = warploom.GPU("tiny-simt", engine="python").machine(warploom.load(EXAMPLES / "tiny/matmul.asm"), tracing=True, recording=True)
    machine.recorder = Recorder(machine, most_bytes=500)
    result = machine.finish(drive(machine, engine="python"))
    until = result.detail.recording.until
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


@pytest.mark.parametrize(("file", "preset"), [("tiny/diverge.asm", "tiny-simt"), ("guppy/if_else.guppy", "guppy")])
def test_the_instructions_of_the_program_are_explained(show, file, preset):
    """In the help, and where the pointer rests on a mnemonic: those that the program uses, of its own instruction set."""
    result = run(file, preset)
    view = settled(show(page(result)))
    view.keyboard.press("?")
    listed = view.eval_on_selector_all("dl.instructions dt", "elements => elements.map((element) => element.dataset.mnemonic)")
    used = {text.split()[0] for text in result.program.text}
    assert set(listed) == used
    known = meanings(result.program.isa)
    hints = view.eval_on_selector_all(".mnemonic", "elements => elements.map((element) => [element.textContent, element.dataset.hint])")
    assert {word for word, _ in hints} == used
    for word, hint in hints:
        usage, meaning = known.get(word) or known[max((one for one in known if word.startswith(one)), key=len)]
        assert hint == f"{usage}: {meaning}"


def test_a_buffer_is_written_one_way_and_an_image_as_colours(show, tmp_path):
    """Floats beside whole numbers that look like floats; texels of an image; a buffer with 0 among its floats."""
    file = tmp_path / "kinds.guppy"
    file.write_text(
        ".threads 4\n.group 4\n.buffer t0 values 0.5 0.0 3.25 1.0\n.buffer t1 values 1 2 3 70000\n.image u0 4 4\n"
        "mul.u32 r0.x, thread_id, u(4)\nld r1.x, t0.x, r0.x\nld r2.x, t1.x, r0.x\nret\n"
    )
    result = warploom.GPU("guppy", engine="python").run(warploom.load(file), tracing=True, recording=True)
    view = settled(show(page(result)))
    styles = view.evaluate(
        """(() => { const { run, panes } = explorer.leader, pane = panes[panes.length - 1];
        pane.show("memory"); explorer.leader.draw();

        return run.program.views.map((one) => [one.name, pane.shown.made.styleAt(one.base)]); })()"""
    )
    assert dict(styles) == {"t0": "float", "t1": "unsigned", "u0": "hex"}


def test_tags_count_the_warps_of_each_run(show):
    first = run("guppy/four_warps.guppy", "guppy", **{"core.warps": 4})
    second = run("guppy/four_warps.guppy", "guppy", **{"core.warps": 4, "alu.count": 2})
    view = settled(show(page(first, second, names=("A", "B"))))
    view.evaluate("explorer.go(0)")
    chips = texts(view, ".line .chip")
    assert sorted(chips) == ["A×4", "B×4"]


def test_the_frame_of_the_chosen_warp_ends_with_its_run(show):
    first, second = run("tiny/diverge.asm", "tiny-simt"), run("tiny/diverge.asm", "sm")
    view = settled(show(page(first, second, names=("short", "long"))))
    short, long = view.evaluate("explorer.views.map(({ timeline, run }) => [timeline.frame.right, timeline.x(run.cycles)])")
    assert short[0] == pytest.approx(short[1], abs=1)
    assert long[0] == pytest.approx(long[1], abs=5)
    assert short[0] < long[0]


def test_no_line_is_shown_as_running_while_a_warp_is_in_a_file_that_is_not_there(show):
    """The run-time of a kernel in C, whose text nobody has: its instructions have numbers beyond the lines of the kernel."""
    path, x = EXAMPLES / "vortex" / "saxpy.elf", np.zeros(4, np.float32)
    options = Options(path=str(path), threads=4, arguments={"a": 2}, buffers={"x": x, "y": x})
    result = warploom.GPU("vortex-2024", engine="python").run(warploom.load(path, options=options), tracing=True)
    program, spans = result.program, timeline(result).spans
    issued = spans[(spans[:, t.CORE] == 0) & (spans[:, t.WARP] == 0)]
    lines = {int(row[t.START]): program.row(int(row[t.PC])) for row in issued if row[t.PC] >= 0}
    of_runtime, of_kernel = next(time for time in reversed(lines) if not lines[time]), next(time for time in lines if lines[time])
    view = show(page(result))
    for now, current in ((0, []), (of_runtime, []), (of_kernel, [str(lines[of_kernel])])):
        view.goto(view.url.split("#")[0] + f"#cycle={now}&core=0&warp=0")
        view.wait_for_function(f"() => explorer.leader.cycle === {now}")
        settled(view)
        assert texts(view, ".lines .line.current .number") == current


@pytest.mark.parametrize(
    ("name", "said"),
    [("long_scoreboard", r"it waits for B\d, which LDG.*, sets for its result"), ("wait", r"the stall count is \d+ after")],
)
def test_a_machine_that_issues_by_control_words_names_the_word(show, name, said):
    zeros = np.zeros(32, np.float32)
    options = Options(
        str(path_of(90)), grid=1, block=32, arguments={"n": 32, "a": 2.0}, buffers={"x": zeros, "y": zeros}, more={"kernel": "saxpy"}
    )
    program = open_source(options.path, None, options)[0]
    result = warploom.GPU("h100-sxm", set={"gpu.cores": 1}, engine="python").run(program, tracing=True, recording=True)
    chain = chain_at(show, result, name)
    assert any(re.search(said, text) for text in chain), chain
