"""The recorded kernels' sources, compiled at every level of optimisation: what is in memory afterwards is what NumPy says."""

import pytest

from tests.isa.gcn.recorded import FOLDER, differences, program_of, recording
from warploom import GPU
from warploom.isa.c.compiler import compile_c

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

KERNELS = sorted(path.stem for path in FOLDER.glob("*.cl"))


def test_there_are_twelve():
    assert len(KERNELS) == 12


@pytest.mark.parametrize("level", ["0", "1", "2", "3"])
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_leaves_what_numpy_says_at_every_level(name, level, tmp_path):
    path = tmp_path / f"{name}.co"
    path.write_bytes(compile_c([FOLDER / f"{name}.cl"], "gcn", level))
    recorded = recording(name)
    result = GPU("gcn", engine="native").run(program_of(recorded | {"code_object": str(path)}), max_cycles=20_000_000)
    assert result.status == "done", str(result.fault)
    assert differences(recorded, result) == []
