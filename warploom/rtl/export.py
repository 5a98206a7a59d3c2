"""A design that leaves the house: Verilog, RTLIL, a test bench that replays a program, and a page that says what to do with them."""

from __future__ import annotations

from warploom.rtl.hardware import Hardware
from warploom.rtl.model import GPU, Program
from warploom.rtl.sequencer.gpu import Gpu
from warploom.rtl.testbench import Replay
from warploom.rtl.verilog import verilog
from warploom.rtl.yosys import rtlil_text

TOP = "gpu"


def build(gpu: GPU, program: Program | None = None) -> dict[str, str]:
    """The files of a design, by their names. gpu: its configuration says which hardware. program: what the test bench replays, or None.

    Raises NoHardware for what has no hardware, LaunchError and NoReplay for the program, MissingPackage.
    """
    hardware = Hardware.of(gpu.config)
    replay = None if program is None else Replay.of(program, gpu)
    circuit = rtlil_text(Gpu(hardware), TOP)
    files = {f"{TOP}.v": verilog(circuit), f"{TOP}.il": circuit}
    if replay is not None:
        files |= replay.files()
    files["README.md"] = readme(gpu.config.name, hardware, replay)
    return files


def readme(name: str, hardware: Hardware, replay: Replay | None) -> str:
    """The page beside the design."""
    settings = "\n".join(f"| {setting} | {str(value).lower()} |" for setting, value in hardware.settings().items())
    return README.format(name=name, hardware=hardware, settings=settings, ports=PORTS, replay=_replay(replay))


def _replay(replay: Replay | None) -> str:
    if replay is None:
        return "There is no test bench here: `warploom build` writes one with `--replay PROGRAM`.\n"
    ending = f"It ends after {replay.cycles} cycles"
    if replay.status == "error":
        ending = f"It stops with a fault after {replay.cycles} cycles ({replay.sentence})"
    return REPLAY.format(name=replay.program.name, threads=replay.program.launch.threads, ending=ending)


REPLAY = """\
`testbench.v` runs `{name}` with {threads} threads, from `program.hex` and `data.hex`, and compares cycles, memory
(`expected.hex`) and fault with what the model gave. {ending}.

    iverilog -g2005 -o testbench.vvp testbench.v gpu.v && vvp testbench.vvp

    verilator --binary --timing -Wno-lint -Wno-fatal --top-module testbench testbench.v gpu.v && obj_dir/Vtestbench

Its last line is PASS or FAIL.
"""
PORTS = """\
| port | direction | meaning |
|---|---|---|
| `clk`, `rst` | in | clock; reset, for one rising edge at least |
| `control_write`, `control` | in | load the device control register with the number of threads, 0 to 255 |
| `program_length` | in | instructions of the program, 1 to 256; for `prefetch`, and without `wrap_pc` |
| `start` | in | go; stays up |
| `done` | out | every block has ended; stays up until the next reset |
| `fault` | out | 0: none; 1: threads disagree on a branch; 2: the program counter ran off the program; 3: an address beyond memory |
| `fault_core`, `fault_pc`, `fault_lanes` | out | who found it, at which instruction, and the threads concerned |
| `program_read`, `program_read_address__K` | out | requests to program memory, a bit per channel, and the address of channel K |
| `program_read_ready`, `program_read_data__K` | in | the answers |
| `data_read`, `data_read_address__K` | out | the same for data memory |
| `data_read_ready`, `data_read_data__K` | in | |
| `data_write`, `data_write_address__K`, `data_write_data__K` | out | writes |
| `data_write_ready` | in | the writes that are done |
"""
README = """\
# A GPU in Verilog

Built from the configuration `{name}`: {hardware}.

| file | what it is |
|---|---|
| `gpu.v` | the GPU in Verilog, module `gpu`; a module a unit, named by its place: `gpu.core_0.alu_0` |
| `gpu.il` | the same in RTLIL, the language of Yosys, with the names of the states |
| `testbench.v` and `.hex` files | a program to replay, and what the model gave, where one was asked for |

| setting | value |
|---|---|
{settings}

## Replay

{replay}
## Ports

{ports}
The two memories lie outside. A request stays up until it has been answered: with its ready line up at one rising edge, and the
data of a read beside it. A memory that answers at the next edge, as the test bench does, gives the model's cycles; a slower one
gives them later.

## What to do next

* Is it the model? `warploom lockstep PROGRAM` with the same `--gpu` and `--set` compares every field of every cycle.
* How large is it? `yosys -p "read_verilog gpu.v; synth -flatten -top gpu; stat"`, or `synth_ice40` and `synth_ecp5` for those FPGAs.
* On an FPGA: `warploom build DIR --target ice40up5k` or `ecp5` makes a bitstream, with memories and a host's pins. For your own
  surroundings, give the two memories block RAM, one port a channel, and a host that writes them before it raises `start`.
"""
