"""Programs as others write them: their own start-up, head and linker script, compiled and linked without anything of warploom's."""

import struct
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

HERE = Path(__file__).parent / "foreign"
COUNT = 32
IN_AT, OUT_AT = 0x20000, 0x30000
X = np.random.default_rng(8).integers(0, 100, COUNT).astype(np.int32)
COMPILER = (
    *(sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-none", "-mabi=ilp32f", "-mcmodel=medany"),
    *("-g0", "-nostdlib", "-ffreestanding", "-fno-math-errno", "-fno-sanitize=all", "-fno-asynchronous-unwind-tables"),
    "-fconvergent-functions",
)


def wide(x):
    return ((x * 0x123456789) >> 32) & 0xFFFFFFFF


MODELS = {
    0: lambda i, x: 3 * x + i,
    1: lambda i, x: 7 * x if x & 1 else -x,
    2: lambda i, x: (1 if x & 1 else 2) if x > 50 else 3,
    3: lambda i, x: 2 * x - 9,
    4: lambda i, x: x + int(X[:4].sum()),
    5: lambda i, x: x // 7 + x % 5 + wide(x),
    6: lambda i, x: int(1.5 * x),
    7: lambda i, x: x + (1, -2, 3, -4)[i & 3],
    8: lambda i, x: x + 11,
    9: lambda i, x: x,
}


@lru_cache(maxsize=64)
def built(folder, program, generation, level, machine="rv32imaf"):
    """The bytes of an ELF file."""
    out = folder / f"{program}-{generation}-{level}-{machine}.elf"
    letters = "+".join(letter for letter in machine[5:])
    given = [f"-mcpu=generic_rv32+{letters}", f"-O{level}", f"-DGENERATION={generation}", f"-DPROGRAM={program}", "-T", HERE / "own.ld"]
    subprocess.run([*COMPILER, *given, HERE / "start.S", HERE / "programs.c", "-o", out], check=True, capture_output=True)
    return out.read_bytes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("foreign")


def argument(generation):
    return struct.pack("<IIQQ" if generation > 2023 else "<IIII", COUNT, 0, IN_AT, OUT_AT)


def check(data, program, generation, name="program.elf", cores=1, mechanism="masks"):
    block = np.frombuffer(argument(generation), np.uint32)
    buffers = {"argument": block, f"in@{IN_AT:#x}": X, f"out@{OUT_AT:#x}": 0 * X}
    loaded = load(data, f"vortex-{generation}", options=Options(path=name, buffers=buffers))
    gpu = GPU(f"vortex-{generation}", set={"gpu.cores": cores, "core.divergence": mechanism}, engine="python")
    result = gpu.run(loaded, max_cycles=1_000_000)
    assert result.status == "done", result.fault
    found = read_buffer(result.program, result.memory, "out").view(np.int32)
    assert found.tolist() == [int(np.int32(np.uint32(MODELS[program](i, int(x)) & 0xFFFFFFFF))) for i, x in enumerate(X)]
    assert result.exit_code == program
    return result


def image_of(data):
    """(first address, the bytes from it on) of an ELF file: its loaded segments, one after the other."""
    from warploom.isa.riscv import elf

    segments = sorted(elf.read(data, "x.elf")[0].segments, key=lambda one: one.address)
    base = segments[0].address
    image = bytearray(max(one.address + one.size for one in segments) - base)
    for one in segments:
        image[one.address - base : one.address - base + len(one.data)] = one.data
    return base, bytes(image)


@pytest.mark.every(3)
@pytest.mark.parametrize("generation", [2022, 2024])
@pytest.mark.parametrize("program", sorted(MODELS))
def test_a_program_of_somebody_else_runs(program, generation, folder):
    result = check(built(folder, program, generation, "2"), program, generation)
    if program == 9:
        assert sorted(result.console) == sorted(f"#{i % 16}: {chr(97 + i % 26)}" for i in range(COUNT))


@pytest.mark.every(2)
@pytest.mark.parametrize("generation", [2022, 2024])
@pytest.mark.parametrize("program", [1, 4, 8])
def test_as_an_image(program, generation, folder):
    base, image = image_of(built(folder, program, generation, "2"))
    assert base == 0x80000000
    check(image, program, generation, "program.bin")
    check(struct.pack("<2Q", base, base + len(image) + 64) + image, program, generation, "program.vxbin")


@pytest.mark.parametrize("generation", [2022, 2024])
def test_without_atomics(generation, folder):
    data = built(folder, 0, generation, "1", "rv32imf")
    check(data, 0, generation)


@pytest.mark.slow
@pytest.mark.parametrize("generation", [2022, 2024])
@pytest.mark.parametrize("level", ["0", "1", "3", "s"])
@pytest.mark.parametrize("mechanism", ["masks", "stack"])
def test_levels_of_optimisation(generation, level, mechanism, folder):
    for program in MODELS:
        check(built(folder, program, generation, level), program, generation, mechanism=mechanism)
