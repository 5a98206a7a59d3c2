"""`cuda.libdevice`: its names give what they say, products and sums of `_rn` forms stay apart."""

import linecache
import math
import struct

import numpy as np
import pytest

from warploom import SourceError, cuda
from warploom.kernel.device.context import CURRENT
from warploom.kernel.script import run_script

libdevice = cuda.libdevice
X = np.array([0.5, -1.25, 2.5, 7.0], np.float32)
Y = np.array([2.0, 0.75, -3.5, 7.0], np.float32)
N = np.array([5, -7, 1 << 30, -(1 << 31)], np.int32)
M = np.array([3, -1, 123456789, -1], np.int32)


def one(name, kind, *arguments):
    """What a name gives for each item of the arguments."""
    text = f"def k({', '.join(f'a{n}' for n in range(len(arguments)))}, out):\n    i = cuda.grid(1)\n"
    text += f"    out[i] = libdevice.{name}({', '.join(f'a{n}[i]' for n in range(len(arguments)))})\n"
    path = f"<libdevice {name}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    scope = {"cuda": cuda, "libdevice": libdevice}
    exec(compile(text, path, "exec"), scope)
    out = np.zeros(len(arguments[0]), kind)
    cuda.jit(scope["k"])[1, len(out)](*arguments, out)
    return out


def bits(x):
    return struct.unpack("<i", struct.pack("<f", x))[0]


@pytest.mark.parametrize(
    ("name", "kind", "arguments", "wanted"),
    [
        ("fast_sinf", np.float32, (X,), np.sin(X)),
        ("fast_powf", np.float32, (np.abs(X), Y), np.abs(X) ** Y),
        ("fast_fdividef", np.float32, (X, Y), X / Y),
        ("expf", np.float32, (X,), np.exp(X)),
        ("exp", np.float64, (X.astype(np.float64),), np.exp(X.astype(np.float64))),
        ("tgamma", np.float64, (np.array([1.5, 4.0]),), np.array([math.gamma(1.5), 6.0])),
        ("rsqrtf", np.float32, (Y[[0, 3]],), Y[[0, 3]] ** -0.5),
        ("saturatef", np.float32, (X,), np.clip(X, 0, 1)),
        ("normcdf", np.float64, (np.array([0.0, 1.0]),), np.array([0.5, 0.8413447460685429])),
    ],
)
def test_functions_of_floats(name, kind, arguments, wanted):
    assert np.allclose(one(name, kind, *arguments), wanted, rtol=2e-6)


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("float2int_rn", (X,), [0, -1, 2, 7]),
        ("float2int_rd", (X,), [0, -2, 2, 7]),
        ("float2int_ru", (X,), [1, -1, 3, 7]),
        ("float2int_rz", (X,), [0, -1, 2, 7]),
        ("float2uint_rz", (X,), [0, 0, 2, 7]),
        ("float_as_int", (X,), [bits(one) for one in X]),
        ("signbitf", (X,), [0, 1, 0, 0]),
        ("clz", (N,), [29, 0, 1, 0]),
        ("popc", (N,), [2, 30, 1, 1]),
        ("mulhi", (N, M), [int(n) * int(m) >> 32 for n, m in zip(N, M, strict=True)]),
        ("hadd", (N, M), [int(n) + int(m) >> 1 for n, m in zip(N, M, strict=True)]),
        ("sad", (N[:2], M[:2], M[:2]), [5, 5]),
        ("umin", (N[:2], M[:2]), [3, -7]),
        ("isnanf", (np.array([1, np.nan], np.float32),), [0, 1]),
    ],
)
def test_whole_numbers(name, arguments, wanted):
    assert one(name, np.int32, *arguments).tolist() == wanted


def test_a_product_and_a_sum_of_their_own_are_rounded_each():
    def k(a, b, c, out):
        out[0] = libdevice.fadd_rn(libdevice.fmul_rn(a[0], b[0]), c[0])
        out[1] = a[0] * b[0] + c[0]

    a, b = (np.array([one], np.float32) for one in (1 + 2**-12, 1 + 2**-12))
    c, out = np.array([-1 - 2**-11], np.float32), np.zeros(2, np.float32)
    cuda.jit(k)[1, 1](a, b, c, out)
    assert out.tolist() == [0.0, 2.0**-24]


def test_what_c_gives_through_pointers_is_a_tuple():
    def k(x, out):
        sine, cosine = libdevice.sincosf(x[0])
        fraction, exponent = libdevice.frexpf(x[0])
        out[0], out[1], out[2], out[3] = sine, cosine, fraction, exponent

    out = np.zeros(4)
    cuda.jit(k)[1, 1](np.array([3], np.float32), out)
    assert np.allclose(out, [math.sin(3), math.cos(3), 0.75, 2], atol=1e-6)


def test_it_is_a_module_of_numba_in_a_program(tmp_path, capsys):
    path = tmp_path / "fast.py"
    path.write_text(
        "import numpy as np\nfrom numba import cuda\nfrom numba.cuda import libdevice\nfrom numba.cuda.libdevice import fast_expf\n"
        "@cuda.jit\ndef k(a):\n    a[0] = fast_expf(a[0]) + libdevice.fabsf(a[1]) + cuda.libdevice.sqrtf(a[2])\n"
        "a = np.array([0, -2, 9], np.float32)\nk[1, 1](a)\nprint(a[0])\n"
    )
    run_script(path)
    CURRENT.use(None)
    assert capsys.readouterr().out == "6.0\n"


def test_a_wrong_number_of_arguments_and_a_name_that_there_is_not():
    def few(x):
        x[0] = libdevice.fmodf(x[0])

    with pytest.raises(SourceError, match=r"libdevice\.fmodf\(\) takes 2 arguments, 1 are given"):
        cuda.jit(few)[1, 1](np.zeros(1))
    with pytest.raises(AttributeError):
        cuda.libdevice.fast_nothing  # noqa: B018


def test_special_functions_and_several_results():
    def k(x, n, out, whole):
        i = cuda.grid(1)
        v = x[i]
        sine, cosine = libdevice.sincospif(v)
        rest, quotient = libdevice.remquo(v, 0.75)
        out[0, i] = libdevice.j0(v)
        out[1, i] = libdevice.ynf(n[i], v)
        out[2, i] = libdevice.erfinvf(v)
        out[3, i] = libdevice.erfcx(v)
        out[4, i] = sine
        out[5, i] = cosine
        out[6, i] = rest
        whole[0, i] = quotient
        whole[1, i] = libdevice.ilogb(v)
        whole[2, i] = libdevice.llroundf(v)

    out, whole = np.zeros((7, 2)), np.zeros((3, 2), np.int64)
    cuda.jit(k)[1, 2](np.array([0.75, 0.5]), np.array([2, 3], np.int32), out, whole)
    right = [
        [0.8642422751666486, 0.938469807240813], [-2.6297460326656563, -42.059494304723883], [0.8134198475976185, 0.4769362762044699],
        [0.5069376502931448, 0.6156903441929258], [0.7071067811865476, 1], [-0.7071067811865476, 0], [0, -0.25],
    ]  # fmt: skip
    assert np.allclose(out, right, rtol=3e-7, atol=1e-15)
    assert whole.tolist() == [[1, 1], [-1, -1], [1, 1]]
