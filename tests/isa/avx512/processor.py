"""Snippets on this machine's own processor, where it has AVX-512: assembled by LLVM, run in this process, state out and in."""

import ctypes
import platform
import struct
from pathlib import Path

import numpy as np

from tests.isa.avx512.hardware import BYTES, FLAG, GENERAL, MASKS, REGISTERS

FLAG_BITS = {"C": 0, "P": 2, "Z": 6, "S": 7, "O": 11}


def available():
    """Whether this processor can run what the tests ask of it."""
    if platform.machine() != "x86_64" or not Path("/proc/cpuinfo").exists():
        return False
    flags = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), "").split()
    return {"avx512f", "avx512cd", "avx512dq", "avx512bw", "bmi1", "bmi2"} <= set(flags)


def _harness(body):
    before = ["push rbx", "push rbp", "push r12", "push r13", "push r14", "push r15", "push rdi"]
    before += [f"vmovdqu32 zmm{n}, zmmword ptr [rdi + {64 * n}]" for n in range(32)]
    before += [f"kmovq k{n}, qword ptr [rdi + {MASKS + 8 * n}]" for n in range(8)]
    before += [f"mov {name}, qword ptr [rdi + {REGISTERS + 8 * n}]" for n, name in enumerate(GENERAL) if name != "rdi"]
    before += [f"push qword ptr [rdi + {FLAG}]", "popfq", f"mov rdi, qword ptr [rdi + {REGISTERS + 8 * GENERAL.index('rdi')}]"]
    after = ["pushfq", "push rdi", "mov rdi, qword ptr [rsp + 16]"]
    after += [f"mov qword ptr [rdi + {REGISTERS + 8 * n}], {name}" for n, name in enumerate(GENERAL) if name != "rdi"]
    after += ["pop rax", f"mov qword ptr [rdi + {REGISTERS + 8 * GENERAL.index('rdi')}], rax", "pop rax"]
    after += [f"mov qword ptr [rdi + {FLAG}], rax"]
    after += [f"vmovdqu32 zmmword ptr [rdi + {64 * n}], zmm{n}" for n in range(32)]
    after += [f"kmovq qword ptr [rdi + {MASKS + 8 * n}], k{n}" for n in range(8)]
    after += ["pop rdi", "pop r15", "pop r14", "pop r13", "pop r12", "pop rbp", "pop rbx", "vzeroupper", "ret"]
    marks = [".globl body", "body:"], [".globl body_end", "body_end:"]
    return [".intel_syntax noprefix", ".globl snippet", "snippet:", *before, *marks[0], *body, *marks[1], *after, ".att_syntax"]


class Snippet:
    """One assembled snippet; `code` are its own bytes."""

    def __init__(self, body):
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.initialize_native_asmparser()
        lines = [f'module asm "{line}"' for line in _harness(body)]
        text = f'target triple = "{llvm.get_process_triple()}"\n' + "\n".join(lines)
        text += "\ndeclare void @snippet(ptr)\ndeclare void @body()\ndeclare void @body_end()\n"
        text += "define void @go(ptr %p) {\n call void @snippet(ptr %p)\n ret void\n}\n"
        for name in ("body", "body_end"):
            text += f"define i64 @at_{name}() {{\n ret i64 ptrtoint (ptr @{name} to i64)\n}}\n"
        module = llvm.parse_assembly(text)
        target = llvm.Target.from_triple(llvm.get_process_triple())
        self.engine = llvm.create_mcjit_compiler(
            module, target.create_target_machine(cpu="skylake-avx512", jit=True, codemodel="jitdefault")
        )
        self.engine.finalize_object()
        begin, end = (ctypes.CFUNCTYPE(ctypes.c_uint64)(self.engine.get_function_address(f"at_{name}"))() for name in ("body", "body_end"))
        self.code = ctypes.string_at(begin, end - begin)
        self.go = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.engine.get_function_address("go"))

    def run(self, zmm, masks, general, memory):
        """(zmm, masks, general registers, flags, memory) after it; memory: a page whose address general registers may hold."""
        state = np.zeros(BYTES, np.uint8)
        state[:2048] = np.asarray(zmm, np.uint32).view(np.uint8).reshape(-1)
        state[MASKS:REGISTERS].view(np.uint64)[:] = masks
        state[REGISTERS:FLAG].view(np.uint64)[:] = np.array([general[name] for name in GENERAL], np.uint64)
        state[FLAG : FLAG + 8] = np.frombuffer(struct.pack("<Q", 0x202), np.uint8)
        self.go(state.ctypes.data)
        flags = int(state[FLAG : FLAG + 8].view(np.uint64)[0])
        registers = dict(zip(GENERAL, state[REGISTERS:FLAG].view(np.uint64).tolist(), strict=True))
        return (
            state[:2048].view(np.uint32).reshape(32, 16),
            state[MASKS:REGISTERS].view(np.uint64).tolist(),
            registers,
            {letter: flags >> place & 1 for letter, place in FLAG_BITS.items()},
            memory,
        )
