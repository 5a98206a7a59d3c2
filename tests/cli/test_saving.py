"""`--save`: what a buffer's file holds."""

import numpy as np
import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main
from warploom.cli.saving import look_like_floats

SAXPY = EXAMPLES / "guppy" / "saxpy.guppy"
WORDS = ".threads 4\n.buffer u0 16\nmov r0.x, lane_id\nmul.u32 r0.y, r0.x, u(4)\nst u0.x, r0.y, r0.x\nret\n"


def save(path, what):
    return CliRunner().invoke(main, ["run", str(path), "--engine", "python", "--quiet", "--save", what])


def test_a_buffer_of_floats_is_written_as_floats(tmp_path):
    assert save(SAXPY, f"t0={tmp_path / 'a.csv'}").exit_code == 0
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[:3] == ["0.0", "1.0", "2.0"]
    assert save(SAXPY, f"u0={tmp_path / 'u.csv'}").exit_code == 0
    assert save(SAXPY, f"u0:f32={tmp_path / 'u.npy'}").exit_code == 0
    floats = np.load(tmp_path / "u.npy")
    assert floats.dtype == np.float32
    assert np.array_equal(np.array((tmp_path / "u.csv").read_text().split(), np.float32), floats)


def test_a_buffer_of_whole_numbers_is_written_as_such(tmp_path):
    path = tmp_path / "w.guppy"
    path.write_text(WORDS)
    assert save(path, f"u0={tmp_path / 'a.csv'}").exit_code == 0
    assert (tmp_path / "a.csv").read_text().split() == ["0", "1", "2", "3", *["0"] * 12]


def test_a_name_may_say_what_its_words_are(tmp_path):
    assert save(SAXPY, f"t0:u32={tmp_path / 'a.csv'}").exit_code == 0
    assert (tmp_path / "a.csv").read_text().split()[:3] == ["0", "1065353216", "1073741824"]
    assert save(SAXPY, f"t1:i32={tmp_path / 'b.csv'}").exit_code == 0
    assert any(line.startswith("-") for line in (tmp_path / "b.csv").read_text().splitlines())


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("u0:f23=a.csv", "--save u0:f23=a.csv: words are written as f32, u32, i32, did you mean 'f32'?"),
        ("u0:f32=a.bin", "--save u0:f32=a.bin: a type is that of words, in a buffer or a region, saved as .npy or .csv"),
    ],
)
def test_a_type_that_there_is_not(what, said):
    assert save(SAXPY, what).stderr == f"error: {said}\n"


SQUARES = EXAMPLES / "riscv" / "squares.rv"


def test_words_of_a_region_are_written_in_the_type_that_is_named(tmp_path):
    assert save(SQUARES, f"memory:i32={tmp_path / 'm.npy'}").exit_code == 0
    written = np.load(tmp_path / "m.npy")
    assert written.dtype == np.int32
    assert written[:5].tolist() == [0, 1, 4, 9, 16]
    assert "it has memory, and the regions stacks" not in save(SQUARES, f"memry={tmp_path / 'm.npy'}").stderr
    assert "did you mean 'memory'?" in save(SQUARES, f"memry={tmp_path / 'm.npy'}").stderr


@pytest.mark.parametrize("ending", [".npy", ".csv"])
def test_a_buffer_has_the_type_of_the_kernels_parameter_or_of_its_array(tmp_path, ending):
    """`saxpy` takes two `const float *`; of `extra`, which no parameter names, its file says what it holds."""
    np.save(tmp_path / "x.npy", np.arange(4, dtype=np.float32))
    (tmp_path / "y.csv").write_text("0, 0, 0, 0")
    np.save(tmp_path / "extra.npy", np.array([-1, 1 << 30], np.int32))
    out, other = tmp_path / f"out{ending}", tmp_path / f"other{ending}"
    given = [f"--buffer={name}={tmp_path / file}" for name, file in (("x", "x.npy"), ("y", "y.csv"), ("extra", "extra.npy"))]
    options = [*given, "--threads=4", "--arg=a=1e-30", "--save", f"y={out}", "--save", f"extra={other}", "--quiet"]
    result = CliRunner().invoke(main, ["run", str(EXAMPLES / "vortex" / "saxpy.elf"), *options])
    assert result.exit_code == 0
    assert "warning: no argument of the kernel 'saxpy' names the buffer 'extra'; its pointers are x, y" in result.stderr
    read = np.load if ending == ".npy" else lambda path: np.array([float(word) for word in path.read_text().split()], np.float32)
    assert read(out).tolist() == (np.float32(1e-30) * np.arange(4, dtype=np.float32)).tolist()
    assert read(other).tolist() == [-1, 1 << 30]


def test_what_looks_like_floats():
    assert look_like_floats(np.array([0.0, -0.0, 1.5, -3e5, 1e-9], np.float32).view(np.uint32))
    assert not look_like_floats(np.array([0, 0], np.uint32))
    assert not look_like_floats(np.array([1, 2, 3], np.uint32))
    assert not look_like_floats(np.array([1.5, np.nan], np.float32).view(np.uint32))
