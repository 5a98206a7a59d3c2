"""Vortex's fixed-point sampler against a model made of bit strings and one channel at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine import two_engines
from warploom.machine.core.texture.fixed_point import FIXED_FORMATS, FIXED_WRAPS, FixedTexture, fixed_lerp, vortex_sample
from warploom.machine.engine.native.loader import native
from warploom.machine.engine.unit import unit

X = {name: number for number, name in enumerate(FIXED_FORMATS)}
WRAP = {name: number for number, name in enumerate(FIXED_WRAPS)}
ONE = 1 << 20
BYTES = {"rgba8": 4, "r5g6b5": 2, "rgba4": 2, "l8a8": 2, "l8": 1, "a8": 1}


@unit
def run(memory, base, form, linear, wrap_u, wrap_v, log_width, log_height, u, v, address, out):
    """What both engines execute: one sample a lane."""
    texture = FixedTexture(base, form, linear, wrap_u, wrap_v, log_width, log_height)
    for lane in range(len(out)):
        out[lane] = vortex_sample(memory, texture, u[lane], v[lane], address[lane])


def both(memory, base, form, linear, wraps, logs, u, v):
    """Both engines, which must agree; returns (colours, addresses[lanes, 4])."""
    lanes = len(u)
    u, v = (np.array([value % (1 << 32) for value in values], np.uint32) for values in (u, v))
    outcomes = []
    for engine in ("python", "native"):
        address, out = np.zeros((lanes, 4), np.int64), np.zeros(lanes, np.uint32)
        arguments = (memory, base, form, linear, *wraps, *logs, u, v, address, out)
        with np.errstate(all="ignore"):
            (run if engine == "python" else native().entry(run, arguments))(*arguments)
        outcomes.append((out, address))
    assert outcomes[0][0].tobytes() == outcomes[1][0].tobytes()
    assert outcomes[0][1].tobytes() == outcomes[1][1].tobytes()
    return outcomes[0]


# ---------------------------------------------------------------------------------------------------------
# The model: bit strings, most significant bit first.


def model_wrap(coordinate, wrap):
    """coordinate: any integer, of which the low 32 bits count."""
    text = f"{coordinate % (1 << 32):032b}"
    if wrap == "clamp":
        return 0 if text[0] == "1" else int(text[-20:], 2) if "1" not in text[:12] else ONE - 1
    flipped = wrap == "mirror" and text[11] == "1"
    return int("".join("10"[int(digit)] if flipped else digit for digit in text[-20:]), 2)


def model_unpack(data, name):
    """(r, g, b, a) of a texel's bytes."""
    text = f"{int.from_bytes(data, 'little'):0{8 * len(data)}b}"
    if name == "rgba8":
        return tuple(data)
    if name == "r5g6b5":
        red, green, blue = text[:5], text[5:11], text[11:]
        return (*(int((field + field)[:8], 2) for field in (red, green, blue)), 255)
    if name == "rgba4":
        return tuple(int(text[i : i + 4] * 2, 2) for i in (12, 8, 4, 0))
    if name == "l8a8":
        return data[0], data[0], data[0], data[1]
    return (data[0], data[0], data[0], 255) if name == "l8" else (255, 255, 255, data[0])


def model_sample(data, base, name, linear, wraps, logs, u, v):
    """(colour, addresses)."""
    axes = []
    for coordinate, wrap, log in zip((u, v), wraps, logs, strict=True):
        delta = int(linear) * (ONE // 2 >> log)
        low, high = model_wrap(coordinate - delta, wrap), model_wrap(coordinate + delta, wrap)
        axes.append((low * (1 << log) // ONE, high * (1 << log) // ONE, low % 256))
    (left, right, f_u), (top, bottom, f_v) = axes
    places = [base + (y * (1 << logs[0]) + x) * BYTES[name] for y in (top, bottom) for x in (left, right)]
    texels = [model_unpack(data[at : at + BYTES[name]], name) if at < len(data) else (0, 0, 0, 0) for at in places]
    if not linear:
        return int.from_bytes(bytes(texels[0]), "little"), [places[0], -1, -1, -1]
    lerp = lambda a, b, f: [(p * (256 - f) + q * f) // 256 for p, q in zip(a, b, strict=True)]  # noqa: E731
    colour = lerp(lerp(texels[0], texels[1], f_u), lerp(texels[2], texels[3], f_u), f_v)
    return int.from_bytes(bytes(colour), "little"), places


coordinate = st.one_of(
    st.integers(-(1 << 31), (1 << 31) - 1),
    st.integers(-2 * ONE, 3 * ONE),
    st.tuples(st.integers(-20, 20), st.integers(-1, 1)).map(lambda p: p[0] * ONE // 8 + p[1]),
)


@settings(max_examples=200, deadline=None)
@given(
    name=st.sampled_from(FIXED_FORMATS),
    linear=st.booleans(),
    wraps=st.tuples(*[st.sampled_from(FIXED_WRAPS)] * 2),
    logs=st.tuples(st.integers(0, 6), st.integers(0, 5)),
    lanes=st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=8),
    words=st.integers(1, 600),
    seed=st.integers(0, 50),
)
def test_any_sample_is_bit_exact(name, linear, wraps, logs, lanes, words, seed):
    memory = np.random.default_rng(seed).integers(0, 1 << 32, words, np.uint64).astype(np.uint32)
    u, v = zip(*lanes, strict=True)
    colours, addresses = both(memory, 16, X[name], int(linear), [WRAP[w] for w in wraps], logs, u, v)
    for lane in range(len(lanes)):
        colour, places = model_sample(memory.tobytes(), 16, name, linear, wraps, logs, u[lane], v[lane])
        assert addresses[lane].tolist() == places
        assert int(colours[lane]) == colour


@pytest.mark.parametrize(
    ("wrap", "texels"),
    [("clamp", [0, 0, 0, 1, 1, 1, 1]), ("repeat", [0, 1, 0, 1, 0, 1, 0]), ("mirror", [1, 0, 0, 1, 1, 0, 0])],
)
def test_two_texels_under_each_wrap(wrap, texels):
    """Coordinates -1, -0.5, 0, 0.5, 1, 1.5, 2 over an image of two texels, and where each wrap finds them."""
    memory = np.array([0x0100], np.uint32)
    u = [k * ONE // 2 for k in range(-2, 5)]
    colours, _ = both(memory, 0, X["l8"], 0, [WRAP[wrap], WRAP["clamp"]], (1, 0), u, [0] * len(u))
    assert (colours & 0xFF).tolist() == texels


def test_weights_are_the_low_byte_of_the_coordinate_whatever_the_size():
    """A quarter of the way between two texels of a small image has a weight of 0: the published peculiarity."""
    memory = np.array([0xFF00], np.uint32)
    clamp = [WRAP["clamp"]] * 2
    colours, _ = both(memory, 0, X["l8"], 1, clamp, (1, 0), [ONE // 2, ONE // 2 + 128, ONE // 2 + 255], [0] * 3)
    assert (colours & 0xFF).tolist() == [0, 127, 254]


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.integers(0, 255))
def test_lerp_keeps_the_channels_apart(first, second, weight):
    a, b = first.to_bytes(4, "little"), second.to_bytes(4, "little")
    want = bytes((p * (256 - weight) + q * weight) >> 8 for p, q in zip(a, b, strict=True))
    assert two_engines.both(fixed_lerp, first, second, weight)[0] == int.from_bytes(want, "little")
