"""Recorded runs of tiny-gpu's published hardware, and how to repeat one."""

import gzip
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from tests.places import GOLDEN
from warploom import GPU, Program, Result, tiny

TINY = GOLDEN / "tiny"
NAMES = sorted(path.stem for path in TINY.glob("*.json"))
TRACED = sorted(path.name.removesuffix(".trace.jsonl.gz") for path in TINY.glob("*.trace.jsonl.gz"))


@lru_cache
def recorded(name: str) -> dict[str, Any]:
    """A recorded run by its file's name without the ending."""
    return json.loads((TINY / f"{name}.json").read_text())


def recorded_trace(name: str) -> Iterator[dict[str, Any]]:
    """The lines of a recorded trace."""
    with gzip.open(TINY / f"{name}.trace.jsonl.gz") as file:
        yield from map(json.loads, file)


def program(name: str) -> Program:
    """The program of a recorded run."""
    run = recorded(name)
    return tiny.program(run["program"], run["data"], run["threads"])


def settings(name: str) -> dict[str, int]:
    """The configuration of a recorded run."""
    config = recorded(name)["config"]
    return {
        "gpu.cores": config["cores"],
        "core.threads_per_block": config["threads_per_block"],
        "memory.data_channels": config["data_channels"],
        "memory.program_channels": config["program_channels"],
    }


def repeat(name: str, preset: str, engine: str = "python", **changes: Any) -> Result:
    """Run a recorded program again; `changes` are quirks by name."""
    quirks = {f"quirks.{quirk}": value for quirk, value in changes.items()}
    return GPU(preset, set=settings(name) | quirks, engine=engine).run(program(name), max_cycles=recorded(name)["max_cycles"])


def outcome(result: Result) -> tuple[str, int, list[int]]:
    """What a recording says of a run: status, cycles, final memory."""
    return result.status, result.cycles, result.memory.tolist()


def recorded_outcome(name: str) -> tuple[str, int, list[int]]:
    """The same of the recording."""
    run = recorded(name)
    return run["status"], run["cycles"], run["final_data_memory"]
