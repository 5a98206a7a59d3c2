"""What a finding proposes fits the kernel that it is about."""

import numpy as np
import pytest

from tests.checks.correct import ints, zeros
from warploom import cuda
from warploom.kernel.library.random import create_xoroshiro128p_states, xoroshiro128p_dtype, xoroshiro128p_uniform_float32

TAPS = 4


def said(kernel, grid, block, *arguments, shared=0):
    """The first finding of a launch, whose others, of further accesses, have the same fix."""
    report = cuda.jit(kernel).check[grid, block, 0, shared](*arguments, schedule=False)
    assert len({one.fix for one in report.findings}) == 1, str(report)
    return report.findings[0]


def heat(u, out):
    i, k = cuda.grid(2)
    out[i, k] = u[i, k + 1]


def test_an_index_is_guarded_by_its_own_text():
    found = said(heat, 1, (4, 8), np.zeros((4, 8)), np.zeros((4, 8)))
    assert found.fix == "guard it: if k + 1 < u.shape[1]"


def test_a_race_in_a_grid_that_meets_is_mended_by_its_barrier():
    def within(a, b):
        i = cuda.grid(1)
        b[i] = a[(i + 32) % 64]
        cuda.cg.this_grid().sync()
        a[i] = b[(i + 32) % 64]
        b[i] = 1

    found = said(within, 1, 64, ints(64), zeros(64))
    assert found.fix == "put the grid's sync() between the two, or cuda.syncthreads() where only threads of one block meet"
    found = said(within, 2, 32, ints(64), zeros(64))
    assert found.fix == "blocks have no order: put the grid's sync() between the two, or use an atomic"


def test_a_lock_without_fences_is_told_of_them():
    def guarded(lock, total):
        if cuda.threadIdx.x == 0:
            while cuda.atomic.cas(lock, 0, 0, 1) != 0:
                pass
            total[0] += 1
            cuda.atomic.exch(lock, 0, 0)

    found = said(guarded, 4, 32, zeros(1), zeros(1))
    assert found.fix == (
        "blocks have no order: use an atomic, an array for each block, or a kernel of its own after this one; "
        "for a lock: cuda.threadfence() after it is taken and before it is given back"
    )


def test_one_line_that_reads_and_writes_is_split():
    def scan(x):
        s = cuda.shared.array(64, np.int32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        if t >= 1:
            s[t] += s[t - 1]

    split = "split the line: read into a variable, then cuda.syncthreads() where all threads of the block pass, then write"
    assert said(scan, 1, 64, ints(64)).fix == split

    def rounds(x):
        s = cuda.shared.array(64, np.int32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        for k in range(3):
            s[t] = s[(t + 32) % 64] + k

    assert said(rounds, 1, 64, ints(64)).fix == f"{split}, and once more cuda.syncthreads() before the next round"


def of_a_tuple(x, out):
    p = cuda.grid(2)
    out[p] = 1


def of_a_call(x, out):
    out[cuda.grid(2)] = 1


def of_a_constant(x, out):
    out[cuda.threadIdx.x % 6, 5] = 1


def of_a_constant_from_the_end(x, out):
    out[-7, cuda.threadIdx.x % 4] = 1


def of_an_atomic(x, out):
    i = cuda.threadIdx.x
    cuda.atomic.add(x, i * 2, 1)


def of_an_atomic_with_two(x, out):
    i = cuda.threadIdx.x
    cuda.atomic.add(out, (i, 0), 1)


def of_more_than_a_comparison_takes(x, out):
    i = cuda.threadIdx.x
    x[i if i > 2 else 9] = 1


def of_a_long_one(x, out):
    i = cuda.threadIdx.x
    x[i + cuda.blockIdx.x * cuda.blockDim.x] = 1


def of_a_long_one_below_zero(x, out):
    i = cuda.threadIdx.x
    x[-i - cuda.blockIdx.x * cuda.blockDim.x] = 1


def of_a_function_of_the_library(x, out):
    states = cuda.shared.array(4, xoroshiro128p_dtype)
    xoroshiro128p_uniform_float32(states, cuda.threadIdx.x)


@pytest.mark.parametrize(
    ("kernel", "fix"),
    [
        (of_a_tuple, "guard it: if p[0] < out.shape[0]"),
        (of_a_call, "guard it: if cuda.grid(2)[0] < out.shape[0]"),
        (of_a_constant, "the index 5 needs an axis of 6 elements"),
        (of_a_constant_from_the_end, "the index -7 needs an axis of 7 elements"),
        (of_an_atomic, "guard it: if i * 2 < x.size"),
        (of_an_atomic_with_two, "guard it: if i < out.shape[0]"),
        (of_more_than_a_comparison_takes, "let the index be below x.size"),
        (of_a_long_one, "let the index be below x.size"),
        (of_a_long_one_below_zero, "let the index be from 0 to 7"),
        (of_a_function_of_the_library, "let the index be below 4"),
    ],
)
def test_an_index_is_guarded_by_what_a_comparison_can_have(kernel, fix):
    report = cuda.jit(kernel).check[1, (12, 1)](zeros(8), zeros(6, 4), schedule=False)
    assert [one.fix for one in report.findings if one.kind == "bounds"] == [fix], str(report)


def of_a_row(x, out):
    row = x[2]
    out[cuda.threadIdx.x] = row[cuda.threadIdx.x]


def of_a_rest(x, out):
    i = cuda.threadIdx.x
    rest = x[:, i:]
    out[i] = rest[0, 1]


def of_a_long_piece(x, out):
    i = cuda.threadIdx.x
    piece = x[cuda.threadIdx.x // 8 + 1, 2:]
    out[i] = piece[i]


@pytest.mark.parametrize(("kernel", "whole"), [(of_a_row, "x[2]"), (of_a_rest, "axis 1 of x[:, i:]"), (of_a_long_piece, "a part of x")])
def test_a_part_of_an_array_is_called_as_the_source_has_it(kernel, whole):
    assert f"is outside of {whole}, which has " in said(kernel, 1, 8, zeros(4, 8)[:, :7], zeros(8)).message


def test_a_field_that_is_an_array_is_called_as_the_source_has_it():
    kind = np.dtype([("a", np.int32), ("v", np.float32, (3,))])

    def of_a_field(x, out):
        i = cuda.threadIdx.x
        out[i] = x[0].v[i]

    assert "the index 3 is outside of x[0].v, which has 3 elements" in said(of_a_field, 1, 4, np.zeros(3, kind), zeros(4)).message


def test_an_empty_array_is_asked_for_only_where_the_launch_gives_it():
    def empty(x, out):
        s = cuda.shared.array(0, np.int32)
        t = cuda.threadIdx.x
        s[t] = 1
        out[t] = x[t]

    assert said(empty, 1, 8, zeros(0), zeros(8), shared=256).fix == "the array is empty; guard it: if x.size > 0"
    assert said(empty, 1, 8, zeros(8), zeros(8)).fix == "s is empty: ask for more dynamic shared memory in the launch"


def test_dynamic_shared_memory_that_was_not_asked_for():
    def second_half(x, out):
        first = cuda.shared.array(0, np.int32)
        second = cuda.shared.array(0, np.float32)[64:]
        t = cuda.threadIdx.x
        first[t] = t
        second[t] = x[t]
        out[t] = second[t] + first[t]

    found = said(second_half, 1, 64, np.ones(64, np.float32), zeros(64), shared=256)
    assert "outside of second, which has 0 elements" in found.message
    assert found.fix == "second is empty: ask for more dynamic shared memory in the launch"


def test_dynamic_shared_memory_that_is_too_little():
    def copy(x, out):
        s = cuda.shared.array(0, np.int32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        out[t] = s[t]

    fix = "guard it: if t < 20, or ask for more dynamic shared memory in the launch"
    assert said(copy, 1, 32, ints(32), zeros(32), shared=80).fix == fix


def test_a_step_of_several_is_mended_by_a_barrier():
    def counted(x, out):
        bins = cuda.shared.array(32, np.int32)
        t = cuda.threadIdx.x
        bins[t % 32] = 0
        cuda.syncthreads()
        bins[t % 32] += x[t]
        cuda.syncthreads()
        out[t] = bins[t % 32]

    report = cuda.jit(counted).check[1, 128](ints(128), zeros(128), schedule=False)
    fix = "update it in one step, with cuda.atomic; or, where it is one step of several, put cuda.syncthreads() between them"
    assert [(one.kind, one.fix) for one in report.findings] == [("lost-update", fix)], str(report)


def test_a_state_that_threads_share_is_no_case_for_an_atomic():
    def drawn(states, out):
        i = cuda.grid(1)
        out[i] = xoroshiro128p_uniform_float32(states, i // 2)

    report = cuda.jit(drawn).check[1, 32](create_xoroshiro128p_states(32, seed=1), np.zeros(32, np.float32), schedule=False)
    assert {(one.kind, one.fix) for one in report.findings} == {("lost-update", "give each thread an element of its own")}, str(report)


def test_the_item_of_an_array_without_dimensions():
    def last(flag):
        flag[()] = cuda.threadIdx.x

    assert said(last, 1, 2, np.zeros((), np.int32)).message.startswith("thread 1 of block 0 writes flag[()], thread 0 of block 0 writes it")


def test_of_each_block_that_a_core_holds_the_element_is_told():
    def edge(x, out):
        s = cuda.shared.array(34, np.uint8)
        t = cuda.threadIdx.x
        s[t + 1] = x[t]
        cuda.syncthreads()
        if cuda.blockIdx.x == 2:
            out[t] = s[t + 2]

    found = said(edge, 3, 32, ints(32), zeros(32))
    assert found.message == "thread 31 of block 2 reads s[33], which nobody has written"


def test_a_local_array_has_its_name():
    def taps(out):
        window = cuda.local.array(TAPS, np.float32)
        window[0] = 1
        total = np.float32(0)
        for k in range(TAPS):
            total += window[k]
        out[cuda.grid(1)] = total

    assert said(taps, 1, 32, zeros(32)).message == "thread 0 of block 0 reads an element of window, which nobody has written"


def test_of_two_local_arrays_the_one_that_the_source_names_is_told():
    def two(out):
        near, far = cuda.local.array(4, np.float32), cuda.local.array(4, np.float32)
        near[0] = 1
        total = np.float32(0)
        for k in range(cuda.threadIdx.x % 4 + 1):
            total += near[k]
            far[k] = total
        out[cuda.grid(1)] = total + far[0]

    assert said(two, 1, 32, zeros(32)).message == "thread 1 of block 0 reads an element of near, which nobody has written"


def shared_state(states, out):
    i = cuda.grid(1)
    out[i] = xoroshiro128p_uniform_float32(states, 0)


def test_what_a_function_of_the_library_does_is_found_where_it_is_called():
    states = create_xoroshiro128p_states(64, seed=1)
    report = cuda.jit(shared_state).check[1, 64](states, np.zeros(64, np.float32), schedule=False)
    assert [one.position.line for one in report.findings] == [shared_state.__code__.co_firstlineno + 2]
    assert "^~~~" in str(report) and len(report.program.sources) == 1


def largest_by_hand(x, m):
    i = cuda.grid(1)
    if x[i] > m[0]:
        m[0] = x[i]


def smallest_by_hand(x, m):
    v = x[cuda.grid(1)]
    if m[1, 0] >= v:
        m[1, 0] = v


def largest_by_a_call(x, m):
    m[0] = max(m[0], x[cuda.grid(1)] + 1)


def largest_at_a_place_in_brackets(x, m):
    v = x[cuda.grid(1)]
    if v > m[int((v - v) / 100)]:
        m[int((v - v) / 100)] = v


@pytest.mark.parametrize(
    ("kernel", "fix"),
    [
        (largest_by_hand, "do it in one step: cuda.atomic.max(m, 0, x[i])"),
        (smallest_by_hand, "do it in one step: cuda.atomic.min(m, (1, 0), v)"),
        (largest_by_a_call, "do it in one step: cuda.atomic.max(m, 0, x[cuda.grid(1)] + 1)"),
        (largest_at_a_place_in_brackets, "do it in one step: cuda.atomic.max(m, int((v - v) / 100), v)"),
    ],
)
@pytest.mark.parametrize("blocks", [1, 4])
def test_the_largest_number_is_kept_by_one_atomic(kernel, fix, blocks):
    m = np.full((2, 1), 999) if kernel is smallest_by_hand else zeros(1)
    report = cuda.jit(kernel).check[blocks, 128 // blocks](ints(128), m, schedule=False)
    assert {one.fix for one in report.findings} == {fix}


def another_number(x, m):
    v = x[cuda.grid(1)]
    if v > m[0]:
        m[0] = v + 1


def not_larger(x, m):
    v = x[cuda.grid(1)]
    if not (v < m[0]):
        m[0] = v


def either(x, m):
    v = x[cuda.grid(1)]
    if v < 0 or v > m[0]:
        m[0] = v


def guarded(x, m):
    v = x[cuda.grid(1)]
    if v > 3 and v > m[0]:
        m[0] = v


def with_its_place(x, m):
    i = cuda.grid(1)
    if x[i] > m[0]:
        m[0] = x[i]
        m[1] = i


def with_an_else(x, m):
    v = x[cuda.grid(1)]
    if v > m[0]:
        m[0] = v
    else:
        m[0] = 7


def of_itself(x, m):
    m[0] = max(m[0], m[0] + x[cuda.grid(1)])


def one_thread_then_all(x, m):
    i = cuda.grid(1)
    if i == 0:
        v = i + 3
        if v > m[0]:
            m[0] = v
    x[i] = m[0]


KEEP_SOMETHING_ELSE = [another_number, not_larger, either, guarded, with_its_place, with_an_else, of_itself, one_thread_then_all]


@pytest.mark.parametrize("kernel", KEEP_SOMETHING_ELSE)
def test_what_keeps_something_else_is_no_such_atomic(kernel):
    report = cuda.jit(kernel).check[1, 128](ints(128), zeros(2), schedule=False)
    assert report.findings and not any("cuda.atomic.m" in one.fix for one in report.findings), str(report)


def test_what_one_thread_keeps_is_told_by_a_barrier():
    report = cuda.jit(one_thread_then_all).check[1, 128](ints(128), zeros(1), schedule=False)
    fix = "put cuda.syncthreads() between the two, where all threads of the block pass"
    assert [one.fix for one in report.findings if one.kind == "race"] == [fix], str(report)


def of_the_next(x):
    i = cuda.grid(1)
    if i + 1 < x.size:
        x[i] = x[i + 1]


def test_a_line_that_reads_and_writes_is_split_and_blocks_may_meet_there_too():
    def fixes(grid, block):
        report = cuda.jit(of_the_next).check[grid, block](ints(grid * block), schedule=False)
        return {one.kind: one.fix for one in report.findings}

    split = "split the line: read into a variable, then cuda.syncthreads()"
    assert fixes(1, 64)["race"] == f"{split} where all threads of the block pass, then write"
    assert "threads of two blocks may meet there too" in fixes(2, 64)["race"]
    assert fixes(1, 32)["lockstep"].startswith("split the line: read into a variable, then cuda.syncwarp(), then write")


@pytest.mark.parametrize("kind", [np.int16, np.uint8, np.float16])
def test_items_that_have_no_atomic_are_told_of_none(kind):
    x = np.arange(128).astype(kind)
    report = cuda.jit(largest_by_hand).check[1, 128](x, np.zeros(1, kind), schedule=False)
    assert report.findings and not any("cuda.atomic.m" in one.fix for one in report.findings), str(report)
