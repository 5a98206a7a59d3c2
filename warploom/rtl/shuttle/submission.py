"""A whole submission for Tiny Tapeout: Verilog, pinout, documentation, a test through the pins, and the workflows that build it.

The folder has the shape of TinyTapeout/ttsky-verilog-template. Its test runs a kernel with cocotb and expects the model's cycles and
memory.
"""

from __future__ import annotations

import json
from typing import Any

from warploom.isa.numbers import grouped
from warploom.rtl.hardware import ADDRESSES, Hardware, NoHardware, check_program
from warploom.rtl.model import GPU, Program, words
from warploom.rtl.prices import cost_of
from warploom.rtl.shuttle import texts
from warploom.rtl.shuttle.area import Estimate, estimate
from warploom.rtl.shuttle.info import YAML_VERSION, written
from warploom.rtl.shuttle.tile import TOP, Tile, check_tile
from warploom.rtl.testbench import Replay
from warploom.rtl.verilog import verilog
from warploom.rtl.yosys import rtlil_text

CLOCK_HZ = 10_000_000  # the divider makes an ALU deep
SIZE = 32  # words, and bytes, where nothing else is said
PINOUT = {
    **{f"ui[{bit}]": f"byte to the chip, bit {bit}" for bit in range(8)},
    **{f"uo[{bit}]": f"byte from the chip, bit {bit}" for bit in range(8)},
    "uio[0]": "in: command, bit 0",
    "uio[1]": "in: command, bit 1",
    "uio[2]": "in: command, bit 2",
    "uio[3]": "in: strobe",
    "uio[4]": "out: done",
    "uio[5]": "out: fault",
    "uio[6]": "",
    "uio[7]": "",
}


def submission(gpu: GPU, program: Program, *, author: str, words_of: int = SIZE, bytes_of: int = SIZE) -> dict[str, str]:
    """The files of a submission, by their paths. program: what its test runs. author: who submits. words_of, bytes_of: the tile's memories.

    Raises NoHardware for what has no hardware or no room, NoReplay, LaunchError, MissingPackage.
    """
    hardware = Hardware.of(gpu.config)
    check_tile(hardware, words_of, bytes_of)
    replay = Replay.of(program, gpu)
    check_fits(replay, words_of, bytes_of)
    circuit = rtlil_text(Tile(hardware, words_of, bytes_of), TOP)
    size = estimate(cost_of(Tile(hardware, words_of, bytes_of)))
    return {
        "info.yaml": written(_info(hardware, author, size)),
        "src/project.v": verilog(circuit),
        "src/config.json": json.dumps(texts.CONFIG | {"CLOCK_PERIOD": 1_000_000_000 // CLOCK_HZ}, indent=2) + "\n",
        "docs/info.md": texts.INFO.format(hardware=hardware, words=words_of, bytes=bytes_of, name=program.name, cycles=replay.cycles),
        "test/test.py": _test(replay, bytes_of),
        "test/tb.v": texts.BENCH,
        "test/Makefile": texts.MAKEFILE,
        "test/requirements.txt": texts.REQUIREMENTS,
        "test/README.md": texts.TEST_README,
        ".github/workflows/gds.yaml": texts.GDS,
        ".github/workflows/docs.yaml": texts.DOCS,
        ".github/workflows/test.yaml": texts.TEST,
        ".github/workflows/fpga.yaml": texts.FPGA,
        ".gitignore": "test/sim_build/\ntest/__pycache__/\ntest/results.xml\ntest/tb.vcd\n",
        "LICENSE": texts.LICENSE.format(author=author),
        "README.md": _readme(hardware, words_of, bytes_of, size),
    }


def check_fits(replay: Replay, words_of: int, bytes_of: int) -> None:
    """Raises NoHardware for a program that the tile's memories do not hold, or that uses bytes beyond them."""
    program = replay.program
    check_program(program)
    if len(program) > words_of:
        raise NoHardware(
            f"{program.name} has {len(program)} instructions, and the tile {words_of} words: add --words {_power(len(program))}"
        )
    used = max((place + 1 for place, byte in enumerate(replay.memory) if byte), default=0)
    used = max(used, len(program.data))
    if used > bytes_of:
        raise NoHardware(f"{program.name} uses {used} bytes of data memory, and the tile has {bytes_of}: add --bytes {_power(used)}")


def _power(size: int) -> int:
    return min(1 << (size - 1).bit_length(), ADDRESSES)


def _info(hardware: Hardware, author: str, size: Estimate) -> dict[str, Any]:
    return {
        "project": {
            "title": "A small GPU",
            "author": author,
            "discord": "",
            "description": f"{hardware}, memories in flip-flops",
            "language": "Amaranth",
            "clock_hz": CLOCK_HZ,
            "tiles": size.tiles,
            "top_module": TOP,
            "source_files": ["project.v"],
        },
        "pinout": PINOUT,
        "yaml_version": YAML_VERSION,
    }


def _test(replay: Replay, bytes_of: int) -> str:
    program = replay.program
    kind, _, pc, _ = replay.fault
    return texts.TEST_PY.format(
        name=program.name,
        program=", ".join(f"0x{word:04X}" for word in words(program)),
        data=", ".join(str(int(byte)) for byte in program.data),
        threads=program.launch.threads,
        cycles=replay.cycles,
        expected=", ".join(str(int(byte)) for byte in replay.memory[:bytes_of]),
        fault=kind,
        fault_pc=pc,
        limit=2 * replay.cycles + 100,
    )


def _readme(hardware: Hardware, words_of: int, bytes_of: int, size: Estimate) -> str:
    return texts.README.format(
        hardware=hardware, words=words_of, bytes=bytes_of, tiles=size.tiles, cells=grouped(size.cells), die=grouped(size.die)
    )
