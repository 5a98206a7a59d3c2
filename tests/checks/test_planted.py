"""Every planted bug is found, named by its kind and at its line; what is right beside it is not."""

import warnings

import numpy as np
import pytest

import warploom
from tests.checks.planted import KERNELS
from warploom import cuda
from warploom.kernel.device.context import CURRENT

SENTENCES = {  # what is found, what to do, and what makes it visible, as a user reads it: each sentence of `findings.py` once
    "forgotten_barrier": [
        "thread 0 of block 0 reads s[63], thread 63 of block 0 writes it, and nothing says which comes first [race]",
        "put cuda.syncthreads() between the two, where all threads of the block pass",
        "order: here thread 63 of block 0 came first; nothing keeps it so",
        "note: thread 63 of block 0 writes it here",
    ],
    "all_write_one_word": [
        "let one thread write it, or give each thread an element of its own",
        "order: here thread 1 of block 0 wrote last; any of them may",
    ],
    "neighbour_of_another_block": [
        "blocks have no order: use an atomic, an array for each block, or a kernel of its own after this one",
    ],
    "two_locks_for_one_counter": [
        "writes counter[0] with what it has read before thread 0 of block 0 wrote it: that update is lost [lost-update]",
        "update it in one step, with cuda.atomic",
    ],
    "warp_synchronous_reduction": [
        "thread 0 of block 0 reads s[16] after thread 16 of block 0 writes it only because lanes run in lockstep [lockstep]",
        "put cuda.syncwarp() between the two",
        "order: since Volta each lane of a warp may run on its own (core.divergence=its)",
    ],
    "exchange_in_a_warp": ["put cuda.syncthreads() between the two, where all threads of the block pass: it is right for every size"],
    "guard_is_missing": ["the index 20 is outside of out, which has 20 elements [bounds]", "guard it: if cuda.threadIdx.x < out.size"],
    "axes_are_mixed_up": ["thread (6,0) of block 0: the index 6 is outside of axis 1 of out, which has 6 elements [bounds]"],
    "before_the_start": ["the index -32 is outside of out, which has 16 elements [bounds]", "guard it: if 0 <= t - 32 < out.size"],
    "half_of_a_shared_array": [
        "thread 32 of block 0 reads s[32], which nobody has written [uninitialised]",
        "write it first, before a barrier",
    ],
    "value_in_one_branch": [
        "thread 0 of block 0 reads v, which has no value on the path that it took [uninitialised]",
        "give it a value before the branch or the loop",
    ],
    "barrier_for_half_a_warp": [
        "thread 0 of block 0 waits at this barrier, and thread 16 of block 0, of the same warp, never comes to it [barrier]",
        "let all threads of a block come to the barrier: move it out of the branch",
    ],
    "two_barriers_in_two_branches": [
        "thread 1 of block 0 waits at this barrier while thread 0 of block 0 waits at a different one [barrier]",
        "note: thread 0 of block 0 waits here",
    ],
    "full_mask_in_a_branch": [
        "the mask 0xffffffff of shfl_down_sync names thread 16 of block 0, which does not come here [mask]",
        "name the lanes that execute it, or move it out of the branch",
    ],
    "mask_without_the_lane_itself": ["thread 16 of block 0 executes ballot_sync, but the mask 0xffff does not name its lane [mask]"],
    "syncwarp_in_a_branch": ["the mask 0xffffffff of syncwarp names thread 16 of block 0, which does not come here [syncwarp]"],
    "shuffle_from_a_lane_that_is_not_there": [
        "takes a value from the lane of thread 20 of block 0, which is not there: the value is undefined [shuffle]",
        "let that lane take part, or read one that does",
    ],
}


def run(function, grid, block, arguments, machine="sm", change=None):
    CURRENT.use(warploom.GPU(machine, set=change or {}, engine="python"))
    CURRENT.context.memory_bytes = 1 << 20
    try:
        given = [
            cuda.device_array(32, np.int32) if isinstance(one, str) else one.copy() if isinstance(one, np.ndarray) else one
            for one in arguments
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cuda.jit(function).check[grid, block](*given, schedule=False, max_cycles=100_000)
    finally:
        CURRENT.use(None)


def test_there_are_enough():
    assert len(KERNELS) >= 40
    assert {row[0].__name__ for row in KERNELS} >= set(SENTENCES)


@pytest.mark.every(3)
@pytest.mark.parametrize("planted", KERNELS, ids=lambda planted: planted[0].__name__)
def test_a_planted_bug_is_found(planted):
    function, grid, block, arguments, kinds, at, machine, change = planted
    report = run(function, grid, block, arguments, machine, change)
    assert {one.kind for one in report.findings} == kinds, str(report)
    lines = report.program.sources[0].lines
    said = [lines[one.position.line - 1].strip() for one in report.findings if one.position.line]
    assert any(at in line for line in said), f"{said}\n{report}"
    assert all(one.fix or one.kind == "deadlock" for one in report.findings)
    for sentence in SENTENCES.get(function.__name__, ()):
        assert sentence in str(report)
