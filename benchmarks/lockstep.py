"""How fast the hardware is simulated, by itself and beside the model with every field compared: pysim and Verilator.

    python benchmarks/lockstep.py [--cycles 2000] [--set gpu.cores=4 ...]

Prints cycles a second of CPU time. Verilator is left out where it is not installed; what it compiles is kept, and not counted.
"""

import argparse
import time

import warploom
from benchmarks.tiny import NESTED_LOOPS
from warploom import rtl
from warploom.machine.config.presets import parse_setting
from warploom.observe.text.needs import MissingPackage
from warploom.rtl.bench import Bench, Host
from warploom.rtl.model import words
from warploom.rtl.side_by_side import PROGRESS
from warploom.rtl.simulator import Pysim
from warploom.rtl.verilated import Verilated, find_verilator

FASTER = {"pysim": 1, "verilator": 25}  # times as many cycles


def alone(simulator: str, hardware: rtl.Hardware, program: warploom.Program, most: int) -> float:
    """Cycles a second of the hardware with its memories, nobody looking at the probe."""
    verilator = find_verilator() if simulator == "verilator" else None  # asked first: hardware that nobody simulates is warned of
    bench = Bench(hardware)
    simulation = Pysim(bench) if verilator is None else Verilated(bench, verilator, print)
    host = Host(hardware, words(program), [], program.launch.threads)
    cycles, begin = -1, 0.0

    def drive(requests: int, probe: object) -> int | None:
        nonlocal cycles, begin
        cycles += 1
        if cycles == 1:
            begin = time.process_time()
        return None if cycles == most else host.next(requests)

    simulation.run(host.before, drive)
    return (cycles - 1) / (time.process_time() - begin)


def compared(simulator: str, gpu: warploom.GPU, program: warploom.Program, most: int) -> float:
    """Cycles a second of model and hardware side by side."""
    times: list[float] = []
    found = rtl.lockstep(
        program,
        gpu,
        simulator=simulator,
        max_cycles=most,
        progress=lambda cycle: times.append(time.process_time()),
        notice=print,
    )
    assert found.agrees, str(found)
    return PROGRESS * (len(times) - 1) / (times[-1] - times[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the machine")
    parser.add_argument("--cycles", type=int, default=2_000, help="cycles in pysim; Verilator simulates 25 times as many")
    arguments = parser.parse_args()
    gpu = warploom.GPU("tiny-original", set=dict(parse_setting(text) for text in arguments.set))
    program = warploom.tiny.assemble(NESTED_LOOPS, path="nested_loops.asm")
    hardware = rtl.Hardware.of(gpu.config)
    print(hardware)
    for simulator, times in FASTER.items():
        most = times * arguments.cycles
        try:
            print(f"{simulator:<10} {alone(simulator, hardware, program, most):>10,.0f} cycles/s alone", flush=True)
            print(f"{simulator:<10} {compared(simulator, gpu, program, most):>10,.0f} cycles/s compared", flush=True)
        except MissingPackage as error:
            print(error)


if __name__ == "__main__":
    main()
