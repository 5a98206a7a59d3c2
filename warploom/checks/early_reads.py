"""Early reads: code that reads a register before the instruction that writes it has done so.

Machines that issue by control words compare no registers: the stall counts and counters that the compiler writes are all that keeps a
reader behind its writer. Compilers get them right; code that is written or patched by hand may not, and then reads the old value, without
a word.

Found in the code itself, on every path through it: of each register its last writer, and the fewest cycles since, as stall counts say them;
or the counter that its writer has raised, until an instruction waits for that. The latency is that of writer and reader
(`machine/config/role_latencies.py`). What caches and full pipes add is not counted on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from warploom.checks.report.findings import Finding
from warploom.checks.report.places import position_of
from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import Flow
from warploom.isa.analysis.register_use import use_of
from warploom.isa.program import Program
from warploom.isa.schedule import COUNTERS, NO_COUNTER, NO_SOURCE, ROLE_NAMES, WAIT, WRITE, Schedule, stall_of
from warploom.machine.config import role_latencies as r
from warploom.machine.config.roles import TABLES, Cost

KIND = "early-read"
LONGEST = 40  # cycles after which every result of fixed latency is there
PREDICATES, FIRST_UNIFORM_PREDICATE, LAST_UNIFORM = 7, 64, 72


class Pending(NamedTuple):
    """What a register waits for. writer: an instruction. elapsed: fewest cycles since. counter: that it has raised, NO_COUNTER for none."""

    writer: int
    elapsed: int
    counter: int
    low: bool  # it is the low word of a product of 64 bits


class Early(NamedTuple):
    """A read that comes too early. takes: cycles of the writer for this reader; 0 where it raises a counter that nothing waits for."""

    reader: int
    register: str
    writer: int
    cycles: int
    takes: int


State = dict[int, Pending]


def early_reads(program: Program, roles: str = "hopper") -> list[Early]:
    """Each read of a program with control words that comes before the result is there. roles: the table of a machine."""
    if program.schedule is None:
        return []
    return _Analysis(program, program.schedule, [TABLES[roles].get(name, Cost()) for name in ROLE_NAMES]).found()


class _Analysis:
    def __init__(self, program: Program, schedule: Schedule, costs: list[Cost]) -> None:
        self.program, self.schedule, self.costs = program, schedule, costs
        self.flow = Flow(program)
        self.words, self.roles = schedule.words.tolist(), schedule.roles.tolist()
        self.guards = schedule.guards.tolist()
        self.counted = program.counted_registers
        self.reads, self.writes = self._uses()

    def _uses(self) -> tuple[list[list[int]], list[list[int]]]:
        """By instruction: the operand codes that it reads before it has written them itself, and those that it writes."""
        rows = self.program.uops.tolist()
        reads, writes = [], []
        spans = self.program.code[:, [u.FIRST_UOP, u.COUNT]].tolist()
        for (first, count), named in zip(spans, self.schedule.sources.tolist(), strict=True):
            read, written = {code: None for code in named if code != NO_SOURCE}, dict[int, None]()
            for row in rows[first : first + count]:
                use = use_of(row)
                read.update(dict.fromkeys(code for code in use.reads if code not in written and self._named(code)))
                written.update(dict.fromkeys(code for code in use.writes if self._named(code)))
            reads.append(list(read))
            writes.append(list(written))
        return reads, writes

    def _named(self, code: int) -> bool:
        """Whether an operand code is a register of the machine code: no hidden one."""
        return code < self.counted + PREDICATES if code < u.SCALAR else code < u.SCALAR + LAST_UNIFORM

    def found(self) -> list[Early]:
        """The reads that come too early, in the order of the code."""
        blocks = self.flow.blocks
        entering: list[State | None] = [None] * len(blocks)
        for root in self.flow.roots:
            entering[root] = {}
        left = list(self.flow.roots)
        found: dict[tuple[int, int, int], Early] = {}
        while left:
            number = left.pop()
            state = dict(entering[number] or {})
            for instruction in range(blocks[number].first, blocks[number].last + 1):
                for early, code in self._step(state, instruction):
                    found[early.reader, code, early.writer] = early
            last = blocks[number].last
            for following in blocks[number].successors:
                if following >= len(blocks):
                    continue
                went = self._passed(state, self._cycles(last, blocks[following].first != last + 1))
                merged = _joined(entering[following], went)
                if merged != entering[following]:
                    entering[following] = merged
                    left.append(following)
        return [found[key] for key in sorted(found)]

    def _step(self, state: State, number: int) -> Iterator[tuple[Early, int]]:
        """The early reads of an instruction; changes the state to that after it, if it is not the last of its block."""
        word = self.words[number]
        waits = word >> WAIT
        for code in [code for code, one in state.items() if one.counter != NO_COUNTER and waits >> one.counter & 1]:
            del state[code]
        for code in self.reads[number]:
            one = state.get(code)
            if one is None:
                continue
            takes = self._latency(one, code, number)
            if one.counter != NO_COUNTER or one.elapsed < takes:
                early = Early(number, self._name(code), one.writer, takes - one.elapsed, takes if one.counter == NO_COUNTER else 0)
                yield early, code
        self._write(state, number, word)
        if self.flow.block_of(number) == self.flow.block_of(min(number + 1, len(self.words) - 1)):
            passed = self._passed(state, self._cycles(number, False))
            state.clear()
            state.update(passed)

    def _write(self, state: State, number: int, word: int) -> None:
        counter = word >> WRITE & NO_COUNTER
        name = ROLE_NAMES[self.roles[number]]
        counter = NO_COUNTER if name == "lane_to_uniform" or counter >= COUNTERS else counter
        for place, code in enumerate(self.writes[number]):
            state[code] = Pending(number, 0, counter, name == "wide" and place == 0)

    def _cycles(self, number: int, jumps: bool) -> int:
        """The fewest cycles from an instruction to the next one of its warp."""
        cost = self.costs[self.roles[number]]
        return max(stall_of(self.words[number]), cost.after, cost.after_jump if jumps else 0)

    @staticmethod
    def _passed(state: State, cycles: int) -> State:
        return {
            code: one._replace(elapsed=one.elapsed + cycles)
            for code, one in state.items()
            if one.counter != NO_COUNTER or one.elapsed + cycles < LONGEST
        }

    def _latency(self, one: Pending, code: int, reader: int) -> int:
        """The fewest cycles from a writer to a reader of what it wrote."""
        writer, reads = ROLE_NAMES[self.roles[one.writer]], ROLE_NAMES[self.roles[reader]]
        if code >= u.SCALAR:
            return self._uniform(writer, reads, code - u.SCALAR)
        if code >= self.counted:
            how = r.GUARD if self._guards(reader, code - self.counted, reads) else r.OPERAND
            return r.PREDICATES["double" if writer == "double_compare" else "integer", how]
        kind = "wide_low" if one.low else r.WRITER.get(writer, "")
        cost = self.costs[self.roles[one.writer]].latency
        cycles = r.LANES.get((kind, r.READER.get(reads, r.OTHERS)), cost)
        return cycles - r.HIGH_LATER if reads == "wide" and code == self.schedule.sources[reader, 2] + 1 else cycles

    def _uniform(self, writer: str, reads: str, register: int) -> int:
        if register >= FIRST_UNIFORM_PREDICATE:
            return r.UNIFORMS["uniform", r.UNIFORM]
        kind = (
            "uniform_move" if writer in ("uniform_move", "uniform_load") else writer if writer in ("lane_to_uniform", "vote") else "uniform"
        )
        how = r.ADDRESS if reads == "uniform_load" else r.UNIFORM if reads in ("uniform", "uniform_move") else r.LANE
        return r.UNIFORMS[kind, how]

    def _guards(self, number: int, predicate: int, role: str) -> bool:
        """Whether a predicate guards an instruction, or is asked as early as a guard is."""
        return self.guards[number] == predicate or role in ("branch", "jump", "vote", "exit")

    def _name(self, code: int) -> str:
        if code >= u.SCALAR:
            number = code - u.SCALAR
            return f"UP{number - FIRST_UNIFORM_PREDICATE}" if number >= FIRST_UNIFORM_PREDICATE else f"UR{number}"
        return f"P{code - self.counted}" if code >= self.counted else f"R{code}"


def _joined(one: State | None, other: State) -> State:
    """What holds where two paths meet: of each register what makes a reader wait longer."""
    if one is None:
        return other
    found = dict(one)
    for code, pending in other.items():
        there = found.get(code)
        if there is None or (pending.counter == NO_COUNTER, pending.elapsed) < (there.counter == NO_COUNTER, there.elapsed):
            found[code] = pending
    return found


def findings_of_early_reads(program: Program, roles: str = "hopper") -> list[Finding]:
    """The early reads of a program in words."""
    return [_finding(program, one) for one in early_reads(program, roles)]


def _finding(program: Program, one: Early) -> Finding:
    writer, reader = (_shown(program, number) for number in (one.writer, one.reader))
    if one.takes:
        cycles = f"{one.cycles} cycle{'s' * (one.cycles != 1)} too early"
        said = f"reads {one.register} {cycles}: written by the {writer}, which takes {one.takes}"
        fix = f"give the {writer} {one.cycles} more in its stall count, or put other instructions between the two"
    else:
        said = f"reads {one.register} before it is written: no instruction waits for the counter that the {writer} raises"
        fix = "wait for that counter in this instruction's control word"
    return Finding(
        KIND, f"the {reader} {said}", fix, one.reader, one.writer, position=position_of(program, one.reader), element=one.register
    )  # fmt: skip


def _shown(program: Program, number: int) -> str:
    """An instruction for a message: its opcode, and its line or its address."""
    words = program.text[number].split()
    opcode = words[1] if words[0].startswith("@") and len(words) > 1 else words[0]
    line = program.position(number).line
    return f"{opcode} at line {line}" if line else f"{opcode} at {int(program.code[number, u.ADDRESS]) & 0xFFFFFFFF:#x}"


__all__ = ["Early", "early_reads", "findings_of_early_reads"]
