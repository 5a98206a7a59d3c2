"""Which tests reach which part of the machine, and how long they take: all of them run once, without a fault, in plain Python.

A test that needs native code itself, or that takes too long without, finds no faults here. What is found is kept in `.cache/`, for each
file of tests as long as it, the project and what tests share stay as they are.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from tests.mutation.faults import files
from tests.mutation.importing import import_watched
from tests.mutation.running import in_a_child, run_tests
from tests.places import ROOT

# The machine's own tests, the contracts, front ends whose instructions are run one by one, and programs whose runs are known.
# What compiles, draws and explains sees little more of it.
FOLDERS = ("machine", "contracts", "isa/avx512", "isa/gcn", "isa/riscv", "isa/vortex", "study/microbenchmarks")
FILES = (
    "test_golden_*.py",
    "isa/*goldens.py",
    "test_examples_*.py",
    "test_gpu.py",
    "test_units.py",
    "test_device.py",
)
HERE = Path(__file__).parent
MEASURING = ("reach", "running", "importing", "plain")  # the files of this folder that have a say in what reaches what
KEPT = ROOT / ".cache" / "mutation"
SECONDS = 240  # that a file of tests may take; those of its tests that come later find no faults


class Reached(NamedTuple):
    """A test that passes: its seconds, and the places that it reaches, as `importing.place_of` names them."""

    seconds: float
    places: frozenset[str]


def test_files() -> list[str]:
    """The files of tests, from the project's root."""
    tests = ROOT / "tests"
    found = [path for folder in FOLDERS for path in (tests / folder).rglob("test_*.py")]
    found += [path for pattern in FILES for path in tests.glob(pattern)]
    return sorted(str(path.relative_to(ROOT).as_posix()) for path in found)


def reach(processes: int, notice: Callable[[str], None]) -> dict[str, Reached]:
    """All tests that pass, by name. notice: called with one sentence now and then."""
    shared = _shared()
    kept = {file: KEPT / f"{Path(file).stem}-{_digest([ROOT / file], file + shared)}.pickle" for file in test_files()}
    missing = [file for file, place in kept.items() if not place.exists()]
    KEPT.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        running = {pool.submit(_reached_by, file): file for file in missing}
        for number, done in enumerate(as_completed(running)):
            kept[running[done]].write_bytes(pickle.dumps(done.result()))
            notice(f"{number + 1} of {len(missing)} files of tests have run without a fault")
    found: dict[str, Reached] = {}
    for place in kept.values():
        found |= pickle.loads(place.read_bytes())
    for old in set(KEPT.glob("*.pickle")) - set(kept.values()):
        old.unlink()
    return found


def _shared() -> str:
    """A digest of all that tests share, and of what measures them."""
    package, tests = (sorted((ROOT / folder).rglob("*.py")) for folder in ("warploom", "tests"))
    return _digest(
        path for path in package + tests if not path.name.startswith("test_") and (path.parent != HERE or path.stem in MEASURING)
    )


def _reached_by(file: str) -> dict[str, Reached]:
    found: dict[str, Reached] = {}
    for told in in_a_child(lambda tell: _watch(file, tell), SECONDS):
        if told is not None:
            name, passed, seconds, places = told
            if passed:
                found[name] = Reached(seconds, frozenset(places))
    return found


def _watch(file: str, tell: Callable[[Any], None]) -> None:
    reached: set[str] = set()
    import_watched(files(), reached)

    def places() -> Sequence[str]:
        found = tuple(reached)
        reached.clear()
        return found

    run_tests([file], {}, tell, places)


def _digest(paths: Any, more: str = "") -> str:
    digest = hashlib.sha256(more.encode())
    for path in paths:
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def tests_for(place: str, mirror: str, known: dict[str, Reached]) -> Iterator[list[str]]:
    """The tests that may notice a fault, in three parts: few of them soon, all that reach it, and all others of the files of those.

    The last are for what a file's tests share: a run that the first of them made. Only tests that reach a fault can notice it, but for one
    in a part that runs when the machine is imported.
    """
    near = [name for name, test in known.items() if place in test.places or name.startswith(mirror)]
    near.sort(key=lambda name: (not name.startswith(mirror), known[name].seconds))
    first = near[:1]
    spent = 0.0
    for name in near[1:]:
        spent += known[name].seconds
        if spent < 2 and len(first) < 60:
            first.append(name)
    yield first
    yield [name for name in near if name not in set(first)]
    touched = {name.partition("::")[0] for name in near}
    seen = set(near)
    yield sorted((name for name in known if name not in seen and name.partition("::")[0] in touched), key=lambda name: known[name].seconds)
