"""Lanes that part and meet, and locks between lanes of a warp, against an H100 (tests/golden/h100/divergence.json, micro/sm.cubin.xz)."""

import json
import lzma
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer
from warploom.isa.sass import front_end

FOLDER = Path(__file__).parent / "golden" / "h100"
KERNELS = (  # how the rows of each kernel begin, by its number
    "if (lane < a) 1 else",
    "if (lane >= a) 1 else",
    "nested",
    "loop with",
    "while with",
    "if (lane >= a) 1, if",
    "switch",
    "if (lane < a) 1, 100",
    "if (lane < a) 1 load",
    "if (lane < a) 1; if",
    "if (lane < a) 1 elif",
    "goto past",
)
FURTHER = {"switch": 0.15, "elif (lane < b) 2 else 3; 4 a=4": 0.2, "goto end": 0.15, "while with": 0.14}  # than a tenth, in some mark
ROWS = json.loads((FOLDER / "divergence.json").read_text())
ORDERS = [row for row in ROWS if "marks" in row]
LOCKS = [(tries, cycles) for tries, cycles in pairwise(ROWS) if tries["name"] == "its.lock_tries"]
QUICK = (1, 5)  # rows that always run


@cache
def machine_code():
    return lzma.decompress((FOLDER / "micro" / "sm.cubin.xz").read_bytes())


def ran(kernel, buffers, arguments, block, engine="python"):
    options = Options("sm.cubin", grid=1, block=block, buffers=buffers, arguments=arguments, more={"kernel": kernel})
    program = front_end.load(machine_code(), options).program
    result = GPU("h100-sxm", engine=engine, set={"gpu.cores": 1}).run(program, max_cycles=400_000)
    assert result.status == "done", result.fault
    return program, result


def marks(row):
    """(mark, clock, active lanes, lanes that were there) as the H100's rows have them."""
    a, b = map(int, re.search(r"a=(\d+) b=(\d+)$", row["params"]).groups())
    number = max((n for n, begins in enumerate(KERNELS) if row["params"].startswith(begins)), key=lambda n: len(KERNELS[n]))
    buffers, arguments = {"p0": np.zeros(2048, np.uint32)}, {"p1": a, "p2": b, "p3": 0}
    program, result = ran(f"_Z5orderILi{number}EEvPjiii", buffers, arguments, 32)
    stamps = read_buffer(program, result.memory, "p0").view(np.uint32)[:1024].reshape(16, 32, 2).tolist()
    found = {}
    for mark, lanes in enumerate(stamps):
        for lane, (clock, active) in enumerate(lanes):
            if active:
                key = mark, clock - stamps[0][0][0], active
                found[key] = found.get(key, 0) | 1 << lane
    return [(*key, lanes) for key, lanes in sorted(found.items())]


@pytest.mark.parametrize("number", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in range(len(ORDERS))])
def test_the_same_lanes_are_active_at_every_mark_and_at_about_the_same_time(number):
    row = ORDERS[number]
    bound = next((bound for part, bound in FURTHER.items() if part in row["params"]), 0.11)
    here, there = marks(row), row["marks"]
    assert [(mark, f"{active:08x}", f"{lanes:08x}") for mark, _, active, lanes in here] == [
        (one["mark"], one["active"], one["lanes"]) for one in there
    ]
    for (mark, clock, _, _), one in zip(here, there, strict=True):
        assert clock == pytest.approx(one["clock"], rel=bound), mark


@pytest.mark.parametrize(
    "tries, cycles", [pytest.param(*pair, marks=() if "2 lanes" in pair[1]["params"] else pytest.mark.slow) for pair in LOCKS]
)
def test_a_spin_lock_between_lanes_of_a_warp_ends(tries, cycles):
    """In both forms, also where the lane that has it waits at a barrier for those that spin. Lanes get it one after the other."""
    lanes = 2 if "2 lanes" in cycles["params"] else 32
    buffers = {"p0": np.zeros(16, np.int32), "p1": np.zeros(16, np.int32), "p3": np.zeros(512, np.uint32), "p4": np.zeros(4, np.uint32)}
    program, result = ran("naive" if "first" in tries["params"] else "lockk", buffers, {"p2": 100_000}, lanes)
    assert read_buffer(program, result.memory, "p1").view(np.int32)[0] == lanes
    times = read_buffer(program, result.memory, "p3").view(np.int64)[:lanes]
    assert (np.diff(times) > 0).all()
    assert times[-1] == pytest.approx(cycles["list"][-1], rel=0.35)
