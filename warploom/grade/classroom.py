"""Grades submissions, each by a judge's process of its own, several at a time."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from warploom.grade.outcome import ERROR, Outcome, Part
from warploom.grade.submission import NOTEBOOK
from warploom.grade.task import Task, TaskError

START = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from warploom.grade.judge import main; main()"
PATIENCE = 900  # seconds that a judge may take beside its guest: the first native run of a machine compiles
SEEDS = 1 << 31


def new_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbelow(SEEDS)


def submissions_in(folder: Path, task: Task) -> list[Path]:
    """The files of a folder that the task takes, and those of its folders, one level deep. Raises TaskError for none."""
    takes = {*task.takes} | ({NOTEBOOK} if ".py" in task.takes else set())
    inside = [one for one in sorted(folder.iterdir()) if not one.name.startswith((".", "__")) and not (one.is_symlink() and one.is_dir())]
    found = [one for place in inside for one in ([place] if place.is_file() else sorted(place.iterdir()) if place.is_dir() else [])]
    kept = [one for one in found if one.is_file() and one.suffix.lower() in takes and not one.name.startswith(".")]
    if not kept:
        raise TaskError(f"{folder}: no file in it ends in {' or '.join(sorted(takes))}, which is what the task takes")
    return kept


def grade_all(
    task: Task, paths: Iterable[Path], seed: int, *, engine: str = "auto", jobs: int = 1, heard: Callable[[Outcome], None] | None = None
) -> list[Outcome]:
    """Grade submissions, in their order. heard: is handed each as it is ready. Raises TaskError for a mistake of the task's."""
    with ThreadPoolExecutor(max(jobs, 1)) as pool:
        waiting = [pool.submit(grade_one, task, path, seed, engine=engine) for path in paths]
        found = []
        try:
            for one in waiting:
                found.append(one.result())
                if heard is not None:
                    heard(found[-1])
        except BaseException:
            for one in waiting:
                one.cancel()
            raise
    return found


def grade_one(task: Task, path: Path, seed: int, *, engine: str = "auto") -> Outcome:
    """Grade one submission in a process of its own. Raises TaskError."""
    order = {"task": str(task.file.resolve()), "submission": str(path.resolve()), "seed": seed, "engine": engine}
    command = [sys.executable, "-I", "-c", START, json.dumps([os.path.abspath(one) for one in sys.path if one])]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    limit = PATIENCE + task.sandbox.seconds
    try:
        said, errors = child.communicate(json.dumps(order).encode(), timeout=limit)
    except subprocess.TimeoutExpired:
        return _lost(task, path, seed, f"it was still being judged after {limit} seconds")
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    try:
        body = json.loads(said)
    except ValueError:
        last = errors.decode("utf-8", "replace").strip().splitlines()[-1:] or [f"exit status {child.returncode}"]
        return _lost(task, path, seed, f"the judge's process ended before it was ready: {last[0]}")
    if "mistake" in body:
        raise TaskError(body["mistake"])
    return Outcome.from_dict(body | {"submission": str(path)})


def _lost(task: Task, path: Path, seed: int, message: str) -> Outcome:
    parts = tuple(Part(name, 0.0, of) for name, of in task.points.items() if of)
    return Outcome(str(path), task.name, seed, ERROR, parts, message)
