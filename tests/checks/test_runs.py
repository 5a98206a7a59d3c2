"""A row for a whole run of words says what its words' own rows would."""

import warnings

import numpy as np
import pytest

import warploom
from tests.checks import correct, planted
from warploom import cuda
from warploom.checks import accesses
from warploom.checks.checker import Checker
from warploom.checks.initialised import OWNER_SHIFT
from warploom.checks.runs import count_of, item_of, pitch_of
from warploom.checks.shadow import COUNT as FOUND
from warploom.checks.shadow import (
    HELD,
    PARTS,
    R1_TIME,
    R1_WHO,
    R2_TIME,
    R2_WHO,
    RUN_SHIFT,
    SHADOW_COLUMNS,
    SHAPE,
    SPREAD,
    THREAD_SHIFT,
    W_TIME,
    W_WHO,
    WORD_BYTES,
)
from warploom.kernel.device.context import CURRENT
from warploom.kernel.launch import checked_launch

CASES = [(*row[:4], 0, row[6], row[7]) for row in planted.KERNELS] + [
    (function, grid, block, arguments, shared, "sm", change) for function, grid, block, arguments, change, shared in correct.KERNELS
]


def last_checker(monkeypatch):
    """The checker of the last launch, in a list."""
    made = []

    class Kept(Checker):
        def __init__(self, *given):
            super().__init__(*given)
            made.append(self)

    monkeypatch.setattr(checked_launch, "Checker", Kept)
    return made


def tables(case, monkeypatch, engine="python"):
    """The checks' tables after a launch."""
    function, grid, block, arguments, shared, machine, change = case
    made = last_checker(monkeypatch)
    CURRENT.use(warploom.GPU(machine, set=change or {}, engine=engine))
    CURRENT.context.memory_bytes = 1 << 16
    given = [cuda.device_array(32, np.int32) if isinstance(one, str) else one.copy() if hasattr(one, "copy") else one for one in arguments]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cuda.jit(function).check[grid, block, 0, shared](*given, schedule=False, max_cycles=100_000)
    return made[-1].found


def parts_of(found):
    """The rows of each run, the row of starts last."""
    return found["runs"].reshape(PARTS + 1, -1, SHADOW_COLUMNS).swapaxes(0, 1)


def bytes_of_run(parts, width):
    """The row of each byte of a run that is not spread."""
    shape = int(parts[0, SHAPE])
    pitch, item = int(pitch_of(shape)), int(item_of(shape))
    there = np.repeat(parts[:1], width, axis=0)
    starts = parts[PARTS].view("<i2")
    for part in sorted(range(int(pitch != item), int(count_of(shape))), key=lambda part: int(starts[part])):
        for ahead, start in enumerate(range(int(starts[part]), width, pitch or width)):
            piece = there[start : start + (item or width)]
            piece[:] = parts[part]
            piece[:, [W_WHO, R1_WHO, R2_WHO]] += ahead << THREAD_SHIFT
    return there


def words(found):
    """Who accessed each byte when, and what is written of it, wherever that stands. By word, byte and column."""
    runs, rows = parts_of(found), found["shadow"]
    width = 1 << int(found["findings"][0, RUN_SHIFT])
    there = np.repeat(rows[: len(runs) * width, None, :], 4, axis=1)
    divided = there[:, 0, W_TIME] < 0
    first = -1 - there[divided, 0, W_TIME]
    for byte in range(4):
        there[divided, byte, :HELD] = rows[first + byte, :HELD]
    for number, parts in enumerate(runs):
        if not parts[0, SHAPE] & SPREAD:
            there[number * width : (number + 1) * width] = bytes_of_run(parts, 4 * width).reshape(width, 4, -1)
    for when, who in ((W_TIME, W_WHO), (R1_TIME, R1_WHO), (R2_TIME, R2_WHO)):
        there[:, :, who] &= ~np.int64(WORD_BYTES)  # a byte's own row says nothing of the others
        there[there[:, :, when] == 0, who] = 0
    written = there[:, :, HELD] >> np.arange(4) & 1
    owner = there[:, :, HELD] >> OWNER_SHIFT
    there[:, :, HELD] = np.where((owner != 0) & (written == 0), 0, owner << 1 | written)
    return there[:, :, [W_TIME, W_WHO, R1_TIME, R1_WHO, R2_TIME, R2_WHO, HELD]]


@pytest.mark.every(3)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_runs_find_what_words_find(case, monkeypatch):
    found = tables(case, monkeypatch)
    monkeypatch.setattr(accesses, "pitch_of_lanes", lambda *given: 0)
    alone = tables(case, monkeypatch)
    assert found["findings"][1:].tobytes() == alone["findings"][1:].tobytes()
    assert np.array_equal(words(found), words(alone))


def copy_to(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


def test_a_kernel_that_streams_needs_no_rows_for_its_words(monkeypatch):
    x = np.arange(256, dtype=np.float32)
    found = tables((copy_to, 4, 64, (x, np.zeros_like(x)), 0, "sm", None), monkeypatch)
    assert found["findings"][0, FOUND] == 0
    assert np.count_nonzero(parts_of(found)[:, 0, W_TIME]) == np.count_nonzero(parts_of(found)[:, 0, R1_TIME]) == 8
    assert not found["shadow"].any() and count_of(parts_of(found)[:, 0, SHAPE]).max() == 1


def neighbours(x, out):
    i = cuda.grid(1)
    if 0 < i < out.size - 1:
        out[i] = x[i - 1] + x[i] + x[i + 1]


def shifted(x, out):
    i = cuda.grid(1)
    out[i] = x[i + 1]


def bytes_in_many_ways(x, out):
    """Whole words of bytes, a byte each from an odd place, and words again, with barriers between; then a race on one byte."""
    i = cuda.threadIdx.x
    out[i] = x[i]
    cuda.syncthreads()
    out[i ^ 33] += x[i + 1]
    cuda.syncthreads()
    out.view(np.int32)[i] = 7
    cuda.syncthreads()
    if i == 3:
        out[i] += x[i]
    out[63 - i] = i


def to_gray(rgb, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = (rgb[i, 0] + rgb[i, 1] + rgb[i, 2]) // 3


def swapped_colours(rgb, out):
    """Three bytes of each pixel are written, from the place of the thread beside; then as a stream, which spreads their runs."""
    i = cuda.grid(1)
    out[i, 0] = rgb[i, 2]
    out[i, 2] = rgb[i ^ 1, 0]
    if i % 32 < 20:
        out[i, 1] = rgb[i, 1]
    cuda.syncthreads()
    flat = out.reshape(out.size)
    flat[i] += 1


def halves_of_a_warp(rgb, out):
    """Rows of 16 items of a wider matrix, and one item alone."""
    x, y = cuda.threadIdx.x % 16, cuda.threadIdx.x // 16
    out[y, x + 3] = rgb[y, x + 1]
    cuda.syncthreads()
    if cuda.threadIdx.x == 5:
        out[1, 4] = out[2, 4] + out[3, 9]


def mixed(x, out):
    """Items of 64 bits and the same words as items of 32, with barriers between."""
    i = cuda.threadIdx.x
    out[i] = x[i + 1]
    cuda.syncthreads()
    words = out.view(np.int32)
    words[i] = i
    cuda.syncthreads()
    words[i + 3] += 1
    cuda.syncthreads()
    out[i] = x[i]


STREAMS = [(kernel, dtype, more) for kernel, more in ((shifted, 1), (neighbours, 0), (copy_to, 0)) for dtype in ("float32", "float64")]


@pytest.mark.parametrize(("kernel", "dtype", "more"), STREAMS)
def test_streams_from_odd_places_and_of_64_bits(kernel, dtype, more, monkeypatch):
    x = np.arange(256 + more, dtype=dtype)
    case = (kernel, 4, 64, (x, np.zeros(256, dtype)), 0, "sm", None)
    found = tables(case, monkeypatch)
    assert found["findings"][0, FOUND] == 0
    ends = 2 if kernel is neighbours else 0  # the first and the last warp have lanes that stay away
    assert np.count_nonzero(parts_of(found)[:, 0, SHAPE] & SPREAD) <= 5 * ends
    monkeypatch.setattr(accesses, "pitch_of_lanes", lambda *given: 0)
    alone = tables(case, monkeypatch)
    assert np.array_equal(words(found), words(alone))


@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_a_run_that_is_accessed_in_several_ways(dtype, monkeypatch):
    case = (mixed, 1, 64, (np.arange(70, dtype=dtype), np.zeros(70, dtype)), 0, "sm", None)
    found = tables(case, monkeypatch)
    monkeypatch.setattr(accesses, "pitch_of_lanes", lambda *given: 0)
    alone = tables(case, monkeypatch)
    assert found["findings"][1:].tobytes() == alone["findings"][1:].tobytes()
    assert np.array_equal(words(found), words(alone))


@pytest.mark.parametrize("dtype", ["uint8", "int16"])
def test_a_run_of_items_smaller_than_a_word(dtype, monkeypatch):
    case = (bytes_in_many_ways, 1, 64, (np.arange(260).astype(dtype), np.zeros(260, dtype)), 0, "sm", None)
    found = tables(case, monkeypatch)
    monkeypatch.setattr(accesses, "pitch_of_lanes", lambda *given: 0)
    alone = tables(case, monkeypatch)
    assert found["findings"][0, FOUND] > 0
    assert found["findings"][1:].tobytes() == alone["findings"][1:].tobytes()
    assert np.array_equal(words(found), words(alone))


PITCHES = [(to_gray, 128, (128,)), (swapped_colours, 128, (128, 3)), (halves_of_a_warp, 20, (40, 33))]


@pytest.mark.every(3)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
@pytest.mark.parametrize(("kernel", "rows", "shape"), PITCHES, ids=[kernel.__name__ for kernel, _, _ in PITCHES])
def test_items_at_a_pitch_and_rows_of_half_a_warp(kernel, rows, shape, dtype, monkeypatch):
    given = np.arange(rows * 33 if kernel is halves_of_a_warp else rows * 3).reshape(rows, -1).astype(dtype)
    case = (kernel, 2, 64, (given, np.zeros(shape, dtype)), 0, "sm", None)
    found = tables(case, monkeypatch)
    if kernel is to_gray:
        assert found["findings"][0, FOUND] == 0 and not found["shadow"].any()
    monkeypatch.setattr(accesses, "pitch_of_lanes", lambda *given: 0)
    alone = tables(case, monkeypatch)
    assert found["findings"][1:].tobytes() == alone["findings"][1:].tobytes()
    assert np.array_equal(words(found), words(alone))


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_what_is_written_at_a_pitch_is_known_after_the_launch(dtype):
    def red_and_blue(out):
        i = cuda.grid(1)
        if i < 70:
            out[i + 5, 0] = 1
            out[i + 5, 2] = 1

    out = cuda.device_array((100, 3), dtype)
    assert cuda.jit(red_and_blue).check[3, 32](out, schedule=False).clean
    unwritten = np.ones((100, 3, out.dtype.itemsize), bool)
    unwritten[5:75, ::2] = False
    assert np.array_equal(out.allocation.unwritten()[: unwritten.size].astype(bool), unwritten.reshape(-1))


@pytest.mark.parametrize("dtype", ["uint8", "int16"])
def test_a_stream_of_small_items_from_an_odd_place_needs_no_rows_for_bytes(dtype, monkeypatch):
    x = np.arange(257).astype(dtype)
    found = tables((shifted, 4, 64, (x, np.zeros(256, dtype)), 0, "sm", None), monkeypatch)
    assert found["findings"][0, FOUND] == 0 and not found["shadow"].any()


@pytest.mark.parametrize("dtype", ["uint8", "int16"])
def test_a_stream_of_small_items_needs_no_rows_for_words_and_bytes(dtype, monkeypatch):
    x = np.arange(256).astype(dtype)
    found = tables((copy_to, 4, 64, (x, np.zeros_like(x)), 0, "sm", None), monkeypatch)
    assert found["findings"][0, FOUND] == 0 and not found["shadow"].any()


def test_lanes_that_stay_away_cut_their_run(monkeypatch):
    x = np.arange(100, dtype=np.float32)
    found = tables((copy_to, 2, 64, (x, np.zeros_like(x)), 0, "sm", None), monkeypatch)
    assert found["findings"][0, FOUND] == 0
    assert not found["shadow"].any()
    assert np.count_nonzero(count_of(parts_of(found)[:, 0, SHAPE]) == 2) == 2  # the last 4 items of each array


def test_both_engines_write_the_same_notes(monkeypatch):
    x = np.arange(100, dtype=np.float32)
    wide = np.arange(70, dtype=np.float64)
    cases = [(copy_to, 2, 64, (x, np.zeros_like(x)), 0, "sm", None), CASES[0], CASES[2]]
    cases += [(mixed, 1, 64, (one, np.zeros_like(one)), 0, "sm", None) for one in (wide, wide.astype(np.int32))]
    cases += [
        (swapped_colours, 2, 64, (one, np.zeros_like(one)), 0, "sm", None) for one in (np.arange(384, dtype=np.uint8).reshape(-1, 3),)
    ]
    cases += [case for case in CASES if case[0].__name__ in ("byte_beside_bytes_of_others", "shared_bytes_without_barrier")]
    for case in cases:
        found, native = (tables(case, monkeypatch, engine) for engine in ("python", "native"))
        assert all(found[name].tobytes() == native[name].tobytes() for name in found), case[0].__name__
