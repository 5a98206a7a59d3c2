"""Kernels in CUDA C++ and PTX that NVIDIA's compilers make machine code of."""

import numpy as np
import pytest

import warploom
from tests.isa.sass.nvidia.compilers import needs_compilers
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import read_buffer
from warploom.isa.sass.nvidia import sources

SAXPY = """extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""
PTX = """.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 p)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    add.u32 %r2, %r2, %r2;
    st.global.u32 [%rd3], %r2;
    ret;
}
"""


def written(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def ran(program, gpu, buffer):
    return read_buffer(program, warploom.GPU(gpu, engine="python").run(program).memory, buffer)


@needs_compilers
def test_a_kernel_in_cuda_is_compiled_for_the_product_and_runs(tmp_path):
    x = np.arange(8, dtype=np.float32)
    given = {"block": 8, "grid": 1, "arguments": {"n": 7, "a": 2.0}, "buffers": {"x": x, "y": x}}
    loaded = open_source(written(tmp_path, "k.cu", SAXPY), "sass", Options(machine="a40", **given))
    assert loaded.program.isa == "sass-86"
    assert loaded.program.remarks[0].startswith("compiled by NVRTC ")
    assert loaded.program.position(len(loaded.program) // 2).line in range(3, 8)
    assert ran(loaded.program, "a40", "y").tolist() == [*(3 * x[:7]), 7]


@needs_compilers
def test_words_of_the_compiler_reach_it(tmp_path):
    text = 'extern "C" __global__ void k(int *y) { y[0] = N; }\n'
    given = {"block": 1, "grid": 1, "buffers": {"y": np.zeros(1, np.int32)}}
    more = {"words": ["-DN=42", "-arch=sm_75", "-O3", "-lineinfo"]}
    program = open_source(written(tmp_path, "k.cu", text), "sass", Options(machine="sm", more=more, **given)).program
    assert program.isa == "sass-75"
    assert ran(program, "sm", "y").tolist() == [42]


@needs_compilers
def test_what_only_one_architecture_has_is_compiled_for_it(tmp_path):
    text = """#ifndef __CUDA_ARCH_FEAT_SM90_ALL
#error plain
#endif
extern "C" __global__ void k(int *y) { y[0] = 1; }
"""
    path = written(tmp_path, "k.cu", text)
    found, _ = sources.opened(path.read_bytes(), str(path), "h100", words=["-arch=sm_90a"])
    assert found.architecture == 90
    with pytest.raises(SourceError, match="plain"):
        sources.compiled(path.read_bytes(), str(path), "h100", ["-arch=sm_90"])
    ptx = PTX.replace("7.0", "8.0").replace("sm_70", "sm_90a")
    assert sources.compiled(ptx.encode(), "k.ptx", "h100").cubin
    assert sources.compiled(PTX.encode(), "k.ptx", "h100", ["-arch=sm_90a"]).cubin


@pytest.mark.parametrize("name", ["sm_80a", "sm_90x", "compute_61"])
def test_other_architectures_are_refused(name):
    with pytest.raises(SourceError, match=rf"-arch=sm_{name.partition('_')[2]}: code runs here for sm_70, .*, sm_90a"):
        sources.compiled(SAXPY.encode(), "k.cu", "h100", [f"-arch={name}"])


@needs_compilers
def test_an_option_that_the_linker_refuses_is_a_sentence():
    with pytest.raises(SourceError, match=r"nvJitLink does not take -arch=sm_90 -lineinfo -nonsense: ERROR_UNRECOGNIZED_OPTION"):
        sources.toolkit.from_ptx(PTX, "k.ptx", 90, ["-nonsense"])


@needs_compilers
def test_errors_of_the_compiler_stand_at_the_users_line(tmp_path):
    path = written(tmp_path, "k.cu", SAXPY.replace("y[i] = a", "yy[i] = a"))
    with pytest.raises(SourceError) as failed:
        open_source(path, "sass", Options())
    (one,) = failed.value.diagnostics
    assert one.message == 'identifier "yy" is undefined'
    assert (one.position.line, one.position.column) == (5, 9)


@needs_compilers
def test_ptx_is_linked_and_runs(tmp_path):
    given = {"block": 4, "grid": 1, "buffers": {"p0": np.arange(4, dtype=np.uint32)}}
    program = open_source(written(tmp_path, "k.ptx", PTX), "sass", Options(machine="v100", **given)).program
    assert program.isa == "sass-70"
    assert ran(program, "v100", "p0").tolist() == [0, 2, 4, 6]


@needs_compilers
def test_errors_in_ptx_stand_at_its_lines(tmp_path):
    with pytest.raises(SourceError) as failed:
        open_source(written(tmp_path, "k.ptx", PTX.replace("add.u32 %r2, %r2, %r2", "add.u32 %r2, %r9, %r2")), "sass", Options())
    found = failed.value.diagnostics
    assert {one.position.line for one in found} == {13}
    assert any("%r9" in one.message for one in found)


def test_a_program_with_a_main_is_refused_with_its_line(tmp_path):
    path = written(tmp_path, "k.cu", SAXPY + "int main()\n{\n}\n")
    with pytest.raises(SourceError, match=r"it has a main\(\) at line 7"):
        sources.compiled(path.read_bytes(), str(path), "h100")


def test_without_the_packages_one_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(sources.toolkit.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SourceError, match=r"not installed\n.*fix: pip install 'warploom\[nvidia\]', or bring a cubin"):
        sources.compiled(SAXPY.encode(), "k.cu", "h100")
