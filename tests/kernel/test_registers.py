"""Registers of kernels: how many they need, and what goes to local memory."""

from functools import reduce

import numpy as np

from tests.kernel.texts import of_text


def of_divisions(count):
    """A kernel, from a text, in which the quotients and remainders of many divisions are alive at the same time."""
    lines = [f"    a{n} = x[i] // (y[{n}] + {n})\n    b{n} = a{n} * a{n} % y[{n}]\n" for n in range(count)]
    text = (
        f"def divided(x, y, out):\n    i = cuda.grid(1)\n{''.join(lines)}    out[i] = {' ^ '.join(f'a{n} ^ b{n}' for n in range(count))}\n"
    )
    return of_text(text, f"<{count} divisions>")


def test_many_wide_divisions_fit_the_registers():
    rng = np.random.default_rng(1)
    for count in (10, 80):
        x, y, out = rng.integers(1, 1 << 62, 32), rng.integers(1, 1 << 40, count), np.zeros(32, np.int64)
        kernel = of_divisions(count)
        kernel[1, 32](x, y, out)
        quotients = [x // (y[n] + n) for n in range(count)]
        assert out.tolist() == reduce(np.bitwise_xor, [q for n, a in enumerate(quotients) for q in (a, a * a % y[n])]).tolist()
        built = next(iter(kernel.programs.values()))
        assert built.program.registers <= (64 if count == 10 else 255) and (built.compiled.spilled > 0) == (count == 80)
