"""Texture units as programs see them: the instruction, the registers of three generations, and what is refused."""

import numpy as np
import pytest

from tests.isa.vortex.programs import END, START, program
from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import BufferError, read_buffer
from warploom.machine.core.texture.fixed_point import FixedTexture, vortex_sample

ENGINES = pytest.mark.parametrize("engine", ["python", "native"])
TEXELS = 0x20000
DCR = [6, 0, 7, TEXELS >> 6, 8, 2 << 16 | 3, 9, 0, 10, 0, 11, 0]  # unit 0: 8 x 4 texels, a8r8g8b8, point, clamped


def run(body, number, *, texels, preset=None, dcr=None, engine="python", words=64, **settings):
    """(out, the result) of a body that every thread runs, with a texture at TEXELS."""
    buffers = {"out": np.zeros(words, np.uint32), f"texels@{TEXELS:#x}": texels} | ({"dcr": dcr} if dcr is not None else {})
    start = START[2022 if number < 2023 else 2024]
    options = Options(path="a.vx", buffers=buffers, arguments={"out": "out"})
    loaded = load((start + body + END).encode(), f"vortex-{number}", options=options)
    preset = preset or ("vortex-2022" if number < 2023 else "vortex-2024")
    result = GPU(preset, set=settings, engine=engine).run(loaded, max_cycles=200_000)
    return read_buffer(result.program, result.memory, "out").view(np.uint32), result


@pytest.mark.parametrize(("number", "word"), [(2021, 0x60B5556B), (2022, 0x60B5055B), (2024, 0x60B5052B)])
def test_the_words_of_the_instruction(number, word):
    built = program("vx_tex a0, a0, a1, a2, 0\nvx_tex a0, a0, a1, a2, 1", number)
    assert list(built.text) == ["vx_tex a0, a0, a1, a2, 0", "vx_tex a0, a0, a1, a2, 1"]
    assert [int(one) & 0xFFFFFFFF for one in built.code[:2, 4]] == [word, word | 1 << 25]


def test_votes_have_taken_its_place():
    with pytest.raises(ValueError, match="no instruction 'vx_tex'"):
        program("vx_tex a0, a0, a1, a2, 0", 2026)


@ENGINES
def test_the_units_of_2021_have_registers_of_their_own(engine):
    texels = np.random.default_rng(3).integers(0, 1 << 32, 64, np.uint32)
    body = f"""
        li t0, {TEXELS}
        csrw tex1_address, t0
        csrwi tex1_format, 1
        csrwi tex1_wrap, 9           # v mirrored, u repeated
        csrwi tex1_filter, 1
        csrwi tex1_offset, 16
        csrwi tex1_width, 4
        csrwi tex1_height, 2
        csrr t1, tex1_wrap
        slli t2, s0, 17
        addi t2, t2, -100
        slli t3, s0, 16
        vx_tex t4, t2, t3, zero, 1
        sw t4, 0(s1)
        sw t1, 64(s1)
    """
    out, _ = run(body, 2021, texels=texels, engine=engine)
    texture = FixedTexture(16, 1, 1, 1, 2, 4, 2)
    address = np.zeros(4, np.int64)
    wanted = [int(vortex_sample(texels, texture, np.uint32((i << 17) - 100 & 0xFFFFFFFF), np.uint32(i << 16), address)) for i in range(16)]
    assert out[:16].tolist() == wanted
    assert set(out[16:32].tolist()) == {9}


@ENGINES
def test_one_register_of_2022_chooses_the_unit(engine):
    texels = np.arange(100, 164, dtype=np.uint32)
    body = f"""
        li t0, {TEXELS}
        csrwi tex_unit, 0
        csrw tex_address, t0
        csrwi tex_width, 3
        csrwi tex_height, 3
        csrwi tex_unit, 1
        addi t0, t0, 64
        csrw tex_address, t0
        csrwi tex_width, 2
        csrwi tex_height, 2
        slli t2, s2, 20              # the lane's place in u: an eighth of the image each
        vx_tex t3, t2, zero, zero, 0
        vx_tex t4, t2, zero, zero, 1
        csrr t5, tex_width
        csrwi tex_unit, 0
        csrr t6, tex_width
        sw t3, 0(s1)
        sw t4, 64(s1)
        sw t5, 128(s1)
        sw t6, 192(s1)
    """
    out, _ = run(body, 2022, texels=texels, engine=engine)
    assert out[:4].tolist() == [100, 101, 102, 103]
    assert out[16:20].tolist() == [116, 116, 117, 117]
    assert (out[32], out[48]) == (2, 3)


READ = "slli t2, s2, 20\nvx_tex t3, t2, zero, zero, {}\nsw t3, 0(s1)\n"


@pytest.mark.parametrize("cores", [1, 2])
def test_the_host_sets_the_units_of_2024_in_every_core(cores):
    texels = np.arange(100, 164, dtype=np.uint32)
    out, _ = run(READ.format(0), 2024, texels=texels, dcr=DCR, **{"gpu.cores": cores})
    assert out[: 16 * cores].tolist() == [100, 101, 102, 103] * 4 * cores
    second = [6, 1, *DCR[2:], 12, 32]
    assert run(READ.format(1), 2024, texels=texels, dcr=second)[0][:4].tolist() == [108, 109, 110, 111]


def test_a_sample_costs_its_texels():
    texels = np.arange(64, dtype=np.uint32)
    _, point = run(READ.format(0), 2024, texels=texels, dcr=DCR)
    _, linear = run(READ.format(0), 2024, texels=texels, dcr=[*DCR, 10, 1])
    assert point.counters["sectors_needed"] > 0
    assert linear.counters["transactions"] >= point.counters["transactions"] > 0
    assert point.counters["l1_misses"] > 0


def test_a_texel_where_nothing_lies_names_the_line():
    _, result = run(READ.format(0), 2024, texels=np.zeros(4, np.uint32), dcr=[*DCR, 7, 0x700000])
    assert result.status == "error"
    assert "a.vx" in result.fault and "where there is no memory" in result.fault and "vx_tex" in result.fault
    _, result = run(READ.format(0), 2024, texels=np.zeros(64, np.uint32), dcr=[*DCR, 12, 2])
    assert result.status == "error" and "multiple of 4" in result.fault


@pytest.mark.parametrize(
    ("dcr", "said"),
    [
        ([6], "dcr has 1 numbers: it holds pairs"),
        ([6, 2], "dcr 6 = 2: there are the texture units 0 and 1"),
        ([53, 0], "dcr 53: the registers of the texture units are 6 to 27, those of raster engine and output merger 28 to 52"),
    ],
)
def test_device_registers_that_cannot_be(dcr, said):
    with pytest.raises(BufferError) as caught:
        run(READ.format(0), 2024, texels=np.zeros(4, np.uint32), dcr=dcr)
    assert said in str(caught.value)


def test_a_machine_without_a_texture_unit_says_so():
    with pytest.raises(ValueError, match=r"this machine has no texture unit; add --set texture.count=1"):
        run(READ.format(0), 2024, texels=np.zeros(64, np.uint32), dcr=DCR, **{"texture.count": 0})


def test_registers_describe_any_texture_without_harm():
    """Whatever a program writes: a texel, or an error."""
    source = np.random.default_rng(5)
    for _ in range(30):
        dcr = [6, 0, 7, TEXELS >> 6] + [
            number for pair in zip(range(8, 14), source.integers(0, 1 << 32, 6), strict=True) for number in pair
        ]
        _, result = run(READ.format(0), 2024, texels=np.zeros(64, np.uint32), dcr=dcr)
        assert result.status in ("done", "error") and (result.status == "done" or "memory" in result.fault or "multiple" in result.fault)
