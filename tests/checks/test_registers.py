"""A register that is read before anybody has written it is found with its line, its thread and its name; nothing else is."""

import json

import pytest
from click.testing import CliRunner

import warploom
from tests.places import EXAMPLES
from warploom.checks.check import run_checked
from warploom.checks.checker import Checker
from warploom.checks.registers import watch_registers
from warploom.cli import main
from warploom.isa import load
from warploom.isa.analysis.register_use import possibly_unwritten
from warploom.machine.config.presets import load_config
from warploom.machine.device.machine import PipelineMachine

BRANCH = """.threads 8
    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx
    CONST R3, #6
    CMP   R0, R3
    BRn   SKIP
    CONST R2, #7
SKIP:
    ADD   R1, R0, {read}
    STR   R0, R1
    RET
"""
BRANCH_ON_BOTH = BRANCH.replace("    CMP", "    CONST R2, #1\n    CMP")
READ_WHERE_WRITTEN = BRANCH.replace("    STR", "    BRn OUT\n    ADD R1, R1, R2\nOUT:\n    STR").format(read="R3")
EXEC = """.grid 1
    s_mov_b64 s[20:21], exec
    v_and_b32 v4, 1, v0
    v_cmpx_ne_u32 vcc, 0, v4
    v_mov_b32 v5, 1
    {before}
    v_add_u32 v3, v5, v0
    s_endpgm
"""
MASKED = """.threads 32
    mov r0.x, lane_id
    push_mask END
    mask_nz r0.x
    mov r1.x, r0.x
    pop_mask
END:
    mov r2.x, r1.x
    ret
"""
PLANTED = {
    "nobody_writes_it": ("asm", "tiny-simt", ".threads 8\n    ADD R1, %threadIdx, R5\n    STR %threadIdx, R1\n    RET\n", 2, "R5"),
    "one_path_writes_it": ("asm", "tiny-simt", BRANCH.format(read="R2"), 9, "R2"),
    "an_address": ("asm", "tiny-simt", ".threads 8\n    CONST R1, #1\n    STR R4, R1\n    RET\n", 3, "R4"),
    "it_is_stored": ("asm", "tiny-simt", ".threads 8\n    STR %threadIdx, R4\n    RET\n", 2, "R4"),
    "it_is_compared": ("asm", "tiny-simt", ".threads 8\n    CMP R1, %threadIdx\n    BRn L\nL:\n    RET\n", 2, "R1"),
    "a_component": ("guppy", "guppy", "    mov r0.x, lane_id\n    utof r1.x, r0.y\n    ret\n", 2, "r0.y"),
    "lanes_that_a_mask_left_out": ("guppy", "guppy", MASKED, 8, "r1.x"),
    "riscv": ("rv", "tiny-simt", "    add a1, t3, a0\n    ret\n", 1, "t3"),
    "a_scalar_register": ("gcn", "gcn", ".grid 1\n    s_add_u32 s20, s21, 1\n    s_endpgm\n", 2, "s21"),
    "gcn": ("gcn", "gcn", ".grid 1\n    v_add_u32 v3, v5, v0\n    s_endpgm\n", 2, "v5"),
    "lanes_that_exec_left_out": ("gcn", "gcn", EXEC.format(before="s_mov_b64 exec, s[20:21]"), 7, "v5"),
    "avx512": ("avx512", "avx512", "    mov eax, r9d\n    ret\n", 1, "r9"),
}  # fmt: skip
CORRECT = {
    "every_path_writes_it": ("asm", "tiny-simt", BRANCH_ON_BOTH.format(read="R2")),
    "read_on_the_path_that_writes_it": ("asm", "tiny-simt", READ_WHERE_WRITTEN),
    "it_is_taken_from_itself": ("asm", "tiny-simt", ".threads 8\n    SUB R1, R1, R1\n    STR %threadIdx, R1\n    RET\n"),
    "a_function_saves_it": ("rv", "tiny-simt", "    lui t0, 0x10\n    sw s0, 0(t0)\n    ret\n"),
    "always_zero": ("rv", "tiny-simt", "    add a1, zero, a0\n    ret\n"),
    "what_the_launch_writes": ("gcn", "gcn", ".grid 1\n    v_add_u32 v3, v1, v0\n    s_add_u32 s20, s4, s6\n    s_endpgm\n"),
    "under_the_mask_that_writes_it": ("gcn", "gcn", EXEC.format(before="s_nop 0")),
    "avx512": ("avx512", "avx512", "    mov rax, rdx\n    add rax, rsi\n    add rax, rdi\n    ret\n"),
}  # fmt: skip
EXAMPLE_FILES = sorted(path for path in EXAMPLES.glob("*/*") if path.suffix in (".asm", ".guppy", ".rv", ".gcn", ".avx512"))
# Those of minutes in plain Python, and those that are not for one warp.
LONG = ("raymarch", "mandelbrot", "tiled_product", "texture", "nested_loop", "iterations_random", "iterations_sorted")


def written(kind, text, folder):
    path = folder / f"program.{kind}"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", PLANTED)
def test_a_register_that_nobody_has_written_is_found(name, tmp_path):
    kind, machine, text, line, register = PLANTED[name]
    program = load(written(kind, text, tmp_path))
    found = run_checked(load_config(machine), program, engine="python", schedule=False).findings
    assert [(one.kind, one.element, one.position.line) for one in found] == [("uninitialised", register, line)]
    assert found[0].fix and found[0].message.startswith("thread ")


@pytest.mark.parametrize("name", CORRECT)
def test_nothing_is_said_of_what_is_right(name, tmp_path):
    kind, machine, text = CORRECT[name]
    report = run_checked(load_config(machine), load(written(kind, text, tmp_path)), engine="python", schedule=False)
    assert report.clean and report.complete, str(report)


@pytest.mark.parametrize("path", EXAMPLE_FILES, ids=lambda path: path.name)
def test_no_example_reads_what_it_has_not_written(path):
    program = load(path)
    if not possibly_unwritten(program) or path.stem in LONG:
        return
    report = warploom.check(program, engine="python", schedule=False)
    assert not [one for one in report.findings if one.kind == "uninitialised"], str(report)


def test_lanes_that_took_the_other_path_are_named(tmp_path):
    program = load(written("asm", BRANCH.format(read="R2"), tmp_path))
    (found,) = run_checked(load_config("tiny-simt"), program, engine="python", schedule=False).findings
    assert found.message == "thread 0 of block 0 reads R2, which it has not written"
    assert found.threads == ("thread 0 of block 0",) and found.times == 2  # in each of the two blocks


def test_who_reads_nothing_unwritten_has_no_tables():
    """Such programs run with the same units as before, so nothing more is compiled for them."""
    for name in ("matadd", "reduction_shared"):
        checker = Checker()
        PipelineMachine(load_config("tiny-simt"), load(EXAMPLES / "tiny" / f"{name}.asm"), watcher=checker)
        assert "uses" not in checker.found
        assert checker.unit is not watch_registers


def test_both_engines_find_the_same(tmp_path):
    text = ".threads 64\n.block 32\n    ADD R1, %threadIdx, R5\n    STR %threadIdx, R1\n    RET\n"
    program = load(written("asm", text, tmp_path))
    rows = []
    for engine in ("python", "native"):
        report = run_checked(load_config("sm"), program, engine=engine, schedule=False)
        rows.append((report.as_dict(), report.result.memory.tobytes()))
    assert rows[0] == rows[1] and rows[0][0]["findings"][0]["element"] == "R5"


def test_the_command_says_it_as_text_and_as_json(tmp_path):
    path = written("asm", PLANTED["nobody_writes_it"][2], tmp_path)
    shown = CliRunner().invoke(main, ["check", str(path), "--engine", "python"])
    assert shown.exit_code == 1
    assert f"{path}:2:5: error: thread 0 of block 0 reads R5, which it has not written [uninitialised]" in shown.output
    shown = CliRunner().invoke(main, ["check", str(path), "--engine", "python", "--json", "--quiet"])
    (launch,) = json.loads(shown.stdout)["launches"]
    assert [(one["kind"], one["element"], one["line"]) for one in launch["findings"]] == [("uninitialised", "R5", 2)]
