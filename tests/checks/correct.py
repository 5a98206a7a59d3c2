"""Correct kernels, of which the checks say nothing. KERNELS: (kernel, grid, block, arguments, change of the machine)."""

import numpy as np
from numba import float32, float64, int32, int64, uint8

from warploom import cuda

FULL = 0xFFFFFFFF
KERNELS = []


def ints(*shape):
    return np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)


def zeros(*shape, dtype=np.int32):
    return np.zeros(shape, dtype)


def correct(grid, block, *arguments, change=None, shared=0):
    def keep(function):
        KERNELS.append((function, grid, block, arguments, change, shared))
        return function

    return keep


# ---- variables without a value on some path, which nobody reads there


@correct(1, 8, ints(8), zeros(4, 8))
def only_where_it_has_a_value(x, out):
    t = cuda.threadIdx.x
    if x[t] > 5:
        v = x[t]
    for one in range(x[t] - 4):
        last = one
    if x[t] > 5 and v > 0:
        out[0, t] = 1
    if x[t] <= 5 or v > 0:
        out[1, t] = 1
    out[2, t] = v if x[t] > 5 else 0
    out[3, t] = last + 1 if x[t] > 4 else -1


# ---- the largest and the smallest of floats, whose atomics look for a NaN first


def _largest_and_smallest(x, ends, of_blocks):
    ends_here = cuda.shared.array(2, x.dtype)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if t == 0:
        ends_here[0] = ends_here[1] = x[i]
    cuda.syncthreads()
    cuda.atomic.max(ends_here, 0, x[i])
    cuda.atomic.min(ends_here, 1, x[i])
    cuda.atomic.max(ends, 0, x[i])
    cuda.atomic.min(ends, 1, x[i])
    cuda.syncthreads()
    if t < 2:
        of_blocks[cuda.blockIdx.x, t] = ends_here[t]


@correct(2, 64, np.arange(128, dtype=np.float32) - 5, zeros(2, dtype=np.float32), zeros(2, 2, dtype=np.float32))
def extremes_of_float32(x, ends, of_blocks):
    _ends(x, ends, of_blocks)


@correct(2, 64, np.arange(128, dtype=np.float64) - 5, np.array([np.nan, 0]), zeros(2, 2, dtype=np.float64))
def extremes_of_float64(x, ends, of_blocks):
    _ends(x, ends, of_blocks)


_ends = cuda.jit(device=True)(_largest_and_smallest)


# ---- each thread its own


@correct(4, 32, ints(100), zeros(100))
def copy(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


@correct(4, 32, zeros(100))
def early_return(out):
    i = cuda.grid(1)
    if i >= out.size:
        return
    out[i] += i


@correct(2, 32, ints(300), zeros(300))
def grid_stride(x, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = x[i] * 2


@correct((2, 2), (8, 8), zeros(13, 15))
def two_dimensions(out):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = x + y


@correct(1, 32, ints(32), zeros(32))
def from_the_end(x, out):
    t = cuda.threadIdx.x
    out[-1 - t] = x[-1]


@correct(1, 32, zeros(32, dtype=np.uint8), zeros(32, dtype=np.uint8))
def neighbouring_bytes(x, out):
    t = cuda.threadIdx.x
    x[t] = t
    out[t] = x[t]


@correct(1, 32, zeros(32, dtype=np.int64), zeros(32, dtype=np.float64))
def words_of_64_bits(x, out):
    t = cuda.threadIdx.x
    x[t] += int64(1) << 40
    out[t] = float64(x[t]) / 2


@correct(2, 64, zeros(1))
def all_write_the_same(found):
    if cuda.grid(1) % 3 == 0:
        found[0] = 1


@correct(1, 32, zeros(32, dtype=np.float32))
def local_array(out):
    own = cuda.local.array(8, float32)
    t = cuda.threadIdx.x
    for k in range(8):
        own[k] = k * t
    total = float32(0)
    for k in range(8):
        total += own[k]
    out[t] = total


@correct(1, 32, ints(33), zeros(32))
def shifted(x, out):
    t = cuda.threadIdx.x
    out[t] = x[t + 1] - x[t]


@correct(1, 32, "device array", zeros(32))
def fills_a_device_array(x, out):
    t = cuda.threadIdx.x
    x[t] = t
    out[t] = x[t]


# ---- barriers


@correct(1, 64, ints(64), zeros(64))
def reverse(x, out):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    out[t] = s[63 - t]


@correct(3, 64, ints(192), zeros(3))
def reduction_in_shared_memory(x, out):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 32
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


@correct(2, 64, ints(128), zeros(128))
def tiles(x, out):
    near = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    total = 0
    for tile in range(2):
        near[t] = x[tile * 64 + t]
        cuda.syncthreads()
        for k in range(64):
            total += near[k]
        cuda.syncthreads()
    out[cuda.grid(1)] = total


@correct(1, (16, 16), ints(16, 16).astype(np.float32), zeros(16, 16, dtype=np.float32))
def transpose(x, out):
    tile = cuda.shared.array((16, 17), float32)
    i, j = cuda.threadIdx.x, cuda.threadIdx.y
    tile[j, i] = x[j, i]
    cuda.syncthreads()
    out[i, j] = tile[i, j]


@correct(1, 64, ints(64), zeros(64))
def double_buffering(x, out):
    s = cuda.shared.array((2, 64), int32)
    t = cuda.threadIdx.x
    now = 0
    s[0, t] = x[t]
    cuda.syncthreads()
    for k in range(5):
        s[1 - now, t] = s[now, (t + 1) % 64] + k
        now = 1 - now
        cuda.syncthreads()
    out[t] = s[now, t]


@correct(1, 64, ints(64), zeros(64))
def hillis_steele(x, out):
    s = cuda.shared.array((2, 64), int32)
    t = cuda.threadIdx.x
    now = 0
    s[0, t] = x[t]
    cuda.syncthreads()
    step = 1
    while step < 64:
        value = s[now, t]
        if t >= step:
            value += s[now, t - step]
        now = 1 - now
        s[now, t] = value
        cuda.syncthreads()
        step *= 2
    out[t] = s[now, t]


@correct(1, 64, ints(64), zeros(64))
def scan_in_place(x, out):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    step = 1
    while step < 64:
        value = 0
        if t >= step:
            value = s[t - step]
        cuda.syncthreads()
        s[t] += value
        cuda.syncthreads()
        step *= 2
    out[t] = s[t]


@correct(1, 32, ints(64), zeros(64))
def blelloch(x, out):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[2 * t] = x[2 * t]
    s[2 * t + 1] = x[2 * t + 1]
    offset = 1
    d = 32
    while d > 0:
        cuda.syncthreads()
        if t < d:
            s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1]
        offset *= 2
        d //= 2
    cuda.syncthreads()
    if t == 0:
        s[63] = 0
    d = 1
    while d < 64:
        offset //= 2
        cuda.syncthreads()
        if t < d:
            a = offset * (2 * t + 1) - 1
            b = offset * (2 * t + 2) - 1
            old = s[a]
            s[a] = s[b]
            s[b] += old
        d *= 2
    cuda.syncthreads()
    out[2 * t] = s[2 * t]
    out[2 * t + 1] = s[2 * t + 1]


@correct(1, 64, ints(64)[::-1].copy())
def odd_even_sort(x):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    for k in range(6):
        if t % 2 == k % 2 and t < 63 and s[t] > s[t + 1]:
            s[t], s[t + 1] = s[t + 1], s[t]
        cuda.syncthreads()
    x[t] = s[t]


@correct(1, 64, ints(64), zeros(64))
def early_return_before_a_barrier(x, out):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    if t >= 40:
        return
    s[t] = x[t]
    cuda.syncthreads()
    out[t] = s[39 - t]


@correct(1, 64, ints(64), zeros(64))
def uniform_branch_around_a_barrier(x, out):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    if x.size > 10:
        cuda.syncthreads()
        out[t] = s[63 - t]


@correct(1, 64, ints(64), zeros(64))
def counting_barrier(x, out):
    t = cuda.threadIdx.x
    s = cuda.shared.array(64, int32)
    s[t] = x[t]
    n = cuda.syncthreads_count(x[t] > 10)
    out[t] = s[63 - t] + n


@correct(1, 64, zeros(64), shared=256)
def dynamic_shared(out):
    s = cuda.shared.array(0, int32)
    t = cuda.threadIdx.x
    s[t] = t
    cuda.syncthreads()
    out[t] = s[63 - t]


@correct(1, 64, zeros(64, dtype=np.uint8))
def shared_bytes(out):
    s = cuda.shared.array(64, uint8)
    t = cuda.threadIdx.x
    s[t] = t
    cuda.syncthreads()
    out[t] = s[63 - t]


@correct(3, 64, zeros(192))
def shared_memory_of_the_block_before(out):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[63 - t] = t
    cuda.syncthreads()
    out[cuda.grid(1)] = s[t]


@correct(1, 128, ints(128), zeros(1))
def warps_then_one_warp(x, out):
    s = cuda.shared.array(4, int32)
    t = cuda.threadIdx.x
    value = x[t]
    step = 16
    while step > 0:
        value += cuda.shfl_down_sync(FULL, value, step)
        step //= 2
    if t % 32 == 0:
        s[t // 32] = value
    cuda.syncthreads()
    if t == 0:
        out[0] = s[0] + s[1] + s[2] + s[3]


# ---- within a warp


@correct(1, 32, ints(32), zeros(32))
def exchange_with_syncwarp(x, out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncwarp()
    out[t] = s[31 - t]


@correct(1, 32, ints(32), zeros(1))
def reduction_with_syncwarp(x, out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncwarp()
    step = 16
    while step > 0:
        value = s[(t + step) % 32]
        cuda.syncwarp()
        s[t] += value
        cuda.syncwarp()
        step //= 2
    if t == 0:
        out[0] = s[0]


@correct(1, 32, ints(32), zeros(32))
def syncwarp_of_half(x, out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    if t < 16:
        cuda.syncwarp(0xFFFF)
        out[t] = s[15 - t]


@correct(1, 32, ints(32), zeros(32))
def both_halves_come_to_a_syncwarp(x, out):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    if t < 16:
        s[t] = x[t]
        cuda.syncwarp()
    else:
        s[t] = 2 * x[t]
        cuda.syncwarp()
    out[t] = s[31 - t]


@correct(1, 32, ints(32), zeros(1))
def butterfly(x, out):
    value = x[cuda.threadIdx.x]
    for bits in (16, 8, 4, 2, 1):
        value += cuda.shfl_xor_sync(FULL, value, bits)
    if cuda.laneid == 0:
        out[0] = value


@correct(1, 32, ints(32), zeros(32))
def scan_by_shuffles(x, out):
    value = x[cuda.threadIdx.x]
    for step in (1, 2, 4, 8, 16):
        other = cuda.shfl_up_sync(FULL, value, step)
        if cuda.laneid >= step:
            value += other
    out[cuda.threadIdx.x] = value


@correct(1, 32, ints(32), zeros(1))
def last_half_by_shuffles(x, out):
    t = cuda.threadIdx.x
    if t < 16:
        value = x[t]
        for step in (8, 4, 2, 1):
            value += cuda.shfl_down_sync(0xFFFF, value, step)
        if t == 0:
            out[0] = value


@correct(1, 32, ints(32), zeros(32))
def votes_of_those_that_are_there(x, out):
    t = cuda.threadIdx.x
    if t % 3 == 0:
        out[t] = cuda.ballot_sync(cuda.activemask(), x[t] > 5)


@correct(2, 32, ints(64) % 4, zeros(4))
def warp_aggregated(x, bins):
    t = cuda.grid(1)
    peers = cuda.match_any_sync(FULL, x[t])
    if cuda.ffs(peers) - 1 == cuda.laneid:
        cuda.atomic.add(bins, x[t], cuda.popc(peers))


# ---- atomics and fences


@correct(4, 32, ints(128) % 8, zeros(8))
def histogram(x, bins):
    cuda.atomic.add(bins, x[cuda.grid(1)], 1)


@correct(4, 32, ints(128) % 8, zeros(8))
def privatised_histogram(x, bins):
    own = cuda.shared.array(8, int32)
    t = cuda.threadIdx.x
    if t < 8:
        own[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(own, x[cuda.grid(1)], 1)
    cuda.syncthreads()
    if t < 8:
        cuda.atomic.add(bins, t, own[t])


@correct(4, 32, ints(128), zeros(4), zeros(1), zeros(1))
def last_block(x, part, count, out):
    own = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        part[cuda.blockIdx.x] = x[cuda.grid(1)]
        cuda.threadfence()
        own[0] = cuda.atomic.add(count, 0, 1)
    cuda.syncthreads()
    if own[0] == 3 and t == 0:
        total = 0
        for k in range(4):
            total += part[k]
        out[0] = total


@correct(4, 32, ints(128), zeros(128), zeros(1), zeros(1))
def last_block_of_many_writers(x, part, count, out):
    own = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    part[cuda.grid(1)] = 2 * x[cuda.grid(1)]
    cuda.threadfence()
    cuda.syncthreads()
    if t == 0:
        own[0] = cuda.atomic.add(count, 0, 1)
    cuda.syncthreads()
    if own[0] == 3:
        total = 0
        for k in range(t, 128, 32):
            total += part[k]
        cuda.atomic.add(out, 0, total)


@correct(4, 1, zeros(1), zeros(1))
def lock_of_blocks(lock, counter):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    cuda.threadfence()
    counter[0] += 1
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)


@correct(2, 8, zeros(1), zeros(1), change={"core.divergence": "its"})
def lock_of_lanes(lock, counter):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    cuda.threadfence()
    counter[0] += 1
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)


@correct(2, 8, zeros(4), zeros(4), change={"core.divergence": "its"})
def a_lock_for_each_element(locks, counters):
    k = cuda.grid(1) % 4
    while cuda.atomic.cas(locks, k, 0, 1) != 0:
        pass
    cuda.threadfence()
    counters[k] += 1
    cuda.threadfence()
    cuda.atomic.exch(locks, k, 0)


@correct(2, 32, zeros(1), zeros(1), zeros(32))
def message_between_blocks(flag, data, out):
    t = cuda.threadIdx.x
    if cuda.blockIdx.x == 0:
        if t == 0:
            data[0] = 42
            cuda.threadfence()
            cuda.atomic.exch(flag, 0, 1)
    else:
        if t == 0:
            while cuda.atomic.add(flag, 0, 0) == 0:
                pass
            cuda.threadfence()
        cuda.syncthreads()
        out[t] = data[0]


@correct(4, 32, zeros(4), zeros(4))
def chain_of_blocks(flags, sums):
    b = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        before = 0
        if b > 0:
            while cuda.atomic.add(flags, b - 1, 0) == 0:
                pass
            cuda.threadfence()
            before = sums[b - 1]
            if b > 1:
                before += 0 * sums[b - 2]
        sums[b] = before + b
        cuda.threadfence()
        cuda.atomic.exch(flags, b, 1)


@correct(4, 32, zeros(128), zeros(128))
def grid_barrier(x, out):
    i = cuda.grid(1)
    g = cuda.cg.this_grid()
    x[i] = i
    g.sync()
    out[i] = x[127 - i]


@correct(4, 64, zeros(256), zeros(256))
def grid_barriers_in_a_loop(x, out):
    i = cuda.grid(1)
    g = cuda.cg.this_grid()
    for step in range(3):
        x[i] = i + step
        g.sync()
        out[i] += x[255 - i]
        g.sync()


@correct(4, 32, zeros(128), zeros(128))
def grid_barrier_with_threads_that_have_ended(x, out):
    i = cuda.grid(1)
    x[i] = i
    if i >= 100:
        return
    cuda.cg.this_grid().sync()
    out[i] = x[99 - i]


@correct(2, 32, zeros(1), zeros(64))
def tickets(next_one, out):
    out[cuda.atomic.add(next_one, 0, 1)] = cuda.grid(1)


@correct(2, 32, ints(64), np.full(1, -1, np.int32))
def maximum(x, out):
    cuda.atomic.max(out, 0, x[cuda.grid(1)])


# ---- variables with a value on the paths that are taken


@correct(1, 32, ints(32), zeros(32))
def value_on_the_same_condition(x, out):
    t = cuda.threadIdx.x
    if x[t] > 5:
        v = x[t] * 2
    out[t] = 1
    if x[t] > 5:
        out[t] = v


@correct(1, 32, ints(32), zeros(32))
def value_of_a_loop_with_rounds(x, out):
    t = cuda.threadIdx.x
    for i in range(x[t] + 1):
        last = x[i]
    out[t] = last + i


@correct(1, 32, ints(32), zeros(32))
def value_of_the_round_before(x, out):
    t = cuda.threadIdx.x
    if t > 100:
        before = 0
    for i in range(x[t]):
        if i > 0:
            out[t] += before
        before = i


def _first_above(x, limit):
    for i in range(x.size):
        if x[i] > limit:
            return i
    return -1


@correct(1, 32, ints(32), zeros(32))
def value_of_a_function_with_two_returns(x, out):
    t = cuda.threadIdx.x
    place = _first_above(x, t)
    if place < 0:
        return
    out[t] = x[place]


# ---- reads of what nobody has written, of which nothing comes


def _guarded_tiled_product(a, b, out):
    tile_a, tile_b = cuda.shared.array((3, 3), a.dtype), cuda.shared.array((3, 3), a.dtype)
    i, j = cuda.grid(2)
    y, x = cuda.threadIdx.x, cuda.threadIdx.y
    size = out.shape[0]
    total = out.dtype.type(0)
    for k in range(0, size, 3):
        if i < size and x + k < size:
            tile_a[y, x] = a[i, x + k]
        if j < size and y + k < size:
            tile_b[y, x] = b[y + k, j]
        cuda.syncthreads()
        for n in range(min(3, size - k)):
            total += tile_a[y, n] * tile_b[n, x]
        cuda.syncthreads()
    if i < size and j < size:
        out[i, j] = total


@correct((3, 3), (3, 3), zeros(8, 8) + 2, ints(8, 8), zeros(8, 8), change={"gpu.cores": 1})
def guarded_tiled_product(a, b, out):
    _guarded_tiled_product(a, b, out)


@correct((2, 2), (3, 3), zeros(5, 5, dtype=np.float64) + 2, np.ones((5, 5)), zeros(5, 5, dtype=np.float64))
def guarded_tiled_product_in_64_bits(a, b, out):
    _guarded_tiled_product(a, b, out)


@correct((2, 2), (3, 3), zeros(5, 5, dtype=np.float32) + 2, ints(5, 5).astype(np.float32), zeros(5, 5, dtype=np.float32))
def sum_of_a_thread_outside_of_the_matrix(a, b, out):
    tile = cuda.shared.array((3, 3), float32)
    i, j = cuda.grid(2)
    y, x = cuda.threadIdx.x, cuda.threadIdx.y
    if i < 5 and j < 5:
        tile[y, x] = a[i, j]
    cuda.syncthreads()
    twice = tile[y, x] + tile[y, x]
    if i < 5 and j < 5:
        out[i, j] = twice * b[i, j]


@correct(1, 32, zeros(20))
def some_bytes_are_not_written(out):
    s = cuda.shared.array(32, uint8)
    t = cuda.threadIdx.x
    if t < out.size:
        s[t] = t
    cuda.syncthreads()
    sum_ = s[t] + 1
    if t < out.size:
        out[t] = sum_


@correct(1, 32, ints(20), zeros(20))
def mean_of_neighbours_in_a_tile(x, out):
    s = cuda.shared.array(33, int32)
    t = cuda.threadIdx.x
    if t < x.size:
        s[t + 1] = x[t]
    if t == 0:
        s[0] = 0
    cuda.syncthreads()
    mean = (s[t] + s[t + 1]) // 2
    if t < x.size:
        out[t] = mean


@correct(1, 32, ints(20).astype(np.float32), zeros(20))
def whole_part_of_what_is_in_a_tile(x, out):
    s = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    if t < x.size:
        s[t] = x[t]
    cuda.syncthreads()
    whole = int32(s[t] * float32(1.5))
    if t < x.size:
        out[t] = whole
