import pytest

from tests.machine.tiny_kernels import run

DIVERGE = """
CONST R1, #2
CMP %threadIdx, R1
BRn LOW
STR %threadIdx, R1
LOW: RET
"""


def test_a_branch_on_which_threads_disagree_is_a_fault_that_says_who_went_where():
    result = run(DIVERGE)
    assert result.status == "error"
    assert result.fault == (
        "kernel.asm:5 (BRn LOW): the threads of a block disagree on this branch: threads 0-1 take it, threads 2-3 do not; "
        "add --gpu tiny-simt, whose warps mask lanes (block 0, core 0, cycle 35)"
    )
    assert result.running == ("core 0, block 0 (threads 0-3) is in UPDATE at kernel.asm:5 (BRn LOW)",)


def test_the_published_hardware_follows_the_last_thread_silently():
    result = run(DIVERGE, preset="tiny-original")
    assert result.status == "done"
    assert len(result.changed) == 0  # thread 3 goes to LOW, because on this hardware 3 "is below" 2; so do the others


def test_threads_that_agree_do_not_diverge_in_a_partial_block_either():
    assert run("CMP %threadIdx, R1\nBRn END\nBRp END\nEND: RET", threads=1).status == "done"


def test_a_branch_to_the_next_instruction_leads_everybody_to_the_same_place():
    assert run("CONST R1, #2\nCMP %threadIdx, R1\nBRn NEXT\nNEXT: RET").status == "done"


def test_no_branch_is_taken_before_the_first_comparison():
    assert run("BRnzp LOOP\nRET\nLOOP: NOP\nBRnzp LOOP").status == "done"


def test_a_program_counter_that_runs_off_is_a_fault():
    result = run("NOP\nNOP")
    assert result.status == "error"
    assert result.fault == (
        "kernel.asm:3 (NOP): the program counter ran off the program, to instruction 2 of 2; "
        "does every path end in a return? (block 0, core 0, cycle 24)"
    )


def test_a_branch_out_of_the_program_is_one_too():
    result = run("CMP R0, R0\nBRz 200\nRET")
    assert result.fault.startswith("kernel.asm:3 (BRz 200): the program counter ran off the program, to instruction 200 of 3; ")


def test_the_published_hardware_runs_nops_behind_the_program_and_wraps():
    result = run("CONST R1, #1\nADD R0, R0, R1\nSTR %threadIdx, R0", preset="tiny-original", max_cycles=11 * 256 * 2 + 60)
    assert result.status == "timeout"
    assert result.memory[:4].tolist() == [3, 3, 3, 3]  # the third time round


@pytest.mark.parametrize("threads", [1, 3, 5, 6, 255])
def test_a_partial_last_block_never_ends_on_the_published_hardware(threads):
    assert run("NOP\nRET", preset="tiny-original", threads=threads, max_cycles=5000).status == "timeout"
    assert run("NOP\nRET", threads=threads, max_cycles=5000).status == "done"


def test_unless_it_returns_at_once():
    assert run("RET", preset="tiny-original", threads=3).status == "done"
    assert run("NOP\nRET", preset="tiny-original", threads=3, core__threads_per_block=1).status == "done"
