"""`warploom nvcc`: what a Makefile says."""

import re
import subprocess
from pathlib import Path

import pytest

from warploom.cuda_cpp.nvcc import make, told_to_cmake, write_rule
from warploom.cuda_cpp.words import BadWord, parse

KERNEL = '#include "k.h"\n__device__ int twice(int x) { return 2 * x; }\n'
MAIN = """
#include <cstdio>
#include "k.h"
__global__ void k(int *p) { *p = twice(*p); }
int main(int count, char **words)
{
    int *p;
    cudaMallocManaged(&p, 4);
    *p = N;
    k<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    printf("%d %d\\n", *p, count);
    return 5;
}
"""


@pytest.mark.parametrize(
    ("line", "stage"),
    [("-c a.cu", "compile"), ("-dc a.cu", "compile"), ("-fatbin a.cu", "fatbin"), ("-lib a.o", "library"), ("-dlink a.o", "device link"),
     ("a.o b.o -o p", "link"), ("-ptx a.cu", "ptx")],
)  # fmt: skip
def test_stages(line, stage):
    assert parse(line.split()).stage == stage


@pytest.mark.parametrize(
    ("line", "said"),
    [("-O3", "there is nothing to compile: name a .cu file"), ("-c a.cu b.cu -o c.o", "-o c.o names one file, and 2 are made")],
)
def test_what_cannot_be_made(line, said):
    with pytest.raises(BadWord, match=said):
        make(parse(line.split()), print)


def test_a_rule_for_make(tmp_path):
    words = parse(["-MD", "-MT", "x.o", "-MF", str(tmp_path / "x.d"), "-c", "a.cu"])
    write_rule(words, tmp_path / "made.o", [Path("a.cu"), Path("with blank.h"), Path("a.cu")])
    assert (tmp_path / "x.d").read_text() == "x.o: a.cu \\\n  with\\ blank.h\n"


def test_cmake_finds_the_linkers_line():
    """CMakeDetermineCUDACompiler.cmake looks for these: the line that links is the one in which the libraries stand as they are named."""
    rows = told_to_cmake(parse(["-v", "a.cu"]), Path("a.out"), ["a.cu"])
    (libraries,) = re.findall(r"#\$ +LIBRARIES= *([^\n]*)\n", rows)
    lines = [row for row in re.sub(r"#\$ *[^= ]+=[^\n]*\n", "", rows).splitlines() if libraries in row]
    assert len(lines) == 1 and "warploom-nvcc" in lines[0]
    assert re.search(r"arch[ =]compute_80", rows) and re.search(r"#\$ +INCLUDES=\"-I", rows)


@pytest.mark.slow
def test_two_files_are_compiled_and_linked_and_the_program_runs_by_itself(compiled, tmp_path):
    (tmp_path / "k.h").write_text("__device__ int twice(int x);\n")
    (tmp_path / "k.cu").write_text(KERNEL)
    (tmp_path / "main.cu").write_text(MAIN)
    for words in (("-dc", "-arch=sm_80", "k.cu"), ("-dc", "-DN=21", "main.cu"), ("-dlink", "main.o", "k.o", "-o", "d.o"),
                  ("main.o", "k.o", "d.o", "-o", "program")):  # fmt: skip
        done = compiled("nvcc", *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    ran = subprocess.run([tmp_path / "program", "more"], capture_output=True, text=True, check=False, timeout=600)
    assert (ran.stdout, ran.returncode) == ("42 2\n", 5), ran.stderr
