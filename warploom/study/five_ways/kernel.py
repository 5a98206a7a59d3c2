"""What a kernel of the study is: its meaning, and its body in five notations.

A program is a frame (`frames.py`) and a body. The frame puts the number of the lane into `x` and `r`, and stores `r` at the end; the body
is what is measured. No body touches memory, and constants are in registers before it begins: what is left is work and the choice of lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

LANES = 16


@dataclass(frozen=True)
class Kernel:
    """One kernel.

    meaning: the body in C. result: what it leaves in r, from x. steps: what the lane of x has to go through, a name for each execution of a
    side or an innermost loop; lanes with the same name can go together. bodies: by notation; all are written by hand, with few
    instructions, but Python's, which is compiled. Each leaves out a side that no lane needs.
    """

    name: str
    meaning: str
    result: Callable[[int], int]
    steps: Callable[[int], Iterable[Hashable]]
    bodies: Mapping[str, str]

    @property
    def law(self) -> float:
        """Lanes active by the law of serialisation: steps of all lanes, over the steps that the warp has to go through for them."""
        each = [tuple(self.steps(x)) for x in range(LANES)]
        return sum(map(len, each)) / len(set().union(*each))
