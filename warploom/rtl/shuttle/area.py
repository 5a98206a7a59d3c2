"""How many tiles a design takes on sky130: an estimate from its gates and flip-flops.

It has one point of calibration. The tile of github.com/adam-maj/tiny-gpu/pull/63 (one core, two threads, two channels; LibreLane, sky130)
has 1 221 flip-flops on 25 971 um2 and 3 577 gates on 39 296 um2 of 87 916 um2 of cells, on a die of 177 166 um2. The same machine
here has 12 184 NAND, NOR and NOT by Yosys. Only LibreLane says what it really takes.
"""

from __future__ import annotations

from typing import NamedTuple

from warploom.rtl.hardware import NoHardware
from warploom.rtl.prices import Cost

GATE, FLIP_FLOP = 3.23, 21.27  # um2 of a NAND, NOR or NOT of Yosys' script, and of a flip-flop, in the cells that they become
REST = 1.35  # cells in all by cells of logic: buffers, clock tree, taps
USE = 0.54  # of the die that cells cover

# Dies by tiles, in um (tt-support-tools, sky130A).
WIDTHS = {1: 161.00, 2: 334.88, 3: 508.76, 4: 682.64, 6: 1030.40, 8: 1378.16}
HEIGHTS = {1: 111.52, 2: 225.76, 4: 511.36}
TILES = {
    f"{across}x{up}": WIDTHS[across] * HEIGHTS[up]
    for across, up in ((1, 1), (1, 2), (2, 2), (3, 2), (4, 2), (6, 2), (8, 2), (3, 4), (4, 4), (6, 4), (8, 4))
}


class Estimate(NamedTuple):
    """cells, die: um2. tiles: the smallest size that holds the die, as `3x2`."""

    cells: float
    die: float
    tiles: str


def estimate(cost: Cost) -> Estimate:
    """The tiles of a design. Raises NoHardware for one that is too large for the largest."""
    cells = REST * (GATE * cost.gates + FLIP_FLOP * cost.flip_flops)
    die = cells / USE
    fitting = [name for name, area in sorted(TILES.items(), key=lambda item: item[1]) if area >= die]
    if not fitting:
        most = max(TILES.values())
        raise NoHardware(
            f"the design takes about {die / 1000:.0f} thousand um2, and the largest size has {most / 1000:.0f}: take fewer cores, threads, "
            "channels, words or bytes"
        )
    return Estimate(cells, die, fitting[0])
