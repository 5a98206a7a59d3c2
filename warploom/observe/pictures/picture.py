"""Picture: one picture of a run, that shows itself in a notebook and saves itself as a file."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from warploom.machine.run.result import RunResult
from warploom.observe.pictures.sheet import FORMATS, LEFT, PART, RIGHT, WIDTH, Page
from warploom.observe.pictures.view import DrawingError, View, view_of
from warploom.observe.text.styled import Line, folded, grouped
from warploom.observe.text.summary import machine
from warploom.observe.text.whole_file import whole_file

LEAST_WIDTH, MOST_WIDTH = 500, 6000  # points


class Kind(NamedTuple):
    """A kind of picture. title: its name as a heading. about: what it shows. data, drawing: modules that compute and draw it.

    text: the module that writes it in letters, "" for none. whole: it is always of the whole run.
    """

    title: str
    about: str
    data: str
    drawing: str
    text: str = ""
    whole: bool = False


KINDS = {
    "masks": Kind("execution masks", "what every lane did in every cycle", "masks", "masks_sheet", "masks_text"),
    "timeline": Kind("timeline of the warps", "when each warp issues, and what it waits for", "timeline", "timeline", "timeline"),
    "issue": Kind("occupancy and issue slots", "how full the machine is, and how many issue slots are taken", "issue", "series"),
    "memory": Kind("memory traffic", "transactions, hit rates, and accesses in flight", "memory", "series"),
    "banks": Kind("bank conflicts", "the passes that accesses to shared memory take", "banks", "banks", whole=True),
    "roofline": Kind("roofline", "what the kernel reaches of what the machine can do", "roofline", "roofline", whole=True),
    "quads": Kind("quads", "how full the quads of a draw call are", "quads", "series"),
    "overdraw": Kind("overdraw", "how many fragments come to each pixel", "overdraw", "overdraw"),
    "tiles": Kind("tiles by time", "when the tiles of the picture are worked on", "tiles", "tiles"),
    "pipeline": Kind("pipeline of a warp", "every instruction of one warp, from its wait to its result", "pipeline", "pipeline"),
    "schedule": Kind("schedule", "a scheduler's issues, stall counts, counters, yields, pipes", "schedule", "schedule", "schedule"),
}


@dataclass(frozen=True, eq=False)
class Picture:
    """One picture of a run. kind: of KINDS. view: the part of the run. width: points. dark: for a dark background.

    In a notebook it shows itself; `save` writes it, `png` and `svg` give its bytes; `data` is what it is drawn from.
    """

    result: RunResult
    kind: str
    view: View
    width: int = WIDTH
    dark: bool = False

    def __repr__(self) -> str:
        return f"Picture({self.title})"

    @cached_property
    def data(self) -> Any:
        """What the picture shows, as arrays. Raises DrawingError where the run has nothing of the kind."""
        try:
            return _module(KINDS[self.kind].data).data(self.result, self.view, most_columns=self.width - LEFT - RIGHT)
        except DrawingError:
            raise
        except ValueError as error:  # a run without events
            raise DrawingError(str(error)) from None

    @property
    def title(self) -> str:
        """Kernel, machine, kind and cycles."""
        run, view = self.result, self.view
        whole = view.start == 0 and view.stop == run.cycles
        cycles = f"{grouped(run.cycles)} cycles" if whole else f"cycles {grouped(view.start)} to {grouped(view.stop - 1)}"
        part = "" if whole else f" of {grouped(run.cycles)}"
        return f"{run.program.name} on {run.config.name}: {KINDS[self.kind].title}, {cycles}{part}"

    @property
    def subtitle(self) -> str:
        """The machine, and what the picture says in a sentence."""
        said = _module(KINDS[self.kind].data).caption(self.data)
        return f"{machine(self.result.config, self.result.units)}{PART}{said}" if said else machine(self.result.config, self.result.units)

    def facts(self) -> dict[str, Any]:
        """The picture in numbers: of which run and cycles, and what its kind has to say."""
        run, view = self.result, self.view
        about = {"kind": self.kind, "program": run.program.name, "machine": run.config.name, "status": run.status, "cycles": run.cycles}
        return about | {"first": view.start, "last": view.stop - 1} | _module(KINDS[self.kind].data).facts(self.data)

    def lines(self, width: int = 80, *, colours: bool = False) -> Iterator[Line]:
        """The picture in letters, a line of styled pieces each. width: characters. Raises DrawingError where there is none in letters."""
        text = KINDS[self.kind].text
        if not text:
            raise DrawingError(f"the picture {self.kind!r} is drawn into a file: name one that ends in {_endings()}")
        yield from folded([(self.title, "bold")], width)
        yield from folded([(machine(self.result.config, self.result.units), "dim")], width)
        for line in _module(text).lines(self.result, self.view, width, colours=colours):
            yield from folded(line, width, "    ")

    def drawn(self, form: str) -> bytes:
        """The file. form: png, svg or pdf. Raises DrawingError, also where matplotlib is not installed."""
        page = Page(self.title, self.subtitle, self.width, self.dark)
        sheet = _module(KINDS[self.kind].drawing).draw(self.data, page)
        found: bytes = sheet.bytes(form)
        return found

    def png(self) -> bytes:
        """The picture as a PNG file."""
        return self.drawn("png")

    def svg(self) -> str:
        """The picture as an SVG file."""
        return self.drawn("svg").decode()

    def save(self, path: str | Path) -> None:
        """Write it into a file whose name ends in .png, .svg or .pdf. Raises DrawingError for another name."""
        drawn = self.drawn(form_of(str(path)))
        with whole_file(path, binary=True) as file:
            file.write(drawn)

    def _repr_png_(self) -> bytes:
        return self.png()


def picture(
    result: RunResult,
    kind: str = "masks",
    *,
    cycles: tuple[int, int | None] | None = None,
    cores: Iterable[int] | None = None,
    warps: Iterable[int] | None = None,
    width: int = WIDTH,
    dark: bool = False,
) -> Picture:
    """A picture of a run, or of a part of it. kind: of KINDS. cycles: first and last, both included.

    cores, warps: numbers of those that it shows. width: points at most. Raises DrawingError for what there is not.
    """
    if kind not in KINDS:
        raise DrawingError(f"there is no picture {kind!r}; there are {', '.join(KINDS)}")
    if KINDS[kind].whole and not (cycles is None and cores is None and warps is None):
        raise DrawingError(f"the picture {kind} is of a whole run: it cannot show a part of the cycles, cores or warps")
    check_width(width)
    return Picture(result, kind, view_of(result, cycles, cores, warps), width, dark)


def check_width(width: int) -> None:
    """Raises DrawingError for a width that no picture can have. width: points."""
    if not (isinstance(width, int) and LEAST_WIDTH <= width <= MOST_WIDTH):
        raise DrawingError(f"a picture is {LEAST_WIDTH} to {MOST_WIDTH} points wide, not {width}")


def form_of(path: str) -> str:
    """The format that a file's name asks for. Raises DrawingError for a name without one."""
    form = Path(path).suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise DrawingError(f"{path}: a picture is drawn into a file that ends in {_endings()}")
    return form


def _endings() -> str:
    return ", ".join(f".{form}" for form in FORMATS[:-1]) + f" or .{FORMATS[-1]}"


def _module(name: str) -> Any:
    return importlib.import_module(f"warploom.observe.pictures.{name}")
