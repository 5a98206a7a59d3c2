"""What a program's language is like, and its words for what a program can be told to write.

A front end gives it to its Programs; checks and reports ask it instead of the front end's name. What is not said is as in an assembly
language, which has no words of its own.
"""

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """How a program is written.

    barrier: how a barrier of a block is written. guard: an `if` that keeps an index inside of its array; "": depends on the file.
    python: its sources are Python's statements, which `ast` can read. sets_variables: no read finds a register that nobody wrote, since
    the compiler has seen to it. harmless_reads: the compiler may load shared memory that nobody has written, where the value is
    dropped. free_lanes: lanes of a warp may run on their own, so that only a warp's barrier keeps them in step.
    """

    barrier: str = "a barrier"
    guard: str = ""
    python: bool = False
    sets_variables: bool = False
    harmless_reads: bool = False
    free_lanes: bool = False


ASSEMBLY = Language()
