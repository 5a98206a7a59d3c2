"""The five notations: the frame of a program in each, the machine's mechanism for it, and which of its instructions are of what kind.

An instruction of a body is of one of four kinds. *Work* computes what the kernel is for; a *test* computes a condition, wherever its
result goes; a *branch* does nothing but change where the warp continues; a *mask* instruction is there for the choice of lanes alone. Each
notation has a row for each instruction that is not work.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import numpy as np

from warploom.isa import uop as u
from warploom.isa.frontend import Options
from warploom.isa.frontends import front_end, load
from warploom.isa.launching import launched
from warploom.isa.program import Program
from warploom.study.five_ways import frames
from warploom.study.five_ways.branches import IF, IF_ELSE
from warploom.study.five_ways.kernel import LANES, Kernel
from warploom.study.five_ways.loops import LOOP, NESTED

WORK, TEST, MASK, BRANCH = KINDS = ("work", "test", "mask", "branch")
KERNELS = {kernel.name: kernel for kernel in (IF, LOOP, IF_ELSE, NESTED)}
NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Notation:
    """One way.

    isa: its front end. suffix: of a file. divergence: the machine's mechanism. frame: the program around a body, which stands at the
    line `BODY`. results: the buffer with the results, a word a lane. masks: its mask instructions by mnemonic, with what each does; tests,
    branches: the mnemonics of these. All others are work. once: masks and branches are executed once for the warp, on scalar registers.
    """

    name: str
    isa: str
    suffix: str
    divergence: str
    frame: str
    results: str
    tests: tuple[str, ...]
    branches: tuple[str, ...]
    masks: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    once: bool = False

    def source(self, kernel: Kernel) -> str:
        """The whole program of a kernel, as a file would have it."""
        return self.frame.format(meaning=kernel.meaning).replace("BODY\n", kernel.bodies[self.name].strip("\n") + "\n")

    def body_lines(self, kernel: Kernel) -> range:
        """The lines of the source that are the body."""
        first = self.frame.split("\n").index("BODY") + 1
        return range(first, first + len(kernel.bodies[self.name].strip("\n").split("\n")))

    def kind(self, mnemonic: str) -> str:
        """What an instruction is there for: one of KINDS."""
        return MASK if mnemonic in self.masks else TEST if mnemonic in self.tests else BRANCH if mnemonic in self.branches else WORK

    def body(self, kernel: Kernel, program: Program) -> dict[int, str]:
        """The kind of each instruction of the body, by its number."""
        lines = self.body_lines(kernel)
        return {
            pc: self.kind(mnemonic(program.text[pc])) for pc in range(len(program.code)) if int(program.code[pc, u.LINE]) in lines
        }  # fmt: skip

    def program(self, kernel: Kernel) -> Program:
        """The program, ready to run."""
        return _loaded(self, self.source(kernel), kernel.name)


NOTATIONS = {
    notation.name: notation
    for notation in (
        Notation(
            "mask language", "guppy", ".guppy", "masks", frames.GUPPY, "u0", ("and", "lt.u32"), ("jmp",),
            {
                "push_mask": "saves the mask, and where its lanes continue",
                "mask_nz": "keeps the lanes whose condition holds; goes to the saved place where none is left",
                "br_push": "saves the lanes of the other side and all lanes, each with its place",
                "pop_mask": "restores the last saved mask, and goes to its place",
            },
        ),
        Notation("Python", "python", ".py", "stack", frames.PYTHON, "out", ("and", "sne", "slt"), ("branch", "jump")),
        Notation(
            "Vortex", "vortex-2024", ".vx", "masks", frames.VORTEX, "out", ("andi", "sltiu"), ("beqz", "bnez", "j"),
            {
                "csrr": "reads the mask (active_threads)",
                "vx_split": "the larger of the two sides runs, the other waits on a stack",
                "vx_join": "takes the others from the stack, or brings all together",
                "vx_pred": "keeps the lanes whose condition holds; where none is left, all of a kept mask",
            },
        ),
        Notation(
            "GCN", "gcn", ".gcn", "masks", frames.GCN, "out",
            ("v_and_b32", "v_cmpx_ne_u32", "v_cmpx_gt_u32"), ("s_cbranch_execz", "s_cbranch_execnz"),
            {
                "s_mov_b64": "saves or restores EXEC",
                "s_andn2_b64": "EXEC = the lanes of the other side",
            },
            once=True,
        ),
        Notation(
            "AVX-512", "avx512", ".avx512", "masks", frames.AVX512, "memory",
            ("vptestmd", "vpcmpltud"), ("je", "jne"),
            {
                "kmovw": "copies a mask",
                "kandnw": "a mask of the lanes of the other side",
                "kortestw": "sets the flags: is a lane left?",
            },
            once=True,
        ),
    )
}  # fmt: skip


def mnemonic(text: str) -> str:
    """The name of an instruction in a listing, without the size of its encoding (GCN: `_e32`)."""
    return text.split(maxsplit=1)[0].removesuffix("_e32").removesuffix("_e64")


def _loaded(notation: Notation, source: str, name: str) -> Program:
    path = name.replace(" ", "_") + notation.suffix
    if front_end("", notation.isa).scripts:
        with tempfile.TemporaryDirectory() as folder:  # a kernel in Python is a file
            (Path(folder) / path).write_text(source, encoding="utf-8")
            return load(str(Path(folder) / path))
    if notation.isa.startswith("vortex"):
        out = {"out": np.zeros(LANES, np.uint32)}
        program = load(source.encode(), notation.isa, options=Options(path=path, buffers=out, arguments={"out": "out"}))
        return launched(program, program.launch.changed(arguments={"out": "out"}))
    return load(source.encode(), notation.isa, options=Options(path=path, threads=LANES))
