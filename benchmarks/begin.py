"""How long the first answer takes, beside what `import numpy` takes: `python benchmarks/begin.py [--rounds 10]`.

Seconds of the processor, of the process and those that it starts: a run of a tiny program, and one of a kernel in Python whose native code
is in the cache. The bars: 1.8 and 3.5 times. Every round runs all of them, one after the other, and the best of each is compared: what else
the machine does makes each of them slower.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
KERNEL = """
import numpy as np
from numba import cuda


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]


x, y = np.arange(1000, dtype=np.float32), np.ones(1000, dtype=np.float32)
saxpy[4, 256](np.float32(2), x, y)
"""
WARPLOOM = ("-c", "from warploom.cli.entry import run; run()", "run")
# What is run: the words for Python, and the bar in times of the first.
RUNS = {
    "import numpy": (("-c", "import numpy"), 1.0),
    "run matmul.asm": ((*WARPLOOM, str(EXAMPLES / "tiny" / "matmul.asm")), 1.8),
    "run saxpy.py": ((*WARPLOOM, "saxpy.py"), 3.5),
}


def seconds(words: tuple[str, ...], folder: str) -> float:
    """Of the processor, that a process takes. Raises CalledProcessError where it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # which compiles all anew
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10, help="runs of each, of which the best is shown")
    rounds = parser.parse_args().rounds
    times: dict[str, list[float]] = {name: [] for name in RUNS}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "saxpy.py").write_text(KERNEL)
        for one in range(rounds + 1):  # the first fills caches
            for name, (words, _) in RUNS.items():
                spent = seconds(words, folder)
                if one:
                    times[name].append(spent)
    base = min(times["import numpy"])
    for name, (_, bar) in RUNS.items():
        print(f"{name:<15} {1000 * min(times[name]):5.0f} ms, {min(times[name]) / base:4.2f} times; the bar is {bar}")


if __name__ == "__main__":
    main()
