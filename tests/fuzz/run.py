"""Running inputs: what may come of one, and what is written down of one that fails."""

from __future__ import annotations

import contextlib
import hashlib
import signal
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from tests.fuzz.mutate import mutated
from tests.fuzz.targets import TARGETS, Target, chance_of, inputs
from warploom.cli.common import mistakes

FOUND = Path(__file__).parent / "found"
SECONDS = 20  # that an input may take


class Failure(NamedTuple):
    """An input that ended as none may. said: the exception with its stack; place: where it was raised."""

    target: str
    data: bytes
    said: str
    place: str

    def keep(self) -> Path:
        """Write it to `found/`."""
        FOUND.mkdir(exist_ok=True)
        place = FOUND / f"{self.target.replace(' ', '_')}-{hashlib.sha256(self.data).hexdigest()[:12]}"
        place.write_bytes(self.data)
        return place


def failure_of(target: Target, data: bytes, folder: Path) -> Failure | None:
    """Hand an input to a target. None where it was read, or refused as a user's mistake is."""
    path = folder / f"input{target.ending}"
    path.write_bytes(data)
    try:
        with _limited():
            target.take(data, path)
    except Exception as error:
        if isinstance(error, mistakes()):
            str(error)
            return None
        last = traceback.extract_tb(error.__traceback__)[-1]
        return Failure(target.name, data, "".join(traceback.format_exception(error)[-6:]), f"{last.filename}:{last.lineno}")
    return None


def fuzzed(target: Target, seed: int, folder: Path) -> Iterator[Failure | None]:
    """Inputs without an end, and of each what came of it: the seeds as they are first, then what is made of them."""
    chance, made = chance_of(seed, target), inputs(target)
    for data in () if target.grown else made:
        yield failure_of(target, data, folder)
    while True:
        yield failure_of(target, chance.randbytes(8) if target.grown else mutated(made, chance), folder)


def replayed(place: Path, folder: Path) -> Failure | None:
    """An input that was found, once more; its file's name says the target."""
    name = place.name.rpartition("-")[0].replace("_", " ") if place.parent.name == FOUND.name else place.parent.name.replace("_", " ")
    return failure_of(TARGETS[name], place.read_bytes(), folder)


class TooLongError(Exception):
    """An input takes longer than SECONDS."""


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError(f"more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
