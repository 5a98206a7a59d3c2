"""How fast a core with warps is simulated, with its timing on.

    python benchmarks/pipeline.py [--rounds 20000] [--set core.schedulers=1 ...]

Two kernels on the preset `sm` with 32 warps of 32 lanes: a loop of sixteen arithmetic instructions, and a loop that streams two
arrays into a third one. Each is timed three times and the best is printed: simulated warp-instructions a second of wall time,
lane-instructions (32 times as many), and simulated cycles. Then the cost of writing events down, and how the speed changes
with warps, lanes and cores.
"""

import argparse
import time

from warploom.isa.program import Launch, Program
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import IMMEDIATE, SPECIAL_NUMBER, Uop
from warploom.machine.config.presets import load_config, parse_setting
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run.driver import drive

LOOPED = ["add", "xor", "mul", "fma", "fadd", "shl", "sub", "max", "add", "fmul", "or", "slt", "sel", "fmax"]
BASE = {"core.warps": 32, "fetch.buffer": 0, "memory.bytes": 1 << 25}


def program(name: str, instructions: list[Uop], threads: int, block: int) -> Program:
    builder = ProgramBuilder()
    for instruction in instructions:
        builder.add([instruction], text=str(instruction))
    uops, code, text = builder.arrays()
    names = tuple(f"r{number}" for number in range(32))
    return Program("bench", name, uops, code, text, 32, names, launch=Launch(threads=threads, block=block))


def arithmetic(rounds: int, threads: int = 1024, block: int = 1024) -> Program:
    """A loop of fourteen operations, most of which need the one before, a decrement and a branch."""
    start = [
        Uop("mov", 31, IMMEDIATE, imm=rounds),
        Uop("special", 1, imm=SPECIAL_NUMBER["lane"]),
        Uop("special", 2, imm=SPECIAL_NUMBER["warp"]),
        Uop("i2f", 3, 1),
        Uop("mov", 4, IMMEDIATE, imm=0x3F7FFF00),
    ]
    body = [Uop(name, 5 + number, 4 + number, 1 + number % 4, 3) for number, name in enumerate(LOOPED)]
    end = [Uop("sub", 31, 31, IMMEDIATE, imm=1), Uop("branch", a=31, imm=-1, target=len(start)), Uop("exit")]
    return program("arithmetic", start + body + end, threads, block)


def stream(rounds: int, words: int = 1 << 21) -> Program:
    """c[i] = a[i] + b[i] over arrays of `words` words, round and round."""
    size = 4 * words
    start = [
        Uop("mov", 31, IMMEDIATE, imm=rounds),
        Uop("special", 3, imm=SPECIAL_NUMBER["global_thread"]),
        Uop("shl", 3, 3, IMMEDIATE, imm=2),
    ]
    body = [
        Uop("load", 4, 3),
        Uop("load", 5, 3, imm=size),
        Uop("fadd", 6, 4, 5),
        Uop("store", a=3, b=6, imm=2 * size),
        Uop("add", 3, 3, IMMEDIATE, imm=4096),
        Uop("and", 3, 3, IMMEDIATE, imm=size - 1),
        Uop("sub", 31, 31, IMMEDIATE, imm=1),
    ]
    return program("stream", [*start, *body, Uop("branch", a=31, imm=-1, target=len(start)), Uop("exit")], 1024, 1024)


def measure(kernel: Program, settings: dict[str, object], tracing: bool = False) -> tuple[float, float]:
    """The best of three runs: (warp-instructions, cycles) a second of wall time."""
    best = (0.0, 0.0)
    for _ in range(3):
        machine = PipelineMachine(load_config("sm", {**BASE, **settings}), kernel, tracing=tracing)
        machine.memory[:] = 1  # the host hands its memory out now, not while the clock runs
        drive(machine, engine="native", max_cycles=1, notice=lambda text: print(text, flush=True))
        if tracing:
            machine.drain = lambda machine=machine: machine.gpu["log"].__setitem__("rows", 0)  # type: ignore[method-assign]
        start = time.perf_counter()
        drive(machine, engine="native", max_cycles=1 << 40)
        seconds = time.perf_counter() - start
        issued = int(machine.profile[:, 0].sum())
        best = max(best, (issued / seconds, machine.cycle / seconds))
    return best


def show(name: str, kernel: Program, settings: dict[str, object], tracing: bool = False) -> float:
    issues, cycles = measure(kernel, settings, tracing)
    lanes = int(settings.get("core.lanes", 32))
    print(
        f"{name:<42} {issues / 1e6:7.2f} M warp-instr/s {issues * lanes / 1e6:8.0f} M lane-instr/s {cycles / 1e6:7.2f} M cycles/s",
        flush=True,
    )
    return issues


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20_000, help="rounds of the kernels' loops")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the machine")
    arguments = parser.parse_args()
    settings = dict(parse_setting(text) for text in arguments.set)
    rounds = arguments.rounds
    plain = show("arithmetic, 32 warps x 32 lanes", arithmetic(rounds), settings)
    traced = show("the same, events written down", arithmetic(rounds), settings, tracing=True)
    print(f"  writing events down costs {100 * (1 - traced / plain):.0f} %")
    show("stream, 32 warps x 32 lanes", stream(rounds), settings)
    for warps in (4, 8, 16):
        show(f"arithmetic, {warps} warps", arithmetic(rounds, 32 * warps, 32 * warps), {**settings, "core.warps": warps})
    for lanes in (8, 16, 64):
        kernel = arithmetic(rounds, 32 * lanes, 32 * lanes)
        show(f"arithmetic, 32 warps x {lanes} lanes", kernel, {**settings, "core.lanes": lanes, "core.threads": 0, "core.block_threads": 0})
    for cores in (2, 4):
        show(f"arithmetic, {cores} cores", arithmetic(rounds, 1024 * cores, 1024), {**settings, "gpu.cores": cores})


if __name__ == "__main__":
    main()
