"""Commands on a Python file: the whole program, or one launch of it."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from warploom import load
from warploom.cli import main
from warploom.cli.terminal import progress
from warploom.isa.launching import BufferError
from warploom.kernel.device.context import CURRENT, MEMORY_BYTES

KERNEL = """
import sys
import numpy as np
from numba import cuda

@cuda.jit
def first(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1

@cuda.jit
def second(a):
    i = cuda.grid(1)
    if i < a.size and a[i] > 4:
        a[i] *= 2

a = np.arange(8, dtype=np.int32)
first[2, 4](a)
second[1, 8](a)
print(a.tolist())
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "two.py"
    path.write_text(KERNEL)
    return path


def warploom(*arguments):
    return subprocess.run([sys.executable, "-m", "warploom", *map(str, arguments)], capture_output=True, text=True, check=False)


def test_a_program_runs_and_each_launch_has_a_line(script):
    run = warploom("run", script, "--engine", "python")
    assert (run.returncode, run.stdout) == (0, "[1, 2, 3, 4, 10, 12, 14, 16]\n")
    assert "     0  first   2     4 " in run.stderr and "     1  second  1     8 " in run.stderr


def test_launches_as_json(script):
    run = warploom("run", script, "--json", "--engine", "python", "--gpu", "a100")
    found = json.loads(run.stdout)
    assert [(one["kernel"], one["grid"], one["block"]) for one in found["launches"]] == [
        ("first", [2, 1, 1], [4, 1, 1]),
        ("second", [1, 1, 1], [8, 1, 1]),
    ]


@pytest.mark.parametrize(("launch", "line"), [("1", "a[i] *= 2"), ("second", "a[i] *= 2"), ("first", "a[i] += 1")])
def test_a_profile_of_one_launch(script, launch, line):
    run = warploom("profile", script, "--launch", launch, "--engine", "python")
    assert run.returncode == 0, run.stderr
    assert line in run.stdout


def test_a_launch_that_there_is_not(script):
    run = warploom("profile", script, "--launch", "7")
    assert run.returncode == 2
    assert "there is no launch '7'; there are 0 first, 1 second" in run.stderr


def test_the_page_of_one_launch(script, tmp_path):
    page = tmp_path / "page.html"
    run = warploom("explore", script, "--launch", "second", "-o", page, "--engine", "python", "--quiet")
    assert run.returncode == 0, run.stderr
    assert page.stat().st_size > 50_000


def test_a_mistake_in_a_kernel_ends_with_its_place(script):
    script.write_text(KERNEL.replace("a[i] += 1", "a[i / 2] += 1"))
    run = warploom("run", script)
    assert run.returncode == 2
    assert "two.py:10:11: error: an index is a whole number, and this is a float64" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_fault_is_an_exit_status(script):
    script.write_text(KERNEL.replace("a[i] += 1", "a[i + 1] += 1"))
    run = warploom("run", script, "--engine", "python")
    assert run.returncode == 1
    assert "a[8]: it has 8 elements, thread (3,0,0) of block (1,0,0)" in run.stderr
    assert "Traceback" not in run.stderr


def test_what_the_program_says_itself_is_refused(script):
    run = warploom("run", script, "--threads", "4")
    assert run.returncode == 2
    assert "--threads: a Python program says this itself; choose one of its launches with --launch" in run.stderr


def test_a_fault_shows_its_place_with_a_caret(tmp_path):
    path = tmp_path / "half.py"
    path.write_text(
        "import numpy as np\nfrom numba import cuda\n\n\n@cuda.jit\ndef half(x):\n    i = cuda.grid(1)\n    if i % 2 == 0:\n"
        "        x[i] = 1\n    else:\n        x[i] = 2\n\n\nhalf[1, 32](np.zeros(32, np.int32))\n"
    )
    result = warploom("run", str(path), "--set", "core.divergence=uniform")
    assert result.returncode == 1
    first, line, caret = result.stderr.splitlines()[:3]
    assert first.startswith(f"{path}:8:8: error: lanes of a warp disagree on this branch: lanes 1, 3, 5")
    assert " do not, and core.divergence=uniform has one path for all; add --set core.divergence=stack (thread (1,0,0) and" in first
    assert (line.strip(), caret.strip(), caret.index("^")) == ("if i % 2 == 0:", "^", line.index("i % 2"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"x = 1\ndef f(:\n", "two.py:2:7: error: this is not Python: invalid syntax\n    def f(:\n          ^\n"),
        (b"x = 1\0", "two.py: error: this is a binary file, not source text: byte 5 is zero\n"),
        (b'print("\xe9")', "error: this is not Python: (unicode error) 'utf-8' codec can't decode byte 0xe9"),
    ],
)
@pytest.mark.parametrize("command", ["run", "profile"])
def test_a_file_that_is_no_python_is_a_mistake_with_its_place(script, command, text, message):
    script.write_bytes(text)
    run = CliRunner().invoke(main, [command, str(script)])
    assert run.exit_code == 2
    assert message in run.stderr


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize(("code", "status", "said"), [("'bye'", 1, "bye\n"), ("['a', 1]", 1, "['a', 1]\n"), ("3", 3, ""), ("None", 0, "")])
def test_the_last_words_of_a_program_are_on_standard_error(script, command, code, status, said):
    script.write_text(f"import sys\nsys.exit({code})\n")
    run = CliRunner().invoke(main, [command, str(script), "--quiet"])
    assert (run.exit_code, run.stdout, run.stderr) == (status, "", said)


@pytest.mark.parametrize(("code", "left"), [("'bye'", "bye"), ("3", None), ("None", None)])
def test_a_program_that_ends_itself_before_the_launch_has_the_last_word(script, code, left):
    """Python prints what SystemExit carries, and ends with status 1."""
    script.write_text(f"import sys\nsys.exit({code})\n")
    with pytest.raises(SystemExit) as caught:
        main(["profile", str(script), "--launch", "2"], prog_name="warploom")
    assert caught.value.code == left or (left is None and isinstance(caught.value.code, int) and caught.value.code > 0)


@pytest.mark.parametrize("command", ["check", "profile"])
def test_last_words_do_not_hide_that_there_is_no_such_launch(script, command):
    script.write_text(KERNEL + "sys.exit('bye')\n")
    run = CliRunner().invoke(main, [command, str(script), "--launch", "9", "--set", "gpu.cores=1"])
    assert run.exit_code == 2
    assert "bye\n" in run.stderr
    assert "there is no launch '9'" in run.stderr


def test_a_library_call_does_not_end_with_the_program(script):
    script.write_text("import sys\nsys.exit('bye')\n")
    with pytest.raises(BufferError, match="has ended itself before it launched a kernel: bye"):
        load(script)


@pytest.mark.parametrize("command", ["run", "check", "profile"])
@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("open('weights.npy')", "FileNotFoundError: [Errno 2] No such file or directory: 'weights.npy'"),
        ("raise OSError('no number')", "OSError: no number"),
    ],
)
def test_a_file_that_the_program_does_not_find_is_shown_with_its_line(script, command, line, last):
    script.write_text(f"x = 1\n{line}\n")
    run = CliRunner().invoke(main, [command, str(script)])
    lines = run.stderr.splitlines()
    assert (run.exit_code, lines[-1]) == (1, last)
    assert lines[:2] == ["Traceback (most recent call last):", f'  File "{script}", line 2, in <module>']


def test_output_that_nobody_reads_any_more_ends_a_program_quietly(script):
    script.write_text("raise BrokenPipeError(32, 'Broken pipe')\n")
    run = warploom("run", script)
    assert (run.returncode, run.stderr) == (1, "")


@pytest.mark.parametrize("command", ["run", "check"])
def test_what_the_program_raises_is_shown_from_its_own_first_line_on(script, command):
    script.write_text("def f(x):\n    return 1 / x\n\n\nf(0)\n")
    run = CliRunner().invoke(main, [command, str(script), "--json"])
    assert run.exit_code == 1
    lines = run.stderr.splitlines()
    assert lines[:2] == ["Traceback (most recent call last):", f'  File "{script}", line 5, in <module>']
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert "warploom/" not in run.stderr
    assert json.loads(run.stdout)["error"] == "ZeroDivisionError: division by zero"


def test_a_warning_about_a_kernel_begins_with_its_place_and_the_library_has_no_lines_of_its_own(script):
    script.write_text(
        KERNEL.replace("import sys", "import math")
        .replace("a[i] += 1", "a[i] += math.tanh(a[i] * 0.5 + np.float32(1))")
        .replace("int32", "float32")
    )
    run = warploom("run", script, "--engine", "python", "--json")
    assert run.stderr.splitlines()[0].startswith(f"{script}:10:34: warning: 0.5 is a float64")
    lines = json.loads(warploom("profile", script, "--engine", "python", "--json").stdout)["lines"]
    assert {one["line"] for one in lines} == {8, 9, 10}


PRINTS = """
import os, subprocess, sys
print("text")
sys.stdout.buffer.write(b"bytes\\n")
subprocess.run(["echo", "child"], check=True)
os.write(1, b"descriptor\\n")
"""


def test_json_keeps_what_the_program_prints_apart_and_has_all_counters(script):
    script.write_text(KERNEL.replace("import sys", PRINTS) + "sys.exit(3)\n")
    run = warploom("run", script, "--json", "--engine", "python")
    found = json.loads(run.stdout)
    assert run.stderr == ""
    assert found["console"] == ["text", "bytes", "child", "descriptor", "[1, 2, 3, 4, 10, 12, 14, 16]"]
    assert (run.returncode, found["exit_code"], found["status"], found["error"]) == (3, 3, "done", None)
    alone = json.loads(warploom("run", script, "--launch", "1", "--json", "--engine", "python").stdout)
    assert alone["program"] == "second"
    for one in found["launches"]:
        assert set(one["counters"]) == set(alone["counters"])
        assert one["counters"]["instructions"] == one["instructions"]
    assert found["config"] == alone["config"]


@pytest.mark.parametrize(("end", "error"), [("first[1, 9](a[:2], 3)", "TypeError: "), ("raise KeyError('x')", "KeyError: 'x'")])
def test_json_of_a_program_that_fails_has_its_launches_and_its_output(script, end, error):
    script.write_text(f"{KERNEL}{end}\n")
    run = CliRunner().invoke(main, ["run", str(script), "--json", "--engine", "python"])
    found = json.loads(run.stdout)
    assert (run.exit_code, found["exit_code"], found["status"]) == (1, 1, "error")
    assert found["error"].startswith(error)
    assert found["console"] == ["[1, 2, 3, 4, 10, 12, 14, 16]"] and len(found["launches"]) == 2


@pytest.mark.parametrize("form", ["perfetto", "konata", "vcd", "csv", "parquet"])
def test_a_trace_says_which_of_the_launches_it_is_about(script, tmp_path, form):
    """The program goes on to its end. Alone or in the program, the first launch gives the same file."""
    pytest.importorskip({"perfetto": "perfetto", "vcd": "vcd", "parquet": "pyarrow"}.get(form, "json"))
    whole, alone, second = (tmp_path / name for name in ("whole", "alone", "second"))
    run = CliRunner().invoke(main, ["run", str(script), f"--{form}", str(whole), "--engine", "python"])
    assert (run.exit_code, run.stdout) == (0, "[1, 2, 3, 4, 10, 12, 14, 16]\n")
    said = run.stderr.splitlines()
    assert said[-1] == "written is launch 0, first, of 2; --launch N or NAME chooses a different one"
    assert f"{whole} is written" in said
    for path, name, number in ((alone, "0", "launch 0, first"), (second, "second", "launch 1, second")):
        one = CliRunner().invoke(main, ["run", str(script), f"--{form}", str(path), "--launch", name, "--engine", "python"])
        assert one.exit_code == 0 and f"{path} is written: {number}" in one.stderr.splitlines()
    assert whole.read_bytes() == alone.read_bytes() != second.read_bytes()


def test_a_buffer_of_the_first_launch_is_saved_and_the_program_goes_on(script, tmp_path):
    run = CliRunner().invoke(main, ["run", str(script), "--save", f"a={tmp_path / 'a.csv'}", "--engine", "python"])
    assert (run.exit_code, run.stdout) == (0, "[1, 2, 3, 4, 10, 12, 14, 16]\n")
    assert (tmp_path / "a.csv").read_text().split() == ["1", "2", "3", "4", "5", "6", "7", "8"]
    assert run.stderr.splitlines()[-1].startswith("written is launch 0, first, of 2")
    wrong = CliRunner().invoke(main, ["run", str(script), "--save", f"b={tmp_path / 'b.csv'}", "--engine", "python"])
    assert (wrong.exit_code, wrong.stderr) == (2, f"error: --save b={tmp_path / 'b.csv'}: the program has no buffer 'b'; it has a\n")
    assert not (tmp_path / "b.csv").exists()


def test_a_trace_on_standard_output_has_it_to_itself(script):
    run = warploom("run", script, "--csv", "-", "--quiet", "--engine", "python")
    assert run.returncode == 0 and run.stdout.startswith("cycle,since,kind,")
    assert all(line.count(",") >= 18 for line in run.stdout.splitlines())
    assert run.stderr == "[1, 2, 3, 4, 10, 12, 14, 16]\n"


def test_no_file_is_written_where_nothing_is_launched(script, tmp_path):
    script.write_text("print('hello')\n")
    run = CliRunner().invoke(main, ["run", str(script), "--csv", str(tmp_path / "out.csv")])
    assert run.exit_code == 2
    assert run.stderr.endswith(f"the program launches no kernel, so there is nothing to write to {tmp_path / 'out.csv'}\n")
    assert list(tmp_path.iterdir()) == [script]


def test_the_next_command_names_the_file(script):
    name = script.rename(script.with_name("two kernels.py"))
    run = warploom("run", name, "--engine", "python")
    *_, first, second = run.stderr.splitlines()  # two lines where one would not fit
    assert (first, second) == (f"look closer: `warploom profile '{name}' --launch 0`,", f"  `warploom explore '{name}'`")


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "command",
    [["run"], ["run", "--launch", "1"], ["check"], ["profile"], ["disasm"], ["ladder"], ["compare", "--over", "core.warps=4,8"]],
    ids=" ".join,
)
def test_json_is_all_that_is_on_standard_output(script, command):
    script.write_text(KERNEL.replace("import sys", PRINTS))
    run = warploom(command[0], script, "--json", *command[1:])
    assert json.loads(run.stdout) and run.returncode == 0
    assert "run" in command[-1] or run.stderr.startswith("text\nbytes\nchild\ndescriptor\n")


ENDLESS = KERNEL.replace("        a[i] += 1", "        while a[0] < 9:\n            a[i] = (a[i] + 1) % 8").replace("a[i] > 4", "a[i] >= 0")


def test_a_launch_that_does_not_end_names_the_option_that_allows_more(script):
    script.write_text(ENDLESS)
    result = CliRunner().invoke(main, ["run", str(script), "--max-cycles", "3000"])
    assert result.exit_code == 1
    assert "first on sm: still running after 3 000 cycles; --max-cycles allows more" in result.stderr


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize(("given", "limit"), [((), 10**9), (("--max-cycles", "5000"), 5000)])
def test_a_launch_of_a_program_may_take_a_thousand_million_cycles_and_tells_how_far_it_is(script, command, given, limit, monkeypatch):
    shown = []

    class Bar(progress.Progress):
        def __init__(self, what, total, **options):
            super().__init__(what, total, **options)
            shown.append((what, total, self))

        def __exit__(self, *error):
            super().__exit__(*error)
            shown.append("gone")

    monkeypatch.setattr(progress, "Progress", Bar)
    monkeypatch.setattr("warploom.machine.run.driver.FIRST_SLICE", {"python": 16, "native": 16})
    result = CliRunner().invoke(main, [command, str(script), *given, "--engine", "python"])
    assert result.exit_code == 0
    first, gone, second, last = shown
    assert (gone, last) == ("gone", "gone")
    assert ["first" in first[0], "second" in second[0]] == [True, True]
    assert first[1] == second[1] == limit
    assert first[2].done > 0
    if command == "run":
        assert first[2]._blocks[1] == 2


def test_a_fault_of_a_launch_names_the_command_that_explains_it(tmp_path):
    path = tmp_path / "far out.py"
    kernel = "@cuda.jit\ndef far(x):\n    x[cuda.grid(1)] = 1\n"
    path.write_text(f"import numpy as np\nfrom numba import cuda\n{kernel}\nfar[1, 32](np.zeros(8, np.int32))\n")
    done = CliRunner().invoke(main, ["run", str(path), "--engine", "python", "--quiet"])
    assert done.exit_code == 1
    assert f"why, and what to write instead: `warploom check '{path}'`" in done.stderr


def test_the_size_of_the_devices_memory(tmp_path):
    path = tmp_path / "big.py"
    path.write_text(
        "from numba import cuda\nprint(cuda.device_array(1 << 29, 'u1').size, cuda.current_context().get_memory_info().total)\n"
    )
    small = CliRunner().invoke(main, ["run", str(path)])
    assert small.exit_code == 1 and "--memory 2G" in small.stderr
    large = CliRunner().invoke(main, ["run", str(path), "--memory", "1G"])
    assert large.exit_code == 0 and f"{1 << 29} {1 << 30}" in large.stdout
    assert CURRENT.memory_bytes == MEMORY_BYTES


@pytest.mark.parametrize(
    ("file", "size", "said"), [("big.py", "4G", "at most 4095M"), ("big.py", "2x", "as 512M or 2G"), ("a.asm", "1G", "only")]
)
def test_a_size_that_cannot_be(file, size, said, tmp_path):
    (tmp_path / file).write_text(".threads 1\nRET\n" if file == "a.asm" else "")
    done = CliRunner().invoke(main, ["run", str(tmp_path / file), "--memory", size])
    assert done.exit_code == 2 and said in done.stderr


def test_a_barrier_to_which_not_all_came_is_named_with_the_command(tmp_path):
    path = tmp_path / "half.py"
    path.write_text(KERNEL.replace("    if i < a.size:\n", "    if i % 4 < 2:\n        cuda.syncthreads()\n"))
    done = warploom("run", str(path))
    assert done.returncode == 0 and f"half.py:10: `warploom check {path}` says who" in done.stderr
