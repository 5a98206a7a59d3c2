"""Operand banks: conflicts as they were measured on hardware, collectors, and the reason of the warps that wait."""

import random
from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from tests.machine.programs import Assembly
from tests.machine.rates import cycles_each, made
from tests.machine.two_engines import both
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.machine.config.presets import load_config
from warploom.machine.core.operand_banks import OperandBanks, read_operands
from warploom.machine.device.decode import decode
from warploom.machine.engine.unit import mirror, unit

ONE_READ = {"operands__banks": 2, "operands__reads": 1, "operands__window": 3, "operands__reuse": False}
EVEN, ODD = (10, 12, 14), (9, 11, 13)


@unit
def drive(tables, steps, late):
    """Rows of `steps`: when an instruction issues, and its reads. `late`: by how much each comes late, and when the scheduler is free."""
    for k in range(steps.shape[0]):
        late[k, 0] = read_operands(tables[0], 0, steps[k, 1], steps[k, 0])
        late[k, 1] = tables[0].held[0]


def driven(steps, **settings):
    tables = np.zeros(1, OperandBanks)
    for name, value in ({"banks": 2, "reads": 1, "window": 3, "collectors": 0} | settings).items():
        tables[name] = value
    rows = np.array([(now, even | odd << 4) for now, even, odd in steps], np.int64)
    return both(drive, tables, rows, np.zeros((len(rows), 2), np.int64))[1][2].tolist()


@pytest.mark.parametrize(("even", "bubbles"), [(1, 0), (2, 1), (3, 2)])
def test_an_instruction_behind_one_with_three_operands_in_a_bank(even, bubbles):
    """Huerta et al., MICRO 2025, listing 1: no bubble, one, two, by how many operands of the second are in that bank too."""
    assert driven([(0, 3, 0), (1, even, 3 - even)])[1] == [bubbles, 2 + bubbles]


def test_a_bank_of_two_reads_a_cycle_has_no_conflict_there():
    assert driven([(0, 3, 0), (1, 3, 0), (2, 3, 0), (3, 3, 0)], reads=2) == [[0, 1], [0, 2], [0, 3], [0, 4]]


def test_an_instruction_without_operands_in_banks_is_late_by_nothing():
    assert driven([(5, 0, 0)], window=1) == [[0, 6]]
    assert driven([(5, 0, 0), (6, 0, 0)], collectors=1) == [[0, 6], [0, 7]]


def test_collectors_let_others_by_until_they_are_all_taken():
    """Three instructions that need a bank three times each: with one collector each waits for the one before, with two the third does."""
    steps = [(0, 3, 0), (1, 3, 0), (2, 3, 0)]
    assert [free for _, free in driven(steps, collectors=2)] == [1, 3, 3]
    assert driven(steps[:1], collectors=1) == [[0, 3]]
    assert [late for late, _ in driven(steps, collectors=2)] == [0, 2, 4]


def test_the_cycles_that_instructions_come_late_add_up():
    (operands,) = mirror(np.zeros(1, OperandBanks))
    operands.banks, operands.reads, operands.window = 2, 1, 3
    late = [int(read_operands(operands, 1, reads, np.int64(now))) for now, reads in ((0, 3), (1, 3), (2, 2), (9, 1))]
    assert late == [0, 2, 3, 0] and operands.late == 5


def test_three_operands_in_one_bank_slow_a_stream_of_multiply_adds_and_two_and_one_do_not():
    """A cycle each beyond the pipe's two: RTX 2070, github.com/sjfeng1999/gpu-arch-microbenchmark, IADD3 3.03 against 2.06."""
    same = [made("fma", register, *EVEN) for register in range(16, 24)]
    apart = [made("fma", register, *EVEN[:2], ODD[0]) for register in range(16, 24)]
    assert cycles_each(same, **ONE_READ) / 8 == 3
    assert cycles_each(apart, **ONE_READ) / 8 == 2
    assert cycles_each(same, operands__banks=0, operands__reuse=False) / 8 == 2


def test_a_mix_of_integers_and_floats_is_bound_by_banks_of_one_read():
    """Five operands for two instructions, three of them in one bank: 8/3 instructions a cycle. Measured on GA102: 2.65."""
    mixed = [made(name, register) for register, name in enumerate(("fma", "add") * 4, 16)]
    assert 16 * 8 / cycles_each(mixed, warps=16, **ONE_READ) == pytest.approx(8 / 3, rel=0.02)
    assert 16 * 8 / cycles_each(mixed, warps=16, operands__banks=0, operands__reuse=False) == 4


def test_a_late_instruction_has_its_result_late():
    chain = [made("fma", 8, 8, 10, 12), made("fma", 8, 8, 10, 12)]
    assert cycles_each(chain, **ONE_READ) == 8  # three reads fit into the window
    assert cycles_each(chain, **ONE_READ | {"operands__window": 2}) == 10


def conflicts(engine):
    code = Assembly()
    for _ in range(6):
        for register in range(16, 24):
            code(**made("fma", register, *EVEN))
    code("exit")
    settings = {name.replace("__", "."): value for name, value in ONE_READ.items()}
    gpu = GPU("sm", set={"fetch.buffer": 0, "memory.bytes": 1 << 16} | settings, engine=engine)
    return gpu.run(code.program(threads=256, block=256))


def test_a_conflict_is_a_dispatch_stall_and_every_cycle_has_one_reason():
    result = conflicts("python")
    counters = result.counters
    assert counters["dispatch_stall_warp_cycles"] > 100
    assert sum(value for name, value in counters.items() if name.endswith("_warp_cycles")) == counters["warp_cycles"]
    assert conflicts("native").counters == counters


def test_an_instruction_reads_each_register_of_a_pair_and_one_that_it_names_twice_once():
    code = Assembly()
    code("fma", dst=5, a=6, b=6, c=7)
    code("dadd", dst=8, a=10, b=12)
    code("add", dst=5, a=6, b=u.IMMEDIATE, imm=1)
    code("mov", dst=5, a=u.scalar(3))
    rows = decode(load_config("sm"), code.program())[:, u.BANK_READS]
    assert [(int(row) & 15, int(row) >> 4) for row in rows] == [(1, 1), (2, 2), (1, 0), (0, 0)]


@pytest.mark.parametrize("collectors", [0, 1, 2, 5])
@pytest.mark.parametrize("reads", [1, 2, 3])
@pytest.mark.parametrize(("banks", "window"), [(1, 1), (2, 3), (4, 2), (8, 3)])
def test_reads_of_each_bank_queue_up_and_collectors_hold_what_waits_for_them(banks, window, reads, collectors):
    """Against exact times: a bank does its reads one after the other, `reads` of them a cycle, from the issue on."""
    source = random.Random(banks * 100 + reads * 10 + collectors)
    (operands,) = mirror(np.zeros(1, OperandBanks))
    operands.banks, operands.reads, operands.window, operands.collectors = banks, reads, window, collectors
    done = [Fraction(0)] * banks
    free, now, total = [0] * collectors, 0, 0
    for _ in range(60):
        counts = [source.choice((0, 0, 0, 1, 1, 2, 3, 15)) for _ in range(banks)]
        word = sum(count << 4 * bank for bank, count in enumerate(counts))
        signed = word - (word >> 31 << 32)  # as a column of 32 bits has it
        done = [max(Fraction(now), at) + Fraction(count, reads) if count else at for at, count in zip(done, counts, strict=True)]
        gathered = max([now + 1, *(ceil(at) for at, count in zip(done, counts, strict=True) if count)])
        late = max(gathered - now - window, 0)
        held, total = now + 1 + late, total + late
        if collectors:
            free[next(index for index, at in enumerate(free) if at <= now)] = gathered
            held = max(min(free), now + 1)
        assert (read_operands(operands, 1, np.int32(signed), np.int64(now)), operands.held[1], operands.late) == (late, held, total)
        now = held + source.choice((0, 0, 0, 1, 7))
    assert not (operands.held[0] or operands.ready[0].any() or operands.collected[0].any())  # those of a different scheduler
