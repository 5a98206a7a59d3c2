"""How fast Vortex's programs are simulated: compiled C on the preset `vortex-2024`, with its caches and the timing of its memory.

    python -m benchmarks.vortex [--rounds 3] [--only sort] [--fitted]

The ALU loop of `pipeline.py` comes first and last, since both depend on the processor and on what else it does: processor time of this
process is counted, not the clock on the wall. Per kernel: warp-instructions and thread-instructions a second. It needs the package ziglang.
--fitted: in turns with the code that machines take by themselves, code that is fitted to each (`warploom fit`), for which half a minute
each is needed.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.pipeline import BASE, arithmetic
from warploom.isa import load
from warploom.isa.c.compiler import compile_c
from warploom.isa.frontend import Options
from warploom.isa.program import Program
from warploom.machine.accounting.reasons import ISSUES, LANES
from warploom.machine.config.presets import load_config
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run.compile import compile_fitted, entry_call
from warploom.machine.run.driver import drive

EXAMPLES = Path(__file__).parent.parent / "examples" / "vortex"
SMALL = {"gpu.cores": 1, "core.warps": 4, "core.lanes": 4}
LARGE = {**SMALL, "gpu.cores": 16}
WIDE = {**SMALL, "core.lanes": 32, "shared.banks": 32}


def kernel(name: str, threads: int, buffers: dict[str, np.ndarray], **arguments: int) -> Program:
    data = compile_c([EXAMPLES / f"{name}.c"])
    return load(data, "vortex-2024", options=Options(path=f"{EXAMPLES / name}.elf", threads=threads, arguments=arguments, buffers=buffers))


def programs() -> dict[str, Program]:
    source = np.random.default_rng(1)
    whole = source.integers(0, 1000, 1024).astype(np.int32)
    size = 64
    matrix = source.standard_normal(size * size).astype(np.float32)
    return {
        "sort": kernel("sort", 512, {"in": whole[:512], "out": 0 * whole[:512]}, n=512),
        "sgemm": kernel("sgemm", size * size, {"a": matrix, "b": matrix, "c": 0 * matrix}, n=size),
        "diverge": kernel("diverge", 16384, {"in": np.tile(whole, 16), "out": 0 * np.tile(whole, 16)}),
    }


def measure(program: Program, preset: str, settings: dict[str, object], rounds: int, fits: bool) -> list[tuple[float, float]]:
    """The best of some runs: (warp-instructions, thread-instructions) a second of processor time; with fits, of fitted code as well."""
    forms = (False, True) if fits else (False,)
    best = [(0.0, 0.0) for _ in forms]
    if fits:
        compile_fitted(PipelineMachine(load_config(preset, settings), program))
    for _ in range(rounds):
        for form in forms:
            machine = PipelineMachine(load_config(preset, settings), program)
            machine.memory[:] |= 0  # the host hands its memory out now, not while the clock runs
            call = entry_call(machine, "native", fitted=form)
            drive(machine, call=call, max_cycles=1)
            start = time.process_time()
            drive(machine, call=call, max_cycles=1 << 40)
            seconds = time.process_time() - start
            issued, threads = (int(machine.profile[:, column].sum()) for column in (ISSUES, LANES))
            best[form] = max(best[form], (issued / seconds, threads / seconds))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each kernel, of which the best is shown")
    parser.add_argument("--only", help="a kernel: sort, sgemm or diverge")
    parser.add_argument("--fitted", action="store_true", help="fitted code as well")
    arguments = parser.parse_args()

    def show(name: str, program: Program, preset: str, settings: dict[str, object]) -> None:
        for form, (warps, threads) in enumerate(measure(program, preset, settings, arguments.rounds, arguments.fitted)):
            code = ", fitted" if form else ""
            print(f"{name + code:<40} {warps / 1e6:7.2f} M warp-instr/s {threads / 1e6:8.1f} M thread-instr/s", flush=True)

    show("ALU loop, 32 warps x 32 lanes", arithmetic(20_000), "sm", dict(BASE))
    for name, program in programs().items():
        if arguments.only in (None, name):
            for machine, settings in (("1 core, 4W-4T", SMALL), ("16 cores, 4W-4T", LARGE), ("1 core, 4W-32T", WIDE)):
                show(f"{name}, {machine}", program, "vortex-2024", dict(settings))
    show("ALU loop, 32 warps x 32 lanes", arithmetic(20_000), "sm", dict(BASE))


if __name__ == "__main__":
    sys.exit(main())
