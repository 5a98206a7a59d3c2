"""The front end "python": a Python file, of which one launch of a kernel is the program.

The file is run as it is, with warploom in the place of numba.cuda, until the launch that is asked for: the first, or that of a
number or of a kernel's name. What memory holds then, the arguments and the grid make a program that every command takes.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from warploom.device import Device
from warploom.isa.diagnostics import SourceError, nearest
from warploom.isa.frontend import PATH, FrontEnd, Loaded, Options
from warploom.isa.launching import BufferError, started
from warploom.isa.program import Program
from warploom.kernel.context import CURRENT
from warploom.kernel.script import Enough, run_script

FRONT_END = FrontEnd("python", (".py",), "warploom.kernel.frontend", "kernels in Python, in the dialect of numba.cuda", "sm", takes=(PATH,))


class Ended(BufferError):
    """A program has ended itself before it launched a kernel. words: its last ones."""

    def __init__(self, source: Path, words: Any) -> None:
        super().__init__(f"{source}: the program has ended itself before it launched a kernel: {words}")
        self.words = words


def load(source: Path, options: Options) -> Loaded:
    """The program of a launch. Raises SourceError for mistakes in kernels, BufferError for a launch that there is not.

    options.more["machine"]: the GPU that the program sees until then; None: the usual one.

    Last words of a program that has launched others are on standard error then; Ended carries those of one that has launched nothing.
    """
    wanted = options.more.get("launch")
    found: list[Program] = []
    names: list[str] = []

    def before(program: Program, device: Device) -> dict[str, Any]:
        number = len(names)
        names.append(program.name)
        if wanted is None or wanted in (str(number), program.name):
            found.append(captured(program, device, None if options.more.get("check") else (source, options, number)))
            raise Enough
        return {}

    saved, CURRENT.asking = CURRENT.asking, bool(options.more.get("check"))
    try:
        run_script(source, options.more.get("arguments", ()), gpu=options.more.get("machine"), before=before)
    except SystemExit as leaving:
        if leaving.code is not None and not isinstance(leaving.code, int):
            if not names:
                raise Ended(source, leaving.code) from None
            print(leaving.code, file=sys.stderr)  # as Python does
    except (SourceError, BufferError):
        raise
    finally:
        CURRENT.asking = saved
    if not found:
        there = ", ".join(f"{number} {name}" for number, name in enumerate(names[:12]))
        if not names:
            raise BufferError(f"{source}: the program launches no kernel; write kernel[blocks, threads](...)")
        raise BufferError(f"{source}: there is no launch {wanted!r}{nearest(str(wanted), names)}; there are {there}")
    return Loaded(started(found[0], options))


@dataclass(frozen=True)
class Captured(Program):
    """A launch of a kernel that was not compiled for checks. file, options, number: where it is found again."""

    file: Path = Path()
    options: Options | None = None
    number: int = 0

    def for_checks(self) -> Program:
        """The same launch, compiled for checks, over this program's memory. The file is run once more, up to the launch."""
        assert self.options is not None
        more = {**self.options.more, "launch": str(self.number), "check": True}
        asking = load(self.file, replace(self.options, more=more)).program
        assert isinstance(asking, Program)
        return replace(asking, data=self.data)


def captured(program: Program, device: Device, origin: tuple[Path, Options, int] | None = None) -> Program:
    """A launch with all that memory holds, by itself. origin: where it is found again to be compiled for checks."""
    used = device.held.used
    data = np.array(device.held.bytes[:used])
    program = replace(program, data=data, memory_bytes=used, launches=(program.launch,))
    if origin is None:
        return program
    own = {one.name: getattr(program, one.name) for one in fields(Program) if one.init}
    return Captured(**own, file=origin[0], options=origin[1], number=origin[2])
