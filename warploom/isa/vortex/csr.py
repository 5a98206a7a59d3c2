"""Vortex's control registers: which thread this is, how large the machine is, and what its core has counted.

In hardware: wires to the warp table and to counters, and one register a core that a program can write (MSCRATCH, from 2024 on). That one
lies here in a small window of the address space; an instruction on it is an atomic, which is executed lane after lane. Flags and rounding
mode of floats belong to a warp: `float_state.py`.
Performance counters: `counters.py`.
Source: github.com/vortexgpgpu/vortex, hw/rtl/VX_config.vh and VX_types.vh, 2022-01 and 2024-08.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from warploom.isa.riscv.csr import CLEAR, NEW, OLD, SET, WRITE, Csr, Reads, special, value
from warploom.isa.riscv.instruction import temporary
from warploom.isa.uop import IMMEDIATE, NONE, SPECIAL_NUMBER, Uop
from warploom.isa.vortex import counters, graphics, texture
from warploom.isa.vortex.float_state import FLOAT_CSRS
from warploom.isa.vortex.generation import Generation

WINDOW = 0xFFFFF000  # where a core keeps registers that programs write, as if they were memory of its own
WINDOW_BYTES = 64
MSCRATCH = 0  # its word in the window
PART = temporary(2)
ATOMICS = {WRITE: "atomic_exchange", SET: "atomic_or", CLEAR: "atomic_and"}


def _in_warp(name: str) -> Reads:
    """Number of the thread in the core, or of the warp in the device: own number + what comes before."""
    if name == "thread_of_core":
        found = [("mul", "warp_slot", "lanes"), ("add", "", "lane")]
    else:
        found = [("mul", "core", "warps"), ("add", "", "warp_slot")]

    def reads(to: int) -> list[Uop]:
        uops: list[Uop] = []
        for operation, first, second in found:
            if first:
                uops.append(Uop("special", dst=to, a=IMMEDIATE, imm=SPECIAL_NUMBER[first]))
            uops.append(Uop("special", dst=PART, a=IMMEDIATE, imm=SPECIAL_NUMBER[second]))
            uops.append(Uop(operation, dst=to, a=to, b=PART))
        return uops

    return reads


def _ignored(_: int) -> list[Uop]:
    return []


def _from_window(offset: int) -> Reads:
    return lambda to: [Uop("load", dst=to, imm=WINDOW + offset)]


def _in_window(offset: int) -> Callable[[str, bool], list[Uop]]:
    """Lane after lane, lowest first, each finds what the one before it has left."""

    def of_warp(kind: str, wanted: bool) -> list[Uop]:
        inverted = [Uop("xor", dst=NEW, a=NEW, b=IMMEDIATE, imm=-1)] if kind == CLEAR else []
        return [*inverted, Uop(ATOMICS[kind], dst=OLD if wanted else NONE, b=NEW, imm=WINDOW + offset)]

    return of_warp


def csrs(generation: Generation, counter_class: int = counters.NO_CLASS) -> Mapping[int, Csr]:
    """The control registers of a generation, by number. counter_class: of its performance counters, as the host has chosen it."""
    writes = _ignored if generation.old else None  # a write to a register that only tells something

    def told(number: int, name: str, meaning: str, reads: Reads) -> Csr:
        return Csr(number, name, meaning, reads, writes, of_value=not generation.old)

    found = list(FLOAT_CSRS)
    found += [
        told(0xCC0, "thread_id", "number of the thread in its warp", special("lane")),
        told(0xCC4, "thread_mask" if generation.old else "active_threads", "active lanes, bit l = lane l", special("mask_low")),
        told(0xFC0, "num_threads", "lanes of a warp", special("lanes")),
        told(0xFC1, "num_warps", "warps of a core", special("warps")),
        told(0xFC2, "num_cores", "cores", special("cores")),
    ]
    if generation.old:
        found += [
            told(0xCC1, "local_thread_id", "number of the thread in its core", _in_warp("thread_of_core")),
            told(0xCC2, "global_thread_id", "number of the thread in the device", special("global_thread")),
            told(0xCC3, "local_warp_id", "number of the warp in its core", special("warp_slot")),
            told(0xCC5, "core_id", "number of the core", special("core")),
            told(0xF14, "global_warp_id", "number of the warp in the device", _in_warp("warp_of_device")),
        ]
    else:
        found += [
            told(0xCC1, "warp_id", "number of the warp in its core", special("warp_slot")),
            told(0xCC2, "core_id", "number of the core", special("core")),
            told(0xCC3, "active_warps", "warps of the core that run, bit w = warp w", special("core_warps")),
            told(0xF14, "mhartid", "number of the thread in the device", special("global_thread")),
            told(0xFC3, "local_mem_base", "where local memory begins", value(0xFFFF0000)),
            Csr(
                0x340,
                "mscratch",
                "a word of the core's, at first the arguments' address",
                _from_window(MSCRATCH),
                of_warp=_in_window(MSCRATCH),
            ),
        ]
    zero = {0x301: "misa", 0xF11: "mvendorid", 0xF12: "marchid", 0xF13: "mimpid", 0x300: "mstatus", 0x180: "satp"}
    found += [told(number, name, "0", value(0)) for number, name in zero.items()]
    found += [told(*row) for row in counters.csrs(generation, counter_class, special("cycle"), special("core_thread_instructions"))]
    found += [*texture.csrs(generation), *graphics.csrs(generation)]
    return {csr.number: csr for csr in found}
