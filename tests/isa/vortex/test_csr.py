"""What the originals do at the edges: bits that a decoder does not look at, control registers that lanes write one after the other."""

from __future__ import annotations

import struct

import pytest

import warploom
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.machine_code import lines
from warploom.isa.vortex.words import code_of_generation

BEGIN = "li t0, -1\nvx_tmc t0\ncsrr a0, 0xcc0\n"
OUT = "li t1, 0x10000000\nslli t2, a0, 2\nadd t1, t1, t2\nsw a1, 0(t1)\n"


def words(text: str, isa: str, engine: str = "python", lanes: int = 4) -> list[int]:
    """What each lane has in a1 at the end."""
    source = f"{BEGIN}{text}\n{OUT}vx_tmc zero\n"
    program = warploom.load(source.encode(), isa, options=Options(path="t.vx"))
    result = warploom.GPU(isa, engine=engine).run(program)
    assert result.status == "done", result.fault
    return result.read(0x10000000, 4 * lanes).view("<u4").tolist()


@pytest.mark.parametrize(("rs2", "active"), [(1, 0b1110), (3, 0b1110), (31, 0b1110), (2, 0b1111)])
def test_only_the_lowest_bit_of_rs2_tells_an_old_pred_from_a_tmc(rs2, active):
    word = 0x0005006B | rs2 << 20  # of a0, the lane's number; a tmc takes it from lane 0 and would end the warp, so that has li before it
    before = "mv a2, a0\nli a0, 15\n" if rs2 == 2 else "mv a2, a0\n"
    text = f"{before}.word {word:#x}\ncsrr a1, 0xcc4\nli t0, 15\nvx_tmc t0\nmv a0, a2"
    assert words(text, "vortex-2022")[1] == active


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(
    ("change", "given", "left"),
    [
        ("csrrw a1, mscratch, a2", [0x8000, 1, 3, 7], 15),
        ("csrrs a1, mscratch, a2", [0x8000, 0x8001, 0x8003, 0x8007], 0x800F),
        ("csrrc a1, mscratch, a2", [0x8000, 0x8000, 0x8000, 0x8000], 0x8000),
        ("csrrwi a1, mscratch, 5", [0x8000, 5, 5, 5], 5),
    ],
)
def test_lanes_write_mscratch_one_after_the_other(change, given, left, engine):
    text = f"li a2, 2\nsll a2, a2, a0\naddi a2, a2, -1\n{change}\n"
    assert words(text, "vortex-2024", engine) == given
    assert words(f"{text}csrr a1, mscratch", "vortex-2024", engine) == 4 * [left]


def test_a_write_to_an_unknown_control_register_is_a_mistake_from_2023_on():
    assert words("csrw 0x123, a0\nmv a1, a0", "vortex-2022") == [0, 1, 2, 3]
    with pytest.raises(warploom.SourceError, match="there is no control register 0x123"):
        words("csrw 0x123, a0", "vortex-2024")
    with pytest.raises(warploom.SourceError, match="there is no control register 0x123"):
        words("csrr a1, 0x123", "vortex-2022")


def test_a_read_by_csrrs_with_x0_of_a_register_that_can_only_be_read():
    assert words("csrrs a1, mhartid, x0", "vortex-2024") == words("csrrci a1, mhartid, 0", "vortex-2024") == [0, 1, 2, 3]


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("change", ["csrrs", "csrrc"])
@pytest.mark.parametrize("isa", ["vortex-2024", "vortex-2026"])
def test_from_2023_on_a_register_that_holds_0_leaves_a_read_only_one_alone(isa, change, engine):
    """The number in the register says whether something is written, lane by lane, and not its name."""
    gpu = warploom.GPU("vortex-2024", engine=engine)
    options = Options(path="t.vx")

    def ran(text):
        return gpu.run(warploom.load(f"{BEGIN}{text}\n{OUT}vx_tmc zero\n".encode(), isa, options=options))

    result = ran(f"li a2, 0\n{change} a1, thread_id, a2")
    assert result.status == "done" and result.read(0x10000000, 16).view("<u4").tolist() == [0, 1, 2, 3]
    result = ran(f"li a1, 0\n{change} a1, num_threads, a1")  # into the same register
    assert result.read(0x10000000, 16).view("<u4").tolist() == [4, 4, 4, 4]
    result = ran(f"li t0, 3\nvx_tmc t0\nsrli a2, a0, 1\n{change} zero, 0xcc0, a2\nli a1, 8")  # the lanes that would write are off
    assert result.read(0x10000000, 16).view("<u4").tolist()[:2] == [8, 8]
    fault = ran(f"slti a2, a0, 2\n{change} a1, thread_id, a2").fault
    assert f"t.vx:5 ({change} a1, thread_id, a2): lanes 0-1 write to control register thread_id, which can only be read (" in fault


def test_the_fault_of_a_refused_instruction_says_why():
    text = "csrw mcycle, t0\nvx_tmc zero\n"
    code = code_of_generation(2024)
    data = b"".join(line.data for line in lines(code, code.read(text.encode(), "t.vx")))
    image = struct.pack("<2Q", 0x80000000, 0x80000000 + len(data)) + data
    program = warploom.load(image, "vortex-2024", options=Options(path="t.vxbin"))
    fault = warploom.GPU("vortex-2024", engine="python").run(program).fault
    assert (
        "(csrw mcycle, t0): the word 0xb0029073 is not an instruction of this program's instruction set: the control register mcycle"
        in fault
    )
    assert "mcycle can only be read (block 0, warp 0" in fault


def test_the_constant_says_so_when_the_program_is_loaded():
    with pytest.raises(warploom.SourceError, match="the control register thread_id can only be read"):
        words("csrrsi a1, thread_id, 1", "vortex-2024")
    assert words("csrrsi a1, thread_id, 0", "vortex-2024") == words("csrrs a1, thread_id, zero", "vortex-2024") == [0, 1, 2, 3]


def test_the_name_of_a_register_that_the_generation_has_not():
    with pytest.raises(SourceError, match="there is no control register 'mscratch'"):
        warploom.load(b"csrr t0, mscratch\nvx_tmc zero\n", "vortex-2022")
    with pytest.raises(SourceError, match="there is no control register 'core_ids', did you mean 'core_id'"):
        warploom.load(b"csrr t0, core_ids\nvx_tmc zero\n", "vortex-2024")
