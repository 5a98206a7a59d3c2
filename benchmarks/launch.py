"""How long a launch of a small kernel takes on a device, from the call to its result.

    python benchmarks/launch.py [--launches 200]

1024 threads of the preset `sm` double a word each. The first launch builds a machine and loads native code, the second takes up its
entry; those after it are what a loop of launches costs. Their median and their best are printed, in milliseconds.
"""

import argparse
import time

import numpy as np

from warploom.gpu import GPU
from warploom.isa.launch import Launch
from warploom.isa.program import Program
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import IMMEDIATE, SPECIAL_NUMBER, Uop, scalar

WORDS = 1024


def doubling(address: int) -> Program:
    builder = ProgramBuilder()
    for uop in (
        Uop("special", 0, imm=SPECIAL_NUMBER["global_thread"]),
        Uop("mad", 1, 0, IMMEDIATE, scalar(0), imm=4),
        Uop("load", 2, 1),
        Uop("fadd", 2, 2, 2),
        Uop("store", a=1, b=2),
        Uop("exit"),
    ):
        builder.add([uop], text=str(uop))
    uops, code, text = builder.arrays()
    launch = Launch(threads=WORDS, block=256, scalars=(address,))
    return Program("bench", "doubling", uops, code, text, 3, ("v0", "v1", "v2"), scalars=1, launch=launch)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=200)
    launches = parser.parse_args().launches
    GPU("sm").warm_up(doubling(0))
    device = GPU("sm").device()
    address = device.allocate(4 * WORDS)
    program = doubling(address)
    times = []
    for _ in range(launches + 2):
        device.write(address, np.ones(WORDS, np.float32))
        start = time.perf_counter()
        device.run(program)
        times.append(1e3 * (time.perf_counter() - start))
    first, second, *rest = times
    print(f"first {first:.1f} ms, second {second:.1f} ms, then median {np.median(rest):.2f} ms, best {min(rest):.2f} ms")
    assert (device.read(address, 4 * WORDS).view(np.float32) == 2).all()


if __name__ == "__main__":
    main()
