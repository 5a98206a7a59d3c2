"""ELF files of 64 bits: an object file as LLVM writes it, and files that are broken."""

import numpy as np
import pytest

import warploom
from warploom.isa.avx512 import elf
from warploom.isa.avx512.front_end import load
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options

BODY = ["vpaddd zmm1, zmm0, zmm0", "mov eax, 0x10000000", "vmovdqu32 zmmword ptr [rax], zmm1", "call 1f", "ret", "1:", "nop", "ret"]


def an_object():
    llvm = pytest.importorskip("llvmlite.binding")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()
    lines = [".intel_syntax noprefix", ".globl main", ".type main,@function", "main:", *BODY, ".att_syntax"]
    text = 'target triple = "x86_64-unknown-linux-gnu"\n' + "\n".join(f'module asm "{line}"' for line in lines)
    module = llvm.parse_assembly(text)
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    return target.create_target_machine(cpu="skylake-avx512").emit_object(module)


def test_an_object_file_runs_without_a_linker():
    program = load(an_object(), Options(path="x.o")).program
    assert "main" in program.labels
    result = warploom.GPU("avx512", engine="python").run(program)
    assert result.status == "done", result.fault
    space = program.address_space()
    region = next(one for one in space.regions if one.name == "memory")
    assert result.memory[space.slice_of(region)].view(np.uint32)[:16].tolist() == [2 * n for n in range(16)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data[:40], "this ELF file is cut off: it has 40 bytes"),
        (lambda data: data[:4] + b"\x01" + data[5:], "x86 with AVX-512 is machine 62"),
        (lambda data: data[:16] + b"\x04\x00" + data[18:], "this is a core dump, not a program"),
        (lambda data: data[:16] + b"\x02\x00" + data[18:], "0 program headers"),
        (lambda data: data[:40] + bytes(8) + data[48:60] + bytes(4), "this ELF file has nothing to load"),
    ],
)
def test_a_broken_file_is_one_sentence(change, said):
    with pytest.raises(SourceError, match=said):
        elf.read(change(an_object()), "x.o")
