"""Checks of a launch that was loaded from a Python file: what they say of the file itself."""

import pickle
from dataclasses import replace

import pytest

import warploom
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.machine.accounting.status import LaunchError

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


FILLED = """
import numpy as np
from warploom import cuda

@cuda.jit
def filled(a):
    a[cuda.grid(1)] = 1

filled[1, 4](np.zeros(4))
"""


def written(tmp_path):
    path = tmp_path / "filled.py"
    path.write_text(FILLED)
    return path


def test_a_launch_of_other_extents_is_checked_with_them(tmp_path):
    program = pickle.loads(pickle.dumps(warploom.load(written(tmp_path))))
    assert warploom.check(program).clean
    report = warploom.check(replace(program, launch=replace(program.launch, threads=8)), schedule=False)
    assert [one.kind for one in report.findings] == ["bounds"] and report.program.launch.threads == 8
    assert [one.kind for one in warploom.check(program.with_launch(grid=(2,)), schedule=False).findings] == ["bounds"]


def test_what_checks_cannot_take_from_a_changed_program_is_refused(tmp_path):
    program = warploom.load(written(tmp_path))
    for changed, name in (
        (replace(program, launch=replace(program.launch, scalars=(1, 2, 3, 4))), "launch.scalars"),
        (replace(program, uops=program.uops[:-1]), "uops"),
    ):
        with pytest.raises(LaunchError, match=f"^filled: {name} is not what .*filled.py gives it; .* so change the rest in the file$"):
            warploom.check(changed)


def test_a_loaded_file_is_found_again_from_another_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(written(tmp_path).parent)
    program = warploom.load("filled.py")
    other = tmp_path / "other"
    other.mkdir()
    (other / "filled.py").write_text("raise SystemExit('this is another file')")
    monkeypatch.chdir(other)
    assert warploom.check(program).clean


def test_a_loaded_file_that_is_gone_is_named(tmp_path):
    path = written(tmp_path)
    program = warploom.load(path)
    path.unlink()
    with pytest.raises(SourceError, match=r"filled\.py: error: the file is gone"):
        warploom.check(program)
