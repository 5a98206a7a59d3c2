"""Rays, as Vortex of 2026 has them: an instruction starts the walks of a warp's rays, one waits for them, one decides about candidates.

In hardware: `vx_rt_wtrace` hands a ray of each lane to the ray unit, from the registers f0 to f7, and the warp goes on; `vx_rt_wait` stops
it until its rays have ended or have found something that the program has to decide about; then the answers are read.
Source: github.com/vortexgpgpu/vortex 00ea949, sw/kernel/include/vx_raytrace.h and VX_types.toml. Ours is `vx_rt_trace`, in which each lane
names a scene, flags and mask of its own, so that no lanes need be gathered; the status of a damaged tree, 128 and the number of the fault;
and that window slots of the ray itself (0 to 7) read as 0.
"""

from __future__ import annotations

from warploom.isa.riscv.fields import Encoding
from warploom.isa.riscv.instruction import Instruction, Operands, temporary
from warploom.isa.riscv.registers import FLOATS, RAY, written
from warploom.isa.uop import IMMEDIATE, Uop
from warploom.isa.vortex.generation import Generation

RAY_FLOATS = 8
# Slots of the window that a program reads, and which of the registers of `await_ray` they are.
SLOTS = {8: 8, 9: 9, 10: 10, 11: 11, 12: 12, 13: 13, 14: 1, 15: 2, 16: 3, 21: 4, 22: 5, 23: 6, 24: 7}


def _ray() -> list[Uop]:
    return [Uop("mov", dst=temporary(k), a=FLOATS + k) for k in range(RAY_FLOATS)]


def _of_lanes(o: Operands) -> list[Uop]:
    return [*_ray(), Uop("trace_ray", dst=o.rd, a=temporary(0), b=o.rs2, c=o.rs1)]


def _of_warp(o: Operands) -> list[Uop]:
    return [*_ray(), Uop("trace_ray", dst=o.rd, a=temporary(0), b=o.rs1, c=o.rs1, imm=1)]


def _wait(o: Operands) -> list[Uop]:
    return [Uop("await_ray", dst=RAY, a=o.rs1), Uop("mov", dst=o.rd, a=RAY)]


def _continue(o: Operands) -> list[Uop]:
    return [Uop("resume_ray", a=o.rs1, b=o.f("rs2"), c=o["rs3"])]


def _read(o: Operands, first: int) -> list[Uop]:
    """Slots of the window, one after the other. first: lane register of the first that is written."""
    base, found = first // FLOATS * FLOATS, []
    for k in range(o["zimm"]):
        number = base + (first + k) % FLOATS  # after the last register comes the first
        slot = SLOTS.get(o["uimm"] + k)
        to = written(number)
        found.append(Uop("mov", dst=to, a=IMMEDIATE, imm=0) if slot is None else Uop("mov", dst=to, a=RAY + slot))
    return found


def rows(generation: Generation) -> tuple[Instruction, ...]:
    """The instructions of the generations that are encoded as 2026 is. A machine without the unit says so."""
    if generation.old:
        return ()
    most = tuple(range(7, 32))
    return (
        Instruction(
            "vx_rt_wtrace", "rays", Encoding("0000000 00000 rs1 111 rd 0101011"), "rd, rs1",
            "rd = handle of rays f0 .. f7 of all lanes; lanes 1 and 3 of rs1 hold the scene, and mask << 16 | flags", _of_warp,
        ),
        Instruction(
            "vx_rt_trace", "rays", Encoding("0001010 rs2 rs1 111 rd 0101011"), "rd, rs1, rs2",
            "the same with rs1 = mask << 16 | flags and rs2 = the scene, of each lane (ours)", _of_lanes,
        ),
        Instruction(
            "vx_rt_wait", "rays", Encoding("0000001 00000 rs1 111 rd 0101011"), "rd, rs1",
            "waits for rays of handle rs1; rd = 0 hit, 1 miss, 2, 3 a triangle, a box to decide about, 128.. damaged tree", _wait,
        ),
        Instruction(
            "vx_rt_continue", "rays", Encoding("rs3 00 rs2 rs1 110 00000 0101011"), "rs1, fs2, rs3",
            "the candidate counts (rs1 = 1), does not (0), or is the last (2); fs2 = t of what is in a box, rs3 = an attribute", _continue,
        ),
        Instruction(
            "vx_rt_getf", "rays", Encoding("uimm[4:0] 10 zimm rs1 110 rd 0101011"), "fd, rs1, uimm, zimm",
            "fd and the registers after it = zimm words of the answer from slot uimm on; rs1: what is waited for",
            lambda o: _read(o, o.f("rd")), {"zimm": (0, *most)},
        ),
        Instruction(
            "vx_rt_get", "rays", Encoding("uimm[4:0] 11 zimm rs1 110 rd 0101011"), "rd, rs1, uimm, zimm",
            "rd and the registers after it = zimm words of the answer from slot uimm on; rs1: what is waited for",
            lambda o: _read(o, o["rd"]), {"zimm": (0, *most)},
        ),
    )  # fmt: skip
