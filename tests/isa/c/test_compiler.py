"""The C compiler: what it makes of a source, and what it says of one that is wrong."""

import importlib.util
import io
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from elftools.elf.elffile import ELFFile

from tests.places import EXAMPLES
from warploom.cli import main
from warploom.gpu import GPU
from warploom.isa.c.compiler import LEVELS, TARGETS, compile_c
from warploom.isa.c.parameters import kernels_of
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.frontends import load
from warploom.isa.launching import BufferError, read_buffer
from warploom.isa.program import Position
from warploom.isa.riscv import elf
from warploom.isa.riscv.launch import STACK_BYTES
from warploom.isa.vortex.generation import GENERATIONS
from warploom.isa.vortex.memory_map import own_regions

SAXPY = EXAMPLES / "vortex" / "saxpy.c"


LEVELS_DIFFER = """#include <warploom.h>
__attribute__((noinline)) static int product(int n) { return n < 2 ? 1 : n * product(n - 1); }
int main(int thread, int threads, int *out) {
  for (int i = 0; i < threads; i++) {
    if (thread & 1)
      out[i] += 3;
    else
      out[i] -= 5;
  }
  return product(out[0]);
}
"""


def needs_compiler():
    pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")


def written(tmp_path, text, name="kernel.c"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.every(3)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("target", [name for name in TARGETS if name.startswith("vortex")])
def test_kernels_and_their_parameters_are_found_at_every_level(target, level):
    needs_compiler()
    data = compile_c([SAXPY], target, level)
    (kernel,) = kernels_of(data, elf.read(data, "a.elf")[0].symbols)
    assert kernel.name == "saxpy"
    assert kernel.parameters == (("a", "float32"), ("x", "pointer"), ("y", "pointer"))


def test_every_level_is_the_compilers_own(tmp_path):
    """-O2 makes a loop of a function that calls itself last, -O1 does not; -O3 makes two loops of one with a condition that stays."""
    needs_compiler()
    path, texts = written(tmp_path, LEVELS_DIFFER), set()
    for level in ("1", "2", "3"):
        image, _ = elf.read(compile_c([path], "riscv", level), "a.elf")
        texts.add(b"".join(bytes(segment.data) for segment in image.segments))
    assert len(texts) == 3


def compilers_of(data):
    """The compilers that an ELF file's debugging information names."""
    units = ELFFile(io.BytesIO(data)).get_dwarf_info().iter_CUs()
    producers = (unit.get_top_DIE().attributes.get("DW_AT_producer") for unit in units)
    return {producer.value for producer in producers if producer is not None}


def seen_by_a_run(data, path):
    """What a machine and its views take from an ELF file: bytes in memory, kernels with parameters, the line of each instruction."""
    image, _ = elf.read(data, str(path))
    in_code = [address for segment in image.segments for start, end in segment.code for address in range(start, end, 4)]
    places = [image.lines.get(address, Position()) for address in in_code]
    lines = [(Path(image.sources[at.file].path).name, at.line, at.column) for at in places]
    return image.segments, kernels_of(data, image.symbols), lines


@pytest.mark.parametrize("name", ["saxpy", "diverge", "floor"])
def test_a_program_beside_the_examples_is_what_the_command_makes_of_its_source(name):
    """Debugging information of what the linker leaves out may differ: nobody sees it."""
    needs_compiler()
    source = EXAMPLES / "vortex" / f"{name}.c"
    kept = source.with_suffix(".elf")
    made = compile_c([source], beside=kept)
    if compilers_of(made) != compilers_of(kept.read_bytes()):
        pytest.skip(f"{kept.name} was made by a different compiler: {compilers_of(kept.read_bytes())}, this is {compilers_of(made)}")
    assert seen_by_a_run(made, kept) == seen_by_a_run(kept.read_bytes(), kept)


def test_the_file_holds_nothing_of_this_machine():
    needs_compiler()
    data = compile_c([SAXPY], beside=SAXPY)
    assert str(EXAMPLES).encode() not in data and b"site-packages" not in data and b"/warploom" not in data.replace(b"warploom/", b"")


def test_debugging_information_is_whole_for_a_users_source_and_lines_alone_for_the_runtime():
    """The linker keeps all of it, also of what nobody calls."""
    needs_compiler()
    dwarf = ELFFile(io.BytesIO(compile_c([SAXPY], beside=SAXPY))).get_dwarf_info()
    units = {unit.get_top_DIE().attributes["DW_AT_name"].value.decode(): unit for unit in dwarf.iter_CUs()}
    parameters = {name: any(one.tag == "DW_TAG_formal_parameter" for one in unit.iter_DIEs()) for name, unit in units.items()}
    assert parameters.pop("./saxpy.c") and not any(parameters.values())
    assert "warploom/library.c" in parameters and dwarf.line_program_for_CU(units["warploom/library.c"]) is not None


def test_a_mistake_is_quoted_as_the_compiler_says_it(tmp_path):
    needs_compiler()
    with pytest.raises(SourceError) as caught:
        compile_c([written(tmp_path, "#include <warploom.h>\nkernel void k(void) { x = 1; }\n")])
    assert "it does not compile" in str(caught.value) and "use of undeclared identifier 'x'" in str(caught.value)


@pytest.mark.parametrize("target", ["vortex-2024", "riscv", "gcn"])
def test_of_several_sources_the_one_with_the_mistake_is_named(target, tmp_path):
    needs_compiler()
    right, wrong = written(tmp_path, "int twice(int x) { return 2 * x; }\n", "a.c"), written(tmp_path, "int k(void) { return x; }\n", "b.c")
    for paths in ([right, wrong], [wrong, right]):
        with pytest.raises(SourceError) as caught:
            compile_c(paths, target)
        assert str(caught.value).startswith(f"{wrong}: error: it does not compile")


def test_so_is_one_in_assembly(tmp_path):
    needs_compiler()
    right, wrong = written(tmp_path, "int twice(int x) { return 2 * x; }\n", "a.c"), written(tmp_path, "f: li a0, 1, 2\n", "b.S")
    with pytest.raises(SourceError) as caught:
        compile_c([right, wrong])
    assert str(caught.value).startswith(f"{wrong}: error: it does not compile")


@pytest.mark.parametrize("number", GENERATIONS)
def test_a_function_is_held_to_the_stack_that_the_machine_has(number):
    stacks = {region.name: region for region in own_regions(GENERATIONS[number], argument=0x10000)}["stacks"]
    assert TARGETS["vortex-2022" if GENERATIONS[number].old else "vortex-2024"].stack == stacks.thread_bytes


def test_so_is_one_for_risc_v():
    assert TARGETS["riscv"].stack == STACK_BYTES


def test_only_the_users_own_functions_are_held_to_it(tmp_path, monkeypatch):
    """Functions of the runtime store more than 16 bytes on the stack."""
    needs_compiler()
    monkeypatch.setitem(TARGETS, "vortex-2024", TARGETS["vortex-2024"]._replace(stack=16))
    compile_c([written(tmp_path, "#include <warploom.h>\nkernel void k(int *out) { *out = 1; }\n")])


@pytest.mark.parametrize("target, bytes_", [("vortex-2024", 8256), ("vortex-2022", 1024)])
def test_a_function_whose_variables_do_not_fit_into_a_stack_is_refused_with_its_line(target, bytes_, tmp_path):
    needs_compiler()
    text = "#include <warploom.h>\nkernel void k(int *out, int n) {\n  volatile int table[SIZE];\n  table[n] = n;\n  *out = table[0];\n}\n"
    with pytest.raises(SourceError) as caught:
        compile_c([written(tmp_path, text.replace("SIZE", str(bytes_ // 4)))], target)
    said = str(caught.value)
    assert "a function has more variables than a thread's stack has room for" in said and "local_memory(bytes)" in said
    assert "kernel.c:2:13" in said and f"exceeds limit ({bytes_}) in 'k'" in said
    compile_c([written(tmp_path, text.replace("SIZE", str(bytes_ // 4 - 16)))], target)


def test_without_the_package_it_says_what_to_install(monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "ziglang" else real(name, *more))
    with pytest.raises(SourceError) as caught:
        compile_c([SAXPY])
    assert "pip install 'warploom[cc]'" in str(caught.value)


def test_unknown_targets_and_levels():
    for target, level, said in (("vortex-2023", "2", "no target 'vortex-2023'"), ("riscv", "9", "no level of optimisation '9'")):
        with pytest.raises(SourceError) as caught:
            compile_c([SAXPY], target, level)
        assert said in str(caught.value)


def test_a_file_that_is_no_source_is_refused_by_its_ending(tmp_path):
    needs_compiler()
    path = tmp_path / "matmul.asm"
    path.write_text("RET")
    took = "it takes C, C++, assembly, OpenCL C and object files: .c, .i, .S, .s, .cpp, .cc, .cxx, .cl, .o, .a"
    message = f"the compiler knows a file by its ending, and this is none of its own\n    fix: {took}"
    with pytest.raises(SourceError, match=re.escape(message)):
        compile_c([path])


def test_parameters_that_cannot_be_handed_over(tmp_path):
    needs_compiler()
    path = written(tmp_path, "#include <warploom.h>\nkernel void k(double d) { (void)d; }\n")
    with pytest.raises(BufferError) as caught:
        load(path, options=Options(path=str(path), threads=1, arguments={"d": 1.0}))
    assert "the parameter 'd' of the kernel 'k' is of type float64" in str(caught.value)


def test_whole_numbers_floats_and_pointers_in_any_order(tmp_path):
    needs_compiler()
    text = """#include <warploom.h>
    kernel void k(float f, int n, const int *in, unsigned char u, float g, int *out) {
      int i = global_id();
      out[i] = in[i] + n + u + (int)(f * g);
    }
    kernel void other(int *out) { out[global_id()] = 7; }
    """
    path = written(tmp_path, text)
    buffers = {"in": np.arange(4, dtype=np.int32), "out": np.zeros(4, np.int32)}
    given = {"f": 2.0, "n": -5, "u": 200, "g": 8}
    program = load(path, options=Options(path=str(path), threads=4, arguments=given, buffers=buffers, more={"launch": "k"}))
    result = GPU("vortex-2024", engine="python").run(program)
    assert read_buffer(result.program, result.memory, "out").view(np.int32).tolist() == [211 + i for i in range(4)]
    with pytest.raises(BufferError) as caught:
        load(path, options=Options(path=str(path), threads=4, buffers=buffers))
    assert "it has 2 kernels; say which one: --launch k, or other" in str(caught.value)


def test_the_command_runs_the_kernel_that_is_named(tmp_path):
    needs_compiler()
    text = "#include <warploom.h>\n" + "".join(
        f"kernel void {name}(const int *in, int *out) {{ int i = global_id(); out[i] = {value}; }}\n"
        for name, value in (("twice", "2 * in[i]"), ("square", "in[i] * in[i]"))
    )
    path, out = written(tmp_path, text), tmp_path / "out.npy"
    np.save(tmp_path / "in.npy", np.arange(4, dtype=np.int32))
    np.save(tmp_path / "zeros.npy", np.zeros(4, np.int32))
    shared = [
        "run",
        path,
        "--threads",
        4,
        "--buffer",
        f"in={tmp_path}/in.npy",
        "--buffer",
        f"out={tmp_path}/zeros.npy",
        "--save",
        f"out={out}",
    ]
    for name, wanted in (("twice", [0, 2, 4, 6]), ("square", [0, 1, 4, 9])):
        done = CliRunner().invoke(main, [str(word) for word in [*shared, "--quiet", "--launch", name]])
        assert done.exit_code == 0, done.output
        assert np.load(out).tolist() == wanted


def test_riscv_code_runs_in_every_lane(tmp_path):
    needs_compiler()
    path = written(tmp_path, "int main(int thread, int threads) { ((int *)0x10000)[thread] = thread * threads; return 0; }\n")
    program = load(path, "riscv", options=Options(path=str(path), threads=12))
    result = GPU("sm", engine="python").run(program)
    assert result.read(0x10000, 48).view(np.int32).tolist() == [12 * thread for thread in range(12)]


@pytest.mark.parametrize("mechanism", ["stack", "its", "dwf"])
def test_a_switch_on_which_lanes_disagree_is_branches(mechanism, tmp_path):
    """A jump through a table goes to more places than a stack can part: the compiler makes none."""
    cases = "".join(f"case {case}: return x * {7 * case + 3} ^ {case};" for case in range(8))
    path = tmp_path / "switch.c"
    path.write_text(
        f"static unsigned __attribute__((noinline)) pick(unsigned x) {{ switch (x & 15) {{ {cases} }} while (x > 9) x >>= 1; return x; }}"
        "void main(unsigned thread) { ((unsigned *)0x10000)[thread] = pick(5 * thread); }"
    )
    program = load(compile_c([path], "riscv"), "riscv", options=Options(path="switch.elf", threads=32))
    result = GPU("sm", engine="python", set={"core.divergence": mechanism}).run(program)

    def pick(x):
        if x & 15 < 8:
            return x * (7 * (x & 15) + 3) ^ x & 15
        return next(x >> shift for shift in range(32) if x >> shift <= 9)

    start = program.address_space().place(0x10000)
    found = np.asarray(result.memory, np.uint8)[start : start + 128].view(np.uint32).tolist()
    assert found == [pick(5 * thread) for thread in range(32)]


def test_what_nothing_defines_is_named_with_its_line(tmp_path):
    needs_compiler()
    path = written(tmp_path, "float sinf(float);\nint *own(int);\nint main(int n) {\n  return (int)sinf(n) + *own(n);\n}\n")
    with pytest.raises(SourceError) as caught:
        compile_c([path])
    assert str(caught.value) == (
        f"{path}: error: it uses 'sinf' and 'own' (at kernel.c:4), and nothing here defines that\n"
        "    fix: there is no library of C or C++: add the file that has it"
    )


@pytest.mark.parametrize("target", ["vortex-2022", "riscv"])
@pytest.mark.parametrize("level", ["0", "2"])
def test_a_square_root_is_an_instruction(target, level, tmp_path):
    needs_compiler()
    path = written(tmp_path, "int main(int n) { return (int)__builtin_sqrtf((float)n); }\n")
    program = load(compile_c([path], target, level), target, options=Options(path="a.elf"))
    assert any(text.startswith("fsqrt.s") for text in program.text)


def test_the_command(tmp_path):
    needs_compiler()
    out = tmp_path / "saxpy.elf"
    done = CliRunner().invoke(main, ["cc", str(SAXPY), "-o", str(out), "--target", "vortex-2022", "-O", "0"])
    assert done.exit_code == 0 and out.read_bytes().startswith(b"\x7fELF")
    assert load(out, options=Options(path=str(out), threads=1, arguments={"a": 1}, buffers={"x": [1.0], "y": [1.0]})).isa == "vortex-2022"
    wrong = CliRunner().invoke(main, ["cc", str(SAXPY), "-o", str(SAXPY)])
    assert wrong.exit_code == 2 and "is an input" in wrong.output


def test_run_compiles(tmp_path):
    needs_compiler()
    path = written(tmp_path, '#include <warploom.h>\nkernel void hello(void) { printf("%d\\n", global_id()); }\n')
    done = CliRunner().invoke(main, ["run", str(path), "--threads", "3", "-O", "1", "--engine", "python"])
    assert done.exit_code == 0
    assert "#2: 2" in done.output


@pytest.mark.parametrize("target", ["vortex-2024", "vortex-2022", "riscv"])
def test_a_program_without_kernel_and_main_is_not_made(target, tmp_path):
    source, made = tmp_path / "plain.c", tmp_path / "plain.elf"
    source.write_text("#include <warploom.h>\nvoid add(int *out) { out[global_id()] += 1; }\n", encoding="utf-8")
    said = "error: there is no kernel and no main in this file\n    fix: include <warploom.h> and mark a function: kernel void f(...)"
    outcome = CliRunner().invoke(main, ["cc", str(source), "-o", str(made), "--target", target])
    assert outcome.exit_code == 2 and not made.exists()
    assert outcome.stderr.strip() == f"{source}: {said}"
    made.write_bytes(compile_c([source], target))
    with pytest.raises(SourceError) as caught:
        load(made, options=Options(path=str(made)))
    assert str(caught.value) == f"{made}: {said}"


@pytest.mark.parametrize("target", ["vortex-2024", "riscv"])
@pytest.mark.parametrize(
    "declared, said",
    [
        (
            "static int v; int *volatile at = &v; __attribute__((constructor)) void begin(void) { *at = 5; }",
            "'begin' would have to run before main",
        ),
        ("static _Thread_local int v;", "it has variables of a thread's own"),
    ],
)
def test_what_needs_a_start_of_its_own_is_refused(target, declared, said, tmp_path):
    needs_compiler()
    path = written(tmp_path, f"#include <warploom.h>\n{declared}\nkernel void f(int *out) {{ out[0] = v++; }}\n")
    with pytest.raises(SourceError, match=said):
        compile_c([path], target)


@pytest.mark.parametrize(
    "call, said", [("atomic_max(out, 1)", "no atomics: use --isa vortex-2024"), ("vx_vote_any(1)", "of 2026: use --gpu vortex-2024")]
)
def test_what_only_a_later_vortex_has_is_refused_with_its_name(call, said, tmp_path):
    needs_compiler()
    with pytest.raises(SourceError, match=said):
        compile_c([written(tmp_path, f"#include <warploom.h>\nkernel void f(int *out) {{ out[0] = {call}; }}\n")], "vortex-2022")


def test_what_is_defined_twice_is_named_with_both_lines(tmp_path):
    for name in ("first", "second"):
        (tmp_path / f"{name}.c").write_text("\nint helper(int x) { return x; }\n", encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        compile_c([SAXPY, tmp_path / "first.c", tmp_path / "second.c"], beside=tmp_path / "out.elf")
    said = "error: 'helper' is defined twice (at first.c:2 and second.c:2)\n    fix: keep one, or make them static"
    assert str(caught.value) == f"{SAXPY}: {said}"


def test_a_kernel_without_the_header_is_told_to_include_it(tmp_path):
    source = tmp_path / "bare.c"
    source.write_text("kernel void one(int *out) { out[0] = 1; }\n", encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        compile_c([source])
    assert str(caught.value).endswith("    fix: add #include <warploom.h>")


def test_the_compiler_asks_for_no_home(monkeypatch):
    for name in ("HOME", "XDG_CACHE_HOME", "ZIG_GLOBAL_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    assert compile_c([SAXPY]).startswith(elf.MAGIC)


def test_opencl_c_is_for_gcn_without_a_word_and_for_nothing_else(tmp_path):
    source, built = tmp_path / "k.cl", tmp_path / "k.co"
    source.write_text("kernel void k(global int* y) { y[get_global_id(0)] = K; }\n")
    done = CliRunner().invoke(main, ["cc", str(source), "-D", "K=4", "-o", str(built)])
    assert done.exit_code == 0 and built.exists()
    refused = CliRunner().invoke(main, ["cc", str(source), "-o", str(built), "--target", "riscv"])
    assert refused.exit_code == 2 and "OpenCL C is not compiled for riscv" in refused.stderr


@pytest.mark.parametrize(("call", "said"), [("sin(y[0])", "native_sin is"), ('printf("%f", y[0])', "write into a buffer")])
def test_what_opencl_c_lacks_here_says_so(call, said, tmp_path):
    source = tmp_path / "k.cl"
    source.write_text(f"kernel void k(global float* y) {{ y[1] = {call}; }}\n")
    done = CliRunner().invoke(main, ["cc", str(source), "-o", str(tmp_path / "k.co")])
    assert done.exit_code == 2 and said in done.stderr
