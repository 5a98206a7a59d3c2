"""Lessons of other people's courses, written as their scripts have them, each beside NumPy."""

import numpy as np
from numba import float32, int32

from warploom import cuda


def test_bitonic_sort():
    @cuda.jit
    def step(a, j, k):
        i = cuda.grid(1)
        other = i ^ j
        rises = (i & k) == 0
        if other > i and ((rises and a[i] > a[other]) or (not rises and a[i] < a[other])):
            a[i], a[other] = a[other], a[i]

    x = np.random.default_rng(0).random(32).astype(np.float32)
    held = cuda.to_device(x)
    k = 2
    while k <= x.size:
        j = k >> 1
        while j > 0:
            step[1, x.size](held, j, k)
            j >>= 1
        k <<= 1
    np.testing.assert_array_equal(held.copy_to_host(), np.sort(x))


def test_game_of_life():
    @cuda.jit
    def generation(a, b):
        y, x = cuda.grid(2)
        h, w = a.shape
        if y >= h or x >= w:
            return
        n = 0
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy or dx:
                    n += a[(y + dy) % h, (x + dx) % w]
        b[y, x] = 1 if n == 3 or (n == 2 and a[y, x]) else 0

    a = np.random.default_rng(1).integers(0, 2, (7, 9)).astype(np.uint8)
    b = np.zeros_like(a)
    generation[(1, 2), (8, 8)](a, b)
    n = sum(np.roll(a, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    np.testing.assert_array_equal(b, (n == 3) | ((n == 2) & (a == 1)))


def test_queens():
    size = 4

    @cuda.jit
    def solve(count):
        start = cuda.grid(1)
        if start >= size:
            return
        columns = cuda.local.array(size, int32)
        columns[0] = start
        row, found = 1, 0
        columns[1] = -1
        while row > 0:
            columns[row] += 1
            if columns[row] == size:
                row -= 1
                continue
            right = True
            for r in range(row):
                if columns[r] == columns[row] or abs(columns[r] - columns[row]) == row - r:
                    right = False
                    break
            if right:
                if row == size - 1:
                    found += 1
                else:
                    row += 1
                    columns[row] = -1
        cuda.atomic.add(count, 0, found)

    count = np.zeros(1, np.int32)
    solve[1, 32](count)
    assert count[0] == 2


def test_convolution_with_a_constant_mask():
    mask = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], np.float32) / 16

    @cuda.jit(fastmath=True)
    def convolve(image, out):
        m = cuda.const.array_like(mask)
        tile = cuda.shared.array((10, 10), float32)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        for a in range(ty, 10, 8):
            for b in range(tx, 10, 8):
                gy, gx = cuda.blockIdx.y * 8 + a - 1, cuda.blockIdx.x * 8 + b - 1
                tile[a, b] = image[gy, gx] if 0 <= gy < image.shape[0] and 0 <= gx < image.shape[1] else float32(0)
        cuda.syncthreads()
        if y < image.shape[0] and x < image.shape[1]:
            s = float32(0)
            for a in range(3):
                for b in range(3):
                    s += m[a, b] * tile[ty + a, tx + b]
            out[y, x] = s

    image = np.random.default_rng(3).random((8, 11)).astype(np.float32)
    out = np.zeros_like(image)
    convolve[(2, 1), (8, 8)](image, out)
    wide = np.pad(image, 1)
    expected = sum(mask[a, b] * wide[a : a + 8, b : b + 11] for a in range(3) for b in range(3))
    np.testing.assert_allclose(out, expected, atol=1e-6)


def test_particles_in_records():
    particle = np.dtype([("place", np.float32, 3), ("speed", np.float32, (3,)), ("mass", np.float32)], align=True)

    @cuda.jit
    def move(p, dt):
        i = cuda.grid(1)
        if i < p.size:
            for k in range(3):
                p[i].place[k] += p[i]["speed"][k] * dt
            p["mass"][i] *= 2

    p = np.zeros(5, particle)
    p["speed"], p["mass"] = 2, 3
    move[1, 32](p, np.float32(0.5))
    assert (p["place"] == 1).all() and (p["mass"] == 6).all()
