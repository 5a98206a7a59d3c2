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
from warploom.isa.regions import PAGE_BYTES, REGION_ADDRESS, REGION_END, REGION_UOP
from warploom.machine.device.storage import Storage


class Finished(Protocol):
    """A machine after its run."""

    program: Program
    storage: Storage


def touched_pages(machine: Finished) -> Iterator[str]:
    """A sentence, where a program has used addresses at which there is no region: at most one, with the first of them."""
    program = machine.program
    tables = machine.storage.tables
    pages = tables[len(tables) - machine.storage.pages :]
    pages = pages[pages[:, REGION_END] != 0]
    if not len(pages):
        return
    uop, address = pages[0, [REGION_UOP, REGION_ADDRESS]].tolist()
    firsts = program.code[:, u.FIRST_UOP]
    instruction = int(np.flatnonzero((firsts <= uop) & (uop < firsts + program.code[:, u.COUNT]))[0])
    more = f", and at addresses in {len(pages) - 1} more page{'s' * (len(pages) > 2)} of {PAGE_BYTES}" if len(pages) > 1 else ""
    yield (
        f"{program.where(instruction)}: this accesses address {address:#x}, where the program has nothing{more}; there is memory, as on "
        "its own machine, which has some everywhere. A lane that is switched on in the middle of a function has no frame there: what "
        "follows belongs in a function of its own"
    )
