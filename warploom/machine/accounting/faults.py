"""Faults: why a kernel was stopped, and the sentence that a person reads.

A unit that finds something impossible writes one `Fault` record and the run ends; nothing is raised inside the
machine, so both engines behave alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from warploom.machine.engine.unit import out_of_line, record

Fault = record(
    state=dict(
        kind="i8",      # a number of FAULTS; 0 for none
        core="i8",      # core number
        warp="i8",      # warp slot in the core
        pc="i8",        # instruction number
        lanes="u8",     # the lanes concerned: bit l = lane l
        others="u8",    # the lanes on the other side of a branch, where there are two
        value="i8",     # an address, a barrier's number ...
        limit="i8",     # what the value may be at most
        cycle="i8",     # cycle in which it was found
    ),
)  # fmt: skip


class FaultKind(NamedTuple):
    """A kind of fault: its name, and a sentence in which {lanes:verb} {others:verb} {value} {limit} are filled in."""

    name: str
    sentence: str


FAULTS = (
    FaultKind("none", ""),
    FaultKind("divergence", "the threads of a block disagree on this branch: {lanes:take} it, {others:do} not; add --gpu tiny-simt, whose warps mask lanes"),
    FaultKind("pc_out_of_range", "the program counter ran off the program, to instruction {value} of {limit}; does every path end in a return?"),
    FaultKind("address_out_of_range", "{lanes:access} address {value:#x}, but memory has {limit:#x} bytes"),
    FaultKind("misaligned", "{lanes:access} address {value:#x}, which is not a multiple of {limit}"),
    FaultKind("shared_out_of_range", "{lanes:access} shared address {value:#x}, but the block has {limit:#x} bytes of shared memory"),
    FaultKind("view_out_of_range", "{lanes:access} byte {value} of a view of {limit} bytes"),
    FaultKind("stack_overflow", "the mask stack is full ({limit} entries); raise core.stack_depth or nest less"),
    FaultKind("stack_underflow", "a mask is popped from an empty mask stack"),
    FaultKind("deadlock", "no warp can ever continue"),
    FaultKind("unsupported", "this machine does not have the operation"),
    FaultKind("trap", "the program stopped itself with number {value}"),
    FaultKind("barrier_number", "barrier {value} does not exist: a block has {limit}, numbered from 0; raise core.barriers"),
    FaultKind("livelock", "the kernel runs forever: nothing that its threads read can change any more"),
    FaultKind("read_only", "{lanes:write} to a read-only view"),
    FaultKind("unmapped", "{lanes:access} address {value:#x}, where there is no memory"),
    FaultKind("read_only_region", "{lanes:write} to address {value:#x}, which can only be read"),
    FaultKind("local_out_of_range", "{lanes:access} local address {value:#x}, but a thread has {limit:#x} bytes of local memory"),
    FaultKind("illegal", "the word {value:#x} is not an instruction of this program's instruction set"),
    FaultKind("constant_out_of_range", "{lanes:read} constant address {value:#x}, but the program has {limit:#x} bytes of constants"),
    FaultKind("unguarded", "lanes of a warp disagree on this branch, and nothing has split them: {lanes:take} it, {others:do} not; split them, or add --set core.divergence=stack"),
    FaultKind("uniform", "lanes of a warp disagree on this branch: {lanes:take} it, {others:do} not, and core.divergence=uniform has one path for all; add --set core.divergence=stack"),
    FaultKind("different_targets", "lanes of a warp jump to different places through a register: {lanes:go} to one, {others:do} not, which core.divergence=uniform cannot follow; add --set core.divergence=stack, minpc or its"),
    FaultKind("no_code", "{lanes:jump} to address {value:#x}, where there is no instruction: a pointer or a return address is wrong"),
    FaultKind("read_only_register", "{lanes:write} to control register {value:#05x}, which can only be read"),
    FaultKind("no_pick", "the scheduler has picked no warp that can issue for {value} cycles, though there was one in all of them; a policy returns the number of a warp in s.eligible"),
)  # fmt: skip
FAULT_NUMBER = {kind.name: number for number, kind in enumerate(FAULTS)}


@out_of_line
def raise_fault(fault, kind, core, warp, pc, lanes, value, limit, cycle):
    """Write the run's fault down, unless there is one already: the first is the cause."""
    if fault.kind == 0:
        fault.kind = kind
        fault.core = core
        fault.warp = warp
        fault.pc = pc
        fault.lanes = lanes
        fault.value = value
        fault.limit = limit
        fault.cycle = cycle


def lanes_of(mask: int) -> list[int]:
    """The numbers of a mask's lanes."""
    return [lane for lane in range(64) if mask >> lane & 1]


def lanes_text(mask: int, noun: str = "thread") -> str:
    """A lane mask in words: `thread 3`, `threads 0-2, 5`."""
    lanes = lanes_of(mask)
    spans: list[list[int]] = []
    for lane in lanes:
        if spans and lane == spans[-1][1] + 1:
            spans[-1][1] = lane
        else:
            spans.append([lane, lane])
    text = ", ".join(f"{low}-{high}" if high > low else str(low) for low, high in spans)
    return f"{noun}{'s' if len(lanes) != 1 else ''} {text or 'none'}"


def sentence(fault: np.ndarray, noun: str) -> str:
    """The fault as one sentence, without its place in the source. fault: 0-dimensional, of type Fault. noun: what a bit of its masks is."""
    lanes, others = (_Subject(int(fault[name]), noun) for name in ("lanes", "others"))
    return FAULTS[int(fault["kind"])].sentence.format(lanes=lanes, others=others, value=int(fault["value"]), limit=int(fault["limit"]))


class _Subject:
    """Lanes that do something: `{lanes:take}` becomes `lane 3 takes` or `lanes 0-2 take`."""

    def __init__(self, mask: int, noun: str) -> None:
        self.mask, self.noun = mask, noun

    def __format__(self, verb: str) -> str:
        one = self.mask.bit_count() == 1
        ending = ("es" if verb.endswith(("s", "o")) else "s") if one and verb else ""
        return f"{lanes_text(self.mask, self.noun)} {verb}{ending}".rstrip()
