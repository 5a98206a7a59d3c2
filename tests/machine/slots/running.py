"""A kernel on a small machine with units of a user's, in one engine or in both."""

from __future__ import annotations

from typing import Any

from tests.places import EXAMPLES
from warploom import GPU, load, load_config
from warploom.machine.run.driver import drive

SMALL = {"l1.bytes": 1024, "l1.sets": 0, "l1.ways": 4, "l2.bytes": 4096, "l2.slices": 1}


def ran(units: dict[str, Any], engine: str = "python", program: str = "guppy/load_strided.guppy", machine: dict[str, Any] = SMALL) -> Any:
    """The machine after the run, and its result."""
    built = GPU(load_config("sm", machine), units=units, engine=engine).machine(load(EXAMPLES / program))
    outcome = drive(built, engine=engine, max_cycles=200_000)
    return built, built.finish(outcome)


def same_in_both(units: dict[str, Any], **more: Any) -> Any:
    """The machine and the result of a run, which is the same in both engines."""
    (plain, result), (native, _) = (ran(units, engine, **more) for engine in ("python", "native"))
    assert plain.state() == native.state()
    assert result.status == "done", result.fault
    return plain, result
