"""What lies in a folder under names of the command line: a file each, imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from warploom.isa.diagnostics import nearest
from warploom.study.needs import StudyError


def find_in(package: str, names: Mapping[str, str], name: str, *, what: str, attribute: str) -> Any:
    """`attribute` of the file that has a name. names: file by name. what: what a name stands for, in one word.

    Raises StudyError with the nearest name and the list of all.
    """
    if name not in names:
        raise StudyError(f"there is no {what} {name!r}{nearest(name, names)}; there are {', '.join(names)}")
    return getattr(importlib.import_module(f"{package}.{names[name]}"), attribute)
