"""Kernels in C: where their parameters are, what a user may ask of them, and whose lines their instructions are."""

import numpy as np
import pytest
from click.testing import CliRunner

import warploom
from tests.places import EXAMPLES
from warploom.cli import main
from warploom.isa.avx512.kernels import places_of
from warploom.isa.c.parameters import CKernel
from warploom.isa.frontend import Options
from warploom.isa.frontends import front_end, load
from warploom.isa.launching import BufferError, read_buffer

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

ADD = EXAMPLES / "avx512" / "vector_add.c"
MIXED = """#include <lanes.h>
kernel void mixed(mask active, vint thread, float a, const float *x, int n, float b, float *y, unsigned char k, short m) {
  put_row_float(active, y + first(thread), a * row_float(active, x + first(thread)) + b * n + k + m);
}
kernel void other(mask active, vint thread, int *out) { put_row(active, out + first(thread), thread); }
"""
LANES = ("active", "uint16"), ("thread", "array_type")


def kernel(*parameters):
    return CKernel("k", 0x400000, (*LANES, *parameters))


def options(path, threads=16, **more):
    return Options(path=str(path), threads=threads, **more)


def test_whole_numbers_and_floats_have_rows_of_their_own():
    found = places_of(kernel(("a", "float32"), ("x", "pointer"), ("n", "int32"), ("b", "float32")), "x.elf")
    assert [(one.parameter.name, one.parameter.offset, one.register, one.is_float) for one in found] == [
        ("a", 0, 1, True), ("x", 4, 6, False), ("n", 8, 2, False), ("b", 12, 2, True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ([("x", "float64")], "the parameter 'x' of the kernel 'k' is of type float64: after its first two parameters a kernel takes"),
        (
            [(f"x{n}", "int32") for n in range(6)],
            "the kernel 'k' has more than 5 whole numbers and pointers after its first two parameters",
        ),
        ([(f"x{n}", "float32") for n in range(8)], "the kernel 'k' has more than 7 floats after its first two parameters"),
    ],
)
def test_what_cannot_be_handed_over(parameters, said):
    with pytest.raises(BufferError) as caught:
        places_of(kernel(*parameters), "x.elf")
    assert str(caught.value).startswith(f"x.elf: {said}")


def test_a_kernel_begins_with_its_lanes():
    with pytest.raises(
        BufferError, match=r"the kernel 'k' begins with the mask and the numbers of its threads: kernel void k\(mask active"
    ):
        places_of(CKernel("k", 0, (("x", "pointer"),)), "x.elf")


def test_every_kind_of_parameter_arrives(tmp_path):
    path = tmp_path / "mixed.c"
    path.write_text(MIXED)
    x = np.arange(20, dtype=np.float32)
    given = {"a": 0.5, "n": -3, "b": 2.0, "k": 200, "m": -7}
    program = load(
        path, options=options(path, 20, arguments=given, more={"launch": "mixed"}, buffers={"x": x, "y": np.zeros(20, np.float32)})
    )
    result = warploom.GPU("avx512", engine="python").run(program)
    assert read_buffer(program, result.memory, "y").view(np.float32)[:20].tolist() == (x / 2 - 6 + 200 - 7).tolist()


def test_a_file_with_several_kernels_wants_a_name(tmp_path):
    path = tmp_path / "mixed.c"
    path.write_text(MIXED)
    with pytest.raises(BufferError, match="it has 2 kernels; say which one: --launch mixed, or other"):
        load(path, options=options(path))
    done = CliRunner().invoke(
        main, ["run", str(path), "--launch", "other", "--threads", "16", "--buffer", f"out={_zeros(tmp_path)}", "--quiet"]
    )
    assert done.exit_code == 0, done.output


def _zeros(folder):
    np.save(folder / "zeros.npy", np.zeros(16, np.int32))
    return folder / "zeros.npy"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {},
            "the arguments 'a', 'b', 'sum' of the kernel 'vector_add' have no value: add --buffer a=FILE --buffer b=FILE --buffer sum=FILE",
        ),
        ({"arguments": {"c": 1}, "buffers": {key: [1.0] for key in ("a", "b", "sum")}}, "the kernel 'vector_add' has no parameter 'c'"),
        ({"block": 8}, "a block of 8 threads: a warp of AVX-512 is a block of 16"),
        ({"threads": 1 << 20}, "1048576 threads: a program of AVX-512 has 0 to 65536"),
    ],
)
def test_what_is_missing_or_wrong_is_one_sentence(more, said):
    with pytest.raises(BufferError) as caught:
        load(ADD, options=options(ADD, **more))
    assert f"vector_add.c: {said}" in str(caught.value)


def test_c_with_lanes_is_ours_and_other_c_is_not():
    assert front_end(ADD).name == "avx512"
    assert front_end(EXAMPLES / "vortex" / "saxpy.c").name == "vortex"


def test_instructions_and_their_costs_are_those_of_lines_of_c():
    buffers = {name: np.ones(16, np.float32) for name in ("a", "b", "sum")}
    program = load(ADD, options=options(ADD, buffers=buffers))
    vectors = [number for number, text in enumerate(program.text) if text.startswith(("vaddps", "vmovups"))]
    assert len(vectors) >= 2
    for number in vectors:
        position = program.position(number)
        assert program.sources[position.file].path.endswith("examples/avx512/vector_add.c")
        assert program.sources[position.file].lines[position.line - 1].strip().startswith("put_row_float(")
    assert "put_row_float(active" in str(warploom.GPU("avx512", engine="python").run(program).profile())
