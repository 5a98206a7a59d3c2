import numpy as np


def polynomials(x):
    """The expected results, in numbers of 32 bits."""
    i = np.arange(len(x), dtype=np.int32)
    even, odd = x.copy(), x.copy()
    with np.errstate(over="ignore"):
        for _ in range(24):
            even, odd = even * np.int32(5) + i, odd * np.int32(3) - i
    return np.where(i % 2 == 0, even, odd)
