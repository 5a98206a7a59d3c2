import numpy as np

from tests.machine.tiny_kernels import assemble, run
from warploom import GPU


def test_the_read_only_registers_say_block_capacity_and_thread():
    text = "STR %threadIdx, %blockDim\nCONST R1, #16\nADD R1, R1, %threadIdx\nSTR R1, %blockIdx\nRET"
    result = run(text, threads=6, gpu__cores=1)
    assert result.memory[:4].tolist() == [4, 4, 4, 4]  # of the chip, in the partial block too
    assert result.memory[16:20].tolist() == [1, 1, 0, 0]  # block 1 has two threads and came last


def test_writes_to_the_read_only_registers_are_ignored():
    result = run("CONST R13, #9\nADD R15, R15, R15\nSTR %threadIdx, %blockIdx\nRET", threads=4)
    assert result.memory[:4].tolist() == [0, 0, 0, 0]
    assert result.status == "done"


def test_every_instruction_loads_the_port_registers_from_its_bits():
    seen = []
    for machine in GPU("tiny", engine="python").steps(assemble("CONST R4, #0xFE\nRET", threads=4)):
        core = machine.cores[0]
        seen.append((int(core["rs"][3]), int(core["rt"][3])))
    assert (3, 4) in seen  # #0xFE names R15 = 3 and R14 = 4


def test_a_block_begins_with_cleared_registers():
    text = "ADD R1, R1, %blockDim\nADD R2, %blockIdx, R0\nSTR R2, R1\nRET"
    assert run(text, threads=16, gpu__cores=1).memory[:4].tolist() == [4, 4, 4, 4]


def test_threads_behind_the_end_of_the_last_block_are_frozen():
    *_, last = GPU("tiny", set={"gpu.cores": 1}, engine="python").steps(assemble("CONST R1, #7\nNOP\nNOP", threads=2), max_cycles=30)
    assert np.asarray(last.cores[0]["registers"]["lane"][1][:4]).tolist() == [7, 7, 0, 0]
