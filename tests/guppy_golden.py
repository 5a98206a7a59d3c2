"""Recorded runs of the original machine: how to read them, and the program that a run executed."""

import json
import lzma
from functools import lru_cache

import numpy as np

from tests.places import GOLDEN
from warploom.isa import guppy
from warploom.isa.guppy.bindings import Binding
from warploom.isa.program import Program
from warploom.isa.views import F_RGBA8, F_WORD

FOLDER = GOLDEN / "guppy"


def names() -> list[str]:
    """The recorded runs."""
    return sorted(path.name.removesuffix(".json.xz") for path in FOLDER.glob("*.json.xz"))


@lru_cache(maxsize=8)
def load(name: str) -> dict:
    """One recorded run: its text, settings, initial memory and results."""
    with lzma.open(FOLDER / f"{name}.json.xz") as file:
        return json.load(file)


def from_recorded(golden: dict) -> Program:
    """The Program of a recorded run: its text, its views with their contents, and its launch."""
    memory = np.array(golden.get("memory_init_words", []), np.uint32).view(np.uint8)
    views = [(f"t{number}", view) for number, view in enumerate(golden["r_views"])]
    views += [(f"u{number}", view) for number, view in enumerate(golden["rw_views"])]
    launch = golden["dispatch"]
    return guppy.assemble(
        golden["asm"],
        f"{golden['name']}.guppy",
        bindings=[_binding(name, view, memory) for name, view in views],
        group_size=launch["group_size"],
        groups=launch["group_count"],
    )


def _binding(name: str, view: dict, memory: np.ndarray) -> Binding:
    start = view["offset"]
    if view["kind"] == "buffer":
        return Binding(name, "buffer", memory[start : start + view["size"]], F_WORD)
    kind = "texture" if name.startswith("t") else "image"
    size = view["pitch"] * view["height"]
    return Binding(name, kind, memory[start : start + size], F_RGBA8, view["width"], view["height"])


def final_memory(golden: dict) -> np.ndarray | None:
    """Bytes of u0 after the run, or None where no buffer was recorded."""
    words = golden["result"].get("buffer_u0")
    return None if words is None else np.array(words, np.uint32).view(np.uint8)


def final_registers(wave: dict) -> dict[int, np.ndarray]:
    """Registers of a recorded wave by number: uint32[4, lanes]."""
    return {int(name[1:]): np.array(values, np.uint32).T for name, values in wave["regs"].items()}
