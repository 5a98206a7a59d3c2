"""From a configuration to a bitstream: Yosys synthesizes, nextpnr places and routes, and what they report is read."""

from __future__ import annotations

import json
from importlib.metadata import version

from warploom.rtl.fpga.board import Board
from warploom.rtl.fpga.parts import PARTS
from warploom.rtl.fpga.readme import readme
from warploom.rtl.fpga.report import Bitstream, resources
from warploom.rtl.fpga.tools import find_tools, pack, place_and_route
from warploom.rtl.hardware import Hardware
from warploom.rtl.model import GPU
from warploom.rtl.shuttle.tile import check_tile
from warploom.rtl.verilog import verilog
from warploom.rtl.yosys import folder, rtlil_text, run_in

TOP = "gpu"
BLOCK, SEVERAL_PORTS = 256, 32  # bytes of data memory where nothing else is said: in block RAM, and in flip-flops


def bitstream(gpu: GPU, target: str, *, words_of: int = BLOCK, bytes_of: int | None = None, pins: str | None = None) -> Bitstream:
    """Make one. target: a name of PARTS. words_of, bytes_of: of the memories on the chip. pins: the text of the part's file of pins, or
    None: then the router chooses them, and the figures are all that it is good for.

    Raises NoHardware for what has no hardware or no room, MissingPackage.
    """
    part, hardware = PARTS[target], Hardware.of(gpu.config)
    if bytes_of is None:
        bytes_of = BLOCK if hardware.data_channels == 1 else SEVERAL_PORTS
    check_tile(hardware, words_of, bytes_of)
    tools = find_tools(part)
    circuit = rtlil_text(Board(hardware, words_of, bytes_of), TOP)
    with folder() as place:
        *_, statistics = run_in(place, circuit, [f"{part.synthesis} -top {TOP} -json {{folder}}/gpu.json", "stat -json"])
        if pins is not None:
            (place / part.pin_file).write_text(pins)
        place_and_route(place, part, tools, pins is not None)
        pack(place, part, tools)
        text = (place / "report.json").read_text()
        made = (place / part.bitstream).read_bytes()
        files: dict[str, str | bytes] = {f"{TOP}.v": verilog(circuit), part.bitstream: made, "report.json": text}
    report = json.loads(text)
    found = Bitstream(
        part.title,
        files,
        resources(part, statistics, report),
        min((float(clock["achieved"]) for clock in report["fmax"].values()), default=0.0),
        part.clock,
        f"Yosys {version('pyosys')} and {tools.name}",
    )
    if pins is not None:
        files[part.pin_file] = pins
    files["README.md"] = readme(gpu.config.name, hardware, (words_of, bytes_of), part, found, pins is not None)
    return found
