"""The recorded programs run, and leave in memory what NumPy says; they issue the instructions that were counted."""

import pytest

from tests.isa.gcn.recorded import NAMES, differences, issued, program_of, recording
from warploom import GPU

LONG = ("mandel", "matmul", "nested")  # tens of seconds in plain Python


def test_there_are_twenty():
    assert len(NAMES) == 20


@pytest.mark.every(3)
@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_program_leaves_what_numpy_says(name, engine):
    if engine == "python" and name in LONG:
        pytest.skip("natively only")
    recorded = recording(name)
    result = GPU("gcn", engine=engine).run(program_of(recorded), max_cycles=1_000_000)
    assert result.status == "done", str(result)
    assert differences(recorded, result) == []
    assert issued(result) == recorded["wave_instructions"]


@pytest.mark.parametrize("name", ["fmath", "warp", "forkjoin_20_30", "atomics"])
def test_both_engines_agree_in_every_byte_and_counter(name):
    recorded = recording(name)
    one, other = (GPU("gcn", engine=engine).run(program_of(recorded)) for engine in ("python", "native"))
    assert one.memory.tobytes() == other.memory.tobytes() and one.counters == other.counters
