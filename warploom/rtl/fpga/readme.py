"""The page beside a bitstream: what is in the folder, what the design takes, its pins, and what to do next."""

from __future__ import annotations

from warploom.isa.numbers import grouped
from warploom.rtl.fpga.board import PINS
from warploom.rtl.fpga.parts import Part
from warploom.rtl.fpga.report import Bitstream
from warploom.rtl.fpga.tools import route_arguments
from warploom.rtl.hardware import Hardware
from warploom.rtl.shuttle.texts import PROTOCOL

# The tile's pins, and what they are called where each wire has a pin of its own.
NAMES = {"`uio[2:0]`": "`command`", "`uio[3]`": "`strobe`", "`uio[4]`": "`done`", "`uio[5]`": "`fault`"}


def readme(name: str, hardware: Hardware, sizes: tuple[int, int], part: Part, found: Bitstream, pins: bool) -> str:
    """The page. sizes: words and bytes of the memories. pins: whether there is a file of pins; if not, the router has chosen them."""
    words, data = sizes
    protocol = PROTOCOL
    for tile, board in NAMES.items():
        protocol = protocol.replace(tile, board)
    return README.format(
        name=name,
        hardware=hardware,
        words=words,
        bytes=data,
        part=part.title,
        boards=part.boards,
        bitstream=part.bitstream,
        resources="\n".join(f"| {item.name} | {grouped(item.used)} | {_there(item.there)} |" for item in found.resources),
        frequency=found.frequency,
        tools=found.tools,
        next=(WITH_PINS if pins else WITHOUT_PINS).format(bitstream=part.bitstream, loader=part.loader, pins=part.pin_file),
        lines="\n".join("    " + part.pin_line.format(pin=pin) for pin in PINS),
        synthesis=f'yosys -p "read_verilog gpu.v; {part.synthesis} -top gpu -json gpu.json"',
        route=f"{part.router} {' '.join(route_arguments(part, True))}",
        pack=f"{part.packer} {part.routed[1]} {part.bitstream}",
        protocol=protocol,
    )


def _there(count: int | None) -> str:
    return "" if count is None else grouped(count)


WITHOUT_PINS = """\
1. The router has chosen the pins: this bitstream is for its figures, **not for a board**. Write a file `{pins}` with the
   pins of yours, a line each as below, and build again with `--pins {pins}`.
2. Load it: `{loader}`.
3. Let a host, a microcontroller for example, speak the protocol below."""
WITH_PINS = """\
1. Load `{bitstream}` into the board: `{loader}`.
2. Let a host, a microcontroller for example, speak the protocol below. `warploom.rtl.host` has it in Python, as generators of what to
   lay on the pins."""
README = """\
# A GPU on an FPGA

Built from the configuration `{name}`: {hardware};
{words} words of program memory and {bytes} bytes of data memory on the chip.

| file | what it is |
|---|---|
| `{bitstream}` | the bitstream, for the {part} ({boards}) |
| `gpu.v` | the design in Verilog, module `gpu`; a module a unit, named by its place |
| `report.json` | nextpnr's report: what is used, and the slowest paths |

## What it takes

| | used | in the {part} |
|---|---|---|
{resources}

Clock: {frequency}.

The figures are of this description, by these tools: {tools}.
The clock is nextpnr's estimate for the slowest path. They are never the area or the clock of a product.

## What to do next

{next}

## Pins

A line of the file of pins for each, with the pins of your board:

{lines}

`rst_n` low for a clock edge resets the GPU. `clk` comes from the host, or from what clocks the host: nothing between
the pins and the GPU brings signals from one clock to another. Lay the inputs at falling edges, half a period before they are taken.

## The tools by hand

For a different package or size of the part, or other options:

    {synthesis}
    {route}
    {pack}

## The host's protocol

{protocol}
Data memory is block RAM or registers behind a clock edge: `uo` shows the byte at the address after the next edge. The host is
silent while a kernel runs: only RUN without the strobe. A kernel takes the model's cycles, from RUN to done.
"""
