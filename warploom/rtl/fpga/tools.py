"""Place and route: nextpnr and the packer of its family, from the path or from the packages of PyPI.

The packages are WebAssembly, compiled at their first use and kept. They see files by relative paths alone, so a tool runs in the folder
of its files.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from warploom.isa.host.children import ISOLATED
from warploom.isa.numbers import grouped
from warploom.observe.text.needs import needed
from warploom.rtl.fpga.parts import Part
from warploom.rtl.hardware import NoHardware

_USED = re.compile(r"(\w+):\s*(\d+)/\s*(\d+)\s")  # the router's table: ICESTORM_LC:  2710/  5280  51%
_RUNNER = "import sys, {package} as tools; sys.exit(tools.run_{program}(sys.argv[1:]))"


class NoBitstream(NoHardware):
    """A design that is too large for the part, or that a tool does not take. One sentence."""


class Tools(NamedTuple):
    """The commands of a part's router and packer, without arguments, and the router's name with its version."""

    router: tuple[str, ...]
    packer: tuple[str, ...]
    name: str


def find_tools(part: Part) -> Tools:
    """A part's tools on this computer: those on the path, if both are there, or the package's. Raises MissingPackage."""
    router, packer = shutil.which(part.router), shutil.which(part.packer)
    if router and packer:
        said = subprocess.run([router, "--version"], capture_output=True, text=True, check=False)
        found = re.search(r"[Vv]ersion (?:nextpnr-)?([\w.+-]+)", said.stdout + said.stderr)
        return Tools((router,), (packer,), f"{part.router} {found[1] if found else 'of an unknown version'}")
    needed(part.package, "a bitstream", "fpga")

    def command(program: str) -> tuple[str, ...]:
        return sys.executable, *ISOLATED, "-c", _RUNNER.format(package=part.package, program=program.replace("-", "_"))

    return Tools(command(part.router), command(part.packer), f"{part.router} {version(part.package.replace('_', '-'))}")


def place_and_route(place: Path, part: Part, tools: Tools, pins: bool) -> None:
    """From `gpu.json` to the routed design and `report.json`. pins: whether there is a file of pins. Raises NoBitstream."""
    status, said = _run(place, [*tools.router, *route_arguments(part, pins)])
    if status != 0:
        check_room(part, said)
        raise _stopped(part.router, status, said)


def pack(place: Path, part: Part, tools: Tools) -> None:
    """From the routed design to the bitstream. Raises NoBitstream."""
    status, said = _run(place, [*tools.packer, part.routed[1], part.bitstream])
    if status != 0:
        raise _stopped(part.packer, status, said)


def _run(place: Path, command: Sequence[str]) -> tuple[int, str]:
    """Run a tool in the folder of its files: its status, and what it says."""
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def _stopped(program: str, status: int, said: str) -> NoBitstream:
    errors = [line.partition("ERROR:")[2].strip() for line in said.splitlines() if line.startswith("ERROR:")]
    return NoBitstream(f"{program} has stopped: {errors[0] if errors else said.strip()[-300:] or f'its status is {status}'}")


def route_arguments(part: Part, pins: bool) -> list[str]:
    """What the router is told. A clock that is missed is reported, and no error; the seed is fixed."""
    where = part.pins if pins else part.any_pins
    clock = ["--freq", f"{part.clock:g}", "--timing-allow-fail", "--seed", "1"]
    files = ["--json", "gpu.json", *part.routed, "--report", "report.json"]
    return [*part.device, *where, *clock, *files]


def check_room(part: Part, said: str) -> None:
    """Raises NoBitstream where the router's table says that the part is too small."""
    names = {cell: what for what, cell in part.others.items()}
    for cell, used, there in _USED.findall(said):
        if int(used) > int(there):
            what = f"{grouped(int(used))} {names.get(cell, cell)}, and the {part.title} has {grouped(int(there))}"
            raise NoBitstream(f"the design takes {what}: take fewer cores, threads, channels, words or bytes")
