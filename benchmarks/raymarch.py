"""How fast a picture is rendered: the ray marcher in the mask language, 256 x 256 pixels on 2 cores of 4 warps of 32 lanes.

    python benchmarks/raymarch.py [--output picture.png] [--runs 3] [--set gpu.cores=4 ...]

Prints how long the native engine takes to load or compile, then the wall time of the fastest run, simulated cycles and
instructions, and writes the picture. A second is the aim.
"""

import argparse
import time
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import warploom
from warploom.isa import pictures
from warploom.machine.config.presets import parse_setting

KERNEL = Path(__file__).parent.parent / "examples" / "guppy" / "raymarch.guppy"
MACHINE = {"gpu.cores": 2, "core.warps": 4, "core.lanes": 32, "core.schedulers": 2, "alu.count": 2}


def render(gpu: warploom.GPU, program: warploom.Program, cycles: int | None, what: str) -> warploom.Result:
    """Run with a progress bar; `cycles`, where it is known how many there will be, is its end."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,.0f} cycles"), TimeElapsedColumn())
    with Progress(*columns) as bar:
        task = bar.add_task(what, total=cycles)
        result = gpu.run(program, progress=lambda now: bar.update(task, completed=now))
        bar.update(task, completed=result.cycles, total=result.cycles)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="write the picture to this PNG file")
    parser.add_argument("--runs", type=int, default=3, help="the fastest of so many counts")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the machine")
    arguments = parser.parse_args()
    settings = MACHINE | dict(parse_setting(text) for text in arguments.set)
    program = warploom.load(str(KERNEL))
    gpu = warploom.GPU("guppy", set=settings, engine="native")
    start = time.perf_counter()
    gpu.warm_up(program, notice=print)
    print(f"native engine ready after {time.perf_counter() - start:.1f} s")
    results: list[warploom.Result] = []
    for number in range(max(arguments.runs, 1)):
        results.append(render(gpu, program, results[0].cycles if results else None, f"run {number + 1}"))
    best = min(results, key=lambda result: result.seconds)
    lanes = best.counters["thread_instructions"]
    print(f"{best.summary()}, {best.seconds:.2f} s")
    print(f"  {best.instructions:,} warp-instructions, {best.instructions / best.seconds / 1e6:.1f} million a second")
    print(f"  {lanes:,} lane-instructions, {lanes / best.seconds / 1e6:.0f} million a second")
    print(f"  {100 * lanes / best.instructions / best.config.core.lanes:.0f} % of the lanes active")
    if arguments.output:
        pictures.write_picture(arguments.output, warploom.guppy.read_view(program, best.memory, "u0"))
        print(f"wrote {arguments.output}, {arguments.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
