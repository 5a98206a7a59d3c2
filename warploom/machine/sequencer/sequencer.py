"""Sequencer: the control of a core that runs one instruction at a time, for all threads of one block in step.

In hardware: a state machine (tiny-gpu calls it the scheduler) whose state every other unit of the core watches:

    IDLE     waits for the dispatcher's start line
    FETCH    until the fetcher has the instruction: 6 cycles at best
    DECODE   1 cycle: the control signals
    REQUEST  1 cycle: registers are read, load/store units start
    WAIT     until no load/store unit is at work: 1 cycle without a memory access, 8 at best with one
    EXECUTE  1 cycle: ALU, next program counters
    UPDATE   1 cycle: registers, condition bits and the program counter are written
    DONE     the block has ended; waits for the dispatcher's reset line

So an instruction costs 11 cycles, or 11 + 7 x (threads / data channels, rounded up) with a memory access. Nothing
overlaps: that is what makes it small, and slow.

`core.skip_wait` lets an instruction without a memory access go from REQUEST to EXECUTE.

Everything is clocked: at an edge each unit sees the others as they were before it. `cycle` therefore goes through
them in an order in which nobody reads what has changed already, or reads a copy made before.

Source: tiny-gpu, src/scheduler.sv, src/core.sv and src/gpu.sv.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.faults import FAULT_NUMBER, Fault, raise_fault
from warploom.machine.accounting.status import DONE, FAULT, LIMIT
from warploom.machine.datapath.register_file import ROWS, registers_of
from warploom.machine.engine.bits import EMPTY, bit, has, lowest
from warploom.machine.engine.sizes import MAX_LANES
from warploom.machine.engine.unit import inlined, record, unit
from warploom.machine.sequencer import states as core_states
from warploom.machine.sequencer.alu import execute as execute_alu
from warploom.machine.sequencer.controller import Controller
from warploom.machine.sequencer.controller import clock_edge as controller_edge
from warploom.machine.sequencer.decoder import ACCESS, NO_ACCESS, decode
from warploom.machine.sequencer.dispatcher import Dispatcher
from warploom.machine.sequencer.dispatcher import clock_edge as dispatcher_edge
from warploom.machine.sequencer.external_memory import answer_data, answer_program
from warploom.machine.sequencer.fetcher import FETCHED, Fetcher
from warploom.machine.sequencer.fetcher import clock_edge as fetcher_edge
from warploom.machine.sequencer.fetcher import reset as reset_fetcher
from warploom.machine.sequencer.lsu import ThreadLsu, begin, pass_answers, pass_requests, sample, unfinished
from warploom.machine.sequencer.lsu import clock_edge as lsu_edge
from warploom.machine.sequencer.lsu import reset as reset_lsu
from warploom.machine.sequencer.pc import advance
from warploom.machine.sequencer.pc import execute as execute_pc
from warploom.machine.sequencer.registers import follow_block, read, write
from warploom.machine.sequencer.registers import reset as reset_registers
from warploom.machine.sequencer.states import DECODE, EXECUTE, FETCH, IDLE, REQUEST, UPDATE, WAIT

DEADLOCK = FAULT_NUMBER["deadlock"]
CORE_DONE = core_states.DONE
MAX_LAUNCH_REGISTERS = 32

ThreadRegisters = registers_of(ROWS)  # of all threads of a core
SequencerCore = record(
    inputs=dict(
        # from the dispatcher
        block="i8",                              # block number
        threads="i8",                            # threads of the block; they are 0 .. threads - 1
        enabled="u8",                            # the same as a mask, bit t = thread t
    ),
    state=dict(
        state="i8",                              # a number of core_states.STATES
        pc="i8",                                 # instruction number
        row="i8",                                # control signals: a row of the decoder's table
        ends="i8",                               # control signal: 1 for an instruction that ends the block
        fresh="i8",                              # 1: reset, and the block's number has not reached the registers yet
        # its units
        fetcher=Fetcher,
        lsu=ThreadLsu,
        rs=("u4", MAX_LANES),                    # the register file's port registers, by thread
        rt=("u4", MAX_LANES),
        next_pc=("i8", MAX_LANES),               # by thread: instruction number
        registers=ThreadRegisters,
    ),
    counters=dict(
        spent=("i8", len(core_states.STATES)),   # thread-cycles by state; places without a thread count as idle
        program_wait="i8",                       # thread-cycles in FETCH with the request on its way
        data_wait="i8",                          # thread-cycles in WAIT of threads without an answer
        instructions="i8",
        thread_instructions="i8",
        loads="i8",                              # of threads
        stores="i8",                             # of threads
        divisions_by_zero="i8",                  # of threads
        zero_divisor_pc="i8",                    # the instruction of the first of them
    ),
)  # fmt: skip

SequencerGpu = record(
    settings=dict(
        cores="i8",
        threads_per_block="i8",
        memory_bytes="i8",
        program_words="i8",                      # instructions that program memory holds
        value_mask="i8",                         # the bits that a register has
        skip_wait="i8",                          # 1: REQUEST goes to EXECUTE without a memory access
        prefetch="i8",                           # 1: the next instruction is fetched while this one executes
        cache_sets="i8",                         # instruction cache of a core; 0: none
        cache_ways="i8",
        cache_line="i8",                         # instructions
        cache_latency="i8",                      # cycles
        partial_block="i8",                      # quirks, 0 or 1
        last_lane_decides="i8",
        compare_flags="i8",
        divide_zero="i8",
        wrap_pc="i8",
    ),
    launch=dict(
        program_rows="i8",                       # instructions of the program
        registers="i8",                          # lane registers that the program uses
        launch_registers="i8",                   # registers that a launch fills,
        launch_register=("i8", MAX_LAUNCH_REGISTERS),  # ... which ones,
        launch_special=("i8", MAX_LAUNCH_REGISTERS),   # ... and with which special register
    ),
    state=dict(
        cycle="i8",                              # clock edges so far
        dispatcher=Dispatcher,
        fetch_lines="u8",                        # request lines of the cores' fetchers, bit c = core c
        data_quiet="i8",                         # 1: nothing is on its way between the threads and data memory
        data=Controller,
        program=Controller,
        fault=Fault,
    ),
)  # fmt: skip


@unit
def run(gpu, cores, tables, units, limit):
    """Simulate until the cycle counter is `limit`, the kernel has ended, or a fault is written down. Returns the stop code.

    gpu: SequencerGpu. cores: SequencerCore[cores]. tables: the micro-ops and control signals as `decode_program` gives them, code and
    memory. units: the shared ALU's `execute`.
    """
    while gpu.fault.kind == 0:
        if gpu.dispatcher.done != 0:
            return DONE
        if gpu.cycle >= limit:
            return LIMIT
        cycle(gpu, cores, tables, units)
    return FAULT


@inlined
def cycle(gpu, cores, tables, units):
    """One clock edge of everything, and the memories' answers to what was requested before it."""
    finished = gpu.dispatcher.finished
    gpu.program.read_request[0] = gpu.fetch_lines
    moved = np.int64(0)
    quiet = gpu.data_quiet
    for number in range(gpu.cores):
        core = cores[number]
        if quiet == 0:
            sample(core)
        moved = moved + core_edge(gpu, core, number, tables, units)
    if quiet == 0:
        moved = moved + data_edge(gpu, cores, tables)
    if gpu.program.busy != 0 or gpu.program.read_request[0] != EMPTY:
        moved = moved + controller_edge(gpu.program)
        answer_program(gpu.program, tables.code)
    moved = moved + dispatcher_edge(gpu, cores, finished)
    gpu.cycle = gpu.cycle + 1
    if moved == 0 and gpu.dispatcher.done == 0:
        report_deadlock(gpu, cores)


@inlined
def core_edge(gpu, core, number, tables, units):
    """One clock edge of a core. Returns 0 when nothing in it has changed."""
    state = core.state
    threads = core.threads
    if state == IDLE or state == CORE_DONE:
        threads = gpu.threads_per_block
    elif threads < gpu.threads_per_block:
        core.spent[IDLE] += gpu.threads_per_block - threads
    core.spent[state] += threads
    if has(gpu.dispatcher.reset, number):
        reset(gpu, core, number)
        return 1
    fetched = core.fetcher.state == FETCHED and core.fetcher.address == core.pc
    moved = np.int64(1)
    if state == FETCH or state == DECODE or gpu.prefetch != 0:
        moved = np.int64(fetcher_edge(gpu, core, number))
    if state == FETCH:
        if fetched:
            core.state = DECODE
            return 1
        core.program_wait = core.program_wait + threads
        return moved
    if state == WAIT:
        unanswered = unfinished(core.lsu)
        if unanswered == 0:
            core.state = EXECUTE
            return 1
        core.data_wait = core.data_wait + unanswered
        return moved + lsu_edge(gpu, core, number, tables)
    if state == DECODE:
        decode(core, tables)
        core.state = REQUEST
    elif state == REQUEST:
        read(core, tables)
        begin(core, tables)
        core.state = EXECUTE if gpu.skip_wait != 0 and tables.signals[core.row, ACCESS] == NO_ACCESS else WAIT
    elif state == EXECUTE:
        execute_alu(gpu, core, tables, units)
        execute_pc(gpu, core, tables)
        core.state = UPDATE
    elif state == UPDATE:
        update(gpu, core, number, tables)
    elif state == IDLE:
        return idle(gpu, core, number)
    else:
        return 0
    return 1


@unit
def idle(gpu, core, number):
    """IDLE: the block's number reaches the registers, and the dispatcher's start line the state machine."""
    fresh = core.fresh
    if fresh != 0:
        follow_block(gpu, core)
        core.fresh = 0
    if has(gpu.dispatcher.start, number):
        core.state = FETCH
        return 1
    return fresh


@inlined
def update(gpu, core, number, tables):
    """UPDATE's closing edge: the results are written, and the core continues or has ended its block."""
    core.instructions = core.instructions + 1
    core.thread_instructions = core.thread_instructions + core.threads
    write(core, tables)
    core.lsu.done = EMPTY
    if core.ends != 0:
        gpu.dispatcher.finished = gpu.dispatcher.finished | bit(number)
        core.state = CORE_DONE
    else:
        advance(gpu, core, number, tables)
        if gpu.fault.kind == 0:
            core.state = FETCH


@unit
def reset(gpu, core, number):
    """The dispatcher's reset line: the core forgets its block."""
    core.state = IDLE
    core.pc = 0
    core.row = 0
    core.ends = 0
    core.fresh = 1
    gpu.dispatcher.finished = gpu.dispatcher.finished & ~bit(number)
    for thread in range(gpu.threads_per_block):
        core.next_pc[thread] = 0
    reset_fetcher(gpu, core.fetcher, number)
    reset_lsu(gpu, core, number)
    reset_registers(gpu, core)


@unit
def data_edge(gpu, cores, tables):
    """The way between the threads and data memory: registers, controller, memory. Returns 0 when nothing has changed."""
    moved = np.int64(0)
    for number in range(gpu.cores):
        moved = moved + pass_answers(gpu.data, cores[number].lsu, number)
    moved = moved + controller_edge(gpu.data)
    answer_data(gpu.data, tables.memory)
    lines = EMPTY
    for number in range(gpu.cores):
        before = gpu.data.read_request[number] | gpu.data.write_request[number]
        lines = lines | pass_requests(gpu.data, cores[number].lsu, number)
        if before != gpu.data.read_request[number] | gpu.data.write_request[number]:
            moved = np.int64(1)
    gpu.data_quiet = 1 if lines == EMPTY and gpu.data.busy == 0 else 0
    return moved


@unit
def report_deadlock(gpu, cores):
    """A whole cycle in which nothing has changed: nothing ever will."""
    left = gpu.dispatcher.start
    number = lowest(left) if left != EMPTY else np.int64(0)
    core = cores[number]
    raise_fault(gpu.fault, DEADLOCK, number, 0, core.pc, core.enabled, 0, 0, gpu.cycle)
