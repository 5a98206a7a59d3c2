"""What a program's language is like: a front end says it, and what is said of the program's mistakes is in its words."""

import numpy as np

import warploom
from warploom import cuda
from warploom.checks.report.fixes import fix_of_race
from warploom.checks.shadow import FINDING_COLUMNS, OTHER_PC
from warploom.isa.language import ASSEMBLY


@cuda.jit
def twice(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 2 * x[i]


def test_a_kernel_in_python_says_how_it_is_written():
    kernel = twice.on(warploom.GPU("sm", engine="python"))
    kernel[1, 4](np.ones(4))
    language = kernel.result.program.language
    assert (language.barrier, language.guard) == ("cuda.syncthreads()", "if i < array.size")
    assert language.python
    assert language.free_lanes


def test_assembly_has_no_words_of_its_own():
    program = warploom.load(b".threads 4\nLDR R1, R0\nSTR R0, R0\nRET\n", "tiny")
    assert program.language is ASSEMBLY
    row = [0] * FINDING_COLUMNS
    row[OTHER_PC] = 1
    assert fix_of_race(program, row, False, False, False) == "put a barrier between the two, where all threads of the block pass"
