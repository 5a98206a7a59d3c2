"""Compiling a stranger's text: the compiler reads its own files and the program's, whatever the text names, and writes to its caches."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from warploom.grade.guard import PUZZLES
from warploom.grade.lock import with_few_files
from warploom.grade.task import Task
from warploom.isa.host.user_cache import user_cache

T = TypeVar("T")
CACHES = ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")  # where the compiler keeps what it has built, if somebody says so


def compiled(function: Callable[[], T], task: Task, folder: Path) -> T:
    """What a function that compiles returns. folder: of the program, for all that is written in between. Raises what it raises."""
    caches = [user_cache(), *(Path(os.environ[name]) for name in CACHES if os.environ.get(name))]
    saved, tempfile.tempdir = tempfile.tempdir, str(folder)
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = str(folder)
    try:
        return with_few_files(function, [PUZZLES, task.folder.resolve()], [folder, *(one for one in caches if one.exists())])
    finally:
        tempfile.tempdir = saved
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before
