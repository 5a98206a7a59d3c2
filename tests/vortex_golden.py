"""Recorded runs of three small programs on Vortex's own simulators: sources, memory, and what came out. `tests/golden/vortex`."""

import hashlib
import itertools
import json
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np

from tests.places import GOLDEN
from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.c.buffers import FIRST as FIRST_BUFFER
from warploom.isa.frontend import Options

FOLDER = GOLDEN / "vortex"
UNWRITTEN = 0xBAADF00D  # what memory that nobody has written reads as, on the originals
MULTIPLIER, INCREMENT = 1664525, 1013904223  # Numerical Recipes' generator: the recordings' outputs say that words and floats come from it

# The original's spawner gives each thread a row of neighbouring tasks; ours gives neighbouring tasks to neighbouring lanes, which changes
# what the caches see. So does an original's run that is to take the same time.
ROWS_OF_TASKS = """
#include <vx_spawn.h>
static vx_spawn_tasks_cb row_function;
static int row_length;
static void row(int ignored, void *argument) {
  for (int i = 0, task = vx_hart_id() * row_length; i < row_length; ++i) row_function(task + i, argument);
}
static void spawn_rows(int count, vx_spawn_tasks_cb function, void *argument) {
  int threads = vx_num_cores() * vx_num_warps() * vx_num_threads();
  row_function = function;
  row_length = count / threads;
  vx_spawn_tasks(threads, row, argument);
}
#define vx_spawn_tasks spawn_rows
"""
SINGLE_ROUNDINGS = "#pragma STDC FP_CONTRACT OFF"  # gcc -O1 fuses no multiplication with an addition


def recordings(name):
    """The runs of a program, as `2022-own_sgemm`, by their names."""
    return {run["name"]: run for run in json.loads((FOLDER / f"{name}.json").read_text())["runs"]}


def contents(recipe):
    """What a part of memory holds before the run."""
    if recipe["kind"] == "words":
        return np.array(recipe["values"], np.uint32)
    if recipe["kind"] == "fill":
        return np.full(recipe["n"], recipe["value"], np.uint32)
    words = np.zeros(recipe["n"], np.uint32)
    state = recipe["seed"]
    for place in range(recipe["n"]):
        state = (state * MULTIPLIER + INCREMENT) % (1 << 32)
        words[place] = state
    if recipe["kind"] == "lcg":
        return words
    assert recipe["kind"] == "lcg_f32", recipe["kind"]
    return (recipe["low"] + recipe["span"] * (words >> 8) / (1 << 24)).astype(np.float32)


@lru_cache(maxsize=8)
def compiled(program, generation, before=""):
    """The source, compiled by ours: the images that were recorded are not here. before: lines above it."""
    from warploom.isa.c.compiler import compile_c

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{program}.c"
        path.write_text(f"#define GEN {generation}\n{before}\n" + (FOLDER / f"{program}.c").read_text())
        return compile_c([path], f"vortex-{generation}")


def run(program, generation, buffers, *, machine, before="", engine="python"):
    """The result of a program with these buffers. machine: (cores, warps, lanes)."""
    options = Options(path=f"{program}.elf", buffers=buffers)
    loaded = load(compiled(program, generation, before), f"vortex-{generation}", options=options)
    cores, warps, lanes = machine
    settings = {"gpu.cores": cores, "core.warps": warps, "core.lanes": lanes, "shared.banks": lanes}
    result = GPU(f"vortex-{generation}", set=settings, engine=engine).run(loaded, max_cycles=3_000_000)
    assert result.status == "done", result.fault
    return result


def between(recorded):
    """Memory that nobody has written, as the originals have it, between what a run is given."""
    parts = sorted((part["address"], part["address"] + contents(part["recipe"]).nbytes) for part in recorded["memory"])
    ends = [(end, start) for (_, end), (start, _) in itertools.pairwise(parts) if FIRST_BUFFER < end < start < 1 << 28]
    return {f"gap{end:x}@{end:#x}": np.full((start - end) // 4, UNWRITTEN, np.uint32) for end, start in ends}


def repeat(program, generation, recorded, everywhere=False, **how):
    """A recorded run, repeated here: (SHA-256 of the outputs, the result). everywhere: there is memory between what is given, too."""
    buffers = between(recorded) if everywhere else {}
    for part in recorded["memory"]:
        name = part["name"]
        buffers[name if name == "argument" else f"{name}@{part['address']:#x}"] = contents(part["recipe"])
    if recorded["options"].get("dcr"):
        buffers["dcr"] = np.array(recorded["options"]["dcr"])
    result = run(program, generation, buffers, machine=(recorded["cores"], recorded["warps"], recorded["lanes"]), **how)
    return [hashlib.sha256(result.read(part["address"], part["bytes"]).tobytes()).hexdigest() for part in recorded["outputs"]], result
