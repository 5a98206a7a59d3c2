"""A process that has imported what commands import, and runs each command in a fork of itself.

A command begins with 0.7 s of imports, one that draws with 1.1 s; a fork begins with 0.02 s. Each has a memory, a working directory,
an environment and an end of its own, as `python -m warploom` has. What a fork cannot show is a module that a command forgot to import:
tests that start commands as a shell does are there for it.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from tests.places import ROOT

LIBRARIES = ("numba", "matplotlib.pyplot", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg", "PIL.Image")
FORKS = sys.platform.startswith("linux")


def run(arguments: list[str], folder: Path, environment: dict[str, str], seconds: int) -> bytes:
    """What `python -m warploom` prints, both streams as they come. Raises TimeoutExpired where it takes longer than `seconds`."""
    server = _server(os.getpid())
    with tempfile.NamedTemporaryFile() as output:
        asked = {"arguments": arguments, "folder": str(folder), "environment": environment, "seconds": seconds, "output": output.name}
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        ended = server.stdout.readline()
        if not ended:
            raise RuntimeError("the process that runs commands has ended; what it says is on standard error")
        if int(ended) == -signal.SIGALRM:
            raise subprocess.TimeoutExpired(arguments, seconds)
        return Path(output.name).read_bytes()


@lru_cache
def _server(process: int) -> subprocess.Popen[str]:
    """The process that forks, one for each process that asks; it ends when nobody can ask any more."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.warm"],
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},  # of the streams, which forks keep
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    atexit.register(server.communicate)
    return server


def serve() -> None:
    """Run the commands that are asked for, a line of JSON each; a fork returns from here when it has run its own."""
    from warploom.cli import MODULES

    for name in (*LIBRARIES, "warploom.gpu", *MODULES.values()):
        import_module(name)  # and no native code is loaded: where it is, a run has no need to begin in plain Python
    gc.collect()
    gc.freeze()  # a fork that moved objects between lists would copy every page of memory
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            return command(**json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def command(arguments: list[str], folder: str, environment: dict[str, str], seconds: int, output: str) -> None:
    """Become the command: its streams, directory and environment, then its module."""
    signal.alarm(seconds)
    opened = os.open(output, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(opened, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[0] = folder
    sys.argv[:] = ["warploom", *arguments]
    runpy.run_module("warploom", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    serve()
