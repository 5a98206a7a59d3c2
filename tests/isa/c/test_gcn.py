"""The recorded kernels of GCN, compiled here with products and sums rounded apart: memory holds afterwards what NumPy says."""

import pytest

from tests.isa.gcn.recorded import FOLDER, differences, program_of, recording
from warploom import GPU
from warploom.isa.c.compiler import compile_c

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

KERNELS = sorted(path.stem for path in FOLDER.glob("*.cl"))
OPENCL = [name for name in KERNELS if name != "fmath"]  # OpenCL's division is less exact than IEEE's, which the recording has


def compiled(name, level, ending, folder):
    (folder / "gpu.h").write_text((FOLDER / "gpu.h").read_text())
    source = folder / f"{name}{ending}"
    source.write_text("#pragma clang fp contract(off)\n" + (FOLDER / f"{name}.cl").read_text())
    path = folder / f"{name}.co"
    path.write_bytes(compile_c([source], "gcn", level))
    return path


def check(name, level, ending, folder):
    recorded = recording(name) | {"code_object": str(compiled(name, level, ending, folder))}
    result = GPU("gcn", engine="native").run(program_of(recorded), max_cycles=20_000_000)
    assert result.status == "done", str(result.fault)
    assert differences(recorded, result) == []


def test_there_are_twelve():
    assert len(KERNELS) == 12


@pytest.mark.every(3)
@pytest.mark.parametrize("level", ["0", "1", "2", "3"])
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_in_c_leaves_what_numpy_says(name, level, tmp_path):
    check(name, level, ".c", tmp_path)


@pytest.mark.every(3)
@pytest.mark.parametrize("level", ["0", "2"])
@pytest.mark.parametrize("name", OPENCL)
def test_a_kernel_in_opencl_leaves_what_numpy_says(name, level, tmp_path):
    check(name, level, ".cl", tmp_path)
