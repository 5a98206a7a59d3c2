"""Checks of a launch that was loaded from a Python file: what they say of the file itself."""

import pytest

import warploom
from warploom.isa.frontend import Options

TEXT = """
import numpy as np
from warploom import cuda

@cuda.jit
def outside(a):
    i = cuda.threadIdx.x
    a[i, 5] = 1

@cuda.jit
def unset(a):
    if cuda.threadIdx.x > 1:
        value = 3
    a[cuda.threadIdx.x, 0] = value

a = np.zeros((8, 4))
outside[1, 4](a)
outside[1, 2](a)
unset[1, 4](a)
"""

KEPT = """
import numpy as np
from warploom import cuda

@cuda.jit
def kept(a):
    a[1] = a[a[0]]

kept[1, 1](np.zeros(4, np.int64))
"""


@pytest.mark.parametrize("launch", [None, "1", "2", "unset"])
def test_a_loaded_launch_is_asked_what_the_file_is_asked(tmp_path, launch):
    path = tmp_path / "kernels.py"
    path.write_text(TEXT)
    number = {None: 0, "unset": 2}.get(launch) if launch in (None, "unset") else int(launch)
    program = warploom.load(path, options=Options(path=str(path), more={"launch": launch}))
    loaded, whole = warploom.check(program), warploom.check(path)
    assert whole[number].findings and loaded.as_dict() == whole[number].as_dict()


def test_a_loaded_launch_is_checked_over_what_its_memory_was_given(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(KEPT)
    program = warploom.load(path)
    assert warploom.check(program).clean
    data = program.data.copy()
    begin = program.launch.scalars[2]
    data[begin] = 9
    (found,) = warploom.check(program.with_data(data)).findings
    assert found.kind == "bounds" and "index 9 is outside of a" in found.message
