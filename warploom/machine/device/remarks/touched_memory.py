"""Pages that a run has touched between its program's regions. Where the program's own machine has memory at every address nothing says so
there; here a sentence does, since such an access is seldom meant.

In hardware: what a memory management unit reports as a first touch. The pages themselves: `core/load_store/address_space.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.isa.regions import PAGE_BYTES, REGION_ADDRESS, REGION_UOP, SPACE_BYTES
from warploom.machine.device.storage import Storage

NEAR_THE_END = 4096  # bytes before the end of the address space, which small negative numbers reach
IMAGE = "program"  # what regions of a loaded file are called
FRAME_REGISTERS = ("sp", "s0")  # through which compilers reach a function's variables


class Finished(Protocol):
    """A machine after its run."""

    program: Program
    storage: Storage


def touched_memory(machine: Finished) -> Iterator[str]:
    """A sentence, where a program has used addresses at which there is no region: at most one, with the first of them."""
    program = machine.program
    pages = [page for page in machine.storage.touched() if not _behind_the_image(program, int(page[REGION_ADDRESS]))]
    if not pages:
        return
    uop, address = pages[0][[REGION_UOP, REGION_ADDRESS]].tolist()
    firsts = program.code[:, u.FIRST_UOP]
    instruction = int(np.flatnonzero((firsts <= uop) & (uop < firsts + program.code[:, u.COUNT]))[0])
    more = f", nor at addresses in {len(pages) - 1} more page{'s' * (len(pages) > 2)} of 1 MiB" if len(pages) > 1 else ""
    made = "pages were made" if more else "a page was made"
    yield (
        f"{program.where(instruction)}: this accesses address {address:#x}, where the program declares nothing{more}; {made}, "
        f"since the original has memory everywhere, but {_cause(program, uop, address)}"
    )


def _behind_the_image(program: Program, address: int) -> bool:
    """Whether an address lies within a page after what was loaded: start-up code has thread-local variables and the heap there."""
    ends = [region.end for region in program.regions if region.name.startswith(IMAGE)]
    return bool(ends) and 0 <= address - max(ends) < PAGE_BYTES


def _cause(program: Program, uop: int, address: int) -> str:
    """What is probably wrong, as a clause."""
    register = int(program.uops[uop, u.A])
    base = program.register_names[register] if 0 <= register < len(program.register_names) else ""
    if base in FRAME_REGISTERS or address >= SPACE_BYTES - NEAR_THE_END:
        return "a lane that is switched on in the middle of a function has no frame: what follows belongs in a function of its own"
    return "a pointer is probably wrong, unless it is a heap of the program's own"
