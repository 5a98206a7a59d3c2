"""What the compiler says, in words for the user."""

import pytest

from warploom.cuda_cpp.compiler import explained

GRAPHS = """prog.cu:8:3: error: use of undeclared identifier 'cudaStreamBeginCapture'
    8 |   cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
prog.cu:12:3: error: use of undeclared identifier 'cudaGraphLaunch'
prog.cu:14:3: error: use of undeclared identifier 'cudaGraphLaunch'
prog.cu:15:3: error: cannot initialize a parameter
"""
TEXTURE = "prog.cu:3:1: error: no template named 'texture'\n"
OPENGL = "a/prog.cu:30:9: error: use of undeclared identifier 'cudaGraphicsGLRegisterBuffer'\n"
INNER = (
    "prog.cu:2:24: error: kernel launch from __device__ or __global__ function requires relocatable device code (i.e. requires -fgpu-rdc)\n"
)
THRUST = "prog.cu:1:10: fatal error: 'thrust/sort.h' file not found\n"
OWN = "prog.cu:4:1: error: use of undeclared identifier 'summ'\n"


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        (GRAPHS, ["  prog.cu:8: cudaStreamBeginCapture (graphs)", "  prog.cu:12: cudaGraphLaunch (graphs)"]),
        (TEXTURE, ["  prog.cu:3: texture (texture and surface references, which CUDA 12 has removed: use objects)"]),
        (OPENGL, ["  a/prog.cu:30: cudaGraphicsGLRegisterBuffer (sharing with OpenGL or another library of graphics)"]),
        (INNER, ["  prog.cu:2: a launch from a kernel (dynamic parallelism)"]),
    ],
)
def test_what_is_missing_of_cuda_is_named_with_its_line(said, lines):
    assert str(explained("prog.cu", said, 1)).splitlines() == ["prog.cu: error: it uses what is not there yet:", *lines]


def test_a_library_is_named_with_the_line_that_includes_it():
    assert str(explained("prog.cu", THRUST, 1)).startswith(
        "prog.cu: error: prog.cu:1: it includes <thrust/sort.h>: Thrust is not there yet"
    )


def test_a_mistake_of_the_program_stays_the_compilers():
    assert OWN.strip() in str(explained("prog.cu", OWN, 1))
