"""`warploom run`."""

import gzip
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner

import warploom
from tests.places import EXAMPLES
from warploom.cli import main
from warploom.machine.config.presets import preset_names

MATMUL, MATADD = EXAMPLES / "tiny" / "matmul.asm", EXAMPLES / "tiny" / "matadd.asm"
ENDLESS = ".threads 8\nagain: CMP R0, R0\nBRz again\nRET\n"
DIVERGES = ".threads 4\nCONST R1, #2\nCMP %threadIdx, R1\nBRn low\nNOP\nlow: RET\n"
PICTURE = (
    ".threads 16\n.image u0 4 4\nand r0.x, thread_id, u(3)\ndiv.u32 r0.y, thread_id, u(4)\nst u0.xyzw, r0.xy, f4(1.0 0.0 0.0 1.0)\nret\n"
)
BUFFERS = ".threads 32\n.buffer t0 32 iota\n.buffer u0 32\nmul.u32 r0.x, thread_id, u(4)\nld r1.x, t0.x, r0.x\nst u0.x, r0.x, r1.x\nret\n"


def run(*arguments):
    return CliRunner().invoke(main, ["run", *(str(argument) for argument in arguments)])


@pytest.fixture
def file(tmp_path):
    def write(text, name="kernel.asm"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def rows(text):
    return [line.split() for line in text.splitlines()]


# ---- what is shown


def test_matmul_shows_both_matrices_and_the_product():
    result = run(MATMUL)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "matmul: 28 instructions, 4 threads; tiny: 2 cores x 4 threads, 4 data channels"
    assert lines[1] == "done in 491 cycles, 41 instructions executed, 164 counting each thread"
    assert lines[3:8] == [
        "data memory: 4 of 256 bytes changed, marked *",
        "               0   1   2   3    4   5   6   7    8   9  10  11   12  13  14  15",
        "    0 before   1   2   3   4    1   2   3   4    0   0   0   0    0   0   0   0",
        "      after    1   2   3   4    1   2   3   4    7* 10* 15* 22*   0   0   0   0",
        "   16 to 255: zero",
    ]


def test_the_cycles_of_the_states_are_those_of_the_counters():
    counters = warploom.GPU("tiny").run(warploom.load(MATMUL)).counters
    shown = rows(run(MATMUL).stdout)
    for state in ("fetch", "decode", "request", "wait", "execute", "update"):
        assert any(row[:2] == [state, str(counters[f"{state}_thread_cycles"])] for row in shown)
    memory = [row for row in shown if row[:2] == ["waiting", "for"]]
    assert [row[2:5] for row in memory] == [
        ["program", "memory", str(counters["program_wait_thread_cycles"])],
        ["data", "memory", str(counters["data_wait_thread_cycles"])],
    ]
    assert ["data,", "4", "channels", "20", "6.1", "%"] in [row[:6] for row in shown]


def test_no_line_is_wider_than_80_columns_and_nothing_is_coloured_in_a_pipe():
    shown = run(MATMUL).stdout
    assert max(len(line) for line in shown.splitlines()) <= 80
    assert "\x1b" not in shown


def test_it_says_where_to_look_next():
    assert "look closer: --log - --log-cycles 0:40 (every thread), --trace FILE (every unit)\n" in run(MATMUL).stdout
    assert "`warploom presets`" in run(MATMUL).stdout


def test_changed_settings_are_named():
    first = run(MATMUL, "--set", "gpu.cores=4", "--set", "core.skip_wait=true").stdout.partition("\ndone in ")[0].replace("\n ", "")
    assert first.endswith("; tiny: 4 cores x 4 threads, 4 data channels, with gpu.cores=4, core.skip_wait=true")


def test_quiet_prints_nothing():
    result = run(MATMUL, "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_quiet_prints_what_the_program_prints(tmp_path):
    pytest.importorskip("ziglang")
    kernel = tmp_path / "told.c"
    kernel.write_text('#include <warploom.h>\nkernel void told(int n) { printf("n is %d\\n", n); }\n')
    result = run(kernel, "--arg", "n=7", "--threads", "1", "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "#0: n is 7\n", "")


def test_warnings_of_the_assembler_and_notes_go_to_standard_error(file):
    result = run(file(".threads 1\nCONST R13, #1\nDIV R0, R1, R2\nRET\n"))
    assert result.exit_code == 0
    assert "kernel.asm:2:" in result.stderr and "warning: " in result.stderr
    assert "note: " in result.stderr and "1 division by zero in all, which gave 255" in result.stderr
    assert "warning" not in result.stdout


def test_every_tiny_example_runs_or_says_why_not():
    for path in sorted((EXAMPLES / "tiny").glob("*.asm")):
        result = run(path)
        expected = 2 if warploom.load(path).extensions else 1 if path.stem == "diverge" else 0
        assert (path.name, result.exit_code) == (path.name, expected)
        assert result.stderr.startswith("error: ") == bool(expected)


# ---- JSON


def test_json_is_one_object_with_what_the_run_gave():
    result = run(MATMUL, "--json", "--gpu", "tiny-original", "--set", "memory.data_channels=2", "--engine", "python")
    assert result.exit_code == 0
    assert result.stdout.count("\n") == 1
    body = json.loads(result.stdout)
    expected = warploom.GPU("tiny-original", set={"memory.data_channels": 2}).run(warploom.load(MATMUL))
    assert (body["isa"], body["gpu"], body["status"], body["fault"], body["engine"]) == ("tiny", "tiny-original", "done", None, "python")
    assert (body["cycles"], body["instructions"]) == (expected.cycles, expected.instructions)
    assert body["config"]["memory.data_channels"] == 2
    assert body["memory"]["data"] == expected.memory.tolist()
    assert body["counters"] == expected.counters
    assert body["warnings"] == []
    assert body["seconds"] > 0


def test_json_of_a_fault_has_the_sentence_and_status_1(file):
    result = run(file(DIVERGES), "--json")
    body = json.loads(result.stdout)
    assert (result.exit_code, body["status"]) == (1, "error")
    assert "the threads of a block disagree on this branch: threads 0-1 take it, threads 2-3 do not" in body["fault"]


def test_json_of_a_bad_file_is_an_object_too(tmp_path):
    result = run(tmp_path / "nothing.asm", "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["diagnostics"][0]["message"] == "there is no such file"


# ---- kernels that do not end well


def test_a_fault_names_line_and_threads(file):
    path = file(DIVERGES)
    result = run(path)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {path}:4 (BRn low): the threads of a block disagree on this branch: ")
    assert result.stdout.splitlines()[1].startswith("stopped by a fault after ")


@pytest.mark.parametrize("engine", ["python", "native", "auto"])
def test_an_endless_kernel_is_stopped_and_says_where_it_was(file, engine):
    path = file(ENDLESS)
    result = run(path, "--max-cycles", "5000", "--engine", engine)
    assert result.exit_code == 1
    first, *places = result.stderr.replace("\n    ", " ").splitlines()  # what is too long continues below
    assert first == "error: still running after 5 000 cycles; --max-cycles allows more"
    assert [place.split(" is in ")[0] for place in places] == ["  core 0, block 0 (threads 0-3)", "  core 1, block 1 (threads 0-3)"]
    assert "--log-cycles 4960:5000" in result.stdout


# ---- logs and traces


def test_the_log_goes_to_a_file_and_the_summary_to_the_terminal(tmp_path):
    log = tmp_path / "m.log"
    result = run(MATMUL, "--log", log)
    assert result.exit_code == 0
    assert result.stderr == f"{log} is written\n"
    assert "data memory: 4 of 256 bytes changed" in result.stdout
    assert log.read_text().count("\ncycle ") == 491
    assert list(tmp_path.iterdir()) == [log]


def test_the_log_on_standard_output_shows_memory_itself():
    shown = run(MATMUL, "--log", "-").stdout
    assert shown.count("data memory: 4 of 256 bytes changed") == 1
    assert shown.count("\ncycle ") == 491


def test_a_part_of_the_log(tmp_path):
    shown = run(MATADD, "--log", "-", "--log-cores", "1", "--log-threads", "0,2-3", "--log-cycles", "100:102").stdout
    assert [line.split()[1] for line in shown.splitlines() if line.startswith("cycle ")] == ["100", "101", "102"]
    assert "\ncore 0 " not in shown
    threads = [line.split()[0] for line in shown.splitlines() if line[:8].strip().isdigit() and len(line[:8]) == 8 and "-" in line[-12:]]
    assert threads == ["0", "2", "3"] * 3


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
def test_the_trace_has_a_line_a_cycle(tmp_path, name):
    path = tmp_path / name
    assert run(MATADD, "--trace", path).exit_code == 0
    data = path.read_bytes()
    lines = [json.loads(line) for line in (gzip.decompress(data) if name.endswith("gz") else data).decode().splitlines()]
    assert lines == list(warploom.GPU("tiny").run(warploom.load(MATADD)).trace())
    assert [line["cycle"] for line in lines] == list(range(178))


def test_the_same_run_gives_the_same_compressed_trace(tmp_path):
    for name in ("a.gz", "b.gz"):
        run(MATADD, "--trace", tmp_path / name)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_the_trace_on_standard_output_stands_alone():
    lines = run(MATADD, "--trace", "-").stdout.splitlines()
    assert [json.loads(line)["cycle"] for line in lines] == list(range(178))


def test_a_log_that_is_there_is_replaced_with_its_permissions(tmp_path):
    log = tmp_path / "m.log"
    log.write_text("old")
    log.chmod(0o640)
    run(MATADD, "--log", log)
    assert log.read_text().startswith("matadd: ")
    assert log.stat().st_mode & 0o777 == 0o640


# ---- programs of guppy


def test_a_guppy_program_runs_on_guppy_and_shows_its_buffers(file):
    result = run(file(BUFFERS, "copy.guppy"))
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "copy: 4 instructions, 32 threads; guppy: 1 core x 1 warp x 32 lanes"
    assert "t0  buffer of 32 words, read only" in lines
    assert "u0  buffer of 32 words: 31 changed, marked *" in lines
    assert ["after", "0", "1*", "2*", "3*"] in [line.split() for line in lines]


def test_buffers_and_blocks_from_the_command_line(file, tmp_path):
    given, empty = tmp_path / "given.csv", tmp_path / "empty.npy"
    given.write_text("7, " * 63 + "7\n")
    np.save(empty, np.zeros(64, np.int32))
    result = run(file(BUFFERS, "copy.guppy"), "--buffer", f"t0={given}", "--buffer", f"u0={empty}", "--grid", "2", "--json")
    body = json.loads(result.stdout)
    view = body["memory"]["views"]["u0"]
    assert (body["status"], body["threads"], view["bytes"]) == ("done", 64, 256)
    assert body["memory"]["data"][view["address"] : view["address"] + 256] == [7, 0, 0, 0] * 64


def test_an_image_is_written_as_png(file, tmp_path):
    picture = tmp_path / "out.png"
    result = run(file(PICTURE, "red.guppy"), "--save", f"u0={picture}")
    assert (result.exit_code, result.stderr) == (0, f"{picture} is written\n")
    pixels = warploom.guppy.read_picture(picture)
    assert (pixels == [255, 0, 0, 255]).all() and pixels.shape == (4, 4, 4)
    assert "see the picture: --save u0=u0.png" in run(file(PICTURE, "red.guppy")).stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--buffer", "t0"], "--buffer 't0': write a name and what it gets, as in --buffer memory=x.csv"),
        (["--save", "u0"], "--save 'u0': write a name and what it gets, as in --save u0=out.png"),
        (["--save", "u0=x.png"], "--save u0=x.png: u0 is not an image; save it as .npy, .csv or .bin"),
        (["--save", "u0=x.gif"], "--save u0=x.gif: name a file that ends in .npy, .csv, .bin, .png"),
        (["--save", "u9=x.npy"], "--save u9=x.npy: the program has no buffer 'u9'; it has t0, u0"),
        (["--threads", "0"], "threads = 0: a program of guppy is started with at least 1 thread"),
        (["--threads", "8", "--grid", "2"], "--threads and --grid say the same thing: leave one of them out"),
        (["--grid", "0"], "--grid 0: each is 1 to 2147483647"),
        (["--grid", "2147483647", "--block", "2"], "4294967294 threads, grid x block: a launch has at most 2147483647"),
        (["--arg", "n=4"], "{file}: there is no argument 'n'; it takes none"),
        (["--launch", "1"], "{file}: there is no launch 1; there is one, 0"),
        (["--bind", "buffer t0 1"], "--bind is called --buffer NAME=FILE"),
        (["--groups", "2"], "--groups is called --grid"),
        (["--group-size", "2"], "--group-size is called --block"),
        (["--image", "u0=x.png"], "--image is called --save"),
        (
            ["--gpu", "guppy", "--block", "96"],
            "a block has 3 warps, the device has warp slots for 1; add --set core.warps=3, or use smaller blocks",
        ),
        (["--log", "-"], "--log shows cores that run one instruction at a time, as the preset tiny has them; 'guppy' has warps"),
        (["--trace", "-"], "--trace shows cores that run one instruction at a time, as the preset tiny has them; 'guppy' has warps"),
    ],
)
def test_what_a_guppy_program_cannot_be_given(file, options, message):
    path = file(BUFFERS, "copy.guppy")
    result = run(path, *options)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {message.replace('{file}', str(path))}\n")


@pytest.mark.parametrize("ending", ["npy", "csv", "bin"])
def test_a_buffer_is_saved_and_given_again(file, tmp_path, ending):
    saved = tmp_path / f"u0.{ending}"
    path = file(BUFFERS, "copy.guppy")
    assert run(path, "--save", f"u0={saved}", "--quiet").exit_code == 0
    again = json.loads(run(path, "--buffer", f"t0={saved}", "--json").stdout)
    views = again["memory"]["views"]
    given, copied = (again["memory"]["data"][views[name]["address"] :][:128] for name in ("t0", "u0"))
    assert given == copied == np.arange(32, dtype="<u4").view(np.uint8).tolist()


def test_tiny_gpus_data_memory_is_a_buffer_too(tmp_path):
    saved = tmp_path / "memory.npy"
    assert run(MATADD, "--save", f"memory={saved}", "--quiet").exit_code == 0
    assert np.load(saved)[16:24].tolist() == [2 * number for number in range(8)]
    assert run(MATADD, "--buffer", f"memory={saved}", "--json").exit_code == 0


# ---- bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--threads", "-1"], "--threads -1: a program is started with 0 to 2147483647 threads"),
        (["--threads", "9" * 20], f"--threads {'9' * 20}: a program is started with 0 to 2147483647 threads"),
        (["--max-cycles", "0"], "--max-cycles 0: a run may take 1 to 1000000000000000 cycles"),
        (["--max-cycles", "1" + "0" * 30], f"--max-cycles 1{'0' * 30}: a run may take 1 to 1000000000000000 cycles"),
        (["--gpu", "tinny"], "there is no preset 'tinny', did you mean 'tiny'?; there are " + ", ".join(preset_names())),
        (["--gpu", "nowhere/my.toml"], "nowhere/my.toml: cannot be read: No such file or directory"),
        (["--set", "gpu.cores"], "'gpu.cores': a setting is written section.name=value, as in gpu.cores=4"),
        (["--set", "gpu.cores=145"], "gpu.cores = 145: it takes a whole number from 1 to 144 (cores (NVIDIA: multiprocessors))"),
        (
            ["--set", "gpu.core=2"],
            "there is no setting 'gpu.core', did you mean 'gpu.cores'?; `warploom presets --settings` lists them all",
        ),
        (["--data", "x.csv"], "--data is called --buffer memory=FILE"),
        (
            ["--unit", "cache=x.py:y"],
            "there is no slot 'cache'; the slots are scheduler, replacement, prefetcher, coalescer, set_hash, channel_hash, divergence",
        ),
        (
            ["--gpu", "sm", "--set", "core.scheduler=oldest", "--scheduler", "round_robin"],
            "the unit of the slot 'scheduler' is chosen twice, by the setting core.scheduler as well: leave one of the two out",
        ),
        (
            ["--unit", "scheduler=oldest"],
            "the slot 'scheduler' is for machines with warps; 'tiny' runs one instruction at a time; add --gpu sm",
        ),
        (["--block", "4x4"], f"{MATADD}: block = (4, 4): a block of several dimensions needs a grid, as grid=(4, 4)"),
        (["--block", "four"], "--block 'four': write a number, or one per dimension, as in --block 16x16"),
        (["--log-cycles", "1:2"], "--log-cycles says what a log shows, and there is none: write --log - or --log FILE too"),
        (["--log", "-", "--log-cycles", "5:2"], "--log-cycles '5:2': the span ends before it begins"),
        (["--log", "-", "--log-cycles", "x"], "--log-cycles 'x': write first and last cycle with a colon between them, as in 100:200"),
        (["--log", "-", "--log-cores", "2"], "--log-cores '2': there is no core 2, they are numbered 0 to 1"),
        (["--log", "-", "--log-threads", "3-1"], "--log-threads '3-1': the range 3-1 ends before it begins"),
        (["--log", "-", "--trace", "-"], "--log and --trace would both be written to standard output: name a file for one of them"),
        (["--log", "/nowhere/x.log"], "/nowhere/x.log cannot be written: No such file or directory"),
        (["--log", "/dev/full"], "/dev/full cannot be written: No space left on device"),
        (["--log", "/"], "/ is a directory: name a file in it"),
    ],
)
def test_bad_options_are_one_error_and_exit_status_2(options, message):
    result = run(MATADD, *options)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {message}\n")


def test_more_threads_than_the_device_can_count():
    result = run(MATADD, "--threads", "256")
    assert (result.exit_code, result.stderr) == (2, f"error: {MATADD}: threads = 256: the device control register takes 0 to 255\n")


def test_no_threads_are_done_in_two_cycles():
    result = run(MATADD, "--threads", "0")
    assert result.exit_code == 0
    assert "done in 2 cycles, 0 instructions executed" in result.stdout


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none", None, "there is no such file"),
        ("kernel.txt", b"RET", "the ending '.txt' belongs to no instruction set"),
        ("kernel.asm", b"\0\1", "this is a binary file, not source text: byte 0 is zero"),
        ("kernel.asm", b"", "this file is empty"),
    ],
)
def test_files_that_are_no_programs(tmp_path, name, content, message):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    result = run(path)
    assert (result.exit_code, result.stdout) == (2, "")
    if content != b"":
        assert result.stderr.splitlines()[0] == f"{path}: error: {message}"
    assert "Traceback" not in result.stderr


def test_a_directory_is_no_program(tmp_path):
    assert run(tmp_path).stderr == f"{tmp_path}: error: this is a directory, not a file\n    fix: name a file in it\n"


def test_a_file_of_another_ending_runs_when_its_instruction_set_is_named(file):
    path = file(".threads 1\nRET\n", "kernel.txt")
    assert run(path, "--isa", "tiny", "--quiet").exit_code == 0
    assert "there is no instruction set 'tinny', did you mean 'tiny'?" in run(path, "--isa", "tinny").stderr


def test_an_output_never_replaces_an_input(file):
    path = file(DIVERGES)
    result = run(path, "--log", path)
    assert (result.exit_code, result.stderr) == (2, f"error: --log {path}: this file is an input; name a different one\n")
    assert path.read_text() == DIVERGES


def test_a_refused_run_leaves_no_file(tmp_path):
    assert run(MATADD, "--threads", "256", "--log", tmp_path / "a.log").exit_code == 2
    assert list(tmp_path.iterdir()) == []


# ---- as a process


def process(*arguments, **keywords):
    command = [sys.executable, "-m", "warploom", "run", *(str(argument) for argument in arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **keywords)


@pytest.mark.parametrize("option", ["--log", "--trace"])
def test_a_closed_pipe_is_no_mistake(option):
    child = process(MATMUL, option, "-", stdout=subprocess.PIPE)
    child.stdout.readline()
    child.stdout.close()
    assert child.stderr.read() == ""
    child.wait()


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_under_standard_output_is_one_sentence(unbuffered):
    with open("/dev/full", "w") as full:
        child = process(MATMUL, stdout=full, env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
        assert child.stderr.read() == "error: No space left on device\n"
    assert child.wait() == 2


def test_ctrl_c_ends_with_a_message_and_leaves_no_file(file, tmp_path):
    path = file(ENDLESS)
    child = process(path, "--max-cycles", "1" + "0" * 12, "--log", tmp_path / "a.log", "--engine", "python", stdout=subprocess.DEVNULL)
    while len(list(tmp_path.iterdir())) < 2:  # the log's place is taken just before the first cycle
        time.sleep(0.02)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    error = child.stderr.read()
    assert child.wait() == 130
    assert re.fullmatch(r"stopped by Ctrl-C( after .+ cycles; no file was written)?\n", error)
    assert list(tmp_path.iterdir()) == [path]


def on_a_terminal(*arguments, until=None, **environment):
    """What a run shows on a terminal; it is interrupted when it has shown `until`, or after half a minute."""
    screen, terminal = pty.openpty()
    setting = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    command = [sys.executable, "-m", "warploom", "run", *(str(argument) for argument in arguments)]
    env = setting | {"TERM": "xterm-256color", "COLUMNS": "100"} | environment
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, env=env)
    os.close(terminal)
    start, shown = time.monotonic(), b""
    while True:
        try:
            part = os.read(screen, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
        if until and (until.encode() in shown or time.monotonic() - start > 30):
            child.send_signal(signal.SIGINT)
            until = None
    child.wait()
    os.close(screen)
    return shown.decode()


def test_changed_bytes_are_coloured_on_a_terminal_and_not_with_no_color():
    assert "\x1b[1;32m   7*\x1b[0m" in on_a_terminal(MATMUL)
    plain = on_a_terminal(MATMUL, NO_COLOR="1")
    assert "\x1b[1;32m" not in plain
    assert " 7*" in plain


def test_a_long_run_shows_its_progress_on_a_terminal(file):
    wanted = "of at most 1 000 000 000 cycles"
    shown = on_a_terminal(file(ENDLESS), "--engine", "python", "--max-cycles", "1" + "0" * 9, until=wanted)
    assert wanted in shown
    assert "stopped by Ctrl-C after " in shown


def test_a_long_native_run_is_told_that_its_machine_may_be_fitted(monkeypatch):
    hint = "up to a fifth faster: `warploom fit` with this file and these options"
    assert hint not in run(MATMUL, "--engine", "native").stdout
    monkeypatch.setattr("warploom.cli.run.LONG", 0.0)
    assert hint in run(MATMUL, "--engine", "native").stdout
    assert hint not in run(MATMUL, "--engine", "python").stdout
    monkeypatch.setattr("warploom.machine.run.compile.is_fitted", lambda machine: True)
    assert hint not in run(MATMUL, "--engine", "native").stdout


def test_a_run_whose_last_stores_come_after_the_limit_has_not_ended():
    done = CliRunner().invoke(main, ["run", "examples/tiny/matmul.asm", "--gpu", "tiny-simt", "--max-cycles", "105"])
    assert (done.exit_code, "done in 105 cycles" in done.output) == (0, True)
    cut = CliRunner().invoke(main, ["run", "examples/tiny/matmul.asm", "--gpu", "tiny-simt", "--max-cycles", "104"])
    assert cut.exit_code == 1
    assert cut.stderr.replace("\n    ", " ").splitlines() == [
        "error: still running after 104 cycles; --max-cycles allows more",
        "  no warp is left: stores are on their way to memory, the last one until the end of cycle 104",
    ]
