"""The process of a command: its output is whole, its status is right, and what a program has left open is written."""

import subprocess
import sys

import pytest

from tests.places import EXAMPLES

MATMUL = str(EXAMPLES / "tiny" / "matmul.asm")


def warploom(*words, **more):
    return subprocess.run([sys.executable, "-m", "warploom", *words], capture_output=True, text=True, check=False, **more)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("run", MATMUL, "--quiet"), 0, ""),
        (("run", "nothing.asm"), 2, "nothing.asm: error: there is no such file\n"),
        (("run", MATMUL, "--max-cycles", "3", "--quiet"), 1, "error: still running after 3 cycles"),
    ],
)
def test_status_and_messages(words, status, said):
    done = warploom(*words)
    assert done.returncode == status
    assert done.stderr.startswith(said)


def test_a_long_output_is_whole():
    done = warploom("presets", "--settings")
    assert (done.returncode, done.stderr) == (0, "")
    assert "vortex.isa" in done.stdout


def test_files_that_a_program_leaves_open_are_written(tmp_path):
    (tmp_path / "leaves.py").write_text(
        "import atexit\nfile = open('left.txt', 'w')\nfile.write('written')\natexit.register(lambda: open('end.txt', 'w').write('end'))\n"
    )
    assert warploom("run", "leaves.py", cwd=tmp_path).returncode == 0
    assert (tmp_path / "left.txt").read_text() == "written"
    assert (tmp_path / "end.txt").read_text() == "end"


def test_what_a_program_leaves_sees_its_end(tmp_path):
    (tmp_path / "helper.py").write_text("kept = open('kept.txt', 'w')\nkept.write('kept')\n")
    (tmp_path / "leaves.py").write_text(
        "import helper\n"
        "class Last:\n    def __del__(self):\n        open('last.txt', 'w').write('seen')\n"
        "last = Last()\n"
        "last.itself = last\n"
        "def holds():\n    return last\n"
    )
    assert warploom("run", "leaves.py", cwd=tmp_path).returncode == 0
    assert (tmp_path / "kept.txt").read_text() == "kept"
    assert (tmp_path / "last.txt").read_text() == "seen"


def test_a_class_of_another_file_of_the_users_sees_the_end(tmp_path):
    (tmp_path / "helper.py").write_text("class Last:\n    def __del__(self):\n        print('seen')\n\nlast = Last()\n")
    (tmp_path / "leaves.py").write_text("import helper\n")
    done = warploom("run", "leaves.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "seen\n")


def test_a_weak_proxy_that_a_program_leaves_is_left_alone(tmp_path):
    (tmp_path / "leaves.py").write_text(
        "import builtins, weakref\nclass One:\n    pass\none = One()\nbuiltins.kept = weakref.proxy(one)\nbuiltins.other = kept\ndel one\n"
    )
    done = warploom("run", "leaves.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "Error" not in done.stderr
