"""Load/store unit of a thread, and the pass-through registers between the LSUs and the data memory controller.

In hardware: every thread has its own, a state machine with an address, a data and an output register; nothing is
coalesced and nothing is cached, so four threads that read one word make four requests. Together with the
controller's handshake and the registers on the way an access takes 7 cycles more than an instruction that makes none, and
one data channel takes a new request every 7 cycles.

States: idle, REQUESTING (1), WAITING (2), DONE (3). Here each state is a mask with one bit per thread, because the
threads of a block enter it together.

Source: tiny-gpu, src/lsu.sv, and src/gpu.sv for the registers on the way.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import IMM, A, B
from warploom.machine.accounting.faults import FAULT_NUMBER, raise_fault
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import EMPTY, bit, lowest, popcount, rest
from warploom.machine.engine.sizes import MAX_LANES
from warploom.machine.engine.unit import record, unit
from warploom.machine.sequencer.decoder import ACCESS, ACCESS_UOP, LOAD, NO_ACCESS, STORE

ADDRESS_OUT_OF_RANGE = FAULT_NUMBER["address_out_of_range"]

ThreadLsu = record(
    inputs=dict(
        # pass-through registers, towards the threads
        read_ready="u8",                 # ready lines, bit t = thread t
        write_ready="u8",
        read_data=("u4", MAX_LANES),     # by thread: what was read for it
    ),
    state=dict(
        requesting="u8",                 # threads in each state, bit t = thread t; a thread in none of them is idle
        waiting="u8",
        done="u8",
        read_valid="u8",                 # request lines, bit t = thread t; the addresses lie in the controller's record
        write_valid="u8",
        out=("u4", MAX_LANES),           # output registers, by thread: what a load has brought
        # pass-through registers, towards the controller: what they take at this edge
        arriving_read="u8",              # bit t = thread t
        arriving_write="u8",
    ),
)  # fmt: skip


@unit
def begin(core, tables):
    """REQUEST's closing edge: the threads' units start when the instruction accesses memory."""
    access = tables.signals[core.row, ACCESS]
    if access != NO_ACCESS:
        core.lsu.requesting = core.enabled
        if access == LOAD:
            core.loads = core.loads + core.threads
        else:
            core.stores = core.stores + core.threads


@unit
def clock_edge(gpu, core, number, tables):
    """One clock edge in WAIT: requests go up, answers are taken. Returns 1 when something has changed."""
    lsu = core.lsu
    if lsu.requesting != EMPTY:
        request(gpu, core, number, tables)
        return 1
    answered = lsu.waiting & (lsu.read_ready | lsu.write_ready)
    if answered == EMPTY:
        return 0
    left = lsu.read_valid & answered
    while left != EMPTY:
        thread = lowest(left)
        left = rest(left)
        lsu.out[thread] = lsu.read_data[thread]
    lsu.read_valid = lsu.read_valid & ~answered
    lsu.write_valid = lsu.write_valid & ~answered
    lsu.waiting = lsu.waiting & ~answered
    lsu.done = lsu.done | answered
    return 1


@unit
def request(gpu, core, number, tables):
    """REQUESTING: every thread puts its address, and its data, on its request lines."""
    lsu = core.lsu
    k = np.int64(tables.signals[core.row, ACCESS_UOP])
    base = core.registers.lane[source(core.registers, tables.uops, k, A, 0, core.threads)]
    offset = np.int64(tables.uops[k, IMM])
    outside = EMPTY
    highest = np.int64(0)
    if tables.signals[core.row, ACCESS] == STORE:
        data = core.registers.lane[source(core.registers, tables.uops, k, B, 1, core.threads)]
        for thread in range(core.threads):
            address = np.int64(base[thread]) + offset & np.int64(0xFFFFFFFF)
            if address >= gpu.memory_bytes:
                outside = outside | bit(thread)
                highest = max(highest, address)
            gpu.data.write_address[number, thread] = address
            gpu.data.write_data[number, thread] = data[thread]
        lsu.write_valid = lsu.requesting
    else:
        for thread in range(core.threads):
            address = np.int64(base[thread]) + offset & np.int64(0xFFFFFFFF)
            if address >= gpu.memory_bytes:
                outside = outside | bit(thread)
                highest = max(highest, address)
            gpu.data.read_address[number, thread] = address
        lsu.read_valid = lsu.requesting
    if outside != EMPTY:
        raise_fault(gpu.fault, ADDRESS_OUT_OF_RANGE, number, 0, core.pc, outside, highest, gpu.memory_bytes, gpu.cycle)
    lsu.waiting = lsu.requesting
    lsu.requesting = EMPTY
    gpu.data_quiet = 0


@unit
def unfinished(lsu):
    """How many threads' units have not got their answer yet."""
    return popcount(lsu.requesting | lsu.waiting)


@unit
def reset(gpu, core, number):
    """The core's reset line. The pass-through registers have none."""
    lsu = core.lsu
    lsu.requesting = EMPTY
    lsu.waiting = EMPTY
    lsu.done = EMPTY
    lsu.read_valid = EMPTY
    lsu.write_valid = EMPTY
    for thread in range(gpu.threads_per_block):
        lsu.out[thread] = 0
        gpu.data.read_address[number, thread] = 0
        gpu.data.write_address[number, thread] = 0
        gpu.data.write_data[number, thread] = 0


# ---------------------------------------------------------------------------------------------------------
# Pass-through registers: one cycle each way, never reset, one set a core.


@unit
def sample(core):
    """Before the edge: what the registers towards the controller will take."""
    core.lsu.arriving_read = core.lsu.read_valid
    core.lsu.arriving_write = core.lsu.write_valid


@unit
def pass_answers(controller, lsu, number):
    """The registers towards the threads take the controller's answers as they were before the edge. Returns 0 when none is new."""
    if lsu.read_ready == controller.read_ready[number] and lsu.write_ready == controller.write_ready[number]:
        return 0
    lsu.read_ready = controller.read_ready[number]
    lsu.write_ready = controller.write_ready[number]
    left = lsu.read_ready
    while left != EMPTY:
        thread = lowest(left)
        left = rest(left)
        lsu.read_data[thread] = controller.read_data[number, thread]
    return 1


@unit
def pass_requests(controller, lsu, number):
    """The registers towards the controller take the request lines as they were before the edge. Returns all lines of this core."""
    controller.read_request[number] = lsu.arriving_read
    controller.write_request[number] = lsu.arriving_write
    return lsu.read_valid | lsu.write_valid | lsu.arriving_read | lsu.arriving_write | lsu.read_ready | lsu.write_ready
