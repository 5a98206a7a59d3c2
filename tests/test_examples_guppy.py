"""The examples in the mask language on the machine: the same as the language's meaning gives, and as computed here by hand.

What the examples mean without a machine is tested in isa/test_guppy_examples.py.
"""

from functools import lru_cache

import numpy as np
import pytest

from tests.guppy_reference import Warp, run_all
from tests.places import EXAMPLES
from warploom import GPU, guppy
from warploom.result import Result

FOLDER = EXAMPLES / "guppy"
NAMES = sorted(path.stem for path in FOLDER.glob("*.guppy"))
MACHINE = {"gpu.cores": 2, "core.warps": 4, "core.schedulers": 2, "alu.count": 2}
LONG = ("raymarch", "texture")  # the picture of 256 x 256 has a test of its own


def expected_call() -> list[int]:
    return [lane ** (8 if lane < 8 else 4) % (1 << 32) for lane in range(32)]


def expected_pairs() -> list[int]:
    return [sum(0 < a < b and a + b == n for a in range(n) for b in range(n)) for n in range(32)]


def after_sixteen_steps(state: int) -> int:
    for _ in range(16):
        state = (state * 1664525 + 1013904223) % (1 << 32)
    return state


def expected_divergence() -> list[int]:
    def steps(value: int) -> int:
        for mask in (21845, 43690, 21845, 43690, 21845, 43690):
            value = value + 40503 & mask
        return value

    return [steps(thread) if thread % 2 else 7 for thread in range(256)]


U0 = {
    "fast": lambda: [after_sixteen_steps(thread) for thread in range(256)],
    "slow_alu": lambda: [65536 * (thread + 1) // 2 // 3 // 5 // 7 for thread in range(256)],
    "slow_divergence": expected_divergence,
    "slow_latency": lambda: list(range(32)),
    "slow_lsu": lambda: [8 * thread + 14336 for thread in range(512)],
    "break_continue": lambda: [sum(i for i in range(16) if i <= lane and i % 2) for lane in range(32)],
    "call": expected_call,
    "load_coalesced": lambda: [thread + 7 for thread in range(256)],
    "load_strided": lambda: [16 * thread + 7 for thread in range(256)],
    "nested_loop": expected_pairs,
}
REGISTERS = {  # lane register, type, value by lane
    "if": (12, np.uint32, lambda lane: 5 + 3 * lane if lane % 2 else 5),
    "if_else": (8, np.float32, lambda lane: np.float32(0.25 * lane + 1 if lane < 20 else 60 / lane)),
    "while": (8, np.uint32, lambda lane: lane * (lane + 1) // 2),
}


def program_of(name: str):
    path = FOLDER / f"{name}.guppy"
    return guppy.assemble(path.read_text(encoding="utf-8"), str(path))


@lru_cache(maxsize=16)
def run(name: str, engine: str = "python") -> Result:
    return GPU("guppy", set=MACHINE, engine=engine).run(program_of(name))


def u0(result: Result) -> np.ndarray:
    return guppy.read_view(result.program, result.memory, "u0")


@pytest.mark.every(3)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in LONG])
def test_an_example_ends_and_leaves_the_memory_that_its_meaning_gives(name):
    result = run(name)
    assert (result.status, result.fault) == ("done", "")
    memory, _ = run_all(result.program)
    assert result.memory[: len(memory)].tobytes() == memory.tobytes()


@pytest.mark.parametrize("name", U0)
def test_an_example_computes_what_it_says(name):
    assert u0(run(name)).tolist() == U0[name]()


@pytest.mark.parametrize("name", REGISTERS)
def test_an_example_without_memory_leaves_its_result_in_registers(name):
    register, kind, value = REGISTERS[name]
    assert run(name).detail.registers[0, 0, register].view(kind).tolist() == [value(lane) for lane in range(32)]


def test_saxpy():
    result = run("saxpy")
    x, y = (guppy.read_view(result.program, result.memory, name).view(np.float32) for name in ("t0", "t1"))
    assert u0(result).view(np.float32).tolist() == (x * np.float32(2.5) + y).tolist()


@pytest.mark.parametrize("order", ["random", "sorted"])
def test_every_thread_takes_its_own_number_of_turns(order):
    result = run(f"iterations_{order}")
    assert u0(result).tolist() == guppy.read_view(result.program, result.memory, "t0").tolist()
    assert len(set(u0(result).tolist())) > 100


def test_strided_loads_cost_more_time_and_more_lines():
    together, apart = run("load_coalesced"), run("load_strided")
    loads = 8  # warps
    assert together.counters["l1_misses"] == 2 * loads  # 128 bytes a warp, lines of 64
    assert apart.counters["l1_misses"] == 32 * loads
    assert together.counters["dram_bytes"] < apart.counters["dram_bytes"]
    assert together.cycles <= apart.cycles


def test_a_texture_is_drawn_as_its_meaning_gives():
    result = run("texture", "native")
    memory, _ = run_all(result.program)
    assert (result.status, u0(result).shape) == ("done", (64, 64, 4))
    assert u0(result).tobytes() == guppy.read_view(result.program, memory, "u0").tobytes()


# ---------------------------------------------------------------------------------------------------------
# The ray marcher, at a quarter of its size

SMALLER = {  # what depends on the size of the picture
    ".threads 65536": ".threads 4096",
    ".image u0 256 256": ".image u0 64 64",
    "and r0.x, r0.w, u(255)": "and r0.x, r0.w, u(63)",
    "div.u32 r0.y, r0.w, u(256)": "div.u32 r0.y, r0.w, u(64)",
    "f2(127.5 127.5)": "f2(31.5 31.5)",
    "f2(0.0078125 -0.0078125)": "f2(0.03125 -0.03125)",
}


@lru_cache(maxsize=1)
def small_raymarch():
    text = (FOLDER / "raymarch.guppy").read_text(encoding="utf-8")
    for large, small in SMALLER.items():
        assert text.count(large) == 1
        text = text.replace(large, small)
    return guppy.assemble(text, "raymarch.guppy")


def test_the_ray_marcher_draws_the_picture_that_its_meaning_gives():
    """Against the interpreter, which runs all 4,096 pixels as one warp: masks may not change what a lane computes."""
    program = small_raymarch()
    result = GPU("guppy", set=MACHINE, engine="native").run(program)
    assert (result.status, result.fault) == ("done", "")
    whole = Warp(program.with_launch(block=4096), program.data.copy(), 4096).run()
    expected = guppy.read_view(program, whole.memory, "u0")
    assert u0(result).tobytes() == expected.tobytes()
    colours = {tuple(pixel) for pixel in expected.reshape(-1, 4).tolist()}
    assert len(colours) > 1_000


def test_the_ray_marcher_goes_the_same_way_on_both_engines():
    program = small_raymarch().with_launch(threads=64)
    plain, fast = (GPU("guppy", set=MACHINE, engine=engine).run(program, tracing=True) for engine in ("python", "native"))
    assert plain.cycles == fast.cycles
    assert plain.memory.tobytes() == fast.memory.tobytes()
    for part in ("events", "registers", "profile"):
        assert getattr(plain.detail, part).tobytes() == getattr(fast.detail, part).tobytes()
