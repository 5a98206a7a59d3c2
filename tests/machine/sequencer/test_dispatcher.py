import pytest

from tests.machine.tiny_kernels import assemble, run
from warploom import GPU

WRITE_BLOCK = """
MUL R1, %blockIdx, %blockDim
ADD R1, R1, %threadIdx
STR R1, %blockIdx
RET
"""


def lines(text, threads, **changes):
    """The dispatcher's side of the trace."""
    gpu = GPU("tiny", set={name.replace("__", "."): value for name, value in changes.items()}, engine="python")
    return [machine.trace_line() for machine in gpu.steps(assemble(text, threads))]


def test_no_threads_end_in_two_cycles():
    result = run("RET", threads=0)
    assert (result.status, result.cycles, result.instructions) == ("done", 2, 0)


def test_the_start_takes_two_cycles():
    trace = lines("RET", 8)
    assert [(line["cores"][0]["start"], line["cores"][0]["reset"], line["cores"][0]["core_state"]) for line in trace[:3]] == [
        (0, 1, 0),
        (1, 0, 0),
        (1, 0, 1),
    ]


def test_lower_cores_get_lower_blocks():
    trace = lines("RET", 16, gpu__cores=3)
    assert [core["block_id"] for core in trace[1]["cores"]] == [0, 1, 2]
    assert trace[1]["blocks_dispatched"] == 3


def test_the_next_block_is_fetching_three_cycles_after_the_last_one_ended():
    states = [(line["cores"][0]["core_state"], line["cores"][0]["block_id"]) for line in lines("RET", 8, gpu__cores=1)]
    end = states.index((7, 0))
    assert states[end : end + 4] == [(7, 0), (7, 0), (0, 1), (1, 1)]


def test_done_rises_two_cycles_after_the_last_block_ended():
    trace = lines("RET", 4)
    end = next(index for index, line in enumerate(trace) if line["cores"][0]["done"])
    assert [line["done"] for line in trace[end:]] == [0, 0, 1]


@pytest.mark.parametrize("threads", [1, 3, 4, 5, 11, 16])
@pytest.mark.parametrize("cores", [1, 3])
def test_every_thread_runs_once_with_its_own_block(threads, cores):
    result = run(WRITE_BLOCK, threads=threads, gpu__cores=cores, core__threads_per_block=4)
    assert result.memory[:threads].tolist() == [thread // 4 for thread in range(threads)]
    assert result.memory[threads:].sum() == 0
    assert result.counters["thread_instructions"] == 4 * threads


def test_the_last_block_may_be_partial():
    trace = lines("RET", 6)
    assert [core["thread_count"] for core in trace[1]["cores"]] == [4, 2]


def test_a_device_with_more_cores_than_blocks_leaves_cores_idle():
    result = run("RET", threads=4, gpu__cores=64)
    assert result.status == "done"
    assert result.counters["instructions"] == 1


def test_255_threads_are_the_most_that_the_device_control_register_takes():
    assert run("RET", threads=255).counters["thread_instructions"] == 255
