import pytest

from tests.machine.tiny_kernels import assemble, run
from warploom import GPU

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
