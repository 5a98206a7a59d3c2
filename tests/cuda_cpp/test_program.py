"""CUDA programs, run to their end: what they print, what they return, what a launch line says."""

import json

import pytest

from tests.cuda_cpp.conftest import EXAMPLES, ROOT
from warploom.cuda_cpp.program import unasked_errors

LAUNCH = "__global__ void k() {}\nint main()\n{\n    k<<<1, 2048>>>();\n"
PRINTED = {
    "vector_add": "1000 sums, 0 wrong\n",
    "product": "32 x 32: 0 wrong\n",
    "reduction": "launch: no error\nsum of 0 to 4999: 12497500, right is 12497500\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTED)
def test_an_example_prints_what_it_prints_on_hardware(compiled, name):
    run = compiled("run", EXAMPLES / f"{name}.cu", "--engine", "python")
    assert run.stdout == PRINTED[name]
    assert run.returncode == 0


@pytest.mark.slow
def test_kernels_print_in_the_order_of_the_program(compiled):
    words = "she sells sea shells by the sea shore"
    counts = {letter: words.count(letter) for letter in sorted(set(words)) if words.count(letter) >= 5}
    run = compiled("run", EXAMPLES / "histogram.cu", "--engine", "python")
    assert run.stdout == "".join(f"{letter}: {count}\n" for letter, count in counts.items())


@pytest.mark.slow
def test_arguments_reach_main_and_the_launch_has_a_line(compiled):
    run = compiled("run", EXAMPLES / "vector_add.cu", "40")
    assert run.stdout == "40 sums, 0 wrong\n"
    assert "add" in run.stderr and "1 launch on sm" in run.stderr


@pytest.mark.slow
def test_textures_managed_variables_bfloat16_and_pinned_memory(compiled):
    run = compiled("run", "tests/cuda_cpp/wider.cu", "--engine", "python")
    assert run.stdout == "0 wrong\n", run.stderr


@pytest.mark.slow
def test_a_host_pointer_given_to_a_kernel_ends_in_a_sentence(compiled, tmp_path):
    source = tmp_path / "host.cu"
    source.write_text(
        "__global__ void k(int *p) { p[1] = 1; }\n"
        "int main() { int here[2]; k<<<1, 1>>>(here); return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 3; }\n"
    )
    run = compiled("run", source, "--engine", "python")
    assert "is memory of the host, which kernels cannot access" in run.stderr
    assert run.returncode == 0  # the program has handled it


@pytest.mark.slow
def test_the_driver_api(compiled):
    run = compiled("run", "tests/cuda_cpp/driver.cu", "--engine", "python")
    assert run.stdout == "3\n500\n11 5 6 4\n200 1\nno error\n", run.stderr
    assert "driver.cu:57: warning: add is not launched: a block of 2048x1x1, where 1 to 1024x1024x64 can be" in run.stderr


@pytest.mark.slow
def test_functions_that_call_themselves(compiled):
    run = compiled("run", "tests/cuda_cpp/recursion.cu", "more")
    assert run.stdout.splitlines() == [
        "127 26 100 8 16 32 64 ",
        "0",
        "8.5 -3 180, 16.5 -7.5 864, 30 -4.5 5760, 16 -9 30, 46 -2.5 5760, 44.5 -11.5 864, 8 342 3136 17392 "
        "1 2.5 1.875 2.625 1.96875 3.75 2.8125 4.875 3.65625 ",
        "210",
        "a thread's stack of 8192 bytes is full (cudaDeviceSetLimit with cudaLimitStackSize gives more): block [0, 0, 0], thread [0, 0, 0]",
        "hardware stack error",
    ], run.stderr
    assert run.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "printed"), [("heap", "0 wrong, 3\n"), ("intrinsics", "0 wrong\n"), ("headers", "545508589 20\n")])
def test_memory_of_a_kernel_and_functions_by_name(compiled, name, printed):
    run = compiled("run", f"tests/cuda_cpp/{name}.cu", *([] if name == "headers" else ["--engine", "python"]))
    assert run.stdout == printed, run.stderr


# By kernel of planted.cu: text of the line that the first sentence names, and what it says.
PLANTED = {
    "strided": ("scattered", "of the time warps wait for the loads of a at <line>: each moves 16 lines where 1 would do"),
    "conflicting": ("one bank", "wait for the accesses to tile in shared memory at <line>: each takes 32 passes where 1 would do"),
    "divergent": ("parts the lanes", "is lost to lanes that are switched off: they diverge at <line>"),
    "alone": ("a loop", "75 % of the cores have no block: the launch has 1 block for 4 cores, and the one that works spends most"),
    "serial": ("one address", "for the atomic operations at <line>"),
    "waited_for": ("seven warps", "of the time warps wait at barriers, most at <line>"),
    "chained": ("needs the s", "of the time warps wait for results of the chain at <line>: each turn of the loop needs"),
    "widened": ("a double", "of the time goes to 64-bit floats, most at <line>: 1.0001 is a float64"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kernel", PLANTED)
def test_the_first_sentence_names_the_limiter_its_line_and_its_measure(compiled, kernel):
    text, said = PLANTED[kernel]
    source = ROOT / "tests" / "cuda_cpp" / "planted.cu"
    line = next(number for number, one in enumerate(source.read_text().splitlines(), 1) if f"// {text}" in one)
    run = compiled("profile", source, "--launch", kernel, "--gpu", "h100", "--set", "gpu.cores=4", "--json")
    assert said.replace("<line>", f"line {line}") in json.loads(run.stdout)["diagnosis"][0]["what"], run.stdout


def test_a_launch_whose_error_nobody_asks_for(tmp_path):
    source = tmp_path / "a.cu"
    source.write_text(LAUNCH + "    return cudaDeviceSynchronize();\n}\n")
    said = unasked_errors([str(source)])
    assert said == f"{source}:4: note: a launch that cannot be is not noticed: ask for cudaGetLastError() after it [unchecked]"


def test_a_program_that_asks_in_any_file_is_left_alone(tmp_path):
    first, second = tmp_path / "a.cu", tmp_path / "b.cu"
    first.write_text(LAUNCH + "}\n")
    second.write_text("void ask() { if (cudaPeekAtLastError()) abort(); }\n")
    assert unasked_errors([str(first), str(second)]) == ""
    assert unasked_errors([str(second)]) == ""
