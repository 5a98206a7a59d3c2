import random
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.tiny_kernels import assemble, run
from warploom import GPU
from warploom.isa.uop import Uop
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.sequencer import lsu
from warploom.machine.sequencer.decoder import ACCESS, ACCESS_UOP, COLUMNS
from warploom.machine.sequencer.decoder import LOAD as LOADS
from warploom.machine.sequencer.decoder import STORE as STORES
from warploom.machine.sequencer.sequencer import SequencerCore, SequencerGpu

LOAD = "LDR R1, R0\nRET"
STORE = "STR %threadIdx, R0\nRET"


@pytest.mark.parametrize("text", [LOAD, STORE])
@pytest.mark.parametrize("threads", [1, 2, 4, 8])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 8])
def test_an_access_costs_seven_cycles_for_every_round_of_the_channels(text, threads, channels):
    rounds = -(-threads // channels)
    cycles = run(text, threads=threads, core__threads_per_block=8, memory__data_channels=channels).cycles
    assert cycles == 11 * 2 + 5 + 7 * rounds


def test_an_access_goes_through_its_registers_a_cycle_each():
    rows = []
    for machine in GPU("tiny", set={"gpu.cores": 1}, engine="python").steps(assemble(LOAD, threads=1)):
        line = machine.trace_line()
        core, data = line["cores"][0], line["data_ctrl"]
        thread, channel = core["threads"][0], data["channels"][0]
        rows.append(
            (
                core["core_state"],
                thread["lsu_state"],
                thread["rv"],
                data["req_rv"],
                channel["state"],
                channel["rr"],
                data["ack_rr"],
                thread["rr"],
            )
        )
    first = next(index for index, row in enumerate(rows) if row[0] == 4)
    # core state, LSU, its request line, request register, channel, memory ready, acknowledgement, its register
    assert rows[first : first + 11] == [
        (4, 1, 0, 0, 0, 0, 0, 0),
        (4, 2, 1, 0, 0, 0, 0, 0),
        (4, 2, 1, 1, 0, 0, 0, 0),
        (4, 2, 1, 1, 2, 0, 0, 0),
        (4, 2, 1, 1, 2, 1, 0, 0),
        (4, 2, 1, 1, 4, 1, 1, 0),
        (4, 2, 1, 1, 4, 0, 1, 1),
        (4, 3, 0, 1, 4, 0, 1, 1),
        (5, 3, 0, 0, 4, 0, 1, 1),
        (6, 3, 0, 0, 0, 0, 0, 1),
        (1, 0, 0, 0, 0, 0, 0, 0),
    ]


def test_threads_that_store_to_one_address_leave_the_lowest_channels_value():
    assert run("STR R0, %threadIdx\nRET").memory[0] == 0
    assert run("STR R0, %threadIdx\nRET", memory__data_channels=1).memory[0] == 3


def test_an_address_behind_the_end_of_memory_is_a_fault_that_names_the_threads():
    text = "CONST R1, #16\nMUL R1, R1, %threadIdx\nLDR R2, R1\nRET"
    result = run(text, memory__bytes=32)
    assert result.status == "error"
    assert result.fault == (
        "kernel.asm:4 (LDR R2, R1): threads 2-3 access address 0x30, but memory has 0x20 bytes (block 0, core 0, cycle 33)"
    )


def test_a_timeout_says_which_threads_wait_for_an_answer():
    result = run(LOAD, max_cycles=15, memory__data_channels=1)
    assert result.running == (
        "core 0, block 0 (threads 0-3) is in WAIT at kernel.asm:2 (LDR R1, R0), threads 0-3 without an answer from data memory",
    )


@pytest.mark.parametrize("text", ["LDR R1, %threadIdx\nRET", "STR %threadIdx, R0\nRET"])
@pytest.mark.parametrize("room", [1, 2, 3, 4])
def test_every_lane_outside_of_memory_is_named_and_the_highest_address(text, room):
    machine = GPU("tiny", set={"memory.bytes": room}, engine="python").machine(assemble(text, threads=4))
    for _ in machine.steps(100):
        pass
    fault = machine.gpu["fault"]
    assert int(fault["lanes"]) == sum(1 << thread for thread in range(room, 4))
    if room < 4:
        assert (int(fault["value"]), int(fault["limit"])) == (3, room)


NUMBER, THREADS = 1, 6  # of the core, and in its block
LINES = ("requesting", "waiting", "done", "read_valid", "write_valid", "read_ready", "write_ready", "arriving_read", "arriving_write")


def units():
    """(device, core 1, its units) of six threads; all signals are 0."""
    gpu, (core,) = mirror(zeros((), SequencerGpu)), mirror(zeros(1, SequencerCore))
    core.threads, core.pc, gpu.cycle, gpu.threads_per_block, gpu.memory_bytes = THREADS, 7, 40, 8, 100
    return gpu, core, core.lsu


@pytest.mark.parametrize("seed", range(8))
def test_an_edge_takes_the_answers_of_those_who_wait_for_them(seed):
    source = random.Random(seed)
    gpu, core, own = units()
    bits = {name: source.getrandbits(THREADS) for name in LINES} | {"requesting": 0}
    if seed == 0:
        bits |= {"read_ready": 0, "write_ready": 0}
    for name, value in bits.items():
        setattr(own, name, np.uint64(value))
    own.read_data[:8], own.out[:8] = [*range(100, 108)], [*range(8)]
    answered = bits["waiting"] & (bits["read_ready"] | bits["write_ready"])
    assert lsu.clock_edge(gpu, core, NUMBER, None) == bool(answered)
    taken = [thread for thread in range(THREADS) if bits["read_valid"] & answered & 1 << thread]
    assert own.out[:8].tolist() == [thread + 100 * (thread in taken) for thread in range(8)]
    for name in ("read_valid", "write_valid", "waiting"):
        bits[name] &= ~answered
    bits["done"] |= answered
    assert {name: int(getattr(own, name)) for name in LINES} == bits


@pytest.mark.parametrize(("access", "other"), [(LOADS, "write"), (STORES, "read")])
@pytest.mark.parametrize("offset", [0, 30])
def test_each_thread_puts_its_address_and_its_data_on_its_lines_and_those_outside_of_memory_are_named(access, other, offset):
    """Of 100 bytes. The highest address outside is that of the fault."""
    for wrong in product((0, 1), repeat=3):
        gpu, core, own = units()
        signals = np.zeros((4, COLUMNS), np.int32)
        signals[3, [ACCESS, ACCESS_UOP]] = access, 1
        core.row, own.requesting, own.done = 3, np.uint64(0b111111), np.uint64(0)
        gpu.data.read_address[:], gpu.data.write_address[:], gpu.data.write_data[:], gpu.data_quiet = 55, 55, 55, 1
        addresses = [0, 1, 99 - offset if not wrong[0] else 100 - offset, 20, 60 + 300 * wrong[1], 9 + 120 * wrong[2]]
        core.registers.lane[2, :THREADS] = addresses
        core.registers.lane[3, :THREADS] = range(200, 200 + THREADS)
        row = Uop("load", dst=1, a=2, imm=offset, size=1) if access == LOADS else Uop("store", a=2, b=3, imm=offset, size=1)
        tables = SimpleNamespace(uops=np.array([Uop("nop").row(), row.row()], np.int32), signals=signals)
        assert lsu.clock_edge(gpu, core, NUMBER, tables) == 1
        meant = [address + offset for address in addresses] + [55, 55]
        mine, rest = ("read", "write") if access == LOADS else ("write", "read")
        assert getattr(gpu.data, f"{mine}_address")[NUMBER, :8].tolist() == meant
        assert (getattr(gpu.data, f"{rest}_address") == 55).all() and (getattr(gpu.data, f"{mine}_address")[0] == 55).all()
        assert gpu.data.write_data[NUMBER, :8].tolist() == ([55] * 8 if access == LOADS else [*range(200, 206), 55, 55])
        assert (getattr(own, f"{mine}_valid"), getattr(own, f"{other}_valid")) == (0b111111, 0)
        assert (own.waiting, own.requesting, own.done, gpu.data_quiet) == (0b111111, 0, 0, 0)
        outside = {thread: address for thread, address in enumerate(meant[:THREADS]) if address >= 100}
        fault = gpu.fault
        expected = (
            FAULT_NUMBER["address_out_of_range"],
            NUMBER,
            0,
            7,
            sum(1 << thread for thread in outside),
            max(outside.values(), default=0),
        )
        if outside:
            assert (fault.kind, fault.core, fault.warp, fault.pc, fault.lanes, fault.value, fault.limit, fault.cycle) == (
                *expected,
                100,
                40,
            )
        else:
            assert fault.kind == 0


def test_a_reset_clears_the_units_of_all_threads_and_not_the_registers_on_the_way():
    gpu, core, own = units()
    for name in LINES:
        setattr(own, name, np.uint64(0b11))
    own.out[:], own.read_data[:] = 9, 9
    for field in ("read_address", "write_address", "write_data"):
        getattr(gpu.data, field)[:] = 9
    lsu.reset(gpu, core, NUMBER)
    assert [int(getattr(own, name)) for name in LINES] == [0] * 5 + [0b11] * 4
    assert own.out[:9].tolist() == [0] * 8 + [9] and (own.read_data == 9).all()
    for field in ("read_address", "write_address", "write_data"):
        assert getattr(gpu.data, field)[NUMBER, :9].tolist() == [0] * 8 + [9] and (getattr(gpu.data, field)[0] == 9).all()


@pytest.mark.parametrize("seed", range(6))
def test_registers_between_units_and_controller_hand_on_what_was_there_before_the_edge(seed):
    source = random.Random(seed)
    gpu, _, own = units()
    bits = {name: source.getrandbits(THREADS) for name in LINES}
    for name, value in bits.items():
        setattr(own, name, np.uint64(value))
    lines = lsu.pass_requests(gpu.data, own, NUMBER)
    assert (gpu.data.read_request[NUMBER], gpu.data.write_request[NUMBER]) == (bits["arriving_read"], bits["arriving_write"])
    busy = ("read_valid", "write_valid", "arriving_read", "arriving_write", "read_ready", "write_ready")
    assert lines == np.bitwise_or.reduce([bits[name] for name in busy])
    lsu.sample(SimpleNamespace(lsu=own))
    assert (own.arriving_read, own.arriving_write) == (bits["read_valid"], bits["write_valid"])
    assert lsu.unfinished(own) == (bits["requesting"] | bits["waiting"]).bit_count()
    own.read_data[:8] = 5
    gpu.data.read_data[NUMBER, :8] = range(100, 108)
    for reads, writes in ((bits["read_ready"], bits["write_ready"]), (0b1011, bits["write_ready"]), (0b1011, bits["write_ready"] ^ 1)):
        same = (own.read_ready, own.write_ready) == (reads, writes)
        before = own.read_data[:8].tolist()
        gpu.data.read_ready[NUMBER], gpu.data.write_ready[NUMBER] = reads, writes
        assert lsu.pass_answers(gpu.data, own, NUMBER) == (not same)
        assert (own.read_ready, own.write_ready) == (reads, writes)
        new = [100 + thread if reads >> thread & 1 and not same else before[thread] for thread in range(8)]
        assert own.read_data[:8].tolist() == new
