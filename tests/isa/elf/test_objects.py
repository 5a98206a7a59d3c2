"""Object files: what refers to other sections is filled in as a linker does, and what only a linker can do is refused."""

import subprocess
import sys

import numpy as np
import pytest

import warploom
from warploom.isa.avx512 import elf
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.frontends import load

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

SOURCE = """
int table[4] = {3, 5, 7, 11};
int *place = &table[2];
__attribute__((noinline)) static int twice(int n) { return n * 2 + table[n & 3]; }
int main(void) {
  int *memory = (int *)0x10000000;
  memory[0] = twice(1);
  memory[1] = *place;
  return 0;
}
"""


def an_object(folder, text):
    (folder / "x.c").write_text(text)
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-freestanding", "-mcpu=x86_64", "-O1", "-g", "-fno-pic"]
    command += ["-fno-sanitize=undefined", "-fno-stack-protector", "-c", str(folder / "x.c"), "-o", str(folder / "x.o")]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return (folder / "x.o").read_bytes()


def test_calls_data_and_addresses_in_data_are_filled_in(tmp_path):
    program = load(an_object(tmp_path, SOURCE), "avx512", options=Options(path=str(tmp_path / "x.o")))
    result = warploom.GPU("avx512", engine="python").run(program)
    assert result.status == "done", result.fault
    space = program.address_space()
    memory = result.memory[space.slice_of(next(one for one in space.regions if one.name == "memory"))]
    assert memory[:8].view(np.int32).tolist() == [7, 7]
    assert program.position(program.labels["main"]).line == 5


def test_what_lies_elsewhere_is_named(tmp_path):
    data = an_object(tmp_path, "int other(int);\nint main(void) { return other(3); }\n")
    with pytest.raises(SourceError, match="this object file refers to 'other', which is not in it"):
        elf.read(data, "x.o")
