"""What a kernel notes while it runs, for the host to say: values that are printed, why it has stopped."""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """What one printf prints: its format, and of each value the kind ("f64", "i64", "u64") or the text of a string."""

    format: str
    kinds: tuple[str, ...]


class Stopped(NamedTuple):
    """Why a kernel has ended its run: a sentence. stack: a thread's stack was full; else an assertion has failed."""

    text: str
    stack: bool = False
