"""The generations of Vortex: what they have, and how they choose among lanes.

2021 is the instruction set of the MICRO paper, 2022 the same with the texture instruction in a different place; 2024 stands for all from
October 2023 on, which are encoded anew and count the stack; 2026 has votes and shuffles, in the place of textures.
Source: github.com/vortexgpgpu/vortex, commits b047f589, e3e2609f, d06a9982 and later.
"""

from __future__ import annotations

from typing import NamedTuple

from warploom.isa.uop import HIGHEST_LEADS, LEADER_DECIDES


class Generation(NamedTuple):
    """What differs. leads: flags of operands that a warp takes from one lane. branches, jumps: those of what lanes may disagree about."""

    number: int
    leads: int
    branches: int
    jumps: int
    gpu: str

    @property
    def old(self) -> bool:
        """Whether it is one of the first two."""
        return self.number < 2023

    @property
    def name(self) -> str:
        """What its programs' instruction set is called."""
        return f"vortex-{self.number}"


GENERATIONS = {
    number: Generation(number, 0, LEADER_DECIDES, LEADER_DECIDES, "vortex-2022")
    if number < 2023
    else Generation(number, HIGHEST_LEADS, 0, HIGHEST_LEADS | LEADER_DECIDES, "vortex-2024")
    for number in (2021, 2022, 2024, 2026)
}
BY_NAME = {generation.name: generation for generation in GENERATIONS.values()}
NEWEST = GENERATIONS[2024]  # of those that a file may be of; what it is taken for where nothing says
