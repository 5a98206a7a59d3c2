"""Programs that launch kernels themselves, by the endings of their files: a row each says what they are and who runs them.

A runner is `run(path, arguments, words)`: it runs a program to its end over the current GPU (`context.CURRENT`), and raises what the
program raises, SystemExit where it ends itself, SourceError for what cannot be run, and KernelError for a kernel with a fault. Rows of
rooms above this one, and of other packages, are entry points of the group `warploom.programs`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from warploom.kernel import python_program

GROUP = "warploom.programs"
Runner = Callable[..., None]


class Kind(NamedTuple):
    """isa: the front end's name. launching: how such a program launches a kernel, for a message. memory_bytes: of the device, 0 for the
    usual. compiled_for_checks: a kernel is compiled once more for checks. claims: whether a file without such an ending is one."""

    isa: str
    endings: tuple[str, ...]
    run: Runner
    launching: str
    memory_bytes: int = 0
    compiled_for_checks: bool = False
    claims: Callable[[Path], bool] | None = None


PYTHON = Kind("python", (".py", ".ipynb"), python_program.run, "kernel[blocks, threads](...)", compiled_for_checks=True)


def kind_of(path: str | Path) -> Kind | None:
    """The row of a file, by its ending or by what it says of itself; None for a file of no such program."""
    place = Path(path)
    suffix = place.suffix.lower()
    if suffix in PYTHON.endings:
        return PYTHON
    found = next((kind for kind in _others() if suffix in kind.endings), None)
    return found or next((kind for kind in _others() if kind.claims is not None and kind.claims(place)), None)


@lru_cache(maxsize=1)
def _others() -> tuple[Kind, ...]:
    """The rows of entry points: looking for them takes a while, and a program in Python needs none."""
    from importlib.metadata import entry_points

    found = [point.load() for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)]
    return tuple(one for one in found if isinstance(one, Kind))
