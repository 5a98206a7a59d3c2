"""Strangers: submissions that try to reach the judge, the task, the host. Limits are small, so that each ends soon."""

import sys

import pytest

from warploom.grade.guard import ask_guest
from warploom.grade.lock import MACHINES, PROTECTIONS, filter_of

KERNEL = """
from numba import cuda


@cuda.jit
def solve(x, out):
    i = cuda.grid(1)
    out[i] = x[i]
"""


def asked(more="", *, before="", hidden=(), **limits):
    given = {"seconds": 120, "memory": 300, "output": 16} | limits
    return ask_guest(before + KERNEL + more, "mine.py", "solve", hidden=hidden, **given)


@pytest.fixture(scope="module")
def locked():
    """What this system can do."""
    found = asked()
    assert "functions" in found.found
    return found.locked


def needs(locked, *names):
    if missing := [name for name in names if name not in locked]:
        pytest.skip(f"this system has no protection of {', '.join(missing)}")


def test_what_locks_a_guest_has_a_name(locked):
    assert set(locked) <= set(PROTECTIONS)
    if sys.platform == "linux":
        assert {"memory", "time", "writing"} <= set(locked)


REFUSED = {
    "forks": ("import os\nwhile True:\n    os.fork()", "processes", "PermissionError"),
    "starts a program": ("import subprocess\nsubprocess.run(['ls'])", "processes", "PermissionError"),
    "ends the judge": ("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)", "processes", "PermissionError"),
    "uses the network": ("import socket\nsocket.create_connection(('127.0.0.1', 80))", "network", "PermissionError"),
    "writes a file": ("open('results.json', 'w').write('{}')", "files", "PermissionError"),
    "reads the processes": ("print(open('/proc/1/environ').read())", "files", "PermissionError"),
    "takes memory": ("x = bytearray(1 << 40)", "memory", "MemoryError"),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("what", REFUSED)
def test_a_stranger_is_refused(locked, what):
    text, protection, error = REFUSED[what]
    needs(locked, protection)
    assert error in asked(text).found["error"]


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("while True:\n    print('x' * 1000)", "printed more than 16 KiB"),
        ("import os\nos._exit(0)", "ended before its kernels were ready"),
        ("raise SystemExit(3)", "line 9: SystemExit: 3"),
        (
            "import os\nfor place in range(3, 64):\n    try:\n        os.write(place, b'{}\\n' * 9)\n    except OSError:\n        pass",
            "the judge's pipe",
        ),
        ("def f(:", "line 9: this is not Python"),
    ],
)
def test_a_stranger_ends_and_is_told_why(text, error):
    assert error in asked(text).found["error"]


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("text", "error"),
    [("while True:\n    pass", "1 seconds"), ("import time\ntime.sleep(1000)", "still running after 1 seconds")],
    ids=["computes", "sleeps"],
)
def test_a_stranger_who_never_ends_is_ended(text, error):
    """The only ones with a short limit: whatever has to be done within a time would fail on a busy machine."""
    assert error in asked(text, seconds=1).found["error"]


def test_a_guest_cannot_read_the_task_and_is_told_nothing_of_it(locked, tmp_path):
    needs(locked, "files")
    (tmp_path / "reference.py").write_text("secret = 1")
    found = asked(f"print(open({str(tmp_path / 'reference.py')!r}).read())", hidden=[tmp_path])
    assert "PermissionError" in found.found["error"] and "secret" not in found.printed
    from warploom.grade.puzzle import FOLDER

    assert "PermissionError" in asked(f"print(open({str(FOLDER / 'scan' / 'reference.py')!r}).read())").found["error"]


def test_a_guest_sees_nothing_of_the_command_or_its_environment(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "do-not-show")
    found = asked("import os, sys\nprint(sys.argv[1:], sorted(os.environ), sys.stdin.read())")
    assert "functions" in found.found
    assert "SECRET" not in found.printed and "seed" not in found.printed


def test_the_filter_is_made_for_each_machine():
    for machine, calls in MACHINES.values():
        rows = filter_of(machine, calls)
        assert len(rows) < 256 and rows[1][3] == machine and rows[-1] == (0x06, 0, 0, 0x7FFF0000)
        assert {row[3] for row in rows if row[0] == 0x15} >= set(calls.values())
        assert all(place + 1 + jump < len(rows) for place, row in enumerate(rows) if row[0] != 0x06 for jump in row[1:3])
