"""Every program in examples/tiny does what its first comment says, on the machine `tiny`.

Each expected result is computed here, in Python, from the program's initial memory.
"""

import json
from itertools import accumulate

import numpy as np
import pytest

from tests.places import ROOT
from warploom.isa import load, load_with_warnings, tiny

EXAMPLES = ROOT / "examples" / "tiny"
GOLDEN = ROOT / "tests" / "golden" / "tiny"


def memory_before(name):
    memory = np.zeros(256, np.uint8)
    data = load(EXAMPLES / f"{name}.asm").data
    memory[: len(data)] = data
    return memory


def matadd(m):
    m[16:24] = m[0:8] + m[8:16]


def matmul(m):
    m[8:12] = (m[0:4].reshape(2, 2) @ m[4:8].reshape(2, 2)).ravel()


def saxpy(m):
    m[16:24] += m[0] * m[8:16]


def dot(m):
    products = m[0:16] * m[16:32]
    m[32:36] = products.reshape(4, 4).sum(axis=0)
    m[36] = products.sum()


def copy_strided(m):
    m[128:160] = m[0:32]


def transpose(m):
    m[16:32] = m[0:16].reshape(4, 4).T.ravel()


def stencil(m):
    m[16:24] = m[0:8] // 4 + m[1:9] // 2 + m[2:10] // 4


def threshold(m):
    m[8:16] = np.where(m[0:8] >= 128, 255, 0)


def uneven(m):
    sums = [0, *accumulate(range(1, 17))]
    m[0:16] = np.repeat([sums[(block + 1) ** 2] for block in range(4)], 4)


def partial_block(m):
    m[8:14] = m[0:6] ** 2


def reduction(m):
    numbers = m[0:8].copy()
    for distance in (4, 2, 1):
        numbers[0:4] = numbers[0:4] + numbers[distance : distance + 4]
    assert numbers[0] == m[0:8].sum()
    m[0:8] = numbers


def histogram_private(m):
    each = [np.bincount(part, minlength=4) for part in m[0:16].reshape(4, 4)]
    m[64:80] = np.concatenate(each)
    m[16:20] = np.bincount(m[0:16], minlength=4)


EXPECTED = {
    function.__name__: function
    for function in (
        matadd, matmul, saxpy, dot, copy_strided, transpose, stencil, threshold, uneven, partial_block, reduction, histogram_private,
    )
}  # fmt: skip
OTHERS = {"histogram", "diverge", "shared_reduction", "reduction_shared", "slow_banks", "slow_barrier"}  # tested one by one below


def expected(name):
    memory = memory_before(name)
    EXPECTED[name](memory)
    return memory.tolist()


def gpu(preset="tiny", **changes):
    from warploom.gpu import GPU

    return GPU(preset, set={name.replace("__", "."): value for name, value in changes.items()})


def test_every_example_has_an_expected_result():
    assert {path.stem for path in EXAMPLES.glob("*.asm")} == set(EXPECTED) | OTHERS


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.asm")), ids=lambda path: path.stem)
def test_an_example_says_what_it_teaches_and_assembles_without_a_warning(path):
    program, warnings = load_with_warnings(path)
    assert warnings == []
    assert len(program) > 0
    text = path.read_text()
    assert text.startswith(f"; {path.stem}: ")
    assert "; Teaches: " in text and "; Look for: " in text and "; Memory" in text


@pytest.mark.parametrize(("name", "golden"), [("matadd", "matadd8_ref__c2_t4_d4"), ("matmul", "matmul2x2_ref__c2_t4_d4")])
def test_the_reference_kernels_are_the_recorded_words(name, golden):
    program = load(EXAMPLES / f"{name}.asm")
    recorded = json.loads((GOLDEN / f"{golden}.json").read_text())
    assert tiny.words(program) == recorded["program"]
    assert memory_before(name).tolist() == recorded["data"]
    assert program.launch.threads == recorded["threads"]
    assert expected(name) == recorded["final_data_memory"]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_an_example_computes_what_it_says(name):
    result = gpu().run(load(EXAMPLES / f"{name}.asm"))
    assert result.status == "done"
    assert np.asarray(result.memory).tolist() == expected(name)


@pytest.mark.parametrize(("name", "cycles"), [("matadd", 178), ("matmul", 491)])
def test_the_reference_kernels_take_their_recorded_cycles(name, cycles):
    assert gpu("tiny-original").run(load(EXAMPLES / f"{name}.asm")).cycles == cycles


def test_the_histogram_loses_what_a_block_counts_twice():
    numbers = memory_before("histogram")[0:8]
    right = np.bincount(numbers, minlength=4)
    once_a_block = sum(np.bincount(np.unique(block), minlength=4) for block in numbers.reshape(2, 4))
    one_core = gpu(gpu__cores=1).run(load(EXAMPLES / "histogram.asm"))
    assert np.asarray(one_core.memory)[16:20].tolist() == once_a_block.tolist()
    assert once_a_block.sum() < right.sum()
    two_cores = np.asarray(gpu().run(load(EXAMPLES / "histogram.asm")).memory)[16:20]
    assert (two_cores >= 1).all() and (two_cores <= once_a_block).all()


def test_divergence_stops_the_machine_whose_threads_must_agree():
    result = gpu().run(load(EXAMPLES / "diverge.asm"))
    assert result.status == "error"
    assert np.asarray(result.memory).tolist() == memory_before("diverge").tolist()


def test_the_original_hardware_lets_the_last_thread_decide():
    result = gpu("tiny-original").run(load(EXAMPLES / "diverge.asm"))
    assert result.status == "done"
    assert np.asarray(result.memory)[0:4].tolist() == [0, 3, 6, 9]


def test_the_original_hardware_never_ends_a_partial_block():
    result = gpu("tiny-original").run(load(EXAMPLES / "partial_block.asm"), max_cycles=5000)
    assert result.status == "timeout"


def test_a_machine_that_lets_lanes_part_runs_both_paths():
    result = gpu("tiny-simt").run(load(EXAMPLES / "diverge.asm"))
    assert result.status == "done"
    assert np.asarray(result.memory)[0:4].tolist() == [0, 3, 4, 9]


def test_shared_memory_holds_the_sums_of_each_block():
    result = gpu("tiny-simt").run(load(EXAMPLES / "shared_reduction.asm"))
    before = memory_before("shared_reduction")
    assert np.asarray(result.memory)[16:18].tolist() == before[0:8].reshape(2, 4).sum(axis=1).tolist() == [10, 200]
    assert np.asarray(result.memory)[0:16].tolist() == before[0:16].tolist()


def test_the_reduction_in_shared_memory_leaves_what_the_one_in_data_memory_does():
    result = gpu("tiny-simt").run(load(EXAMPLES / "reduction_shared.asm"))
    assert np.asarray(result.memory).tolist() == expected("reduction")


def test_every_thread_counts_up_its_own_byte_of_shared_memory():
    result = gpu("tiny-simt").run(load(EXAMPLES / "slow_banks.asm"))
    assert np.asarray(result.memory)[0:16].tolist() == [4 * thread + 9 for thread in range(16)]


@pytest.mark.parametrize(("block", "expected"), [(4, [1] * 16), (16, [1] * 12 + [60] * 4)])
def test_the_last_warp_of_a_block_has_most_to_do(block, expected):
    result = gpu("tiny-simt", core__threads_per_block=block).run(load(EXAMPLES / "slow_barrier.asm"))
    assert np.asarray(result.memory)[0:16].tolist() == expected


def test_shared_memory_names_the_instructions_that_a_machine_may_refuse():
    program = load(EXAMPLES / "shared_reduction.asm")
    assert {program.text[number].split()[0] for number in program.extensions} == {"LDS", "STS", "BAR"}


@pytest.mark.parametrize(
    ("preset", "reason"),
    [
        ("tiny", "a core that runs one instruction at a time has no shared memory; "),
        ("tiny-original", "the published hardware has no such instruction; "),
    ],
)
def test_a_machine_without_shared_memory_refuses_the_extensions(preset, reason):
    from warploom.machine.accounting.status import LaunchError

    path = EXAMPLES / "shared_reduction.asm"
    with pytest.raises(LaunchError) as caught:
        gpu(preset).run(load(path))
    place = f"{path}:16 (STS %threadIdx, R1)"
    assert str(caught.value).startswith(f"{place}: {reason}")
