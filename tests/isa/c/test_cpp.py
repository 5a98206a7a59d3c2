"""C++ for Vortex and RISC-V: what runs, what it is told it lacks, and which names the headers of Vortex's own programs need."""

import numpy as np
import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.gpu import GPU
from warploom.isa.c.compiler import WITH_CPP, compile_c
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.frontends import load
from warploom.isa.launching import read_buffer

KERNEL = """#include <warploom.h>
namespace {
template <class T> struct Line { T slope, start; T at(T x) const { return slope * x + start; } };
template <class T> T clamped(T x, T low, T high) { return x < low ? low : x > high ? high : x; }
}
kernel void lines(float slope, const float *x, float *y) {
  const auto line = Line<float>{slope, 1.0f};
  const int i = global_id();
  y[i] = clamped(line.at(x[i]), 0.0f, 20.0f);
}
"""

VIRTUAL = """#include <warploom.h>
struct Shape { virtual ~Shape() {} virtual int area(int a) const = 0; };
struct Square : Shape { int area(int a) const override; };
int Square::area(int a) const { return a * a; }
static int area_of(const Shape &shape, int a) { return shape.area(a); }
kernel void areas(int *x) {
  Square square;
  x[global_id()] = area_of(square, x[global_id()]);
}
"""

TASKS = """#include <vx_intrinsics.h>
#include <vx_print.h>
#include <vx_spawn.h>
struct argument_t { uint32_t count; const int *from; int *to; };
static void body(int task, argument_t *__UNIFORM__ given) {
  auto doubled = [](int x) { return 2 * x; };
  given->to[task] = doubled(given->from[task]);
}
int main() {
#if WARPLOOM_VORTEX >= 2023
  auto given = reinterpret_cast<argument_t *>(csr_read(VX_CSR_MSCRATCH));
#else
  auto given = reinterpret_cast<argument_t *>(VX_ARGUMENTS);
#endif
  vx_spawn_tasks(given->count, (vx_spawn_tasks_cb)body, given);
  if (vx_core_id() == 0) { vx_printf("%d ", given->to[3]); vx_putint(255, 16); vx_putchar(' '); vx_putfloat(2.5f, 1); }
  return 0;
}
"""


def written(tmp_path, text, name="kernel.cpp"):
    pytest.importorskip("ziglang", reason="C++ is compiled by the package ziglang: pip install 'warploom[cc]'")
    path = tmp_path / name
    path.write_text(text)
    return path


def run(path, gpu, **options):
    program = load(path, options=Options(path=str(path), **options))
    return GPU(gpu, set={"core.divergence": "stack"}, engine="python").run(program)


@pytest.mark.parametrize("name", ["kernel.cpp", "kernel.cc", "kernel.cxx"])
def test_a_kernel_in_cpp_runs(name, tmp_path):
    x = np.arange(12, dtype=np.float32)
    result = run(written(tmp_path, KERNEL, name), "vortex-2024", threads=12, arguments={"slope": 2.0}, buffers={"x": x, "y": 0 * x})
    assert (read_buffer(result.program, result.memory, "y").view(np.float32) == np.clip(2 * x + 1, 0, 20)).all()


@pytest.mark.every(2)
@pytest.mark.parametrize("level", ["0", "2"])
@pytest.mark.parametrize("target", WITH_CPP)
def test_virtual_functions_are_called(target, level, tmp_path):
    path = tmp_path / "areas.elf"
    path.write_bytes(compile_c([written(tmp_path, VIRTUAL)], target, level))
    result = run(path, "sm" if target == "riscv" else target, threads=6, buffers={"x": np.arange(6, dtype=np.int32)})
    assert read_buffer(result.program, result.memory, "x").view(np.int32).tolist() == [0, 1, 4, 9, 16, 25]


@pytest.mark.parametrize("level", ["0", "3"])
@pytest.mark.parametrize("target", ["vortex-2022", "vortex-2024"])
def test_a_main_in_cpp_starts_its_tasks(target, level, tmp_path):
    path = tmp_path / "tasks.elf"
    path.write_bytes(compile_c([written(tmp_path, TASKS)], target, level))
    arguments = {"count": 9, "from": "from", "to": "to"}
    result = run(path, target, arguments=arguments, buffers={"from": np.arange(9, dtype=np.int32), "to": np.zeros(9, np.int32)})
    assert read_buffer(result.program, result.memory, "to").view(np.int32).tolist() == list(range(0, 18, 2))
    assert result.console == ("#0: 6 ff 2.5",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#include <vector>\n" + KERNEL, "no library of C or C++"),
        (
            "#include <warploom.h>\nstruct S { int v; S() : v(global_id()) {} } s;\nkernel void f(int *x) { x[0] = s.v; }\n",
            "global constructor",
        ),
        ("#include <warploom.h>\nkernel void f(int *x) { x[0] = *new int(3); }\n", "'operator new(unsigned int)'"),
        ("#include <warploom.h>\nkernel void f(int *x) { if (x[0]) throw 3; }\n", "exceptions disabled"),
        ("void f(int *x) { x[0] = 1; }\n", "no kernel and no main"),
    ],
)
def test_what_cpp_lacks_here_is_said(text, said, tmp_path):
    path = written(tmp_path, text)
    with pytest.raises(SourceError) as found:
        load(path)
    assert said in str(found.value)


def test_a_main_in_cpp_has_the_parameters_of_ordinary_riscv(tmp_path):
    text = """#include <warploom.h>
struct argument_t { int *out; };
namespace other { template <class T> int main(T) { return 1; } }
template <class T> int main(T x) { return other::main(x); }
int main(int thread, int threads, argument_t *given) { given->out[thread] = threads + thread - main(1.0f); return 0; }
"""
    program = load(
        written(tmp_path, text), "riscv", options=Options(threads=4, arguments={"out": "out"}, buffers={"out": np.zeros(4, int)})
    )
    result = GPU("sm", engine="python").run(program)
    assert read_buffer(result.program, result.memory, "out").tolist() == [3, 4, 5, 6]


@pytest.mark.parametrize("comment", ["these are for kernels", "'x' file not found"])
def test_words_of_a_source_are_not_taken_for_the_linkers(comment, tmp_path):
    path = written(tmp_path, f"#include <warploom.h>\nkernel void k(int *out) {{ out[0] = nope; }} // {comment}\n", "kernel.c")
    with pytest.raises(SourceError) as found:
        load(path)
    assert "undeclared identifier" in str(found.value) and "fix:" not in str(found.value)


def test_headers_of_vortex_are_for_vortex(tmp_path):
    with pytest.raises(SourceError, match="compile for vortex-2024 or vortex-2022"):
        compile_c([written(tmp_path, TASKS)], "riscv")


@pytest.mark.parametrize(
    ("name", "command", "said"),
    [
        ("k.cpp", ["run", "--isa", "gcn"], "it is C++, which gcn does not take"),
        ("k.cl", ["run", "--isa", "vortex-2022"], "it is OpenCL C, which vortex-2022 does not take"),
        ("k.c", ["run", "--isa", "tiny"], "it is C, which tiny does not take"),
        ("k.cpp", ["cc", "-o", "k.co", "--target", "gcn"], "C++ is not compiled for gcn"),
        ("k.cpp", ["asm", "--isa", "avx512"], "it is C++, which avx512 does not take"),
    ],
)
def test_a_language_for_a_different_machine_is_refused_in_one_sentence(name, command, said, tmp_path, monkeypatch):
    written(tmp_path, KERNEL, name)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, [command[0], name, *command[1:]])
    assert result.exit_code == 2
    assert said in result.stderr
