"""The front ends "python" and "cuda": a program with its own main, of which one launch of a kernel is the program.

The file is run as it is, until the launch that is asked for: the first, or that of a
number or of a kernel's name. What memory holds then, the arguments and the grid make a program that every command takes.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from warploom.device import Device
from warploom.gpu import GPU
from warploom.isa.diagnostics import SourceError, nearest
from warploom.isa.frontend import PATH, FrontEnd, Loaded, Options
from warploom.isa.launching import BufferError, started
from warploom.isa.program import Program
from warploom.isa.reading import error
from warploom.kernel.device.context import CURRENT, OWN
from warploom.kernel.programs import PYTHON, kind_of
from warploom.kernel.script import Enough, run_script
from warploom.machine.accounting.status import LaunchError

FRONT_END = FrontEnd(
    "python",
    (".py", ".ipynb"),
    "warploom.kernel.frontend",
    "kernels in Python, in the dialect of numba.cuda",
    "sm",
    takes=(PATH,),
    scripts=True,
)


EXTENTS = ("threads", "block", "grid")  # of a launch, that another launch of the same kernel may have
KEPT = tuple(one.name for one in fields(Program) if one.init and one.name not in ("data", "launch", "launches"))


class Ended(BufferError):
    """A program has ended itself before it launched a kernel. words: its last ones."""

    def __init__(self, source: Path, words: Any) -> None:
        super().__init__(f"{source}: the program has ended itself before it launched a kernel: {words}")
        self.words = words


def load(source: Path, options: Options) -> Loaded:
    """The program of a launch. Raises SourceError for mistakes in kernels, BufferError for a launch that there is not.

    Last words of a program that has launched others are on standard error then; Ended carries those of one that has launched nothing.
    """
    wanted = options.more.get("launch")
    place = source.resolve()  # before the program goes to another directory
    found: list[Program] = []
    names: list[str] = []
    kind = kind_of(source) or PYTHON

    def before(program: Program, device: Device) -> dict[str, Any]:
        number = len(names)
        names.append(program.name)
        if wanted is None or wanted in (str(number), program.name):
            again = (
                kind.compiled_for_checks and not options.more.get("check") and options.more.get("compiler", OWN) == OWN
            )  # a kernel in Python is compiled once more for checks
            found.append(captured(program, device, (source, place, options, number) if again else None))
            raise Enough
        return {}

    machine = None if options.machine is None else GPU(options.machine)
    saved, CURRENT.asking = CURRENT.asking, bool(options.more.get("check"))
    try:
        compiler = options.more.get("compiler", OWN)
        words = options.more.get("words", ())
        run_script(source, options.more.get("arguments", ()), gpu=machine, before=before, words=words, compiler=compiler)
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
            raise BufferError(f"{source}: the program launches no kernel; write {kind.launching}")
        raise BufferError(f"{source}: there is no launch {wanted!r}{nearest(str(wanted), names)}; there are {there}")
    return Loaded(started(found[0], options))


@dataclass(frozen=True)
class Captured(Program):
    """A launch of a kernel that was not compiled for checks. file, options, number: where it is found again.

    place: the whole path of the file. made: what the file has made, to tell what was changed since.
    """

    file: Path = Path()
    place: Path = Path()
    made: Program | None = None
    options: Options | None = None
    number: int = 0

    def for_checks(self) -> Program:
        """The same launch, compiled for checks, over this program's memory. The file is run once more, up to the launch.

        Raises SourceError where the file is gone, LaunchError where this program is not what the file makes, but for data and extents.
        """
        assert self.options is not None
        self._refuse_changes()
        if not self.place.exists():
            raise error(self.place, "the file is gone, and its kernel is compiled once more for checks", "put it back, or load another one")
        more = {**self.options.more, "launch": str(self.number), "check": True}
        file = self.file if self.file.resolve() == self.place else self.place
        asking = load(file, replace(self.options, more=more)).program
        assert isinstance(asking, Program)
        extents = {name: getattr(self.launch, name) for name in EXTENTS}
        return replace(asking, data=self.data, launch=replace(asking.launch, **extents))

    def _refuse_changes(self) -> None:
        """Raise LaunchError where a copy of the program has other fields than the file has given it, which checks would not run with."""
        assert self.made is not None
        of_program = [name for name in KEPT if not _same(getattr(self, name), getattr(self.made, name))]
        first, mine = self.made.launch, self.launch
        of_launch = [one.name for one in fields(mine) if one.compare and getattr(mine, one.name) != getattr(first, one.name)]
        changed = [*of_program, *(f"launch.{name}" for name in of_launch if name not in EXTENTS)]
        if changed:
            raise LaunchError(
                f"{self.name}: {changed[0]} is not what {self.file} gives it; checks take its data and the launch's "
                f"{', '.join(EXTENTS[:-1])} and {EXTENTS[-1]} from a changed program, so change the rest in the file"
            )


def _same(one: Any, other: Any) -> bool:
    """Whether two fields of programs say the same."""
    if isinstance(one, np.ndarray):
        return one is other or np.array_equal(one, other)
    return bool(one == other)


def captured(program: Program, device: Device, origin: tuple[Path, Path, Options, int] | None = None) -> Program:
    """A launch with all that memory holds, by itself. origin: where it is found again to be compiled for checks."""
    used = device.held.used
    data = np.array(device.held.bytes[:used])
    program = replace(program, data=data, memory_bytes=used, launches=(program.launch,))
    if origin is None:
        return program
    own = {one.name: getattr(program, one.name) for one in fields(Program) if one.init}
    file, place, options, number = origin
    made = replace(program, data=np.zeros(0, np.uint8))
    return Captured(**own, file=file, place=place, made=made, options=options, number=number)
