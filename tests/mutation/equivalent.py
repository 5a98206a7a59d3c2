"""Faults that change nothing which anybody can see: `equivalent.toml` lists them, each with the reason.

A fault is recognised by its file, its function, and its line before and after, so it stays known where the file gets longer.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from tests.mutation.faults import Fault

LIST = Path(__file__).parent / "equivalent.toml"


@cache
def known() -> dict[tuple[str, str, str, str], str]:
    """The reason of each fault in the list."""
    rows = tomllib.loads(LIST.read_text())["fault"]
    return {(row["file"], row["function"], row["before"], row["after"]): row["reason"] for row in rows}


def equivalent(fault: Fault) -> str:
    """Why a fault changes nothing; "" where it is not in the list."""
    return known().get((fault.file, fault.function, fault.before, fault.after), "")
