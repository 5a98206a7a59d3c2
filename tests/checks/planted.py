"""Kernels with one mistake each, and what the checks have to say of it. KERNELS: (kernel, grid, block, arguments, kinds, lines' texts)."""

import numpy as np
from numba import float32, float64, int32, uint8

from warploom import cuda

FULL = 0xFFFFFFFF
KERNELS = []


def ints(*shape):
    return np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)


def zeros(*shape, dtype=np.int32):
    return np.zeros(shape, dtype)


def planted(kinds, grid, block, *arguments, at="", machine="sm", change=None):
    """kinds: what must be said, and nothing else. at: a text of the line that the first finding is about."""

    def keep(function):
        KERNELS.append((function, grid, block, arguments, set(kinds.split()), at, machine, change))
        return function

    return keep


# ---- shared memory, between warps


@planted("race", 1, 64, ints(64), zeros(64), at="out[t] = s[63 - t]")
def forgotten_barrier(x, out):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    out[t] = s[63 - t]


@planted("race", 1, 64, ints(64), zeros(64), at="s[t] = s[t + 1]")
def barrier_after_the_read_is_missing(x, out):
    s = cuda.shared.array(65, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    if t == 0:
        s[64] = 0
    cuda.syncthreads()
    s[t] = s[t + 1]
    cuda.syncthreads()
    out[t] = s[t]


@planted("race", 1, 128, ints(128), zeros(1), at="s[t] += s[t + step]")
def reduction_without_barriers(x, out):
    s = cuda.shared.array(128, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    step = 64
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        step //= 2
    cuda.syncthreads()
    if t == 0:
        out[0] = s[0]


@planted("race", 2, 64, ints(128), zeros(128), at="near[t] = x[tile * 64 + t]")
def tile_is_overwritten_too_early(x, out):
    near = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    total = 0
    for tile in range(2):
        near[t] = x[tile * 64 + t]
        cuda.syncthreads()
        for k in range(64):
            total += near[k]
    out[cuda.grid(1)] = total


@planted("race", 1, 64, zeros(1), at="s[0] = t")
def all_write_one_word(out):
    s = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    s[0] = t
    cuda.syncthreads()
    out[0] = s[0]


@planted("race", 1, 64, zeros(64), at="flag[0] = 2")
def flag_without_barrier(out):
    flag = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        flag[0] = 1
    cuda.syncthreads()
    if t == 63:
        flag[0] = 2
    out[t] = flag[0]


@planted("race", 1, 64, zeros(64), at="s[t // 2] = t")
def two_threads_an_element(out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    s[t // 2] = t
    cuda.syncthreads()
    out[t] = s[t // 2]


@planted("race", 1, (16, 8), zeros(8, 16), at="s[cuda.threadIdx.x] = cuda.threadIdx.y")
def rows_share_a_row(out):
    s = cuda.shared.array(16, int32)
    s[cuda.threadIdx.x] = cuda.threadIdx.y
    cuda.syncthreads()
    out[cuda.threadIdx.y, cuda.threadIdx.x] = s[cuda.threadIdx.x]


@planted("race", 1, 64, zeros(64), at="s[63 - t] = 0")
def bytes_of_a_dynamic_array(out):
    s = cuda.shared.array(64, uint8)
    t = cuda.threadIdx.x
    s[t] = t
    out[t] = s[t]
    s[63 - t] = 0


@planted("race", 1, 64, ints(64).astype(np.float64), zeros(64, dtype=np.float64), at="out[t] = s[63 - t]")
def doubles(x, out):
    s = cuda.shared.array(64, float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    out[t] = s[63 - t]


@planted("race", 1, 64, zeros(64), at="cuda.atomic.add(s, 0, 1)")
def atomic_over_a_plain_write(out):
    s = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        s[0] = 0
    cuda.atomic.add(s, 0, 1)
    cuda.syncthreads()
    out[t] = s[0]


@planted("race", 1, 64, zeros(64), at="cuda.atomic.add(s, 0, 1)")
def read_beside_atomics(out):
    s = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        s[0] = 0
    cuda.syncthreads()
    cuda.atomic.add(s, 0, 1)
    out[t] = s[0]


# ---- global memory, between blocks


@planted("race", 4, 32, ints(128), zeros(128), at="out[i] = x[(i + 1) % x.size]")
def neighbour_of_another_block(x, out):
    i = cuda.grid(1)
    x[i] = i
    out[i] = x[(i + 1) % x.size]


@planted("race", 2, 32, zeros(32), at="out[cuda.threadIdx.x] = cuda.blockIdx.x")
def blocks_write_one_array(out):
    out[cuda.threadIdx.x] = cuda.blockIdx.x


@planted("race", 4, 32, zeros(128), zeros(1), at="total += x[k]")
def second_phase_in_the_same_kernel(x, out):
    i = cuda.grid(1)
    x[i] = 1
    cuda.syncthreads()
    if i == 0:
        total = 0
        for k in range(x.size):
            total += x[k]
        out[0] = total


@planted("race", 2, 64, zeros(1), zeros(1), at="out[0] = data[0]")
def flag_by_a_plain_word(data, out):
    flag = cuda.shared.array(1, int32)
    if cuda.threadIdx.x == 0:
        flag[0] = 1
    if cuda.grid(1) == 0:
        data[0] = 5
    if cuda.grid(1) == 64:
        out[0] = data[0]


@planted("race", 4, 32, ints(128), zeros(4), zeros(1), zeros(1), at="total += part[k]")
def last_block_without_a_fence(x, part, count, out):
    own = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        part[cuda.blockIdx.x] = x[cuda.grid(1)]
        own[0] = cuda.atomic.add(count, 0, 1)
    cuda.syncthreads()
    if own[0] == 3 and t == 0:
        total = 0
        for k in range(4):
            total += part[k]
        out[0] = total


@planted("race", 4, 32, ints(128), zeros(4), zeros(1), zeros(1), at="total += part[k]")
def last_block_with_a_fence_for_its_block(x, part, count, out):
    own = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        part[cuda.blockIdx.x] = x[cuda.grid(1)]
        cuda.threadfence_block()
        own[0] = cuda.atomic.add(count, 0, 1)
    cuda.syncthreads()
    if own[0] == 3 and t == 0:
        total = 0
        for k in range(4):
            total += part[k]
        out[0] = total


@planted("race", 4, 1, zeros(1), zeros(1), at="counter[0] += 1", change={"core.divergence": "its"})
def lock_without_a_fence(lock, counter):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    counter[0] += 1
    cuda.atomic.exch(lock, 0, 0)


@planted("race", 4, 32, zeros(1), zeros(1), at="counter[0] += 1")
def lock_that_is_taken_without_a_fence(lock, counter):
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(lock, 0, 0, 1) != 0:
            pass
        counter[0] += 1
        cuda.threadfence()
        cuda.atomic.exch(lock, 0, 0)


@planted("race", 8, 1, zeros(1), zeros(1), zeros(1), at="out[0] = data[0]")
def flag_that_is_met_without_a_fence(data, flag, out):
    if cuda.blockIdx.x == 0:
        data[0] = 5
        cuda.threadfence()
        cuda.atomic.exch(flag, 0, 1)
    elif cuda.blockIdx.x == 1:
        while cuda.atomic.add(flag, 0, 0) == 0:
            pass
        out[0] = data[0]


@planted("lost-update", 4, 1, zeros(2), zeros(1), at="counter[0] += 1", change={"core.divergence": "its"})
def two_locks_for_one_counter(lock, counter):
    own = cuda.blockIdx.x % 2
    while cuda.atomic.cas(lock, own, 0, 1) != 0:
        pass
    counter[0] += 1
    cuda.threadfence()
    cuda.atomic.exch(lock, own, 0)


# ---- lost updates


@planted("lost-update", 2, 64, ints(128) % 8, zeros(8), at="bins[x[i]] += 1")
def histogram_without_atomics(x, bins):
    i = cuda.grid(1)
    bins[x[i]] += 1


@planted("lost-update", 4, 1, zeros(1), at="out[0] = out[0] + 1")
def sum_of_blocks(out):
    out[0] = out[0] + 1


@planted("lost-update", 1, 32, ints(32).astype(np.float32), zeros(1, dtype=np.float32), at="out[0] += x[t]")
def sum_of_a_warp(x, out):
    t = cuda.threadIdx.x
    out[0] += x[t]


@planted("lost-update", 1, 64, zeros(4), at="s[t % 4] += 1")
def shared_histogram_without_atomics(out):
    s = cuda.shared.array(4, int32)
    t = cuda.threadIdx.x
    if t < 4:
        s[t] = 0
    cuda.syncthreads()
    s[t % 4] += 1
    cuda.syncthreads()
    if t < 4:
        out[t] = s[t]


# ---- within a warp


@planted("lockstep", 1, 32, ints(32), zeros(1), at="s[t] += s[t + 16]")
def warp_synchronous_reduction(x, out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    if t < 16:
        s[t] += s[t + 16]
    if t < 8:
        s[t] += s[t + 8]
    if t == 0:
        out[0] = s[0]


@planted("lockstep", 1, 32, ints(32), zeros(32), at="out[t] = s[31 - t]")
def exchange_in_a_warp(x, out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    out[t] = s[31 - t]


@planted("lockstep", 1, 32, zeros(32), at="out[t] = s[0]")
def broadcast_in_a_warp(out):
    s = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        s[0] = 7
    out[t] = s[0]


@planted("lockstep", 1, 32, zeros(32), at="out[t] = s[31 - t]")
def fence_is_no_syncwarp(out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    s[t] = t
    cuda.threadfence_block()
    out[t] = s[31 - t]


@planted("race", 1, 32, zeros(1), at="out[0] = cuda.threadIdx.x")
def lanes_write_one_word(out):
    out[0] = cuda.threadIdx.x


# ---- bounds


@planted("bounds", 1, 32, zeros(20), at="out[cuda.threadIdx.x] = 1")
def guard_is_missing(out):
    out[cuda.threadIdx.x] = 1


@planted("bounds", 1, 32, ints(32), zeros(32), at="out[t] = x[t + 1]")
def one_too_far(x, out):
    t = cuda.threadIdx.x
    out[t] = x[t + 1]


@planted("bounds", 1, (8, 8), zeros(8, 6), at="out[y, x] = 1")
def axes_are_mixed_up(out):
    x, y = cuda.grid(2)
    out[y, x] = 1


@planted("bounds", 1, 32, zeros(4, 32), at="out[1, t + 2] = t")
def row_runs_into_the_next(out):
    t = cuda.threadIdx.x
    out[1, t + 2] = t


@planted("bounds", 1, 32, zeros(32), at="s[t + 1] = t")
def shared_array_runs_into_the_next(out):
    s = cuda.shared.array(32, int32)
    other = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    other[t] = 0
    cuda.syncthreads()
    s[t + 1] = t
    cuda.syncthreads()
    out[t] = other[t]


@planted("bounds", 1, 32, zeros(32), at="own[k] = k")
def local_array_is_too_small(out):
    own = cuda.local.array(4, int32)
    t = cuda.threadIdx.x
    for k in range(t % 6):
        own[k] = k
    out[t] = t


@planted("bounds", 1, 32, zeros(16), at="out[t - 32] = 1")
def before_the_start(out):
    t = cuda.threadIdx.x
    out[t - 32] = 1


@planted("bounds", 1, 16, zeros(16, 8), at="out[i, j] = i")
def each_row_has_one_too_many(out):
    i = cuda.grid(1)
    for j in range(out.shape[1] + 1):
        if i < out.shape[0] - 1 or j < out.shape[1]:
            out[i, j] = i


@planted("bounds", 1, 64, zeros(65, 8), at="out[i, j] += 1")
def rows_of_two_warps_overlap(out):
    i = cuda.grid(1)
    for j in range(out.shape[1] + 1):
        out[i, j] += 1


@planted("bounds race", 1, 64, zeros(65, 8), zeros(1), at="out[i, 8], last[0] = 1, i")
def row_too_long_beside_a_race(out, last):
    i = cuda.grid(1)
    out[i, 0] = i
    out[i, 8], last[0] = 1, i


# ---- what nobody has written


@planted("uninitialised", 1, 64, zeros(64), at="out[t] = s[t]")
def half_of_a_shared_array(out):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    if t < 32:
        s[t] = t
    cuda.syncthreads()
    out[t] = s[t]


@planted("uninitialised", 1, 32, zeros(32), at="if s[t] == 12345:")
def decides_with_what_nobody_has_written(out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    if t < 20:
        s[t] = t
    cuda.syncthreads()
    if s[t] == 12345:
        out[t] = 1


@planted("uninitialised", 1, 32, zeros(32), at="out[t] = s[t] - s[t ^ 1]")
def difference_of_two_places_that_nobody_has_written(out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    if t < 16:
        s[t] = t
    cuda.syncthreads()
    out[t] = s[t] - s[t ^ 1]


@planted("uninitialised", 1, 32, zeros(32), at="v = s[4 * t + 3] - s[4 * (t ^ 1) + 3]")
def difference_of_two_bytes_that_nobody_has_written(out):
    s = cuda.shared.array(128, uint8)
    t = cuda.threadIdx.x
    if t < 16:
        s[4 * t + 3] = t
    cuda.syncthreads()
    v = s[4 * t + 3] - s[4 * (t ^ 1) + 3]
    out[t] = v


@planted("uninitialised", 1, 32, zeros(32), at="out[t] = s[t] - 2 * s[t + 1] + s[t + 2]")
def second_difference_of_places_that_nobody_has_written(out):
    s = cuda.shared.array(34, int32)
    t = cuda.threadIdx.x
    cuda.syncthreads()
    out[t] = s[t] - 2 * s[t + 1] + s[t + 2]


@planted("uninitialised", 1, 32, ints(32), zeros(20), at="v = x[s[t] & 31]")
def finds_a_place_with_what_nobody_has_written(x, out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    if t < 20:
        s[t] = t
    cuda.syncthreads()
    v = x[s[t] & 31]
    if t < 20:
        out[t] = v


@planted("uninitialised", 1, 32, zeros(20), at="v = cuda.shfl_sync(FULL, s[t], 0)")
def hands_on_what_nobody_has_written(out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    if t < 20:
        s[t] = t
    cuda.syncthreads()
    v = cuda.shfl_sync(FULL, s[t], 0)
    if t < 20:
        out[t] = v


@planted("uninitialised", 1, 32, zeros(32), at="total += s[k]")
def one_of_all_stores_what_nobody_has_written(out):
    s = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    if t < 31:
        s[t] = t
    cuda.syncthreads()
    total = float32(0)
    for k in range(t + 1):
        total += s[k]
    out[t] = total


@planted("uninitialised", 1, 32, zeros(20), at="other[t] = s[t]")
def keeps_what_nobody_has_written(out):
    s, other = cuda.shared.array(32, int32), cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    if t < 20:
        s[t] = t
    cuda.syncthreads()
    other[t] = s[t]
    if t < 20:
        out[t] = other[t]


@planted("uninitialised", 2, 32, zeros(64), at="v = s[t] - 5", change={"gpu.cores": 1, "core.blocks": 1})
def the_block_before_has_written_it(out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    if cuda.blockIdx.x == 0:
        s[t] = 5
    cuda.syncthreads()
    v = s[t] - 5
    out[cuda.grid(1)] = v


@planted("uninitialised", 1, 32, zeros(32), at="s[t] += t")
def shared_counter_is_not_set_to_zero(out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    s[t] += t
    out[t] = s[t]


@planted("uninitialised", 1, 32, zeros(4), at="cuda.atomic.add(s, cuda.threadIdx.x % 4, 1)")
def shared_bins_are_not_set_to_zero(out):
    s = cuda.shared.array(4, int32)
    cuda.atomic.add(s, cuda.threadIdx.x % 4, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < 4:
        out[cuda.threadIdx.x] = s[cuda.threadIdx.x]


@planted("uninitialised", 1, 32, zeros(32, dtype=np.float32), at="total += own[k]")
def local_array_is_half_filled(out):
    own = cuda.local.array(8, float32)
    t = cuda.threadIdx.x
    for k in range(t % 8):
        own[k] = k
    total = float32(0)
    for k in range(8):
        total += own[k]
    out[t] = total


@planted("uninitialised", 1, 32, "device array", zeros(32), at="out[t] = x[t]")
def device_array_is_never_filled(x, out):
    t = cuda.threadIdx.x
    out[t] = x[t]


# ---- barriers


@planted("barrier", 1, 32, ints(32), zeros(32), at="cuda.syncthreads()")
def barrier_for_half_a_warp(x, out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = x[t]
        cuda.syncthreads()
    out[t] = x[31 - t] + t


@planted("barrier", 1, 32, zeros(32), at="cuda.syncthreads()  # odd")
def two_barriers_in_two_branches(out):
    t = cuda.threadIdx.x
    if t % 2 == 0:
        out[t] = 1
        cuda.syncthreads()  # even
    else:
        out[t] = 2
        cuda.syncthreads()  # odd


# ---- lanes that never come


@planted("mask", 1, 32, ints(32), zeros(32), at="out[t] = cuda.shfl_down_sync(FULL, x[t], 1)")
def full_mask_in_a_branch(x, out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_down_sync(FULL, x[t], 1)


@planted("mask", 1, 32, ints(32), zeros(32), at="cuda.ballot_sync(0xFFFF, x[t] > 3)")
def mask_without_the_lane_itself(x, out):
    t = cuda.threadIdx.x
    out[t] = cuda.ballot_sync(0xFFFF, x[t] > 3)


@planted("mask", 1, 32, ints(32), zeros(32), at="cuda.all_sync(FULL, x[t] > 3)")
def vote_in_a_branch(x, out):
    t = cuda.threadIdx.x
    if t != 5:
        out[t] = cuda.all_sync(FULL, x[t] > 3)


@planted("shuffle", 1, 32, ints(32), zeros(32), at="cuda.shfl_sync(0xFFFF, x[t], 20)")
def shuffle_from_a_lane_that_is_not_there(x, out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_sync(0xFFFF, x[t], 20)


@planted("shuffle", 1, 20, ints(20), zeros(20), at="cuda.shfl_xor_sync(0xFFFFF, x[t], 16)")
def butterfly_of_part_of_a_warp(x, out):
    t = cuda.threadIdx.x
    out[t] = cuda.shfl_xor_sync(0xFFFFF, x[t], 16)


@planted("syncwarp", 1, 32, zeros(32), at="cuda.syncwarp()")
def syncwarp_in_a_branch(out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = t
        cuda.syncwarp()
    out[t] += 1


@planted("syncwarp", 1, 32, zeros(32), at="cuda.syncwarp(0xFF)")
def syncwarp_of_others(out):
    t = cuda.threadIdx.x
    cuda.syncwarp(0xFF)
    out[t] = t


@planted("lockstep", 1, 32, zeros(32), at="out[t] = s[t + 16]")
def syncwarp_of_too_few(out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    s[t] = t
    if t < 16:
        cuda.syncwarp(0xFFFF)
        out[t] = s[t + 16]


@planted("barrier", 1, 32, zeros(32), at="cuda.syncthreads()")
def barrier_in_a_loop_of_different_lengths(out):
    t = cuda.threadIdx.x
    for k in range(t % 3):
        out[t] += k
        cuda.syncthreads()
    out[t] += 1


@planted("deadlock", 1, 32, zeros(32), at="out[t] = t", change={"core.divergence": "its"})
def some_wait_at_a_barrier_and_some_at_a_syncwarp(out):
    t = cuda.threadIdx.x
    if t < 16:
        cuda.syncthreads()
    cuda.syncwarp()
    out[t] = t


# ---- the grid's barrier


@planted("race", 4, 32, zeros(128), zeros(128), at="out[i] = x[127 - i]")
def grid_barrier_is_forgotten(x, out):
    i = cuda.grid(1)
    x[i] = i
    out[i] = x[127 - i]


@planted("race", 4, 32, zeros(128), zeros(128), at="x[i] = 2 * i")
def second_grid_barrier_is_forgotten(x, out):
    i = cuda.grid(1)
    g = cuda.cg.this_grid()
    x[i] = i
    g.sync()
    out[i] = x[127 - i]
    x[i] = 2 * i


@planted("race", 4, 64, zeros(256), zeros(256), at="out[i] = x[255 - i]")
def block_barrier_for_the_grids(x, out):
    i = cuda.grid(1)
    x[i] = i
    cuda.syncthreads()
    out[i] = x[255 - i]


# ---- items smaller than a word


@planted("race", 2, 64, zeros(128, dtype=np.uint8), at="out[0] = 5")
def byte_beside_bytes_of_others(out):
    i = cuda.grid(1)
    out[i] = 1
    if i == 64:
        out[0] = 5


@planted("race", 1, 64, zeros(64, dtype=np.uint8), at="out[t] = s[t ^ 32]")
def shared_bytes_without_barrier(out):
    s = cuda.shared.array(64, uint8)
    t = cuda.threadIdx.x
    s[t] = t + 1
    out[t] = s[t ^ 32]


@planted("race", 2, 32, zeros(64, dtype=np.int16), zeros(2), at="sums[cuda.blockIdx.x]")
def halves_read_too_early(out, sums):
    i = cuda.grid(1)
    out[i] = i
    if cuda.threadIdx.x == 0:
        sums[cuda.blockIdx.x] = out[32 - 32 * cuda.blockIdx.x]


# ---- variables without a value


@planted("uninitialised", 1, 32, ints(32), zeros(32), at="out[t] = v")
def value_in_one_branch(x, out):
    t = cuda.threadIdx.x
    if x[t] > 5:
        v = x[t]
    out[t] = v


@planted("uninitialised", 1, 32, ints(32), zeros(32), at="out[t] = found")
def value_of_a_loop_that_found_nothing(x, out):
    t = cuda.threadIdx.x
    for i in range(x.size):
        if x[i] == 3 * t:
            found = i
            break
    out[t] = found


@planted("uninitialised", 1, 32, ints(32), zeros(32), at="out[t] = i")
def counter_of_a_loop_without_rounds(x, out):
    t = cuda.threadIdx.x
    for i in range(x[t]):
        out[t] += i
    out[t] = i


@planted("uninitialised", 1, 32, ints(32), zeros(32), at="out[t] += late")
def value_that_comes_a_round_late(x, out):
    t = cuda.threadIdx.x
    if t > 100:
        late = 0
    for i in range(x[t]):
        out[t] += late
        late = i
