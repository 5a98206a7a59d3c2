"""A kernel with a signature keeps what names meant where it was decorated, however it reaches them."""

from types import SimpleNamespace

import numpy as np

from warploom import cuda

SIZES = SimpleNamespace(rows=3, table=np.asfortranarray([[1, 2], [3, 4]]))
STEP = 1


def step():
    return STEP


@cuda.jit("int64(int64)", device=True)
def moved(x):
    return x + STEP + SIZES.rows + step()


@cuda.jit("int32(int32, int32)", device=True)
def scaled(x, *, factor=3):
    return x * factor


def launched(kernel):
    out = np.zeros(3, np.int64)
    kernel[1, 1](out)
    return out.tolist()


def test_names_behind_a_dot_keep_their_meaning(monkeypatch):
    @cuda.jit("void(int64[:])")
    def kept(out):
        out[0], out[1] = SIZES.rows, SIZES.table[0, 1]

    def plain(out):
        out[0], out[1] = SIZES.rows, SIZES.table[0, 1]

    monkeypatch.setattr(SIZES, "rows", 30)
    SIZES.table[0, 1] = 20
    assert launched(kept) == [3, 2, 0]
    assert launched(cuda.jit(plain)) == [30, 20, 0]
    SIZES.table[0, 1] = 2


def test_a_function_for_kernels_with_a_signature_keeps_its_own_and_those_of_what_it_calls(monkeypatch):
    monkeypatch.setitem(globals(), "STEP", 100)
    monkeypatch.setattr(SIZES, "rows", 1000)

    @cuda.jit
    def plain(out):
        out[0], out[1] = moved(10), step()

    assert launched(plain) == [15, 100, 0]


def test_a_parameter_that_is_given_by_name_alone_has_its_type_from_the_signature():
    @cuda.jit
    def named(out):
        out[0], out[1] = scaled(2, factor=5.9), scaled(2)

    assert launched(named) == [10, 6, 0]


def test_a_launch_gives_parameters_by_name_alone_by_their_place():
    @cuda.jit
    def first(out, *, value=4):
        out[0] = value

    assert launched(first) == [4, 0, 0]
    out = np.zeros(1, np.int64)
    first[1, 1](out, 9)
    assert out[0] == 9
