"""Input that nobody means well with: it ends in one sentence and status 2, never in a stack trace, a wait or a full memory."""

import json
import os
import signal
import struct
import subprocess
import sys
import time
import zlib

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main

MATADD, TEXTURE = EXAMPLES / "tiny" / "matadd.asm", EXAMPLES / "guppy" / "texture.guppy"
DIGITS, DEEP = "9" * 5000, 100_000
READ = ("kernel.asm", "machine.toml", "data.txt", "data.npy", "data.bin", "script", "picture.png")
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")


def invoke(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def run(*arguments):
    return invoke("run", MATADD, "--engine", "python", "--quiet", *arguments)


def refused(done, *words):
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 2, done.output
    assert len(done.stderr) < 2000
    assert all(word in done.stderr for word in words), done.stderr


@pytest.mark.parametrize("value", [DIGITS, "[" * DEEP, "{a=" * 5000, "[" * 500 + "]" * 500, f"[{DIGITS}]"], ids=len)
def test_a_setting_that_is_too_long_or_too_deep(value):
    refused(run("--set", f"gpu.cores={value}"), "error: gpu.cores = ", "it takes a whole number from 1 to ")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (f"[gpu]\ncores = {DIGITS}\n", "cannot be read"),
        (f"[gpu]\ncores = {'[' * DEEP}\n", "it is nested too deeply"),
        ("[gpu]\ncores = 1\fx\n", "not TOML"),
        ("\ud800".encode("utf-8", "surrogatepass"), "cannot be read"),
    ],
    ids=["digits", "deep", "form feed", "no text"],
)
def test_a_machine_that_is_no_toml(tmp_path, text, word):
    (tmp_path / "a.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    refused(run("--gpu", tmp_path / "a.toml"), f"error: {tmp_path / 'a.toml'}: ", word)


@pytest.mark.parametrize(
    "text",
    [
        "[" * DEEP,
        "[" * 5000 + "1" + "]" * 5000,
        f"[{DIGITS}]",
        '{"d\\u0061ta": [1, 999]}',
        '{"data": {"data": [1]}}',
        '{"memory": ' * 50_000,
        "[1e400]",
        "[NaN]",
        "\ufeff[",
    ],
    ids=lambda text: text[:12],
)
def test_a_json_file_of_data(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    refused(run("--buffer", f"memory={tmp_path / 'a.json'}"), str(tmp_path / "a.json"))


def test_a_key_may_be_written_with_escapes(tmp_path):
    (tmp_path / "a.json").write_text('{"d\\u0061ta": [7, 8]}')
    assert run("--buffer", f"memory={tmp_path / 'a.json'}").exit_code == 0


@pytest.mark.parametrize("text", ["[" * DEEP, f"[{DIGITS}]", "[[1], [2, 3]]", '["x"]', '{"a": 1}', "[99999999999999999999]"], ids=len)
def test_a_json_file_of_words(tmp_path, text):
    kernel = tmp_path / "a.guppy"
    kernel.write_text(".threads 4\n.buffer t0 64\nret\n")
    (tmp_path / "a.json").write_text(text)
    done = invoke("run", kernel, "--quiet", "--engine", "python", "--buffer", f"t0={tmp_path / 'a.json'}")
    refused(done, "error: ")


def npy(header, data=b""):
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x93NUMPY",
        npy("{"),
        npy("(" * 5000),
        npy("[" * 9000 + "]" * 9000),
        npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1000000000000,), }"),
        npy("{'descr': '|u1', 'fortran_order': False, 'shape': (-1,), }"),
        npy("{'descr': '|u1', 'fortran_order': False, 'shape': " + "(" * 900 + ")" * 900 + ", }"),
        npy("{'descr': [('a', [('b', 'x')])], 'fortran_order': 0, 'shape': (), }"),
        npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"\x80\x04N."),
        npy("{'descr': '|u1', 'fortran_order': False, 'shape': (" + "9" * 5000 + ",), }"),
    ],
    ids=lambda data: f"{len(data)}",
)
def test_a_npy_file_with_a_header_that_cannot_be(tmp_path, data):
    (tmp_path / "a.npy").write_bytes(data)
    refused(run("--buffer", f"memory={tmp_path / 'a.npy'}"), f"error: {tmp_path / 'a.npy'} cannot be read as a .npy file: ")


def png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(30_000, 30_000), (10_000, 9_999), (5000, 5000), (1 << 31, 1), (0, 0), (64, 64)])
def test_a_picture_that_says_it_is_huge_or_is_cut_off(tmp_path, size):
    (tmp_path / "a.png").write_bytes(png(*size))
    done = invoke("run", TEXTURE, "--engine", "python", "--quiet", "--buffer", f"t0={tmp_path / 'a.png'}")
    refused(done, f"'{tmp_path / 'a.png'}'")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="this system has no /dev/zero")
@pytest.mark.parametrize("name", [*READ, "data.json", "policy.py"])
def test_a_file_without_an_end(tmp_path, name):
    path = tmp_path / name
    path.symlink_to("/dev/zero")
    _refused_as(path)


@needs_pipes
@pytest.mark.parametrize("name", READ)
def test_a_pipe_that_nobody_writes_to(tmp_path, name, monkeypatch):
    monkeypatch.setattr("warploom.isa.reading.WRITER_SECONDS", 0.05)
    path = tmp_path / name
    os.mkfifo(path)
    assert "pipe" in _refused_as(path)


def _refused_as(path):
    """What is said of a file that is given where a file of its kind belongs."""
    arguments = {
        "kernel": ["run", path],
        "machine": ["run", MATADD, "--gpu", path],
        "data": ["run", MATADD, "--buffer", f"memory={path}"],
        "policy": ["run", MATADD, "--gpu", "sm", "--scheduler", f"{path}:choose"],
        "script": ["debug", MATADD, "--commands", path],
        "picture": ["run", TEXTURE, "--buffer", f"t0={path}"],
    }[path.stem]
    done = invoke(*arguments)
    refused(done, str(path))
    return done.stderr


@needs_pipes
def test_a_pipe_that_somebody_writes_to_is_a_file_like_others(tmp_path):
    path = tmp_path / "kernel.asm"
    os.mkfifo(path)
    writer = subprocess.Popen(["sh", "-c", f"sleep 0.2; cat {MATADD} > {path}"])
    assert invoke("run", path, "--quiet", "--engine", "python").exit_code == 0
    writer.wait()


ENDLESS_NUMBERS = {
    "asm": f".threads {DIGITS}\n.data {DIGITS}\nCONST R0, #{DIGITS}\nBRnzp {DIGITS}\n",
    "guppy": f".threads {DIGITS}\n.buffer t0 {DIGITS}\n.image u0 {DIGITS} 4\nmov r{DIGITS}.x, u({DIGITS})\n"
    f"mov r0.x, u(-{DIGITS})\nsample r0.xyzw, t0.xyzw, s{DIGITS}, r0.xy\n",
}


@pytest.mark.parametrize("form", ENDLESS_NUMBERS)
def test_a_program_with_endless_numbers(tmp_path, form):
    path = tmp_path / f"a.{form}"
    path.write_text(ENDLESS_NUMBERS[form])
    done = invoke("run", path)
    assert done.exit_code == 2
    assert "Traceback" not in done.output
    assert not isinstance(done.exception, ValueError)


@pytest.mark.parametrize("option", ["--launch", "--block", "--threads", "--max-cycles", "--log-cycles", "--arg"])
def test_an_option_of_thousands_of_digits(option):
    done = run(option, f"n={DIGITS}" if option == "--arg" else DIGITS)
    assert done.exit_code == 2
    assert isinstance(done.exception, SystemExit)


@pytest.mark.parametrize("mark", ["\f", "\u2028", "\x0b", "\x85", "\x1c"])
def test_what_no_editor_takes_for_a_line_end_ends_no_line(tmp_path, mark):
    path = tmp_path / "a.asm"
    path.write_text(f"; a comment{mark} that goes on\n.threads 4\nNONSENSE\nRET\n")
    done = invoke("run", path)
    assert done.stderr.startswith(f"{path}:3:1: error: ")
    path.write_text(f"1 2 ; three{mark}, not four\n4\n")
    done = invoke("run", MATADD, "--buffer", f"memory={path}", "--json", "--engine", "python")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["memory"]["data"][:4] != [1, 2, 3, 4]


def test_no_escape_sequence_reaches_the_terminal(tmp_path):
    evil = tmp_path / "a\x1b[31m\x1b]0;title\x07\u202e.asm"
    evil.write_text(MATADD.read_text())
    outputs = [
        invoke("run", evil, "--engine", "python", "--csv", f"{evil}.csv"),
        invoke("run", f"{evil}.not"),
        invoke("run", evil, "--buffer", f"memory={evil}"),
        invoke("run", evil, "--gpu", f"{evil}.toml"),
        invoke("asm", evil),
        invoke("run", evil, f"--{evil}"),
        invoke(f"--{evil}"),
        invoke(f"{evil}"),
        invoke("profile", evil, "--gpu", "sm"),
        invoke("compare", evil, "--over", "gpu.cores=1,2"),
        invoke("debug", evil, "-x", "where", "-x", "list"),
        invoke("picture", "masks", evil, "-o", f"{evil}.png"),
    ]
    for done in outputs:
        assert not [char for char in done.output if char in "\x1b\x07\u202e"], done.output


def process(*arguments, **options):
    return subprocess.Popen([sys.executable, "-m", "warploom", *map(str, arguments)], stderr=subprocess.PIPE, text=True, **options)


@needs_full
@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"], ["presets"], ["asm", MATADD]], ids=len)
def test_a_full_disk_under_standard_output(arguments):
    with open("/dev/full", "w") as full:
        child = process(*arguments, stdout=full)
        assert child.communicate()[1] == "error: No space left on device\n"
    assert child.returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="a descriptor is closed by a shell")
def test_closed_standard_streams():
    command = f"{sys.executable} -m warploom run {MATADD} --engine python"
    done = subprocess.run(f"{command} >&-", shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == "error: standard output is closed, so nothing can be shown: send it to /dev/null where it is not wanted\n"
    assert done.returncode == 2
    done = subprocess.run(f"{command} 2>&- <&-", shell=True, stdout=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, "done in 178 cycles" in done.stdout) == (0, True)


@pytest.mark.skipif(os.name == "nt", reason="these signals are those of POSIX")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_leaves_no_file(tmp_path, name):
    kernel = tmp_path / "endless.asm"
    kernel.write_text(".threads 8\nagain: CMP R0, R0\nBRz again\nRET\n")
    number = getattr(signal, name)
    options = {"stdout": subprocess.DEVNULL, "preexec_fn": lambda: signal.signal(number, signal.SIG_DFL)}  # under nohup SIGHUP is ignored
    child = process("run", kernel, "--max-cycles", 10**12, "--engine", "python", "--trace", tmp_path / "a.jsonl", **options)
    while len(list(tmp_path.iterdir())) < 2:
        time.sleep(0.02)
    time.sleep(0.3)
    child.send_signal(number)
    said = child.communicate()[1]
    how = "Ctrl-C" if name == "SIGINT" else name
    assert said.startswith(f"stopped by {how}")
    assert child.returncode == 128 + number
    assert list(tmp_path.iterdir()) == [kernel]


@pytest.mark.skipif(os.name == "nt", reason="this signal is one of POSIX")
def test_a_program_that_catches_everything_ends_all_the_same(tmp_path):
    program = tmp_path / "stubborn.py"
    text = (
        "import time\nprint('begun', flush=True)\nwhile True:\n    try:\n        time.sleep(1)\n    except BaseException:\n        pass\n"
    )
    program.write_text(text)
    child = process("run", program, stdout=subprocess.PIPE)
    assert "begun" in child.stdout.readline()
    child.send_signal(signal.SIGTERM)
    assert child.communicate(timeout=60)[1].endswith("stopped by SIGTERM\n")
    assert child.returncode == 128 + signal.SIGTERM


def test_a_message_names_the_file_that_was_asked_for(tmp_path):
    import warploom

    result = warploom.GPU("tiny", engine="python").run(warploom.load(MATADD))
    target = tmp_path / "not there" / "a.csv"
    for write in (result.write_trace, result.picture("timeline").save, result.explorer().save):
        path = target.with_suffix(".png") if write != result.write_trace else target
        with pytest.raises(FileNotFoundError) as caught:
            write(path)
        assert caught.value.filename == str(path)
