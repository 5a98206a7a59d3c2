"""Kernels in C as ordinary RISC-V code, and programs that take words: buffers, arguments, numbers of threads."""

import numpy as np
import pytest

from warploom.cli.saving import check_save
from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.c.buffers import values_of
from warploom.isa.c.compiler import compile_c
from warploom.isa.c.launch_block import extents_of, launch_block, words_of
from warploom.isa.c.parameters import CKernel
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.launch import Parameter
from warploom.isa.launching import BufferError, read_buffer

NUMBERS = """#include <warploom.h>
kernel void numbers(float f, const int *in, int k, int *out) {
  int i = global_id();
  if (in[i] & 1) out[i] = in[i] * k;
  else out[i] = (int)f + 10 * local_id() + 100 * group_id() + 1000 * local_size() + 10000 * global_size();
}
kernel void other(int *out) { out[global_id()] = 5; }
"""


def ran(path, engine="python", mechanism="stack", threads=None, out="out", **more):
    options = Options(path=str(path), threads=threads, **more)
    result = GPU("sm", engine=engine, set={"core.divergence": mechanism}).run(load(path, "riscv", options=options))
    assert result.status == "done", result.fault
    return result, read_buffer(result.program, result.memory, out).view(np.int32).tolist()


def test_an_argument_of_a_kernel_that_has_none_is_refused():
    with pytest.raises(BufferError, match=r"the kernel 'hello' has no parameter 'n'; it has none$"):
        values_of("hello", "hello.c", (), (), {"n": 1})


@pytest.mark.parametrize("name", ["memory", "arguments", "stacks", "program"])
def test_a_pointer_of_a_kernel_may_have_any_name(name, tmp_path):
    pytest.importorskip("ziglang")
    path = tmp_path / "named.c"
    path.write_text(f"#include <warploom.h>\nkernel void f(int *{name}, int k) {{ {name}[global_id()] += k; }}\n")
    _, found = ran(path, threads=3, arguments={"k": 7}, buffers={name: np.arange(4, dtype=np.int32)}, out=name)
    assert found == [7, 8, 9, 3]
    with pytest.raises(
        BufferError, match=f"the argument '{name}' of the kernel 'f' has no value: add --buffer {name}=FILE; no argument names"
    ):
        ran(path, threads=3, arguments={"k": 7}, buffers={"x": [1]})


@pytest.mark.parametrize("isa", ["riscv", "vortex-2024"])
def test_a_main_of_its_own_runs_and_the_kernel_if_it_calls_it(isa, tmp_path):
    pytest.importorskip("ziglang")
    path = tmp_path / "both.c"
    start = "int main(int thread, int threads, int **a) { (void)threads; (void)thread;" if isa == "riscv" else "int main(int **a) {"
    path.write_text(f"#include <warploom.h>\nkernel void f(int *out) {{ out[0] = 5; }}\n{start} (*a)[1] = 7; return 0; }}\n")
    program = load(path, isa, options=Options(path=str(path), arguments={"out": "x"}, buffers={"x": [1, 1]}))
    result = GPU("sm" if isa == "riscv" else isa, engine="python").run(program)
    assert read_buffer(result.program, result.memory, "x").tolist() == [1, 7]
    with pytest.raises(SourceError, match="it has a main of its own, which runs in place of the kernel 'f'"):
        load(path, isa, options=Options(path=str(path), more={"launch": "f"}))


@pytest.mark.parametrize("name", ["barrier()", "device_barrier(1)", "local_memory(4)", 'printf("5")', "putchar(5)"])
def test_what_ordinary_code_does_not_have_is_an_error_of_the_compiler(name, tmp_path):
    pytest.importorskip("ziglang")
    path = tmp_path / "apart.c"
    path.write_text(f"#include <warploom.h>\nkernel void f(int *out) {{ {name}; out[global_id()] = 5; }}\n")
    with pytest.raises(SourceError, match=r"ordinary RISC-V has no .*: use --isa vortex"):
        load(path, "riscv")


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["local_size", "global_size", "group_id", "local_id"])
@pytest.mark.parametrize("level", ["0", "2"])
def test_a_main_of_its_own_is_told_that_what_it_asks_for_is_for_kernels(name, level, tmp_path):
    pytest.importorskip("ziglang")
    path = tmp_path / "own.c"
    text = "#include <warploom.h>\nint main(int thread, int threads, int *out) {{ out[thread] = {}(); return 0; }}\n"
    path.write_text(text.format(name))
    with pytest.raises(
        SourceError, match="it has a main of its own, and a function asks for local_size, global_size, group_id or local_id, for"
    ):
        compile_c([path], "riscv", level)
    path.write_text(text.format("global_id"))
    assert compile_c([path], "riscv", level)
    path.write_text(f"#include <warploom.h>\nkernel void f(int *out) {{ out[global_id()] = {name}(); }}\n")
    assert compile_c([path], "riscv", level)


@pytest.mark.parametrize("mechanism", ["stack", "minpc", "its"])
def test_a_kernel_in_c_runs_as_ordinary_code(mechanism, tmp_path):
    pytest.importorskip("ziglang")
    path = tmp_path / "numbers.c"
    path.write_text(NUMBERS)
    x = np.arange(12, dtype=np.int32)
    more = {"arguments": {"f": 3.5, "k": -2}, "buffers": {"in": x, "out": 0 * x}}
    _, found = ran(path, mechanism=mechanism, threads=12, block=4, **more | {"more": {"launch": "numbers"}})
    assert found == [-2 * i if i & 1 else 3 + 10 * (i % 4) + 100 * (i // 4) + 4000 + 120000 for i in range(12)]
    _, grid = ran(path, mechanism=mechanism, grid=3, block=4, **more | {"more": {"launch": "numbers"}})
    assert grid == found
    result, found = ran(path, threads=3, buffers={"out": x, "memory": [7, 8]}, more={"launch": "other"})
    assert found == [5, 5, 5, *range(3, 12)] and result.program.launch.name == "other"
    assert result.read(0x10000, 2).tolist() == [7, 8]
    _, found = ran(path, threads=3, buffers={"x": x}, arguments={"out": "memory"}, more={"launch": "other"}, out="memory")
    assert found[:4] == [5, 5, 5, 0]
    with pytest.raises(BufferError, match=r"it has 2 kernels; say which one: --launch numbers, or other$"):
        ran(path, threads=3)
    with pytest.raises(BufferError, match=r"the argument 'out' of the kernel 'other' has no value: add --buffer out=FILE$"):
        ran(path, threads=3, more={"launch": "other"})
    with pytest.raises(BufferError, match=r"7 threads are not a whole number of blocks of 4$"):
        ran(path, threads=7, block=4, more={"launch": "other"})


def test_a_file_without_kernel_and_main(tmp_path):
    pytest.importorskip("ziglang")
    path = tmp_path / "none.c"
    path.write_text("int nobody(void) { return 1; }\n")
    for isa in ("riscv", "vortex-2024"):
        with pytest.raises(SourceError, match="there is no kernel and no main in this file"):
            load(path, isa)


WORDS = b"""
    lw t0, 0(a2)       # out
    lw t1, 4(a2)       # k
    flw ft0, 8(a2)
    fcvt.w.s t2, ft0
    add t1, t1, t2
    slli t3, a0, 2
    add t0, t0, t3
    sw t1, 0(t0)
    ret
"""


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_program_without_kernels_takes_words(engine):
    options = Options(path="words.rv", threads=2, arguments={"p": "out", "k": -7, "f": 2.0}, buffers={"out@0x40000": [1, 1, 1]})
    program = load(WORDS, "riscv", options=options)
    result = GPU("sm", engine=engine).run(program)
    assert read_buffer(result.program, result.memory, "out").view(np.int32).tolist() == [-5, -5, 1]
    assert result.read(0x40000, 4).view(np.int32).tolist() == [-5]


@pytest.mark.parametrize("buffers", [{}, {"x": [1]}])
def test_an_argument_may_be_a_piece_of_memory_by_its_name(buffers):
    arguments = {"p": "memory", "k": 4, "f": 0.0}
    program = load(WORDS, "riscv", options=Options(path="words.rv", threads=2, arguments=arguments, buffers=buffers))
    result = GPU("sm", engine="python").run(program)
    assert result.read(0x10000, 8).view(np.int32).tolist() == [4, 4]
    check_save(program, "memory", "out.npy")
    assert read_buffer(result.program, result.memory, "memory")[:8].tolist() == [4, 0, 0, 0, 4, 0, 0, 0]


def test_the_words_may_be_given_as_a_buffer():
    words = np.array([0x10000, 4, 0], np.int32).view(np.uint8)
    program = load(WORDS, "riscv", options=Options(path="words.rv", threads=2, buffers={"arguments": words}))
    assert GPU("sm", engine="python").run(program).read(0x10000, 8).view(np.int32).tolist() == [4, 4]


@pytest.mark.parametrize(
    ("arguments", "buffers", "said"),
    [
        ({"p": "out"}, {}, "an argument is the buffer 'out', which is not there; there are "),
        ({"p": "out"}, {"x": [1]}, "an argument is the buffer 'out', which is not there; there are arguments, memory, .* x$"),
        ({"k": None}, {}, "the argument k = None: it is a number, or the name of a buffer$"),
        ({"k": [1, 2]}, {}, r"the argument k = \[1, 2\]: it is a number, or the name of a buffer$"),
        ({"k": 1j}, {}, "the argument k = 1j: it is a number, or the name of a buffer$"),
        ({"k": np.zeros(2)}, {}, "the argument k = array.*: it is a number, or the name of a buffer$"),
        ({f"k{number}": 1 for number in range(1025)}, {}, "there are 1025 arguments: a program takes at most 1024$"),
        ({}, {"stacks": [1]}, "'stacks' is the machine's own memory of a program: give the buffer a different name$"),
        ({}, {"start-up": [1]}, "'start-up' is the machine's own memory of a program: give the buffer a different name$"),
        ({"k": 1}, {"arguments": [1]}, "'arguments' is the machine's own memory of a program: --arg says what it holds$"),
        ({}, {"out@0x1000": [1]}, r"regions 'start-up' .* and 'out' .* overlap"),
        ({}, {"out@0x40001": [1]}, "the buffer 'out@0x40001' begins at a multiple of 4"),
    ],
)
def test_what_cannot_be_given(arguments, buffers, said):
    with pytest.raises((BufferError, SourceError), match=said):
        load(WORDS, "riscv", options=Options(path="words.rv", arguments=arguments, buffers=buffers))


def test_the_block_is_words_in_a_fixed_order():
    words = launch_block(CKernel("k", 0x80000010, ()), (3, 1, 1), (4, 2, 1)).view(np.uint32).tolist()
    assert words == [0x80000010, 3, 3, 1, 1, 4, 2, 1, *[0] * 17]
    of_floats = CKernel("k", 0x80000010, (("x", "pointer"), ("a", "float32")))
    assert launch_block(of_floats, (3, 1, 1), (4, 2, 1)).view(np.uint32).tolist() == [*words[:-1], 1]
    assert extents_of("k.c", Options(grid=(3, 2), block=8)) == ((3, 2, 1), (8, 1, 1))
    assert extents_of("k.c", Options()) == ((1, 1, 1), (1, 1, 1))
    with pytest.raises(BufferError, match="nothing says in how many threads it runs, in blocks of 8: add --threads N"):
        extents_of("k.c", Options(block=8))


def test_words_have_the_types_of_their_values():
    found = words_of({"a": 1, "b": -1, "c": 0.5, "d": "x"}, ["x"], 16)
    assert found == (Parameter("a", 0, "uint32"), Parameter("b", 4, "int32"), Parameter("c", 8, "float32"), Parameter("d", 12, "pointer"))
