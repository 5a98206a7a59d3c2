"""`numba.cuda.random`: xoroshiro128+, a generator a thread.

Source: Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 2021; states are 2^64 numbers apart, as
Numba's are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from warploom.kernel.device.arrays import DeviceArray
from warploom.kernel.launch.launch import Kernel

xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
WORD = (1 << 64) - 1
JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)
TWO_PI = 6.283185307179586


def for_kernels(function: Any) -> Kernel:
    """A function that kernels call."""
    return Kernel(function, device=True)


def _step(s0: np.ndarray, s1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The next state of each of these."""
    s1 = s1 ^ s0
    return _rotated(s0, 55) ^ s1 ^ (s1 << np.uint64(14)), _rotated(s1, 36)


def _rotated(words: np.ndarray, bits: int) -> np.ndarray:
    return (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))


def _jump() -> np.ndarray:
    """uint64[128, 2]: where 2^64 steps lead from each state that has one bit set. Steps are linear, so this says it for every state."""
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    none = np.zeros(64, np.uint64)
    s0, s1 = np.concatenate([bits, none]), np.concatenate([none, bits])
    found = np.zeros((128, 2), np.uint64)
    for word in JUMP:
        for bit in range(64):
            if word >> bit & 1:
                found ^= np.stack([s0, s1], axis=1)
            s0, s1 = _step(s0, s1)
    return found


def _moved(states: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Where a linear move, given as by `_jump`, leads from each of these states (uint64[n, 2])."""
    found = np.zeros_like(states)
    for place in range(128):
        there = (states[:, place // 64] >> np.uint64(place % 64)) & np.uint64(1)
        found ^= there[:, None] * far[place]
    return found


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
    far = _jump()
    first, move = np.array([[z, z]], np.uint64), far
    while subsequence_start:
        if subsequence_start & 1:
            first = _moved(first, move)
        subsequence_start >>= 1
        move = _moved(move, move)
    found = first
    while len(found) < len(states):  # as many again, each as far from its own as there are
        found = np.concatenate([found, _moved(found, far)])
        far = _moved(far, far)
    states[:] = found[: len(states)].view(xoroshiro128p_dtype)[:, 0]


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
    """A number from 0 to 1: what is nearest to 1 is rounded to it, once in 2^25 numbers, as on a GPU."""
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
