"""Buffers in the type of the kernel's parameter."""

import numpy as np
import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main
from warploom.isa.c.compiler import compile_c
from warploom.isa.c.contents import bytes_of
from warploom.isa.c.parameters import kernels_of
from warploom.isa.launching import BufferError
from warploom.isa.riscv import elf

SAXPY = EXAMPLES / "vortex" / "saxpy.elf"


def given(contents, element):
    return bytes_of("x", contents, "p", element)


def refused(contents, element):
    with pytest.raises(BufferError) as caught:
        given(contents, element)
    return str(caught.value)


@pytest.mark.parametrize("element", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float32", "float64"])
@pytest.mark.parametrize("contents", [[1, 2, 100], [1.0, 2.0, 100.0], [True, False, True]])
def test_numbers_without_a_width_become_the_parameters(element, contents):
    found = given(contents, element)
    assert len(found) % 4 == 0
    assert found.view(element)[: len(contents)].tolist() == contents


@pytest.mark.parametrize("element", ["float32", "int32"])
def test_bits_stay_as_they_are(element):
    assert given(np.array([0x3F800000, 7], np.uint32), element).view(np.uint32).tolist() == [0x3F800000, 7]
    assert given(np.array([1, 2, 3], np.uint8), element).tolist() == [1, 2, 3, 0]


def test_signs_do_not_matter_to_a_buffer():
    assert given([-1, 0xFFFFFFFF], "int32").view(np.uint32).tolist() == [0xFFFFFFFF] * 2
    assert given([-1, 255], "uint8").tolist() == [255, 255, 0, 0]


def test_what_does_not_fit_is_refused_with_its_place():
    assert refused([1.0, 2.5], "int32") == "x[1] = 2.5: the kernel's parameter p points to int32"
    assert refused([0, 256], "uint8") == "x[1] = 256: the kernel's parameter p points to uint8"
    assert refused([float("nan")], "int16") == "x[0] = nan: the kernel's parameter p points to int16"


@pytest.mark.parametrize(("have", "want"), [("int32", "float32"), ("float32", "int32"), ("float32", "float64"), ("int16", "int32")])
def test_an_array_of_a_different_type_is_refused(have, want):
    said = f"x holds {have}, and the kernel's parameter p points to {want}: give an array of {want}, or its bits as uint32"
    assert refused(np.ones(3, have), want) == said


def test_without_a_known_type_a_buffer_holds_words():
    assert bytes_of("x", [1, -1]).view(np.uint32).tolist() == [1, 0xFFFFFFFF]
    assert bytes_of("x", [1.0]).view(np.float32).tolist() == [1.0]


def test_whole_numbers_in_a_file_are_floats_for_a_kernel_of_floats(tmp_path):
    (tmp_path / "x.csv").write_text("1, 2, 3\n")
    np.save(tmp_path / "y.npy", np.array([10, 20, 30]))
    out = tmp_path / "out.npy"
    command = ["run", str(SAXPY), "--threads", "3", "--arg", "a=2", "--buffer", f"x={tmp_path / 'x.csv'}", "--engine", "python"]
    done = CliRunner().invoke(main, [*command, "--buffer", f"y={tmp_path / 'y.npy'}", "--save", f"y:f32={out}"])
    assert done.exit_code == 0, done.output
    assert np.load(out).tolist() == [12.0, 24.0, 36.0]
    np.save(tmp_path / "y.npy", np.array([10, 20, 30], np.int32))
    done = CliRunner().invoke(main, [*command, "--buffer", f"y={tmp_path / 'y.npy'}"])
    assert done.exit_code == 2 and "y holds int32, and the kernel's parameter y points to float32" in done.output


def test_what_pointers_point_to_is_found(tmp_path):
    pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")
    path = tmp_path / "k.c"
    path.write_text(
        "#include <warploom.h>\ntypedef float real; struct s { int a; };\n"
        "kernel void k(const real *restrict a, volatile uint8_t *b, short *c, void *d, struct s *e, float **f, uint64_t *g, int n) {}\n"
    )
    data = compile_c([path], level="1")
    (kernel,) = kernels_of(data, elf.read(data, "k.elf")[0].symbols)
    assert kernel.elements == {"a": "float32", "b": "uint8", "c": "int16", "g": "uint64"}
