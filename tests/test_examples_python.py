"""Every kernel in examples/python runs, says what it has found, and passes its own assertions."""

import subprocess
import sys

import pytest

from tests.documentation import ROOT

SAID = {
    "vector_add": "1000 sums, the last one is 1000",
    "saxpy": "3000 items by 512 threads, the largest is 3.0",
    "matmul": "four products of 32 x 32, all equal to NumPy's",
    "reduction": "five sums of 1024 numbers: 3067",
    "scan": "64 running sums, the last one is 2016",
    "histogram": "512 items; the race has counted 3",
    "transpose": "three transposes of 32 x 32",
    "stencil": "after 4 steps the plate has 5345.3 degrees in all",
    "mandelbrot": ".......:::::=*@@@@@@@@@%:....",
    "nbody": "64 bodies, the strongest pull is 295",
    "sort": "64 numbers in order",
    "graph_search": "60 vertices, the farthest is",
    "spin_lock": "its: 8 threads have had the lock",
}


def test_every_example_is_checked():
    assert {path.stem for path in (ROOT / "examples/python").glob("*.py")} == set(SAID)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", SAID)
def test_an_example_runs(name):
    command = [sys.executable, "-m", "warploom", "run", f"examples/python/{name}.py"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert SAID[name] in run.stdout
    assert "on sm" in run.stderr
