"""Stacks that threads have used up. Where the threads of a device have their stacks side by side, what one stores beyond its own lies in
the next thread's: nothing stops it there, and what goes wrong does so somewhere else.

Not hardware: an observer that runs after the last cycle. (Cores that check have a register with a limit, as Arm's MSPLIM.) A stack pointer
below a thread's own stack at a fault says what the cause is. After any run, the lowest words of a stack say whether it was full.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from warploom.isa.program import Program
from warploom.isa.regions import Region
from warploom.machine.accounting.faults import lanes_of
from warploom.machine.config.schema import Config
from warploom.machine.core.divergence.thread_pool import OF_A_THREAD

STACK_POINTER = "sp"
LOWEST = 16  # bytes of a stack that nothing uses before it is full
LESS = "call functions less deep inside each other, or keep tables in a buffer or in local memory"


class Finished(Protocol):
    """A machine after its run."""

    config: Config
    program: Program
    memory: np.ndarray
    cores: np.ndarray
    gpu: np.ndarray
    moves_threads: bool


def overflow_at(machine: Finished) -> str:
    """A clause about the fault of a run: whose stack pointer is below its own stack, if there is somebody; else an empty text."""
    region, program = _stacks(machine.program), machine.program
    if region is None or STACK_POINTER not in program.register_names:
        return ""
    fault = machine.gpu["fault"]
    number, warp = int(fault["core"]), int(fault["warp"])
    pointers = machine.cores[number]["registers"]["lane"][warp][program.register_names.index(STACK_POINTER)]
    for lane in lanes_of(int(fault["lanes"])):
        thread = _thread(machine, region, number, warp, lane)
        bottom = region.end - (thread + 1) * region.thread_bytes
        beyond = bottom - int(pointers[lane])
        if beyond > 0 and int(pointers[lane]) >= region.base - region.thread_bytes:  # a program may have its stacks elsewhere
            its = f"its stack of {region.thread_bytes} bytes"
            return f"; stack overflow: the stack pointer of thread {thread} is {beyond} bytes below {its}; {LESS}"
    return ""


def _thread(machine: Finished, region: Region, core: int, warp: int, lane: int) -> int:
    """Whose stack a lane of a warp has: the number of a thread in the launch, or that of a place for one in the machine or the core."""
    sizes, state = machine.config.core, machine.cores[core]
    if not region.of_launch:
        return ((0 if region.of_core else core * sizes.warps) + warp) * sizes.lanes + lane
    if machine.moves_threads:
        return int(state["registers"]["lane"][warp][machine.program.registers + OF_A_THREAD.index("global_thread"), lane])
    block = int(state["blocks"]["number"][int(state["warps"]["block"][warp])])
    return block * int(machine.gpu["grid"]["block_threads"]) + int(state["warps"]["rank"][warp]) * sizes.lanes + lane


def full_stacks(machine: Finished) -> Iterator[str]:
    """A sentence, where stacks have been used up to their last words, unless a fault says so: at most one.

    Of stacks that each core has its own of, the first core's.
    """
    region = _stacks(machine.program)
    if region is None or (machine.gpu["fault"]["kind"] != 0 and overflow_at(machine)):
        return
    held = machine.memory.view(np.uint8)[machine.program.address_space().slice_of(region)]
    stacks = held.reshape(-1, region.thread_bytes)[::-1]
    full = np.flatnonzero(stacks[:, :LOWEST].any(axis=1))
    if len(full):
        more = f", and of {len(full) - 1} more," if len(full) > 1 else ""
        yield (
            f"most likely a stack overflow: the stack of thread {full[0]}{more} is used to its end ({region.thread_bytes} bytes), and "
            f"what goes beyond lies in the next thread's; {LESS}"
        )


def _stacks(program: Program) -> Region | None:
    """Where each thread has a stack. A program with a start of its own may put them elsewhere, and use the room as it likes."""
    return next((region for region in program.regions if region.thread_bytes), None) if not program.spare_pages else None
