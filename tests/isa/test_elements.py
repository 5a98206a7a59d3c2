"""A byte of memory in the words of who wrote the kernel."""

import numpy as np

from warploom import cuda
from warploom.isa.elements import element_at, start_of, view_at, views_of


def test_the_element_at_a_place():
    @cuda.jit
    def kernel(a, grid):
        grid[0, cuda.threadIdx.x] = a[cuda.threadIdx.x]

    kernel[1, 8](np.ones(8, np.float32), np.zeros((4, 16), np.float64))
    program = kernel.result.program
    first, second = (start_of(program, view) for view in (0, 1))
    assert element_at(program, first + 4 * 3) == "a[3]"
    assert element_at(program, second + 8 * (16 * 2 + 5)) == "grid[2, 5]"
    assert element_at(program, first + 4 * 3, 1) == ""
    assert view_at(program, first) == 0 and view_at(program, 1 << 30) == -1
    assert sorted(view for number in range(len(program)) for view in views_of(program, number)) == [0, 1]
