"""How fast the tiny machine is simulated: two nested loops over 8 threads, by default on 2 cores of 4 threads.

    python benchmarks/tiny.py [--seconds 2] [--set gpu.cores=4 ...]

Prints, for each engine, simulated cycles and thread-instructions a second of wall time (the best of the runs that fit
into the given seconds), and how long the native engine takes to load or compile.
"""

import argparse
import time

import warploom
from warploom.machine.config.presets import parse_setting

NESTED_LOOPS = """
.threads 8
        CONST R0, #1
        CONST R1, #250      ; rounds of either loop
        CONST R2, #0
        CONST R4, #0
OUTER:  CONST R3, #0
INNER:  ADD R4, R4, R3
        ADD R3, R3, R0
        CMP R3, R1
        BRn INNER
        ADD R2, R2, R0
        CMP R2, R1
        BRn OUTER
        RET
"""
CYCLES = {"python": 10_000, "native": 1 << 40}  # plain Python does not run to the end: it would take a minute


def best(engine: str, seconds: float, settings: dict[str, object]) -> warploom.Result:
    """The fastest of the runs that fit into `seconds`."""
    gpu = warploom.GPU("tiny", set=settings, engine=engine)
    program = warploom.tiny.assemble(NESTED_LOOPS, path="nested_loops.asm")
    results = []
    end = time.perf_counter() + seconds
    while not results or time.perf_counter() < end:
        results.append(gpu.run(program, max_cycles=CYCLES[engine]))
    return min(results, key=lambda result: result.seconds / result.cycles)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="wall time for each engine")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the machine")
    arguments = parser.parse_args()
    settings = dict(parse_setting(text) for text in arguments.set)
    start = time.perf_counter()
    warploom.GPU("tiny", engine="native").warm_up(warploom.tiny.program([0xF000], [], 1), notice=print)
    print(f"native engine ready after {time.perf_counter() - start:.1f} s")
    for engine in ("python", "native"):
        result = best(engine, arguments.seconds, settings)
        cycles = result.cycles / result.seconds
        threads = result.counters["thread_instructions"] / result.seconds
        print(f"{engine:<7} {cycles:>14,.0f} cycles/s {threads:>14,.0f} thread-instructions/s   ({result.cycles:,} cycles)")


if __name__ == "__main__":
    main()
