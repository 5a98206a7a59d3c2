"""Programs with their own host code, graded; and what strangers try there."""

import importlib.util
import os
from pathlib import Path

import pytest

from tests.grade.host.programs import CUDA, GOOD, HEAD, HOSTILE_CUDA, KERNEL, MAIN, TASK
from tests.places import ROOT
from warploom.grade.judge import judge
from warploom.grade.outcome import ERROR
from warploom.grade.task import TaskError
from warploom.grade.task_file import load_task

WITH_CLANG = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="compiling CUDA C++ needs the extra cc")


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    folder = tmp_path_factory.mktemp("task")
    (folder / "task.toml").write_text(TASK)
    (folder / "reference.py").write_text(GOOD)
    return load_task(folder)


@pytest.fixture
def clang(monkeypatch):
    """The cache that all tests of CUDA programs share: the first link builds a C++ library, which takes a minute."""
    cache = Path(os.environ.get("WARPLOOM_TEST_CACHE") or ROOT / ".pytest_cache" / "cuda")
    cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    monkeypatch.setenv("WARPLOOM_CACHE", str(cache))
    for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"):
        monkeypatch.setenv(name, os.environ.get("ZIG_GLOBAL_CACHE_DIR") or str(cache / "zig"))


def plain(task):
    """The same without what needs the reference and the checks: half the runs."""
    return type(task)(**vars(task) | {"points": {"outputs": 2}, "limits": {}})


def graded(task, tmp_path, text, name="mine.py"):
    path = tmp_path / name
    path.write_text(text)
    return judge(task, path, 1, engine="python")


def test_a_right_program_gets_all_points(task, tmp_path):
    found = graded(task, tmp_path, GOOD)
    assert (found.got, found.of, found.message) == (4, 4, "")
    assert found.figures["cycles"][0] == found.figures["cycles"][1] > 0
    assert found.locked


def test_several_launches_count_together_and_are_slower(task, tmp_path):
    found = graded(task, tmp_path, GOOD.replace("(d, 2)\n", "(d, 2)\nfor _ in range(9):\n    twice[(n + 31) // 32, 32](d, 1)\n"))
    assert {part.name: part.got for part in found.parts} == {"outputs": 2, "findings": 1, "cycles": 0}
    assert found.figures["cycles"][0] > 5 * found.figures["cycles"][1]


def test_what_a_check_finds_costs_points(task, tmp_path):
    found = graded(task, tmp_path, GOOD.replace("if i < x.size:", "if i <= x.size:"))
    assert found.status == ERROR
    assert "outside of x" in found.findings[0]


WRONG = {
    "is wrong": (MAIN.replace("(d, 2)", "(d, 3)"), ""),
    "computes on the host": (
        MAIN.replace("(d, 2)", "(d, 1)").replace("d.copy_to_host()", "(2 * x)"),
        "does not stand in the device's memory",
    ),
    "launches nothing": ("n = int(input())\nprint(*(2 * int(one) for one in input().split()))", "it launches no kernel"),
    "prints words": (MAIN.replace("print(*", "print('result:', *"), "it prints 'result:' where out[0] is asked for, a whole number"),
    "prints too little": (MAIN.replace("copy_to_host()", "copy_to_host()[1:]"), "it prints "),
    "prints too much": (MAIN + "print(1)", "it prints more than the outputs: '1' after out; leave it out"),
    "raises": (MAIN.replace("(n + 31) // 32", "n / 0"), "line 14: ZeroDivisionError"),
    "launches the library's kernels": (
        "@cuda.reduce\ndef add(a, b):\n    return a + b\n\n\nprint(add(np.arange(9, dtype=np.int32)))",
        "is a kernel of the library: a graded program launches kernels of its own file",
    ),
    "ends early": ("os._exit(0)", "its process ended before the end of the program"),
    "leaves with a status": ("sys.exit(3)", "it ended with exit status 3"),
    "prints for ever": ("while True:\n    print('x' * 1000)", "it printed more than 8 KiB"),
    "is not Python": ("int main() {}", "this is not Python"),
}


@pytest.mark.every(3)
@pytest.mark.parametrize("what", WRONG)
def test_a_program_that(task, tmp_path, what):
    main, message = WRONG[what]
    found = graded(plain(task), tmp_path, HEAD + KERNEL + main)
    assert found.got == 0
    assert message in found.message


# ---- strangers: what reaches the judge is data, and it counts nothing

LIES = {
    "patches the comparison": "import numpy\nnumpy.isclose = numpy.array_equal = lambda *a, **b: True\n" + MAIN.replace("(d, 2)", "(d, 5)"),
    "writes what the judge reads": (
        "import gc, socket\n"
        "wires = [one for one in gc.get_objects() if isinstance(one, socket.socket)]\n"
        "from warploom.grade.host.wire import send\n"
        "send(wires[0], {'functions': [{'code': 0, 'name': 'x'}], 'first': 0, 'grid': [1], 'block': [1], 'shared': 0, 'arguments': []})\n"
    ),
    "names a function of the judge's": (
        "import gc, socket\n"
        "wires = [one for one in gc.get_objects() if isinstance(one, socket.socket)]\n"
        "from warploom.grade.host.wire import send\n"
        "row = {'code': 1, 'name': 'twice', 'globals': {'cuda': {'name': 'builtins.eval'}}, 'cells': [], 'defaults': [], 'keywords': {},\n"
        "       'kernel': {'device': False, 'options': {}}}\n"
        "send(wires[0], {'functions': [row], 'first': 0, 'grid': [1], 'block': [1], 'shared': 0, 'arguments': []})\n"
    ),
    "says that it has ended": (
        "import gc, socket\n"
        "wires = [one for one in gc.get_objects() if isinstance(one, socket.socket)]\n"
        "from warploom.grade.host.wire import send\n"
        "send(wires[0], {'end': 0, 'points': 4})\nprint(1)\nos._exit(0)\n"
    ),
    "writes no message": (
        "import gc, socket\n"
        "wires = [one for one in gc.get_objects() if isinstance(one, socket.socket)]\n"
        "wires[0].sendall(b'\\xff' * 64)\nwires[0].sendall(b'x' * 100)\n"
    ),
    "changes how launches are sent": (
        "from warploom.kernel.launch.launch import Kernel\n"
        "Kernel.launch = lambda *a, **b: None\n" + MAIN.replace("d.copy_to_host()", "(2 * x)")
    ),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("what", LIES)
def test_a_stranger_who(task, tmp_path, what):
    found = graded(plain(task), tmp_path, HEAD + KERNEL + LIES[what])
    assert found.got == 0


REFUSED = """
import socket
tries = {{
    "task": lambda: open({task!r}),
    "files": lambda: open("/etc/hostname"),
    "writing": lambda: open("results.json", "w").write("x"),
    "fork": os.fork,
    "network": lambda: socket.create_connection(("127.0.0.1", 80)),
    "signal": lambda: os.kill(os.getppid(), 9),
    "program": lambda: os.execv("/bin/sh", ["sh"]),
}}
for name, attempt in tries.items():
    try:
        attempt()
        print(name, "could be done", file=sys.stderr)
    except OSError:
        pass
"""


def test_a_stranger_reaches_nothing(task, tmp_path):
    found = graded(plain(task), tmp_path, HEAD + KERNEL + REFUSED.format(task=str(task.file)) + MAIN)
    if not {"files", "network", "processes"} <= set(found.locked):
        pytest.skip("this system lacks a protection")
    assert (found.got, found.printed) == (2, "")


@pytest.mark.slow
@WITH_CLANG
def test_cuda_programs(task, tmp_path, clang):
    found = graded(task, tmp_path, CUDA, "mine.cu")
    assert (found.parts[0].got, found.parts[1].got, found.message) == (2, 1, "")
    wrong = graded(plain(task), tmp_path, CUDA.replace("*= 2", "*= 3"), "mine.cu")
    assert wrong.got == 0
    assert "out[0] is " in wrong.parts[0].message
    fault = graded(plain(task), tmp_path, CUDA.replace("if (i < n) x[i]", "x[i + (1 << 28)]"), "mine.cu")
    assert "mine.cu:3" in fault.message


@pytest.mark.slow
@WITH_CLANG
def test_a_stranger_in_cuda(task, tmp_path, clang):
    found = graded(plain(task), tmp_path, HOSTILE_CUDA, "mine.cu")
    assert found.got == 0
    if {"files", "network", "processes"} <= set(found.locked):
        assert "read 0 write 0 fork 0 socket 0 kill 0 run 0" in found.printed


@pytest.mark.slow
@WITH_CLANG
@pytest.mark.parametrize("head", ['#define F "{0}"\n#include F\n', '__asm__(".inc" "bin \\"{0}\\"\\n");\n'])
def test_the_compiler_reads_no_files_for_a_stranger(task, tmp_path, head, clang):
    found = graded(plain(task), tmp_path, head.replace("{0}", str(task.file)) + CUDA, "mine.cu")
    assert found.status == ERROR
    assert "Twice" not in found.message


@pytest.mark.slow
@WITH_CLANG
def test_no_message_quotes_a_file_that_a_stranger_names(task, tmp_path, clang):
    text = CUDA.replace("{", f'{{\n#line 2 "{task.file}"\nasm("wmma.load x;");\n', 1)
    found = graded(task, tmp_path, text, "mine.cu")
    assert "wmma.load is not there yet" in found.message
    assert "Twice" not in found.message


# ---- the task


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('[program]', '[launch]\nkernel = "f"\n\n[program]'), "a task about a program has no [launch]: the program launches its kernels "
         "itself"),
        (('expected = "2 * x"', 'tolerance = 0'), 'out has no count: say how many numbers a program prints, as count = "n"'),
        (('takes = [".py", ".cu"]', 'takes = [".asm"]'), "a program with its own host code is .py or .cu, and not '.asm'"),
        (('input = ["n", "x"]', 'input = ["n", "x"]\non_device = 1'), "on_device = 1: it is true or false"),
        (('input = ["n", "x"]', 'inputs = ["n"]'), "[program] has no 'inputs', did you mean 'input'?; it has input, arguments, on_device"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_task_is_one_sentence(tmp_path, change, message):
    (tmp_path / "reference.py").write_text(GOOD)
    (tmp_path / "task.toml").write_text(TASK.replace(*change))
    with pytest.raises(TaskError) as error:
        load_task(tmp_path)
    assert str(error.value).endswith(message)
