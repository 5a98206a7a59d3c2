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


# Each module costs a millisecond or more before anything runs. What a run needs now and then is imported where it is used.
OF_EACH_RUN = {
    "warploom", "warploom.cli", "warploom.cli.drawing", "warploom.cli.terminal", "warploom.cli.welcome", "warploom.isa", "warploom.isa.c",
    "warploom.isa.sass", "warploom.machine", "warploom.machine.accounting", "warploom.machine.config", "warploom.machine.core",
    "warploom.machine.core.load_store", "warploom.machine.core.scheduling", "warploom.machine.datapath", "warploom.machine.engine",
    "warploom.machine.engine.native", "warploom.machine.memory", "warploom.machine.run", "warploom.observe.text",
}  # fmt: skip
OF_A_TINY_RUN = OF_EACH_RUN | {"warploom.isa.tiny", "warploom.machine.sequencer"}
OF_SETTINGS = {  # of which the settings alone are read
    f"warploom.machine.{room}" for room in ("core.fetch", "core.texture", "merger", "raster", "rays")
}
OF_A_KERNEL = OF_EACH_RUN | {
    "warploom.checks", "warploom.compiler", "warploom.isa.analysis", "warploom.isa.host", "warploom.kernel", "warploom.kernel.device",
    "warploom.kernel.launch", "warploom.kernel.library", "warploom.kernel.mathematics", "warploom.kernel.names", "warploom.kernel.syntax",
    "warploom.kernel.types", "warploom.machine.device", "warploom.machine.occupancy", "warploom.machine.slots", "warploom.observe.facts",
    "warploom.study",
}  # fmt: skip
OF_CORES = (
    "warploom.machine.core.",
    "warploom.machine.device.",
    "warploom.machine.merger",
    "warploom.machine.raster",
    "warploom.machine.rays",
)
SELDOM = {"numba", "csv", "difflib", "gzip", "html", "fractions", "importlib.metadata", "numpy.ma", "rich", "traceback"}
ROOMS = """
import sys
from warploom.cli import main
main(sys.argv[1:], standalone_mode=False)
ours = {name.rpartition(".")[0] for name, module in sys.modules.items() if name.startswith("warploom") and not hasattr(module, "__path__")}
print(*sorted(ours), "and", *sorted(set(sys.modules)), file=sys.stderr)
"""


def imported(*words):
    """The rooms of the package that a run imports modules of, and the names of all modules."""
    done = subprocess.run([sys.executable, "-c", ROOMS, *words], capture_output=True, text=True, check=True)
    ours, _, modules = done.stderr.splitlines()[-1].partition(" and ")
    return set(ours.split()), set(modules.split())


def test_a_tiny_run_imports_what_it_needs_and_no_more():
    rooms, modules = imported("run", MATMUL)
    assert rooms - OF_A_TINY_RUN - OF_SETTINGS == set()
    assert {name for name in modules if name.rpartition(".")[0] in OF_SETTINGS} == {f"{room}.settings" for room in OF_SETTINGS}
    assert modules & (SELDOM | {"hashlib", "llvmlite"}) == set()
    assert {"warploom.machine.engine.native.loader", "warploom.machine.run.compile", "warploom.units"} & modules == set()


def test_a_kernel_in_python_imports_what_it_needs_and_no_more(tmp_path):
    (tmp_path / "one.py").write_text(
        "from numba import cuda\nimport numpy as np\n\n@cuda.jit\ndef one(x):\n    x[cuda.threadIdx.x] = 1\n\none[1, 4](np.zeros(4))\n"
    )
    rooms, modules = imported("run", "--engine", "python", str(tmp_path / "one.py"))
    assert {room for room in rooms - OF_A_KERNEL if not room.startswith(OF_CORES)} == set()
    assert modules & (SELDOM - {"traceback"}) == set()  # which says where in the program a mistake is
    assert {"warploom.isa.sass.front_end", "warploom.study.table", "warploom.checks.check"} & modules == set()


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
