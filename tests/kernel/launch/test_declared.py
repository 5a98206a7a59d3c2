"""Signatures as contracts: which arguments they take, compared with Numba's own conversions."""

import itertools

import numpy as np
import pytest
from numba.core import types
from numba.core.typing import Context

from warploom import SourceError, cuda
from warploom.kernel.launch.declared import _conversion, declared
from warploom.kernel.launch.signature import kind_of
from warploom.kernel.types import types as ty

COSTS = {"exact": (0, 0, 0), "promote": (0, 0, 1), "safe": (0, 1, 0), "unsafe": (1, 0, 0)}
numba_types = {kind.name: getattr(types, "boolean" if kind is ty.BOOL else kind.name) for kind in ty.ALL}


def test_numbers_convert_as_numbas_do():
    context = Context()
    for given, wanted in itertools.product(ty.ALL, repeat=2):
        known = context.can_convert(numba_types[given.name], numba_types[wanted.name])
        ours = _conversion(("number", given.name, ""), wanted)
        assert (ours is None) == (known is None), (given, wanted)
        if known is not None:
            assert (ours[0] == 1) == (known.name == "unsafe"), (given, wanted, known)


ARRAYS = [
    np.zeros(2, np.float32), np.zeros(2), np.zeros(4, np.float32)[::2], np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32, "F"),
    np.zeros((4, 6), np.float32)[::2, ::2], np.broadcast_to(np.float32(1), (2,)),
]  # fmt: skip
TEXTS = ["float32[:]", "float32[::1]", "f4[:,:]", "float32[:,::1]", "float32[::1, :]", "double[:]", "int32[:]"]


@pytest.mark.parametrize("text", TEXTS)
def test_arrays_are_taken_where_numba_takes_them(text):
    from numba import typeof

    wanted = eval(text, {}, vars(types))
    for array in ARRAYS:
        known = Context().can_convert(typeof(array), wanted)
        for signature in (f"void({text})", types.void(wanted), (wanted,)):
            assert (_conversion(kind_of(array), declared(signature)[0][0]) is None) == (known is None), (array.dtype, array.strides)


@cuda.jit("void(float32[:])")
def scaled(a):
    a[0] = a[1] * np.float32(1.1)


@pytest.mark.parametrize("given", [np.ones(2), np.ones(2, np.int32), np.ones((2, 2), np.float32), 1.0, np.float32(1)], ids=repr)
def test_another_argument_is_a_type_error(given):
    scaled[1, 1](np.ones(2, np.float32))
    with pytest.raises(TypeError, match=r"^No matching definition for argument type\(s\) .*: scaled is declared for \(array\(float32"):
        scaled[1, 1](given)


@cuda.jit("void(float32, float32[:])")
def stored(x, out):
    out[0] = x


def test_numbers_are_converted_and_imaginary_parts_are_not_dropped():
    out = np.zeros(1, np.float32)
    stored[1, 1](16777217, out)
    assert out[0] == 16777216
    with pytest.raises(TypeError, match=r"argument type\(s\) complex128, array\(float32, 1d, C\)"):
        stored[1, 1](3 + 4j, out)


@cuda.jit(["void(int32, float64[:])", "void(float64, float64[:])"])
def either(x, out):
    out[0] = x / 2


def test_among_several_the_one_that_loses_least_is_taken():
    out = np.zeros(1)
    either[1, 1](2.5, out)
    assert out[0] == 1.25
    either[1, 1](np.int32(5), out)
    assert out[0] == 2.5
    with pytest.raises(TypeError, match=r"declared for .* or "):
        either[1, 1](1, out.astype(np.float32))


def test_a_check_keeps_to_the_signature():
    with pytest.raises(TypeError, match="No matching definition"):
        scaled.check[1, 1](np.ones(2))


FACTOR = 3


def factor():
    return FACTOR


def test_names_keep_what_they_meant_where_a_kernel_with_a_signature_was_decorated(monkeypatch):
    table = np.array([1, 2], np.int64)

    @cuda.jit("void(int64[:], int32)")
    def frozen(out, n):
        out[0] = n * FACTOR + factor() + table[1]

    def plain(out, n):
        out[0] = n * FACTOR + factor() + table[1]

    monkeypatch.setitem(globals(), "FACTOR", 100)
    table[1] = 1000
    out = np.zeros(1, np.int64)
    frozen[1, 1](out, 10)
    assert out[0] == 35
    cuda.jit(plain)[1, 1](out, 10)
    assert out[0] == 2100


def test_a_mistake_in_a_kernel_with_a_signature_is_found_where_it_is_decorated():
    with pytest.raises(SourceError, match="there is no 'unknown'"):

        @cuda.jit("void(float32[:])")
        def wrong(x):
            x[0] = unknown  # noqa: F821


@pytest.mark.parametrize(
    ("signature", "said"),
    [
        ("float32(float32[:])", "f: a kernel gives no result: its signature begins with void, not float32"),
        (types.int32(types.int32), "f: a kernel gives no result: its signature begins with void, not int32"),
        ("void(float33[:])", r"there is no type 'float33', did you mean 'float32'"),
        ("void(float32[:], int32)", r"f\(\) takes 1 argument \(x\), 2 are in its signature"),
    ],
)
def test_a_signature_that_a_kernel_cannot_have(signature, said):
    with pytest.raises(TypeError, match=said):

        @cuda.jit(signature)
        def f(x):
            pass


@cuda.jit("int32(int32, float32)", device=True)
def cut(v, x):
    return v * x


@cuda.jit(["int8(int8)", "float64(float64)"], device=True)
def doubled(v):
    return v + v


def test_a_function_for_kernels_takes_and_gives_its_declared_types():
    """As numba-cuda has it: arguments and results are converted, `cut(2.9, 0.1)` computes 2 * float32(0.1), and gives 0."""

    @cuda.jit
    def calls(out):
        out[0] = cut(2.9, 0.1)
        out[1] = cut(7, 1.5)
        out[2] = doubled(np.int8(100))
        out[3] = doubled(1.25)

    out = np.zeros(4)
    calls[1, 1](out)
    assert out.tolist() == [0.0, 10.0, -56.0, 2.5]


def test_declared_types_hold_for_arguments_by_name():
    @cuda.jit
    def calls(out):
        out[0] = cut(v=2.9, x=1.5)
        out[1] = cut(2.9, x=1.5)
        out[2] = cut(x=2.9, v=1.5)

    out = np.zeros(3)
    calls[1, 1](out)
    assert out.tolist() == [3.0, 3.0, 2.0]
