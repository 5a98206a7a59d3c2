"""s_waitcnt: which registers it waits for, and which are used without a wait.

In hardware: nothing in GCN knows which registers a load will write. Counters go up when an access leaves and down when it is done: vmcnt
for memory as lanes access it, in order; lgkmcnt for LDS, in order, and for the scalar unit's loads, in any order. A program waits with
`s_waitcnt` until so few are in flight that the one it needs must be done. A use without its wait reads what the register held before,
in some runs. In the simulator a register knows that a load is to write it. So an s_waitcnt uses the registers of the loads that it
waits for, and stalls there, for `waitcnt`; a program that forgets it stalls at the use instead, for long_scoreboard (memory) or
short_scoreboard (LDS), and there is a warning.

A store, and an atomic operation that returns nothing, is in vmcnt until the cache of all compute units has it. It writes no register: an
s_waitcnt that may have to wait for one has the machine wait until all accesses are done but the last ones that vmcnt lets be
(machine/core/warps/access_order.py), in whatever order they are done. So does one that waits for more registers than an instruction can
use. For lgkmcnt there is no such order: of more loads than that, the first ones are waited for where their registers are used.

FLAT is in both counters. Its part in LDS can be done before or after other accesses of LDS, so it proves nothing of these: a program that
needs one of them waits for lgkmcnt as if there were no FLAT, which waits longer. Only the program knows whether some lane went to LDS; one
that waits for vmcnt alone is taken to know that none did, as compilers do for what they know to be in memory.

Found by following all paths: for each register that a load writes, how many accesses of the same counter have left since. Where paths
meet, the fewest: then a wait may be too long, never too short. A call is taken to wait for everything, as compilers do.

Source: AMD "Vega" Instruction Set Architecture, section 4.4, "Manually inserted wait states", and chapters 7, 8 and 11; LLVM,
SIInsertWaitcnts.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.isa.diagnostics import Diagnostic, Severity
from warploom.isa.gcn.instruction import Decoded, Written
from warploom.isa.gcn.modifiers import MOST_LGKM, MOST_VM, counters
from warploom.isa.gcn.registers import FIRST_VECTOR, register_text
from warploom.isa.program import Program

VM, LDS, SCALAR = "vmcnt", "lgkmcnt", "lgkmcnt of the scalar unit"
MOST = 1 << 16  # instructions beyond which nothing is looked for
FORMATS = {"FLAT": VM, "GLOBAL": VM, "SCRATCH": VM, "MUBUF": VM, "DS": LDS, "SMEM": SCALAR}
IN_REGISTERS = ("ds_bpermute_b32", "ds_swizzle_b32", "s_memtime", "s_memrealtime")
LONGEST = 64  # more accesses than any counter holds


class Pending(NamedTuple):
    """A register that a load is to write: its counter, the load, how many accesses of that counter have left since, and whether an
    s_waitcnt allowed some accesses in flight where their order is not known, and so proved nothing."""

    counter: str
    load: int
    since: int
    in_vain: bool = False


class State(NamedTuple):
    """What is in flight: the registers that loads are to write, and bit n of `silent` where the vmcnt access that left as the nth before
    the last one may be one that writes no register."""

    pending: Mapping[int, Pending]
    silent: int = 0


NOTHING = State({})


def waits(program: Program, instructions: Sequence[Decoded]) -> tuple[Program, list[Diagnostic]]:
    """The program whose `s_waitcnt` wait, and warnings about uses without a wait. instructions: those of the program after its first, which
    starts a wave."""
    if len(instructions) > MOST:
        return program, []
    found = _Waits(program, instructions)
    code, uops = found.waiting()
    return replace(program, code=code, uops=uops), found.warnings()


class _Waits:
    def __init__(self, program: Program, instructions: Sequence[Decoded]) -> None:
        self.program, self.instructions = program, instructions
        rows = program.code[1:]
        self.uses = [row[u.USE : u.USE + row[u.USES]].tolist() for row in rows]
        self.writes = [row[u.USE : u.USE + row[u.WRITES]].tolist() for row in rows]

        self.before = self._followed()

    def _followed(self) -> dict[int, State]:
        """What is pending before each instruction that can be reached."""
        before: dict[int, State] = dict.fromkeys(self._entries(), NOTHING)
        waiting = list(before)
        while waiting:
            place = waiting.pop()
            state = self._after(place, before[place])
            for following in self._following(place):
                known = before.get(following)
                joined = state if known is None else _joined(known, state)
                if joined != known:
                    before[following] = joined
                    waiting.append(following)
        return before

    def warnings(self) -> list[Diagnostic]:
        """Uses of what is pending: one for each load and each instruction."""
        said: dict[tuple[int, int], Diagnostic] = {}
        for place in sorted(self.before):
            for register in self.uses[place]:
                pending = self.before[place].pending.get(register)
                if pending is not None:
                    said.setdefault((place, pending.load), self._warning(place, register, pending))
        return list(said.values())

    def waiting(self) -> tuple[np.ndarray, np.ndarray]:
        """The program's (code, uops): each s_waitcnt uses the registers that it waits for. Where there are too many of vmcnt, where it may
        have to wait for what writes none, or no path from the kernel's entry is known to reach it, as in a function, it says for
        how many accesses it does not wait."""
        code, uops = self.program.code.copy(), self.program.uops.copy()
        for place, instruction in enumerate(self.instructions):
            written = instruction.written
            if written is None or written.row.mnemonic != "s_waitcnt":
                continue
            vm = counters(written.fields["simm16"])[0]
            state = self.before.get(place)
            if state is None:
                uops[code[place + 1, u.FIRST_UOP], u.IMM] = vm + 1 if vm < MOST_VM else 0
                continue
            after = self._after(place, state).pending
            ordered = _ordered({register: one for register, one in state.pending.items() if register not in after})
            registers, others = ordered[: u.MAX_USES], ordered[u.MAX_USES :]
            code[place + 1, [u.USES, u.WRITES]] = len(registers), 0
            code[place + 1, u.USE : u.USE + len(registers)] = registers
            too_many = any(state.pending[register].counter == VM for register in others)
            if vm < MOST_VM and (too_many or state.silent >> vm):
                uops[code[place + 1, u.FIRST_UOP], u.IMM] = vm + 1
        return code, uops

    def _entries(self) -> Iterable[int]:
        jumps = self.program.uops[self.program.uops[:, u.OP] == u.NUMBER["jump"], u.TARGET]
        return [int(jumps[0]) - 1] if len(jumps) and 0 < jumps[0] <= len(self.instructions) else []

    def _after(self, place: int, before: State) -> State:
        """What is pending after an instruction."""
        written = self.instructions[place].written
        if written is None:
            return NOTHING
        name = written.row.mnemonic
        if name == "s_waitcnt":
            return _waited(before, written.fields["simm16"])
        if name in ("s_swappc_b64", "s_call_b64", "s_cbranch_join"):
            return NOTHING
        # A use has been warned of; what follows it is not its fault.
        state = {register: pending for register, pending in before.pending.items() if register not in self.uses[place]}
        counter = FORMATS.get(written.row.format) if name not in IN_REGISTERS else None
        if counter is None or not written.row.words:
            return State(state, before.silent)
        state = {
            register: pending._replace(since=min(pending.since + 1, LONGEST)) if pending.counter == counter else pending
            for register, pending in state.items()
        }
        silent = _is_silent(written)
        for register in self.writes[place] if not silent else ():
            if not _is_status(register):
                state[register] = Pending(counter, place, 0)
        if counter != VM:
            return State(state, before.silent)
        return State(state, _one_more(before.silent, silent))

    def _following(self, place: int) -> list[int]:
        written = self.instructions[place].written
        end = len(self.instructions)
        following = [place + 1] if place + 1 < end else []
        if written is None or written.row.mnemonic in ("s_endpgm", "s_setpc_b64", "s_trap"):
            return []
        if "target" not in written.row.words or written.row.mnemonic == "s_call_b64":
            return following
        distance = written.fields["simm16"]
        address = self.instructions[place].address + 4 + 4 * (distance - (distance >> 15 << 16))
        target = int(np.searchsorted(self._addresses(), address))
        there = [target] if target < end and self.instructions[target].address == address else []
        return there if written.row.mnemonic == "s_branch" else [*following, *there]

    def _addresses(self) -> list[int]:
        if not hasattr(self, "addresses"):
            self.addresses = [one.address for one in self.instructions]
        return self.addresses

    def _warning(self, place: int, register: int, pending: Pending) -> Diagnostic:
        scalar = register >= u.SCALAR_GROUP
        name = register_text(register - u.SCALAR_GROUP if scalar else FIRST_VECTOR + register)
        line = self.program.position(pending.load + 1).line
        where = f" in line {line}" if line else f" at {self.instructions[pending.load].address:#x}"
        counter = pending.counter.split()[0]
        most = 0 if pending.in_vain or pending.counter == SCALAR else min(pending.since, MOST_VM if counter == VM else MOST_LGKM)
        text = self.program.text[place + 1]
        said = f"{text}: {name} is used, and nothing waits for the load{where} that writes it"
        if pending.in_vain:
            said += "; while loads of the scalar unit are in flight, which come in any order, only lgkmcnt(0) proves that one is done"
        mnemonic = text.split()[0]
        return Diagnostic(
            Severity.WARNING, said, self.program.position(place + 1), len(mnemonic), f"write s_waitcnt {counter}({most}) before it"
        )


def _is_silent(written: Written) -> bool:
    """Whether an access writes no register with what comes from memory. (Addresses and masks that it works out lie in hidden ones.)"""
    mnemonic = written.row.mnemonic
    return "store" in mnemonic or ("atomic" in mnemonic and not written.fields.get("glc"))


def _is_status(register: int) -> bool:
    return register >= u.SCALAR_GROUP + 128


def _waited(before: State, number: int) -> State:
    """What is still pending after s_waitcnt. A load of the scalar unit is done for certain only when all are."""
    vm, _, lgkm = counters(number)
    mixed = any(pending.counter == SCALAR for pending in before.pending.values())

    def done(pending: Pending) -> bool:
        if pending.counter == VM:
            return pending.since >= vm and vm < MOST_VM
        if pending.counter == LDS and not mixed:
            return pending.since >= lgkm and lgkm < MOST_LGKM
        return lgkm == 0

    def proves_nothing(pending: Pending) -> bool:
        return pending.in_vain or (lgkm < MOST_LGKM and (pending.counter == SCALAR or (pending.counter == LDS and mixed)))

    left = {register: one._replace(in_vain=proves_nothing(one)) for register, one in before.pending.items() if not done(one)}
    return State(left, _last(before.silent, vm) if vm < MOST_VM else before.silent)


def _ordered(pending: Mapping[int, Pending]) -> list[int]:
    """The registers in the order in which an s_waitcnt has room for them: those of lgkmcnt, for which nothing else waits, before those of
    vmcnt; one register of each load before the others, which come with it; the last loads first."""
    last_first = sorted(pending, key=lambda register: pending[register].since)
    first_of: dict[int, int] = {}
    for register in last_first:
        first_of.setdefault(pending[register].load, register)
    return sorted(last_first, key=lambda register: (pending[register].counter == VM, first_of[pending[register].load] != register))


def _one_more(silent: int, is_silent: bool) -> int:
    """After one more access. The last bit keeps those that are further back: vmcnt does not forget them."""
    silent = silent << 1 | is_silent
    return _last(silent, LONGEST) | silent >> LONGEST << LONGEST - 1


def _last(silent: int, accesses: int) -> int:
    """Those among so many last accesses."""
    return silent & (1 << accesses) - 1


def _joined(one: State, other: State) -> State:
    """Where two paths meet: what is pending on either; of the same register the load that left last."""
    found = dict(one.pending)
    for register, pending in other.pending.items():
        known = found.get(register)
        if known is None or pending.since < known.since:
            found[register] = pending
    return State(found, one.silent | other.silent)
