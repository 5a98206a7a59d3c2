"""The guest: a process that executes a submission in Python, locked in, and says which functions it has made.

It is told the text of the submission and the name of a function, and nothing of the task. Its first line on the pipe, written before any
of the submission's code runs, says what it is locked by; the second describes the function, or says what went wrong.
"""

from __future__ import annotations

import json
import linecache
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from warploom.grade.described import MOST_BYTES, Describer, NotPlain
from warploom.grade.lock import lock
from warploom.kernel.cuda import Kernel
from warploom.kernel.place import in_numbas_place

NAME = "submission"


def main(pipe: int) -> None:
    """Run the guest. pipe: what it writes its lines to; the order comes on standard input."""
    order = json.loads(sys.stdin.buffer.read())
    with in_numbas_place():
        locked = lock(order["seconds"], order["memory"], [Path(one) for one in order["hidden"]])
        _write(pipe, {"locked": locked})
        _write(pipe, deliver(order["source"], order["path"], order["kernel"], order["unit"]))
    os._exit(0)  # whatever the submission has registered for the end is not of interest


def deliver(source: str, path: str, name: str, unit: bool = False) -> dict[str, Any]:
    """Execute a submission: {"functions", "first"} describes a function of it; {"error", ...} says why there is none."""
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    module = ModuleType(NAME)
    module.__file__ = path
    sys.modules[NAME] = module
    try:
        whole = compile(source, path, "exec", dont_inherit=True)
        exec(whole, module.__dict__)
        if name not in vars(module):
            there = [key for key, value in vars(module).items() if isinstance(value, Kernel) and not value.device]
            return {"error": f"there is no kernel {name!r} in the file; it has {', '.join(there) or 'none'}", "fix": f"call it {name}"}
        found = vars(module)[name]
        if not unit and not isinstance(found, Kernel):
            return {"error": f"{name} is not a kernel", "fix": "write @cuda.jit above its def"}
        describer = Describer(whole)
        first = describer.function(found)
        return {"first": first, "functions": describer.functions}
    except NotPlain as error:
        return {"error": str(error)}
    except SyntaxError as error:
        return {"error": f"line {error.lineno}: this is not Python: {error.msg}"}
    except BaseException as error:  # the file is a stranger's: SystemExit as well
        lines = [step.lineno for step in traceback.extract_tb(error.__traceback__) if step.filename == path]
        place = f"line {lines[-1]}: " if lines else ""
        return {"error": f"{place}{type(error).__name__}: {error}".rstrip(": ")[:2000]}
    finally:
        sys.modules.pop(NAME, None)


def _write(pipe: int, body: dict[str, Any]) -> None:
    data = json.dumps(body).encode() + b"\n"
    if len(data) > MOST_BYTES:
        data = json.dumps({"error": f"its constants take {len(data)} bytes: {MOST_BYTES} are the most"}).encode() + b"\n"
    while data:
        data = data[os.write(pipe, data) :]
