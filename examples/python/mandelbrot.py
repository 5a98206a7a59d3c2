"""The Mandelbrot set: neighbours take different numbers of rounds, so that lanes wait for each other.

Run it: warploom run examples/python/mandelbrot.py
Look at: warploom compare examples/python/mandelbrot.py --over core.divergence=stack,its,minpc,dwf, and the lanes in
warploom profile examples/python/mandelbrot.py.
"""

import numpy as np
from numba import cuda, float32

WIDTH, HEIGHT, ROUNDS = 32, 16, 20


@cuda.jit
def mandelbrot(image):
    x, y = cuda.grid(2)
    if x < image.shape[1] and y < image.shape[0]:
        real = float32(x) * float32(3 / WIDTH) - float32(2)
        imag = float32(y) * float32(2 / HEIGHT) - float32(1)
        a = b = float32(0)
        rounds = 0
        while rounds < ROUNDS and a * a + b * b < float32(4):
            a, b = a * a - b * b + real, float32(2) * a * b + imag
            rounds += 1
        image[y, x] = rounds


image = np.zeros((HEIGHT, WIDTH), np.int32)
mandelbrot[(1, 2), (32, 8)](image)
assert image[HEIGHT // 2, WIDTH * 2 // 3] == ROUNDS and image[0, 0] < 3
for row in image[::2]:
    print("".join(" .:-=+*#%@"[min(int(count) * 10 // (ROUNDS + 1), 9)] for count in row))
