"""Model and hardware, every field of every cycle: recorded programs, recorded traces of the published hardware, random programs."""

import random
from functools import cache

import pytest

from tests.tiny_golden import NAMES, TRACED, program, recorded, recorded_trace, settings
from tests.tiny_lines import flat
from warploom import GPU, rtl, tiny
from warploom.rtl.bench import Bench, Host
from warploom.rtl.hardware import Hardware
from warploom.rtl.model import words
from warploom.rtl.simulator import Pysim

MOST_CYCLES = 3000  # of a recorded program that runs longer, or for ever
# Of every kind of kernel one, and of every shape of the machine; none takes 600 cycles.
SHORT = (
    "alu_chain4__c2_t4_d4", "br_masks__c2_t4_d4", "div_by_zero__c2_t4_d4", "loop_count10__c1_t2_d1", "matadd8_ref__c4_t4_d4",
    "matmul2x2_ref__c2_t4_d4", "memcopy16__c2_t4_d1", "rw_collide_a__c2_t4_d3", "same_addr_load8__c2_t4_d4", "zero_threads__c2_t4_d4",
)  # fmt: skip
PART_OF_THE_TIME = [pytest.param(name, marks=() if name in SHORT else pytest.mark.slow) for name in NAMES]


@pytest.mark.every(3)
@pytest.mark.parametrize("name", PART_OF_THE_TIME)
def test_a_recorded_program_agrees(name):
    gpu = GPU("tiny-original", set=settings(name))
    found = rtl.lockstep(program(name), gpu, max_cycles=min(MOST_CYCLES, recorded(name)["max_cycles"]))
    assert found.agrees, str(found)
    assert found.cycles == min(recorded(name)["cycles"], MOST_CYCLES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_program_agrees_with_the_documented_behaviour_too(name):
    found = rtl.lockstep(program(name), GPU("tiny", set=settings(name)), max_cycles=min(MOST_CYCLES, recorded(name)["max_cycles"]))
    assert found.agrees, str(found)


@cache
def play(name):
    """The hardware's rows of a recorded program, as dictionaries, without the model."""
    hardware = Hardware.of(GPU("tiny-original", set=settings(name)).config)
    bench, code = Bench(hardware), program(name)
    host, rows = Host(hardware, words(code), code.data.tolist(), code.launch.threads), []

    def drive(requests, probe):
        if rows or drive.begun:
            rows.append(dict(zip(bench.names, bench.row(probe()).tolist(), strict=True)))
        drive.begun = True
        return None if requests & 1 or len(rows) == recorded(name)["cycles"] else host.next(requests)

    drive.begun = False
    Pysim(bench).run(host.before, drive)
    return rows, host.memory.data


QUICK = ("ret_only8__c2_t4_d4", "zero_threads__c2_t4_d4")


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in TRACED])
def test_the_hardware_repeats_a_trace_of_the_published_hardware(name):
    rows, memory = play(name)
    for row, line in zip(rows, recorded_trace(name), strict=True):
        expected = flat(line)
        assert {field: row[field] for field in expected} == expected
        assert {field for field in row if field not in expected} == {f"fault.{part}" for part in ("kind", "core", "pc", "lanes")}
    assert memory == recorded(name)["final_data_memory"]


# ---------------------------------------------------------------------------------------------------------
# Documented behaviour, faults, options


def source(text, threads=4, data=""):
    return tiny.assemble(f".threads {threads}\n{data}\n{text}", path="kernel.asm")


SMALL = {"gpu.cores": 1, "core.threads_per_block": 2, "memory.data_channels": 1}
DIVERGE = "CONST R1, #1\nCMP %threadIdx, R1\nBRz OUT\nNOP\nOUT:\nRET"
OUTSIDE = "CONST R1, #200\nADD R1, R1, %threadIdx\nSTR R1, R1\nRET"
FAULTS = {  # a kernel, its machine, and what is said of it
    "divergence": (DIVERGE, {}, "kernel.asm:5 (BRz OUT): the threads of a block disagree on this branch: thread 1 takes it, thread 0"),
    "pc_out_of_range": ("NOP\nNOP", {}, "kernel.asm:4 (NOP): the program counter ran off the program, to instruction 2 of 2"),
    "address_out_of_range": (OUTSIDE, {"memory.bytes": 201}, "kernel.asm:5 (STR R1, R1): thread 1 accesses address 0xc9"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_the_models_with_code_place_and_threads(kind):
    text, changes, sentence = FAULTS[kind]
    found = rtl.lockstep(source(text), GPU("tiny", set=SMALL | changes))
    assert found.agrees, str(found)
    assert found.status == "error"
    assert sentence in found.fault


def test_of_two_faults_in_one_cycle_the_lower_core_has_it_and_the_other_stops_where_the_model_does():
    gpu = GPU("tiny", set=SMALL | {"gpu.cores": 2, "memory.program_channels": 2})
    found = rtl.lockstep(source(DIVERGE), gpu)
    assert found.agrees, str(found)
    assert "block 0, core 0" in found.fault


def test_a_partial_block_ends():
    loop = "CONST R1, #0\nCONST R2, #1\nCONST R3, #3\nL:\nADD R1, R1, R2\nCMP R1, R3\nBRn L\nSTR %threadIdx, R1\nRET"
    found = rtl.lockstep(source(loop, threads=3), GPU("tiny", set=SMALL))
    assert (found.agrees, found.status) == (True, "done"), str(found)
    quirky = rtl.lockstep(source(loop, threads=3), GPU("tiny-original", set=SMALL), max_cycles=600)
    assert (quirky.agrees, quirky.status) == (True, "timeout"), str(quirky)


def random_program(seed):
    """Words of every kind, opcodes that do nothing among them, that end after a while because branches go forwards."""
    chance = random.Random(seed)
    length = 12
    code = [0x9000 | register << 8 | chance.randrange(256) for register in range(4)]
    for place in range(4, length):
        opcode = chance.choice((0, 1, 2, 2, 3, 4, 5, 6, 7, 7, 8, 8, 9, 13, 14))
        operands = chance.randrange(4) << 8 | chance.choice((0, 1, 2, 3, 13, 15)) << 4 | chance.choice((0, 1, 2, 3, 14, 15))
        if opcode == 1:
            operands = chance.randrange(8) << 9 | chance.randrange(place + 1, length + 1)
        code.append(opcode << 12 | operands)
    code.append(0xF000)
    return tiny.program(code, [chance.randrange(256) for _ in range(200)], chance.choice((1, 3, 4, 7)))


def random_machine(seed):
    chance = random.Random(seed)
    switches = ("partial_block", "last_lane_decides", "compare_flags", "divide_zero", "wrap_pc")
    return {
        "gpu.cores": chance.choice((1, 2, 3)),
        "core.threads_per_block": chance.choice((1, 2, 3)),
        "memory.data_channels": chance.choice((1, 2, 3)),
        "memory.program_channels": chance.choice((1, 2)),
        "memory.bytes": chance.choice((256, 256, 200, 1000)),
        "core.skip_wait": chance.random() < 0.5,
        "core.prefetch": chance.random() < 0.5,
        **{f"quirks.{name}": chance.random() < 0.5 for name in switches},
    }


@pytest.mark.every(2)
@pytest.mark.parametrize("seed", [pytest.param(seed, marks=() if seed < 6 else pytest.mark.slow) for seed in range(60)])
def test_random_programs_on_random_machines_agree(seed):
    found = rtl.lockstep(random_program(seed), GPU("tiny", set=random_machine(seed)), max_cycles=600)
    assert found.agrees, str(found)
