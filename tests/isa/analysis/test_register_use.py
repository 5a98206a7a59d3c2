"""What micro-ops read and write, and which reads may come before any write."""

import pytest

import warploom
from tests.places import EXAMPLES
from warploom.isa import uop as u
from warploom.isa.analysis.register_use import named_registers, possibly_unwritten, use_of
from warploom.isa.uop import IMMEDIATE, Uop, scalar


@pytest.mark.parametrize(
    "uop, reads, writes, whole",
    [
        (Uop("add", 1, 2, 3), (2, 3), (1,), False),
        (Uop("add", 1, 2, IMMEDIATE), (2,), (1,), False),
        (Uop("xor", 1, 2, 2), (), (1,), False),
        (Uop("add", 1, 2, 3, predicate=scalar(4)), (2, 3, scalar(4)), (1,), False),
        (Uop("dadd", 2, 4, 6), (4, 5, 6, 7), (2, 3), False),
        (Uop("load", 2, 4, size=8), (4,), (2, 3), False),
        (Uop("store", a=4, b=6, size=8), (4, 6, 7), (), False),
        (Uop("sample", 4, 1, 2), (1, 2), (4, 5, 6, 7), False),
        (Uop("shuffle_down", 1, 2, 3), (3,), (1,), False),
        (Uop("ballot", scalar(2), 1), (1,), (scalar(2), scalar(3)), True),
        (Uop("mov", scalar(2), scalar(3)), (scalar(3),), (scalar(2),), True),
        (Uop("mov", scalar(2), 3), (), (scalar(2),), True),  # lane 0's, whatever lanes are active
        (Uop("insert_lane", 1, 2, 3), (3,), (1,), True),
    ],
    ids=str,
)
def test_registers_of_a_micro_op(uop, reads, writes, whole):
    assert use_of(uop.row()) == (reads, writes, whole)


def found(text, folder, suffix="asm"):
    path = folder / f"program.{suffix}"
    path.write_text((".threads 8\n" if suffix == "asm" else "") + text)
    program = warploom.load(path)
    names = {k: tuple(program.register_names[code] for code in codes) for k, codes in possibly_unwritten(program).items()}
    return {int(program.code[number, u.LINE]): names[k] for number in range(len(program)) if (k := int(program.code[number, 0])) in names}


def test_a_read_counts_when_one_path_to_it_writes_nothing(tmp_path):
    text = "CMP %blockIdx, %blockDim\nBRn L\nCONST R1, #1\nL: ADD R2, R1, R1\nRET\n"
    assert found(text, tmp_path) == {5: ("R1",)}
    assert found(text.replace("CMP", "CONST R1, #2\nCMP"), tmp_path) == {}


def test_a_loop_writes_what_its_first_round_has_written(tmp_path):
    assert found("L: CONST R1, #1\nADD R2, R1, R1\nCMP R2, %blockIdx\nBRn L\nADD R3, R2, R1\nRET\n", tmp_path) == {}
    assert found("L: ADD R2, R1, %blockIdx\nADD R1, R2, %blockIdx\nCMP R2, %blockIdx\nBRn L\nRET\n", tmp_path) == {2: ("R1",)}


def test_a_function_reads_what_its_callers_have_written(tmp_path):
    text = "    li t0, 1\n    call f\n    ret\nf:\n    add t1, t0, t2\n    ret\n"
    assert found(text, tmp_path, "rv")[5] == ("t2",)


def test_what_a_launch_fills_and_what_is_always_zero_is_not_judged():
    program = warploom.load(EXAMPLES / "riscv" / "squares.rv")
    judged = {program.register_names[code] for code in named_registers(program)}
    assert "t0" in judged and not judged & {"zero", "a0", "a1", "a2"}


def test_of_most_examples_nothing_is_looked_at():
    paths = sorted((EXAMPLES / "tiny").glob("*.asm"))
    assert paths and not [path.name for path in paths if possibly_unwritten(warploom.load(path))]


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("cmp rsp, 1\nsete al\nmovzx eax, al\nret\n", "avx512"),
        ("mov al, 5\nmov ah, 6\nret\n", "avx512"),
        ("cmp rsp, 1\nsbb eax, eax\nsub rcx, rcx\nret\n", "avx512"),  # 0, or all ones where there was a carry
        ("v_mad_mixlo_f16 v2, v0, v0, v0\nv_mad_mixhi_f16 v2, v0, v0, v0\ns_endpgm\n", "gcn"),
        ("v_mov_b32_sdwa v2, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD\ns_endpgm\n", "gcn"),
        ("v_mad_u16 v2, v0, v0, v0\ns_endpgm\n", "gcn"),
    ],
)
def test_what_keeps_the_rest_of_its_register_does_not_use_it(text, suffix, tmp_path):
    path = tmp_path / f"program.{suffix}"
    path.write_text(text)
    assert possibly_unwritten(warploom.load(path)) == {}


@pytest.mark.parametrize(
    ("text", "suffix"), [("cmp rsp, 1\nsete al\nadd al, bl\nret\n", "avx512"), ("v_and_b32 v2, 0xff, v3\ns_endpgm\n", "gcn")]
)
def test_a_masked_read_of_something_else_is_a_use(text, suffix, tmp_path):
    path = tmp_path / f"program.{suffix}"
    path.write_text(text)
    assert possibly_unwritten(warploom.load(path))
