"""`numba.cuda.random`: xoroshiro128+, a generator a thread.

Source: Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 2021; states are 2^64 numbers apart, as
Numba's are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from warploom.kernel.arrays import DeviceArray
from warploom.kernel.launch import Kernel

xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
WORD = (1 << 64) - 1
JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)
TWO_PI = 6.283185307179586


def for_kernels(function: Any) -> Kernel:
    """A function that kernels call."""
    return Kernel(function, device=True)


def _step(s0: int, s1: int) -> tuple[int, int]:
    s1 ^= s0
    first = (s0 << 55 | s0 >> 9) & WORD
    return (first ^ s1 ^ (s1 << 14)) & WORD, (s1 << 36 | s1 >> 28) & WORD


def _jumped(s0: int, s1: int) -> tuple[int, int]:
    """2^64 numbers further on."""
    t0 = t1 = 0
    for word in JUMP:
        for bit in range(64):
            if word >> bit & 1:
                t0, t1 = t0 ^ s0, t1 ^ s1
            s0, s1 = _step(s0, s1)
    return t0, t1


def create_xoroshiro128p_states(n: int, seed: int, subsequence_start: int = 0, stream: Any = 0) -> DeviceArray:
    """States for n threads, in the device's memory."""
    states = np.empty(n, xoroshiro128p_dtype)
    init_xoroshiro128p_states(states, seed, subsequence_start)
    held = DeviceArray.like(states)
    held.copy_to_device(states)
    return held


def init_xoroshiro128p_states(states: Any, seed: int, subsequence_start: int = 0, stream: Any = 0) -> None:
    """Fill an array with states that are far from each other."""
    z = (int(seed) + 0x9E3779B97F4A7C15) & WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    z ^= z >> 31
    state = (z, z)
    host = np.empty(len(states), xoroshiro128p_dtype)
    for _ in range(subsequence_start):
        state = _jumped(*state)
    for place in range(len(host)):
        host[place] = state
        state = _jumped(*state)
    states[:] = host


@for_kernels
def xoroshiro128p_next(states: Any, index: Any) -> Any:
    """The next 64 bits of a state."""
    s0 = states[index]["s0"]
    s1 = states[index]["s1"]
    result = s0 + s1
    s1 ^= s0
    states[index]["s0"] = ((s0 << np.uint64(55)) | (s0 >> np.uint64(9))) ^ s1 ^ (s1 << np.uint64(14))
    states[index]["s1"] = (s1 << np.uint64(36)) | (s1 >> np.uint64(28))
    return result


@for_kernels
def xoroshiro128p_uniform_float64(states: Any, index: Any) -> Any:
    """A number from 0 to below 1."""
    return (xoroshiro128p_next(states, index) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@for_kernels
def xoroshiro128p_uniform_float32(states: Any, index: Any) -> Any:
    """A number from 0 to below 1."""
    return np.float32(xoroshiro128p_uniform_float64(states, index))


@for_kernels
def xoroshiro128p_normal_float64(states: Any, index: Any) -> Any:
    """A number of the normal distribution (Box and Muller, 1958)."""
    u1 = xoroshiro128p_uniform_float64(states, index)
    u2 = xoroshiro128p_uniform_float64(states, index)
    return math.sqrt(-2.0 * math.log(u1)) * math.cos(TWO_PI * u2)


@for_kernels
def xoroshiro128p_normal_float32(states: Any, index: Any) -> Any:
    """A number of the normal distribution."""
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(np.float32(-2.0) * math.log(u1)) * math.cos(np.float32(TWO_PI) * u2)
