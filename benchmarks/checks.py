"""How much longer a kernel's launch takes with checks than without.

    python -m benchmarks.checks [--rounds 7] [--kernel NAME ...]

Kernels of the usual kinds run natively on the preset `sm`, over arrays of the device, once without checks and once with them, in turns.
Processor time of this process is counted, not the clock on the wall, of each the best round; kernels are compiled before. For each
kernel: milliseconds without checks, with them, and the ratio.
"""

# mypy: disable-error-code="no-untyped-def"

import argparse
import time
import warnings
from typing import Any

import numpy as np

from warploom import cuda
from warploom.checks.check import Report

N = 1 << 17  # items of a stream
SIDE = 256  # of an image, and of a matrix that is transposed
EDGE = 64  # of the matrices that are multiplied
BLOCK = 256
TILE = 16


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


@cuda.jit
def tiled(a, b, c):
    tile_a, tile_b = cuda.shared.array((TILE, TILE), np.float32), cuda.shared.array((TILE, TILE), np.float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for step in range(a.shape[1] // TILE):
        tile_a[ty, tx] = a[y, step * TILE + tx]
        tile_b[ty, tx] = b[step * TILE + ty, x]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        cuda.syncthreads()
    c[y, x] = total


@cuda.jit
def histogram(x, out):
    bins = cuda.shared.array(BLOCK, np.int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    bins[t] = 0
    cuda.syncthreads()
    while i < x.size:
        cuda.atomic.add(bins, x[i], 1)
        i += cuda.gridsize(1)
    cuda.syncthreads()
    cuda.atomic.add(out, t, bins[t])


@cuda.jit
def reduce(x, out):
    part = cuda.shared.array(BLOCK, np.float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((TILE, TILE + 1), np.float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    out[cuda.blockIdx.x * TILE + ty, cuda.blockIdx.y * TILE + tx] = tile[tx, ty]


@cuda.jit
def gather(index, x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[index[i]]


@cuda.jit
def stencil(a, out):
    x, y = cuda.grid(2)
    if 0 < x < a.shape[1] - 1 and 0 < y < a.shape[0] - 1:
        out[y, x] = np.float32(0.25) * (a[y, x - 1] + a[y, x + 1] + a[y - 1, x] + a[y + 1, x])


@cuda.jit
def n_body(place, force):
    near = cuda.shared.array(BLOCK, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    mine = place[i]
    total = np.float32(0)
    for start in range(0, place.size, BLOCK):
        near[t] = place[start + t]
        cuda.syncthreads()
        for k in range(BLOCK):
            far = near[k] - mine
            total += far / (far * far + np.float32(0.01))
        cuda.syncthreads()
    force[i] = total


@cuda.jit
def blur(x, out):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        out[i] = (x[i - 1] + x[i] + x[i + 1]) // 3


@cuda.jit
def gray(rgb, out):
    x, y = cuda.grid(2)
    if x < out.shape[1] and y < out.shape[0]:
        out[y, x] = (77 * rgb[y, x, 0] + 150 * rgb[y, x, 1] + 29 * rgb[y, x, 2]) >> 8


@cuda.jit
def odd_place(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i + 1]


def cases() -> dict[str, tuple[Any, Any, Any, tuple[Any, ...]]]:
    """By name: kernel, grid, block, arguments."""
    rng = np.random.default_rng(1)
    real = rng.random(N).astype(np.float32)
    bytes_ = rng.integers(0, 256, N + 1).astype(np.uint8)
    places = rng.permutation(N).astype(np.int32)
    square, edge = rng.random((SIDE, SIDE)).astype(np.float32), rng.random((EDGE, EDGE)).astype(np.float32)
    over = -(-N // BLOCK)
    tiles = (SIDE // TILE, SIDE // TILE), (TILE, TILE)
    pixels = (SIDE // 64, SIDE // 4), (64, 4)
    image = rng.integers(0, 256, (SIDE, SIDE, 3)).astype(np.uint8)
    return {
        "saxpy, float32": (saxpy, over, BLOCK, (np.float32(2), real, real)),
        "saxpy, float64": (saxpy, over, BLOCK, (2.0, real.astype(np.float64), real.astype(np.float64))),
        "tiled product": (tiled, (EDGE // TILE, EDGE // TILE), (TILE, TILE), (edge, edge, np.zeros_like(edge))),
        "histogram": (histogram, 32, BLOCK, (bytes_[:N].astype(np.int32), np.zeros(BLOCK, np.int32))),
        "reduction": (reduce, over, BLOCK, (real, np.zeros(over, np.float32))),
        "transpose": (transpose, *tiles, (square, np.zeros_like(square))),
        "gather": (gather, over, BLOCK, (places, real, np.zeros_like(real))),
        "stencil": (stencil, *pixels, (square, np.zeros_like(square))),
        "n-body": (n_body, 4, BLOCK, (real[: 4 * BLOCK], np.zeros(4 * BLOCK, np.float32))),
        "blur of uint8": (blur, over, BLOCK, (bytes_[:N], np.zeros(N, np.uint8))),
        "RGB of uint8 to gray": (gray, *pixels, (image, np.zeros((SIDE, SIDE), np.uint8))),
        "uint8 from an odd place": (odd_place, over, BLOCK, (bytes_, np.zeros(N, np.uint8))),
        "int16 from an odd place": (odd_place, over, BLOCK, (bytes_.astype(np.int16), np.zeros(N, np.int16))),
    }


def measure(kernel: Any, grid: Any, block: Any, arguments: tuple[Any, ...], rounds: int) -> tuple[float, float]:
    """Milliseconds without checks, and with them."""
    given = [cuda.to_device(one) if isinstance(one, np.ndarray) else one for one in arguments]
    best = [float("inf"), float("inf")]
    for number in range(rounds + 1):  # the first compiles
        for way in (0, 1):
            start = time.process_time()
            found = kernel.check[grid, block](*given) if way else kernel[grid, block](*given)
            spent = time.process_time() - start
            if isinstance(found, Report) and not found.clean:
                raise SystemExit(f"{found}\nthe checks have found something in a correct kernel")
            if number:
                best[way] = min(best[way], 1e3 * spent)
    return best[0], best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="runs of each kernel, of which the best is shown")
    parser.add_argument("--kernel", action="append", default=[], help="only kernels whose names have this in them")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    known = cases()
    for wanted in options.kernel:
        if not any(wanted in name for name in known):
            parser.error(f"no kernel has {wanted!r} in its name; there are {'; '.join(known)}")
    for name, (kernel, grid, block, arguments) in known.items():
        if not options.kernel or any(one in name for one in options.kernel):
            plain, checked = measure(kernel, grid, block, arguments, options.rounds)
            print(f"{name:<26} {plain:8.1f} ms {checked:8.1f} ms with checks {checked / plain:6.2f}", flush=True)


if __name__ == "__main__":
    main()
