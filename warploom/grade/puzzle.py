"""The puzzles that ship: tasks from a first index to a scan, with hints, pictures and the mistakes that are usually made."""

from __future__ import annotations

import shutil
from pathlib import Path

from warploom.grade.task import NAME, Task, TaskError
from warploom.grade.task_file import load_task
from warploom.isa.diagnostics import nearest

FOLDER = Path(__file__).parent / "puzzles"
PUZZLES = (
    "first_index", "guard", "blocks", "stride", "rows", "neighbours", "coalescing", "block_sum", "histogram", "divergence", "tiled_product",
    "scan",
)  # fmt: skip


def puzzle(name: str) -> Task:
    """A puzzle by its name, or by its number from 1. Raises TaskError."""
    found = PUZZLES[int(name) - 1] if name.isdecimal() and 1 <= int(name) <= len(PUZZLES) else name
    if found not in PUZZLES:
        raise TaskError(f"there is no puzzle {name!r}{nearest(name, PUZZLES)}; `warploom grade --list` shows all {len(PUZZLES)}")
    return load_task(FOLDER / found)


def copy_task(task: Task, target: Path) -> None:
    """Copy a task's folder, to be changed. Raises TaskError where something is there already."""
    if target.exists():
        raise TaskError(f"{target} exists already: name a folder that does not")
    shutil.copytree(task.folder, target, ignore=shutil.ignore_patterns("__pycache__"))


def wrong_answers(task: Task) -> list[tuple[Path, str]]:
    """A task's own wrong answers, and the message that each must get. Raises TaskError for a file that is not there."""
    found = []
    for mistake in task.mistakes:
        if mistake.example:
            path = task.folder / mistake.example
            if not path.is_file():
                raise TaskError(f"{task.folder / NAME}: example = {mistake.example!r}: there is no such file")
            found.append((path, mistake.message))
    return found
