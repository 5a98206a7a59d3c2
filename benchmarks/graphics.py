"""Fragments per second that a drawn scene comes to: `python benchmarks/graphics.py [--size 512] [--engine native]`.

Seconds of the processor for the whole of `draw`, setup included, best of a few rounds; the scene is examples/graphics/garden.py. The first
round compiles, if need be, and does not count.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from warploom.graphics.drawing import draw
from warploom.graphics.script import scene_of

GARDEN = Path(__file__).parents[1] / "examples" / "graphics" / "garden.py"


def main() -> None:
    """Print a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=512, help="pixels of a side")
    parser.add_argument("--engine", choices=["native", "python"], default="native")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    scene = scene_of(str(GARDEN))
    best, counts = float("inf"), {}
    for one in range(chosen.rounds + (chosen.engine == "native")):
        start = time.process_time()
        counts = draw(scene, chosen.size, chosen.size, engine=chosen.engine).target.counts
        if one or chosen.engine == "python":
            best = min(best, time.process_time() - start)
    print(f"{counts['fragments']} fragments, {counts['quads']} quads in {best:.3f} s: {counts['fragments'] / best:.0f} fragments/s")


if __name__ == "__main__":
    main()
