"""Twelve wrong lines, one a unit or more: lockstep finds each, and says in which field."""

import pytest

from tests.rtl.mutants import mutate
from warploom import GPU, rtl, tiny

KERNEL = """
.threads 3
.data 7 3 9 2 0*252
    MUL R0, %blockIdx, %blockDim
    ADD R0, R0, %threadIdx
    LDR R1, R0
    CONST R2, #1
    CONST R12, #3
    CONST R3, #0
LOOP:
    ADD R3, R3, R2
    SUB R4, R12, R3
    CMP R3, R12
    BRn LOOP
    DIV R5, R1, R3
    CONST R6, #16
    ADD R6, R6, R0
    STR R6, R5
    RET
"""
MACHINE = {"gpu.cores": 2, "core.threads_per_block": 2, "memory.data_channels": 2}

# module.class.method: right, wrong, and the end of the field's name where it is seen first
MUTANTS = {
    "a comparison the wrong way round": ("sequencer.alu.Alu.comparison", "self.rs < self.rt", "self.rs > self.rt", "alu_out"),
    "a difference the wrong way round": ("sequencer.alu.Alu.elaborate", "self.rs - self.rt", "self.rt - self.rs", "alu_out"),
    "two instructions at a time": ("sequencer.pc.Pc.elaborate", "self.pc + 1", "self.pc + 2", "next_pc"),
    "condition bits per state early": ("sequencer.pc.Pc.elaborate", "CoreState.UPDATE", "CoreState.EXECUTE", "nzp"),
    "the last thread decides": ("sequencer.pc.Advance.elaborate", "deciders[self.thread_count]", "self.next_pc[-1]", "current_pc"),
    "a register too few": ("sequencer.registers.Registers.elaborate", "range(WRITABLE)", "range(WRITABLE - 1)", "regs[12]"),
    "an answer that is kept too short": ("sequencer.lsu.Lsu.elaborate", "CoreState.UPDATE", "CoreState.EXECUTE", "lsu_state"),
    "a store that is none": ("sequencer.decoder.Decoder.elaborate", "opcode == Opcode.STR", "opcode == Opcode.RET", "lsu_state"),
    "a fetch that is over a state late": ("sequencer.fetcher.Fetcher.elaborate", "CoreState.DECODE", "CoreState.REQUEST", "fetcher_state"),
    "no wait for memory": ("sequencer.sequencer.Sequencer.elaborate", "~self.busy", "1", "core_state"),
    "the last first": ("sequencer.controller.Controller.take", "reversed(range(self.consumers))", "range(self.consumers)", "serving[0]"),
    "a whole last block": ("sequencer.dispatcher.Dispatcher.elaborate", "Mux(dispatched == total - 1, left, size)", "size", "thread_count"),
}  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_line_is_found(name, monkeypatch):
    place, right, wrong, field = MUTANTS[name]
    mutate(monkeypatch, place, right, wrong)
    found = rtl.lockstep(tiny.assemble(KERNEL), GPU("tiny", set=MACHINE), max_cycles=1000)
    assert not found.agrees
    assert found.difference.field.endswith(field), str(found)
    assert f"cycle {found.difference.cycle}: {found.difference.field} is {found.difference.hardware} in the hardware" in str(found)


def test_the_kernel_agrees_when_nothing_is_wrong():
    found = rtl.lockstep(tiny.assemble(KERNEL), GPU("tiny", set=MACHINE))
    assert (found.agrees, found.status) == (True, "done"), str(found)


def test_a_difference_shows_the_lines_around_it(monkeypatch):
    mutate(monkeypatch, *MUTANTS["a difference the wrong way round"][:3])
    found = rtl.lockstep(tiny.assemble(KERNEL, path="kernel.asm"), GPU("tiny", set=MACHINE))
    lines = str(found).splitlines()
    first = found.difference
    assert lines[0] == f"cycle {first.cycle}: cores[0].threads[0].alu_out is 254 in the hardware, the model says 2"
    assert "cores[0] is at kernel.asm:12 (SUB R4, R12, R3) in the model" in lines
    table = [line.split() for line in lines[lines.index("") + 2 :]]
    assert table[0][0] == "cycle"
    column = table[0].index("alu_out")
    assert [int(row[0]) for row in table[1:]] == list(range(first.cycle - 4, first.cycle + 3))
    assert table[5][column] == "2|254"
    assert "|" not in "".join(table[4])
    assert max(map(len, lines)) <= 80


def test_a_wrong_word_in_memory_is_a_difference(monkeypatch):
    from warploom.rtl.side_by_side import Pair

    kept = Pair.difference

    def spoil(pair):
        pair.host.memory.data[20] ^= 1
        return kept(pair)

    monkeypatch.setattr(Pair, "difference", spoil)
    found = rtl.lockstep(tiny.assemble(KERNEL), GPU("tiny", set=MACHINE))
    assert found.difference.field == "data memory[20]"
