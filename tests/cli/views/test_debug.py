"""`warploom debug`: scripts by what they print, the screen by what its panels say after real keys."""

import asyncio
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from textual import events

from tests.machine.programs import Assembly, machine
from tests.places import EXAMPLES
from warploom import GPU, load
from warploom.cli import main
from warploom.cli.common import UserError
from warploom.cli.debugger.app import DebuggerApp
from warploom.cli.debugger.commands import COMMANDS, completions, execute
from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.panel import Panel
from warploom.cli.debugger.source_panel import SourcePanel
from warploom.isa.regions import Region
from warploom.machine.debug.session import Session
from warploom.observe.text.styled import plain

MATMUL = "examples/tiny/matmul.asm"
IF_ELSE = "examples/guppy/if_else.guppy"


def debug(*commands, kernel=MATMUL, options=(), status=0, text=None):
    """What a script prints; it must end with this status."""
    given = [word for command in commands for word in ("-x", command)]
    done = CliRunner().invoke(main, ["debug", kernel, "--engine", "python", *options, *given], input=text)
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.output
    return done.output.rstrip("\n").split("\n")


# ---- scripts


def test_a_script_says_what_each_command_says():
    assert debug("break next", "continue", "print R0") == [
        "> break next",
        "breakpoint 1 at line 30 (MUL R10, R6, R2)",
        "> continue",
        "breakpoint 1: warp 0:0 at examples/tiny/matmul.asm:30 (MUL R10, R6, R2)",
        "cycle 135: warp 0:0 at line 30 (MUL R10, R6, R2), fetch",
        "> print R0",
        "R0 = 0 1 2 3",
    ]


def test_a_line_of_c_is_one_of_the_kernels_and_other_files_are_named(tmp_path):
    """The text of an ELF file is that of its sources, of which the run-time's are not there."""
    (tmp_path / "x.csv").write_text("1, 2\n")
    kernel, options = "examples/vortex/saxpy.elf", ["--threads", "2", "--arg", "a=1"]
    options += [word for name in "xy" for word in ("--buffer", f"{name}={tmp_path / 'x.csv'}")]

    def broken(place):
        return debug(f"break {place}", kernel=kernel, options=options)[1]

    assert broken("6").startswith("breakpoint 1 at line 6 (")
    assert broken("saxpy.c:5") == broken("5") and broken("1") == broken("saxpy").replace("saxpy", "1")
    assert broken("spawn.c:46").startswith("breakpoint 1 at spawn.c:46 (")
    assert broken("@6").startswith("breakpoint 1 at start.S:")
    for place, said in {
        "spam.c:3": "no instruction comes from 'spam.c', did you mean 'spawn.c'?",
        "saxpy.c:99": "there is no instruction in line saxpy.c:99 or after it",
        "saxpy.c:0": "there is no line saxpy.c:0: they are numbered from 1",
        ":3": "':3' is not a line, @instruction or label",
    }.items():
        assert said in debug(f"break {place}", kernel=kernel, options=options, status=2)[-1]


def test_a_changed_register_changes_the_result_and_undo_takes_it_back():
    # The product of [1 2; 3 4] with itself; then 42 is put on top of each sum.
    debug("end", "expect mem[8:4] = 7 10 15 22")
    debug("break next", "continue", "set R8 = 42", "end", "expect mem[8:4] = 49 52 57 64", "undo", "end", "expect mem[8:4] = 7 10 15 22")


def test_backwards_is_where_one_was():
    lines = debug("next 5", "where", "rnext 5", "next 5", "where", "rcontinue", "print cycle")
    places = [line for line in lines if line.startswith("cycle ") and "cycle =" not in line]
    assert places[1] == places[-2]
    assert lines[-1] == "cycle = 0"


def test_a_watchpoint_halts_both_ways():
    found = debug("watch mem[8:4]", "continue", "print cycle", "end", "rcontinue", "print cycle")
    assert "watchpoint 1: memory[8] was 0 and is 7, and 3 more, written by 4 threads, the" in found
    assert len({line for line in found if line.startswith("cycle = ")}) == 1
    assert "watchpoint 1: R8[2] of warp 0:0 was 0 and is 3" in debug("watch R8[2]", "continue")


def test_memory_that_a_program_touches_between_its_regions_is_there_from_then_on_and_not_before(tmp_path):
    kernel = tmp_path / "pages.vx"
    kernel.write_text("li t0, 0x10000000\nli t1, 77\nsw t1, 16(t0)\nnop\nvx_tmc zero\n")
    options = ("--gpu", "vortex-2024")
    given = {"kernel": str(kernel), "options": options}
    shown = debug("end", "memory 0x10000010 1", "expect mem[0x10000010:4] = 77 0 0 0", **given)
    assert [line for line in shown if line.startswith("0x10000010:") and " 77" in line]
    back = debug(
        "end", "watch mem[0x10000010:4]", "rcontinue", "set mem[0x10000010:1] = 5", "end", "expect mem[0x10000010:2] = 5 0", **given
    )
    assert "watchpoint 1: memory[0x10000010] was 0 and is 77, written by warp 0:0, lane 0 at" in back
    for moves in (["step"], ["end", "start"]):
        said = debug(*moves, "memory 0x10000010", **given, status=2)
        assert "there is no memory at address 0x10000010; the nearest region is" in said[-1]
    (row,) = [line for line in debug("end", "memory 0x100ffff0", **given) if ": " in line and line.startswith("0x10")]
    assert row.startswith("0x100ffff0:")  # the page is the last that is shown


def test_divergent_lanes_are_shown_where_they_are():
    found = debug("break FAR lane 25", "continue", "where", "warps", kernel=IF_ELSE)
    assert "  lanes 20-31: run at line 17 (div.f32 r1.x, f(60.0), r0.x)" in found
    assert "  lanes 0-19: diverged, continue at line 20 (mov r2.x, r1.x)" in found
    assert ">!0:0   0.0    17    ....................############  eligible" in found


def test_floats_are_read_and_written():
    commands = ("break MET", "continue", "set r1.x[3] = -0.5", "next", "print r2.x[3]", "print r2.x[4]", "format hex", "print r2.x[3]")
    found = debug(*commands, kernel=IF_ELSE)
    assert "r2.x[3] = -0.5" in found
    assert "r2.x[4] = 2.0" in found  # 4 x 0.25 + 1
    assert found[-1] == "r2.x[3] = bf000000"


WIDE = """\
import numpy as np
from warploom import cuda
@cuda.jit
def k(f, n, c):
    f[0] = -1 / 3
    n[0] = -(1 << 40)
k[1, 1](np.full(2, 0.1), np.full(2, 3 << 33), np.ones(1, np.complex64))
"""


def test_memory_shows_items_of_64_bits_of_a_buffer_that_has_such(tmp_path):
    (tmp_path / "wide.py").write_text(WIDE)
    shown = debug("memory f 1", "end", "memory f 1", "memory n 1", "format hex", "memory n 1", "format auto", "memory c 1",
                  kernel=str(tmp_path / "wide.py"))  # fmt: skip
    cells = [line.split()[1:3] for line in shown if line.lstrip()[:1].isdigit() and ":" in line.split()[0]]
    assert cells[:2] == [["0.1", "0.1"], ["-0.3333333333*", "0.1"]]
    assert cells[2] == ["-1099511627776*", "25769803776"]
    assert cells[3] == ["ffffff0000000000*", "0000000600000000"]
    assert cells[4] == ["1.0", "0"]


def test_memory_shows_words_of_a_buffer_in_its_type(tmp_path):
    """`y` is a `float *` of the kernel, `extra` a file of whole numbers; as bits, they would look like the other."""
    np.save(tmp_path / "x.npy", np.array([1e-30, 3], np.float32))
    np.save(tmp_path / "n.npy", np.array([1 << 30, -(1 << 30)], np.int32))
    options = ["--threads", "2", "--arg", "a=0"]
    options += [f"--buffer={name}={tmp_path / file}" for name, file in (("x", "x.npy"), ("y", "x.npy"), ("extra", "n.npy"))]
    shown = debug("memory y 1", "memory extra 1", "format hex", "memory y 1", kernel="examples/vortex/saxpy.elf", options=options)
    cells = [line.split()[1:3] for line in shown if line.lstrip()[:2] == "0x" and ":" in line.split()[0]]
    assert cells == [["1e-30", "3.0"], ["1073741824", "-1073741824"], ["0da24260", "40400000"]]


def test_items_without_a_sign_are_shown_without_one(tmp_path):
    (tmp_path / "large.py").write_text(
        "import numpy as np\nfrom warploom import cuda\n@cuda.jit\ndef k(n): n[0] += 2\nk[1, 1](np.array([2**63 + 5, 3], np.uint64))\n"
    )
    shown = debug("memory n 1", "end", "memory n 1", "format signed", "memory n 1", kernel=str(tmp_path / "large.py"))
    cells = [line.split()[1:3] for line in shown if line.lstrip()[:1].isdigit() and ":" in line.split()[0]]
    assert cells == [[str(2**63 + 5), "3"], [f"{2**63 + 7}*", "3"], [f"{7 - 2**63}*", "3"]]


def test_a_fault_is_told_and_gives_the_status_of_one():
    found = debug("end", "print cycle", kernel="examples/tiny/diverge.asm", status=1)
    assert "the threads of a block disagree on this branch" in " ".join(" ".join(found).split())


@pytest.mark.parametrize(
    "held",
    [
        *("cycle = 491", "cycle==491", "cycle != 490", "cycle < 492", "cycle <= 491", "cycle > 490", "cycle>=491", "cycle in 400..491"),
        *("mem[8:4] > 6", "mem[8:4] in 7..22", "mem[8:4] in 7..8 9..10 15..15 0..255", "mem[8] = 0x7"),
        *("counter.instructions = 41", "counter.fetch_thread_cycles in 900..1000"),
    ],
)
def test_what_is_expected_may_be_compared(held):
    assert debug("end", f"expect {held}")[-1].endswith(" is as expected")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cycle < 491", "cycle is 491, and less than 491 was expected, in cycle 491"),
        ("cycle in 1..2", "cycle is 491, and 1..2 was expected, in cycle 491"),
        ("counter.instructions >= 42", "counter.instructions is 41, and at least 42 was expected, in cycle 491"),
        ("mem[8:2] != 10", "mem[8:2] is 7 10, and anything but 10 was expected, in cycle 491"),
    ],
)
def test_what_is_expected_and_does_not_hold_says_what_is(text, said):
    assert debug("end", f"expect {text}", status=1)[-1] == f"error: -x 'expect {text}': {said}"


@pytest.mark.parametrize("text", ["cycle", "cycle <", "cycle in 5", "cycle in 9..1", "counter.nothing = 1", "mem[8:2] = 1 2 3", "= 3", ""])
def test_an_expectation_that_cannot_be_is_a_mistake(text):
    debug("end", f"expect {text}", status=2)


def test_asking_for_a_counter_leaves_the_run_as_it_is():
    before = debug("step 5", "warps", "end", "print cycle", kernel=IF_ELSE)
    asked = debug("step 5", "expect counter.cycles = 5", "warps", "end", "print cycle", kernel=IF_ELSE)
    assert [line for line in asked if "counter" not in line] == before


def test_an_expectation_that_is_not_met_has_the_status_of_a_fault():
    found = debug("end", "expect mem[8] = 8", status=1)
    assert found[-1] == "error: -x 'expect mem[8] = 8': mem[8] is 7, and 8 was expected, in cycle 491"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("brek 3", "there is no command 'brek', did you mean 'break'? `help` lists all"),
        ("st", "'st' may be step or start or stops"),
        ("step x", "how often is a whole number, as 12 or 0x1f, and not 'x'"),
        ("step 0", "0 times: at least once"),
        ("goto -1", "there is no cycle -1: the first is 0"),
        ("continue 3", "continue takes no argument, and was given '3'"),
        ("break", "break where? A line, FILE:LINE, @ and an instruction's number, a label, or pixel X,Y"),
        ("break nxt", "'nxt' is not a line, @instruction or label, did you mean 'next'?"),
        ("break 4000", "there is no instruction in line 4000 or after it"),
        ("break @99", "there is no instruction 99: they are numbered 0 to 27"),
        ("break next lane 9", "there is no lane 9"),
        ("break next wrap 0:0", "'wrap 0:0': the conditions of a breakpoint are as in `warp 0:1`, `block 2`, `lane 3`"),
        ("watch", "watch what? A register, as R3 or R3[2], or memory, as mem[8] or mem[8:4]"),
        ("watch mem[256]", "there is no memory at address 256: it has 256 bytes"),
        ("watch pc", "pc cannot be watched: registers of lanes, variables and memory can"),
        ("print R99", "there is no register 'R99', did you mean 'R9'?"),
        ("print R3[9]", "there is no lane 9: a warp has lanes 0 to 3"),
        ("print pc", "no warp is in slot 0:0: it has no pc"),
        ("delete 3", "there is no breakpoint or watchpoint 3: none is set"),
        ("set R3", "write what is set and its value, as in `set R3[2] = 5` or `set mem[8] = 1`"),
        ("set pc = 3", "pc (instruction number) cannot be set: registers and memory can"),
        ("set mem[3] = 256", "256 does not fit into 8 bits: 0 to 255"),
        ("set mem[3] = 1.5", "a value is a whole number, as 12 or 0x1f, and not '1.5'"),
        ("set R3 = 1", "no warp is in slot 0:0: there is no register to set"),
        ("warp 7:0", "there is no warp slot 7:0: cores are 0 to 1, their slots 0 to 0"),
        ("lane 4", "there is no lane 4: a warp has 4 lanes, from 0"),
        ("memory x", "an address is a whole number, as 12 or 0x1f, and not 'x'"),
        ("format octal", "there is no format 'octal'; they are auto, unsigned, signed, hex, float"),
        ("help me", "'me' is"),
    ],
)
def test_what_is_wrong_with_a_command_is_one_sentence(command, message):
    if command == "help me":
        message = "> help me"  # the beginning of one command only: memory
        assert debug(command)[:2] == [message, "memory [ADDRESS|BUFFER] [ROWS]  (also x)"]
        return
    assert debug(command, status=2)[-1] == f"error: -x {command!r}: {message}"


def test_a_script_comes_from_a_file_or_a_pipe(tmp_path):
    script = tmp_path / "lesson.txt"
    script.write_text("# a lesson\n\nstep 3\nprint cycle\nquit\nnever read\n", encoding="utf-8")
    wanted = ["> step 3", "cycle 3: warp 0:0 at line 13 (MUL R0, %blockIdx, %blockDim), fetch", "> print cycle", "cycle = 3", "> quit"]
    assert debug(options=("--commands", str(script))) == wanted
    assert debug(text="print cycle\n") == ["> print cycle", "cycle = 0"]
    script.write_text("step\nbrek\n", encoding="utf-8")
    assert debug(options=("--commands", str(script)), status=2)[-1].startswith(f"error: {script}:2: there is no command 'brek'")


def test_json_is_one_object_with_what_each_command_said():
    body = json.loads(debug("end", "print mem[8:4]", options=["--json"])[0])
    assert body == {
        "status": "done",
        "cycle": 491,
        "fault": None,
        "commands": [
            {"command": "end", "output": ["cycle 491: the kernel has ended"]},
            {"command": "print mem[8:4]", "output": ["mem[8:4] = 7 10 15 22"]},
        ],
    }
    assert json.loads(debug("nonsense", options=["--json"], status=2)[0])["status"] == "error"


def test_scripts_need_no_screen():
    code = "import sys; sys.modules['textual'] = None; from warploom.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "debug", MATMUL, "-x", "step"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_command_has_help_and_no_name_is_taken_twice():
    names = [name for command in COMMANDS for name in (command.name, *command.aliases)]
    assert len(names) == len(set(names))
    found = "\n".join(debug("help"))
    said = " ".join(found.split())
    assert all(f"\n{command.name}" in found and command.about in said for command in COMMANDS)


# ---- the screen


def screen(kernel=MATMUL, preset="tiny", **settings):
    machine = GPU(preset, engine="python").machine(load(kernel))
    return DebuggerApp(Debugger(Session(machine, engine="python", **settings)))


def text_of(app, name):
    """What a panel shows, as text."""
    panel = app.query_one(f"#{name}", Panel)
    return panel.render().plain


def status_of(app):
    return str(app.query_one("#status").render())


def log_of(app):
    return [strip.text.rstrip() for strip in app.query_one("#log").lines]


def play(app, *keys, size=(120, 40), then=None):
    """Press keys, each when the one before has been done; a line that begins with : is put into the command line. Then look."""

    async def run():
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            for key in keys:
                if len(key) > 1 and key.startswith(":"):
                    await pilot.press("colon")
                    app.query_one("#prompt").value = key[1:]
                    await pilot.press("enter")
                else:
                    await pilot.press(key)
                await pilot.pause()
                await app.workers.wait_for_complete()
                await pilot.pause()
            if then is not None:
                then(app)

    asyncio.run(run())


def test_keys_step_both_ways_and_the_panels_show_where_the_run_is():
    def look(app):
        assert app.debugger.session.cycle == 2
        assert "matmul on tiny · cycle 2 · running · warp 0:0" in status_of(app)

    play(screen(), "s", "s", "s", "S", then=look)


def test_all_panels_show_a_breakpoint_that_was_come_to():
    def look(app):
        assert "●30 ▶     MUL   R10, R6, R2" in text_of(app, "source")
        assert "0:0   0.0    30    ####   fetch" in text_of(app, "warps")
        assert "R4            4*   4*   4*   4*" in text_of(app, "registers")
        assert "  0:  1   2   3   4   1   2   3   4" in text_of(app, "memory")
        assert "cycle 135: warp 0:0 at line 30 (MUL R10, R6, R2), fetch" in log_of(app)

    play(screen(), ":break next", "c", then=look)


def test_changed_memory_is_marked_and_shown():
    def look(app):
        assert "  8:  7* 10* 15* 22*  0 " in text_of(app, "memory")
        assert "done" in status_of(app)

    play(screen(), ":end", "j", then=look)


def test_a_register_is_set_on_the_screen_and_the_run_goes_on_with_it():
    def look(app):
        assert app.debugger.memory[8:12].tolist() == [49, 10, 15, 22]

    play(screen(), ":break next", "c", ":set R8[0] = 42", ":delete all", "c", then=look)


def test_b_sets_a_breakpoint_at_the_cursor_and_takes_it_away():
    marks = []

    def look(app):
        marks.append(sorted(app.debugger.breakpoints()))

    play(screen(), "down", "b", then=look)
    play(screen(), "down", "b", "b", then=look)
    # The cursor begins at the first instruction.
    assert marks == [[1], []]


def test_lanes_and_warps_are_chosen_with_keys():
    def look(app):
        assert app.debugger.lane == 31
        assert "[31]" in text_of(app, "registers")

    play(screen(IF_ELSE, "guppy"), "s", "left", "w", "W", then=look)


@pytest.mark.every(2)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (160, 50)])
@pytest.mark.parametrize(("kernel", "preset"), [(MATMUL, "tiny"), (IF_ELSE, "guppy")])
def test_every_panel_fits_into_every_size(size, kernel, preset):
    def look(app):
        for panel in app.query(Panel):
            lines = panel.render().plain.split("\n")
            assert len(lines) <= panel.content_size.height
            assert max(map(len, lines)) <= panel.content_size.width
            assert panel.content_size.height >= 4
        assert "▶" in text_of(app, "source")

    play(screen(kernel, preset), ":goto 7", "n", size=size, then=look)


LONG = """.threads 40
.group 40
    mov r0.x, thread_id                                        ; a comment longer than the panel is wide, and nothing of it is cut
    add.u32 r1.x, r0.x, u(1000000)
    ret
"""


@pytest.mark.every(2)
@pytest.mark.parametrize("cycles", [1, 40])
@pytest.mark.parametrize(
    ("kernel", "preset"), [("guppy/raymarch.guppy", "sm"), ("guppy/four_warps.guppy", "guppy"), ("tiny/matmul.asm", "tiny"), (LONG, "sm")]
)
def test_nothing_is_cut_at_120_columns(tmp_path, kernel, preset, cycles):
    path = tmp_path / "a_kernel_with_a_name_that_is_longer_than_the_panel_of_the_source.guppy"
    if kernel is LONG:
        path.write_text(LONG)
    whole = path if kernel is LONG else EXAMPLES / kernel
    asked = []

    def look(app):
        asked.append(app)
        debugger = app.debugger
        for panel in app.query(Panel):
            width, height = panel.content_size
            made = [plain(line) for line in panel.lines(panel.first, width, height)]
            assert max(map(len, made)) <= width, panel.id
            title = panel.heading()
            assert len(title) <= width - 2 or " ".join(panel.render().plain.split()).startswith(title) or " " not in title
        shown = "".join("".join(plain(line) for line in app.query_one(SourcePanel).lines(0, 52, 10_000)).split())
        numbered = ("".join(f"{number} {line}".split()) for number, line in enumerate(whole.read_text().splitlines(), 1))
        marks = str.maketrans("", "", "▶▷●")
        for name in {debugger.name(state.core, state.slot) for state in debugger.warps()}:
            shown = shown.replace(name, "")
        shown = re.sub(r"\d+warps", "", shown.translate(marks))
        assert shown == "".join(numbered)
        states = [f"{state.activity}" for state in debugger.warps()]
        text = text_of(app, "warps")
        assert all((name if name != "not_selected" else "eligible") in text for name in states[:8])

    play(screen(whole, preset), f":goto {cycles}", "n", size=(120, 40), then=look)
    assert asked


def test_the_cursor_stays_in_view_where_lines_continue(tmp_path):
    path = tmp_path / "long.guppy"
    path.write_text(".threads 4\n" + "".join(f"    mov r0.x, u({number}) ; {'word ' * 40}\n" for number in range(40)) + "    ret\n")
    seen = []

    def look(app):
        panel = app.query_one(SourcePanel)
        panel.render()
        seen.append((panel.cursor, panel.cursor in panel.shown))

    play(screen(path, "sm"), *["down"] * 9, then=look)
    play(screen(path, "sm"), "end", then=look)
    play(screen(path, "sm"), "end", "pageup", then=look)
    assert [inside for _, inside in seen] == [True, True, True]
    assert seen[1][0] == 41


def test_a_terminal_that_is_too_small_says_so():
    def look(app):
        assert "This terminal has 50 x 15 characters." in str(app.query_one("#small").render())
        assert app.query_one("#small").display
        assert not app.query_one("#panels").display

    play(screen(), size=(50, 15), then=look)


def test_a_mistake_is_said_in_the_log_and_nothing_else_happens():
    def look(app):
        assert "there is no command 'brek', did you mean 'break'? `help` lists all" in log_of(app)
        assert app.debugger.session.cycle == 0

    play(screen(), ":brek 3", then=look)


def test_help_lists_keys_and_commands_and_goes_away():
    app = screen()

    async def run():
        async with app.run_test(size=(120, 60)) as pilot:
            await pilot.press("f1")
            await pilot.pause()
            assert len(app.screen_stack) == 2
            await pilot.press("escape")
            await pilot.pause()
            assert len(app.screen_stack) == 1

    asyncio.run(run())


def test_a_run_that_ends_while_the_help_is_open_is_told_when_it_closes():
    app = screen()

    async def run():
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.press("c", "f1")
            await app.workers.wait_for_complete()
            await pilot.pause()
            await pilot.press("escape")
            await pilot.pause()
            assert "cycle 491: the kernel has ended" in log_of(app)
            assert len(app.screen_stack) == 1

    asyncio.run(run())


def test_what_is_typed_at_once_belongs_to_the_command_line():
    async def run(app):
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            for key in ("colon", "e", "n", "d", "enter"):
                app.post_message(events.Key(key, None if len(key) > 1 else key))
            await pilot.pause(0.2)
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert app.debugger.session.status == "done"
            assert app.debugger.session.edits == []

    asyncio.run(run(screen()))


def test_a_long_run_is_stopped_with_escape_and_what_is_typed_meanwhile_is_refused(tmp_path):
    kernel = tmp_path / "forever.asm"
    kernel.write_text(".threads 1\non:\n  CONST R0, #0\n  CMP R0, R0\n  BRnzp on\n  RET\n", encoding="utf-8")
    app = screen(str(kernel))

    async def run():
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await pilot.press("c")
            await pilot.pause(0.3)
            assert app.busy
            await pilot.press("s")
            await pilot.pause()
            assert "it is still running: Esc stops it" in log_of(app)
            await pilot.press("escape")
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert not app.busy
            assert "stopped before that" in log_of(app)
            assert app.debugger.session.status == "running"
            assert app.debugger.session.cycle > 0

    asyncio.run(run())


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c", "ctrl+d"])
def test_quitting_works(key):
    app = screen()
    play(app, "s", key)
    assert app.return_code == 0


def test_quitting_works_while_it_runs_and_while_a_command_is_typed(tmp_path):
    kernel = tmp_path / "forever.asm"
    kernel.write_text(".threads 1\non:\n  CONST R0, #0\n  CMP R0, R0\n  BRnzp on\n  RET\n", encoding="utf-8")
    app = screen(str(kernel))

    async def run():
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("c")
            await pilot.pause(0.2)
            await pilot.press("q")

    asyncio.run(run())
    assert app.return_code == 0
    app = screen()
    play(app, "colon", "s", "ctrl+c")
    assert app.return_code == 0
    app = screen()
    play(app, ":quit")
    assert app.return_code == 0


def test_the_command_line_completes_names_and_remembers_lines():
    debugger = screen(IF_ELSE, "guppy").debugger
    assert completions(debugger, "wa") == ["watch", "warp", "warps"]
    assert completions(debugger, "break F") == ["break FAR"]
    assert completions(debugger, "print r0.") == ["print r0.x", "print r0.y", "print r0.z", "print r0.w"]
    assert completions(debugger, "nonsense x") == []

    def look(app):
        assert app.query_one("#prompt").value == "goto 3"

    play(screen(), ":goto 3", "colon", "up", then=look)

    def completed(app):
        assert app.query_one("#prompt").value == "break next "

    play(screen(), "colon", "b", "r", "tab", "n", "tab", then=completed)


def test_restart_begins_anew_without_the_changes_and_keeps_the_breakpoints():
    text = "\n".join(debug("break 30", "goto 20", "set R1 = 7", "goto 40", "restart", "edits", "stops", "continue"))
    assert "cycle 0: " in text.partition("> restart")[2].partition("> edits")[0]
    assert "1 change taken back" in text.partition("> restart")[2]
    assert "nothing was changed by hand" in text.partition("> edits")[2]
    assert "1 break line 30" in text.partition("> stops")[2].partition("> continue")[0]
    assert "breakpoint 1: " in text.partition("> continue")[2]


def test_memory_of_regions_is_named_shown_and_watched_by_its_addresses():
    code = Assembly()
    code.mov(5, 0xFFFFFF00)
    code.store(5, 5)
    code("exit")
    regions = (Region("low", 0, 64), Region("window", 0xFFFFFF00, 64))
    debugger = Debugger(Session(machine(code.program(regions=regions)), engine="python"))
    said = "\n".join(plain(line) for text in ("memory window", "watch mem[0xffffff00:4]", "continue") for line in execute(debugger, text))
    assert "0xffffff00:" in said and "mem[0xffffff00:4]" in said and "memory[0xffffff01] was 0 and is 255" in said
    with pytest.raises(UserError, match="there is no memory at address 0x80000000; the nearest region is 'window'"):
        execute(debugger, "memory 0x80000000")


def test_the_help_of_the_screen_explains_the_letters_that_lanes_are_shown_with():
    from warploom.cli.debugger.help_screen import MARKS
    from warploom.cli.debugger.warps import LETTERS

    [(letters, names)] = [mark for mark in MARKS if mark[1].startswith("lanes: ")]
    assert dict(zip(names.removeprefix("lanes: ").split(", "), letters.split(), strict=True)) == LETTERS
