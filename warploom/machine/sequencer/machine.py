"""A machine of cores that run one instruction at a time: builds its state from a Config and a Program, and reads its results.

This is the builder, not the hardware: everything here happens once, before the first cycle or after the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from warploom.isa import uop as u
from warploom.isa.needs import special_registers
from warploom.isa.program import Program
from warploom.isa.table_check import check_tables
from warploom.machine.accounting.faults import FAULTS, lanes_text, sentence
from warploom.machine.accounting.notes import writes_notes
from warploom.machine.accounting.status import LaunchError, Outcome
from warploom.machine.config.schema import Config
from warploom.machine.datapath.alu import execute
from warploom.machine.engine.native.piece import Fit, Hook
from warploom.machine.engine.pages import contents
from warploom.machine.engine.unit import mirror
from warploom.machine.run.driver import drive, slices
from warploom.machine.run.image import Image
from warploom.machine.run.result import RunResult
from warploom.machine.run.runnable import MOST_EVENTS, Listener
from warploom.machine.run.tables import Tables, Units
from warploom.machine.sequencer import states as core_states
from warploom.machine.sequencer.decoder import decode_program, pipelines
from warploom.machine.sequencer.fetcher import MAX_CACHE_LINES
from warploom.machine.sequencer.inspection import SequencerInspection
from warploom.machine.sequencer.sequencer import MAX_LAUNCH_REGISTERS, SequencerCore, SequencerGpu, ThreadRegisters, run
from warploom.machine.sequencer.sequencer import reset as reset_core
from warploom.machine.sequencer.trace import trace_line

if TYPE_CHECKING:
    from warploom.machine.engine.swaps import Swaps
    from warploom.machine.run.probe import Probe


class SequencerMachine:
    """One run of a program on cores that run one instruction at a time. See `run.protocol.Machine` for what it offers.

    Raises LaunchError when this machine cannot run the program.
    """

    entry: Callable[..., int] = staticmethod(run)
    compile_seconds = 6.0
    detector = None
    recorder = None

    def __init__(self, config: Config, program: Program) -> None:
        self.config, self.program = config, program
        check_tables(program, max(config.memory.bytes, program.memory_bytes, len(program.data)))
        _check(config, program)
        idle = program.beyond if config.quirks.free_opcodes else ()
        self.signals, self.uops = program.once(("decoded", idle), lambda: decode_program(program, idle))
        self.code = np.ascontiguousarray(program.code)
        self.memory = np.zeros((config.memory.bytes + 3) // 4, np.uint32)
        self.memory.view(np.uint8)[: len(program.data)] = program.data
        self.initial_memory = self._memory_bytes()
        self.gpu = np.zeros((), SequencerGpu)
        self.cores = np.zeros(config.gpu.cores, SequencerCore)
        self.gpu_state: Any = mirror(self.gpu)
        self.core_states: Any = mirror(self.cores)
        self.tracing = False
        self.families: tuple[Fit, ...] = ()
        self.probes: list[Probe] = []
        self.swaps: Swaps = ()
        self.listener: Listener | None = None
        self.most_events = MOST_EVENTS
        self._set_up_gpu(self.gpu_state)
        for number, core in enumerate(self.core_states):
            self._set_up_core(core, number)

    # ---- the protocol of run.protocol.Machine

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""
        return int(self.gpu["cycle"])

    @property
    def blocks(self) -> tuple[int, int]:
        """How many blocks of the launch have ended, and how many there are."""
        return int(self.gpu["dispatcher"]["ended"]), int(self.gpu["dispatcher"]["total"])

    def arguments(self, native: bool) -> tuple[Any, ...]:
        """The entry's arguments without the limit, for one engine or the other."""
        tables = Tables(uops=self.uops, code=self.code, signals=self.signals, memory=self.memory)
        if native:
            return (self.gpu.reshape(1)[0], self.cores, tables, Units(execute=_alu_hook()))
        return (self.gpu_state, self.core_states, tables, Units(execute=execute))

    def stand_ins(self) -> dict[str, Any]:
        """See `run.runnable.Runnable`: it has no slots."""
        return {}

    def drain(self) -> None:
        """This machine records no events: a run is deterministic, and a view steps through it again."""

    @property
    def inspection(self) -> SequencerInspection:
        """What is in it now."""
        return SequencerInspection(self)

    def finish(self, outcome: Outcome) -> RunResult:
        """What the run gave."""
        return RunResult(
            program=self.program,
            config=self.config,
            status=outcome.status,
            cycles=self.cycle,
            instructions=int(self.cores["instructions"].sum()),
            memory=self._memory_bytes(),
            initial_memory=self.initial_memory,
            counters=self.counters(),
            fault=self.fault_text() if outcome.status == "error" else "",
            running=tuple(self.running()) if outcome.status != "done" else (),
            remarks=tuple(self.remarks()),
            engine=outcome.engine,
            seconds=outcome.seconds,
            rebuild=partial(SequencerMachine, self.config, self.program),
        )

    # ---- step by step

    def steps(self, last: int, first: int = 0) -> Iterator[SequencerMachine]:
        """Run on clock edge by clock edge, in plain Python, to cycle `last` or the end; this very machine after each edge past `first`."""
        if self.cycle < first:
            drive(self, max_cycles=first)
        for _ in slices(self, last):
            yield self

    def trace_line(self) -> dict[str, Any]:
        """The state after the last clock edge, with the fields of the original hardware's traces."""
        return trace_line(self.gpu, self.cores, self.program, self.cycle - 1)

    # ---- results

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Everything that changes."""
        return self.gpu, self.cores, self.memory

    def whole(self) -> tuple[np.ndarray, ...]:
        """The same: what a checkpoint has to keep."""
        return self.arrays()

    def image(self) -> Image:
        """All of it now, as bytes and as JSON."""
        return Image.of(self)

    def state(self) -> tuple[bytes, ...]:
        """What they hold, as bytes: equal in two machines that have run alike."""
        return tuple(contents(array) for array in self.arrays())

    def counters(self) -> dict[str, int]:
        """The counters, by their names in `counters.COUNTERS`."""
        cores, gpu = self.cores, self.gpu
        found = {"cycles": self.cycle}
        found |= {name: int(cores[name].sum()) for name in ("instructions", "thread_instructions", "loads", "stores", "divisions_by_zero")}
        spent = cores["spent"].sum(axis=0)
        found |= {f"{state}_thread_cycles": int(spent[number]) for number, state in enumerate(core_states.STATES)}
        found["program_wait_thread_cycles"] = int(cores["program_wait"].sum())
        found["data_wait_thread_cycles"] = int(cores["data_wait"].sum())
        for name in ("program", "data"):
            found[f"{name}_requests"] = int(gpu[name]["requests"])
            found[f"{name}_channel_busy_cycles"] = int(gpu[name]["busy_cycles"])
        found["fetch_hits"] = int(cores["fetcher"]["hits"].sum())
        found["prefetches_thrown_away"] = int(cores["fetcher"]["thrown_away"].sum())
        return found

    def fault_text(self) -> str:
        """The fault as a sentence with its place in the source: `matmul.asm:12 (BRn LOOP): ...`; "" when there is none."""
        fault = self.gpu["fault"]
        if int(fault["kind"]) == 0:
            return ""
        number, core = int(fault["core"]), self.cores[int(fault["core"])]
        text = f"{self.program.where(int(fault['pc']))}: {sentence(fault, 'thread')}"
        text += f" (block {int(core['block'])}, core {number}, cycle {int(fault['cycle'])})"
        if FAULTS[int(fault["kind"])].name == "deadlock":
            text += "; " + "; ".join(self.running())
        return text

    def running(self) -> list[str]:
        """Where each core with a block is: one line a core, with source line, state and threads."""
        start, lines = int(self.gpu["dispatcher"]["start"]), []
        for number, core in enumerate(self.cores):
            if start >> number & 1:
                state = core_states.STATES[int(core["state"])].upper()
                place, threads = self.program.where(int(core["pc"])), lanes_text(int(core["enabled"]))
                waiting = int(core["lsu"]["requesting"] | core["lsu"]["waiting"])
                wait = f", {lanes_text(waiting)} without an answer from data memory" if waiting else ""
                lines.append(f"core {number}, block {int(core['block'])} ({threads}) is in {state} at {place}{wait}")
        return lines

    def remarks(self) -> list[str]:
        """What a user should know of a run although it is not a fault."""
        dividing = [core for core in self.cores if core["divisions_by_zero"]]
        if not dividing:
            return []
        count = sum(int(core["divisions_by_zero"]) for core in dividing)
        gave = 0 if self.config.quirks.divide_zero else (1 << self.program.value_bits) - 1
        place = self.program.where(min(int(core["zero_divisor_pc"]) for core in dividing))
        return [f"{place}: {count} division{'s' if count > 1 else ''} by zero in all, which gave {gave}; this is where the first one was"]

    def _memory_bytes(self) -> np.ndarray:
        return self.memory.view(np.uint8)[: self.config.memory.bytes].copy()

    # ---- set-up

    def _set_up_gpu(self, gpu: Any) -> None:
        config, program = self.config, self.program
        gpu.cores, gpu.threads_per_block = config.gpu.cores, config.core.threads_per_block
        gpu.memory_bytes = config.memory.bytes
        gpu.program_rows, gpu.program_words = len(program), config.memory.program_words
        gpu.registers = program.registers
        gpu.value_mask = (1 << program.value_bits) - 1
        gpu.launch_registers = len(program.launch.registers)
        for index, (register, name) in enumerate(program.launch.registers):
            gpu.launch_register[index], gpu.launch_special[index] = register, u.SPECIAL_NUMBER[name]
        gpu.skip_wait, gpu.prefetch = int(config.core.skip_wait), int(config.core.prefetch)
        fetch = config.fetch
        gpu.cache_sets, gpu.cache_ways, gpu.cache_line, gpu.cache_latency = fetch.sets, fetch.ways, fetch.line, fetch.latency
        for name in ("partial_block", "last_lane_decides", "compare_flags", "divide_zero", "wrap_pc"):
            setattr(gpu, name, int(getattr(config.quirks, name)))
        gpu.data_quiet = 1
        for controller, groups, width, channels in (
            (gpu.data, config.gpu.cores, config.core.threads_per_block, config.memory.data_channels),
            (gpu.program, 1, config.gpu.cores, config.memory.program_channels),
        ):
            controller.groups, controller.width, controller.channels = groups, width, channels
        dispatcher = gpu.dispatcher
        dispatcher.threads = program.launch.threads
        dispatcher.total = -(-program.launch.threads // config.core.threads_per_block)
        dispatcher.reset = np.uint64((1 << config.gpu.cores) - 1)

    def _set_up_core(self, core: Any, number: int) -> None:
        config, program = self.config, self.program
        core.threads = config.core.threads_per_block
        core.enabled = np.uint64((1 << config.core.threads_per_block) - 1)
        special = core.registers.special
        for name, value in (
            ("block_capacity", config.core.threads_per_block),
            ("block_threads", config.core.threads_per_block),
            ("grid_threads", program.launch.threads),
            ("lanes", config.core.threads_per_block),
            ("warps", 1),
            ("cores", config.gpu.cores),
            ("core", number),
            ("argument", program.launch.argument),
        ):
            special[u.SPECIAL_NUMBER[name]] = value
        reset_core(self.gpu_state, core, number)


def _alu_hook() -> Hook:
    """The shared ALU as a pointer, so that the sequencer is compiled without it."""
    number = np.dtype(np.int64)
    return Hook(execute, None, (ThreadRegisters, Tables, number, number))


def _check(config: Config, program: Program) -> None:
    """Refuse what this machine cannot run, with the reason and what to change."""
    launch, path = program.launch, program.source.path
    block = config.core.threads_per_block
    most_threads = (1 << program.value_bits) - 1
    most_bytes = max(len(program.data), 1)
    if program.launch.dimensions > 1:
        raise LaunchError(
            f"{program.source.path}: grid {program.launch.grid}, block {program.launch.block}: this machine numbers threads and blocks "
            "in one dimension; launch a number of threads, in blocks of a number"
        )
    if not len(program):
        raise LaunchError(f"{path}: the program has no instructions")
    if config.quirks.free_opcodes and program.extensions:
        place = program.where(program.extensions[0])
        raise LaunchError(f"{place}: the published hardware has no such instruction; add --gpu tiny-simt")
    if len(program) > config.memory.program_words:
        raise LaunchError(
            f"{path}: the program has {len(program)} instructions, program memory holds {config.memory.program_words}; "
            f"add --set memory.program_words={len(program)}"
        )
    for missing, what in (
        (writes_notes(program), "writes notes, and this machine has no log for them"),
        (special_registers(program) & {*u.BY_DIMENSION}, "numbers its threads by dimension, and this machine counts them in one"),
        (launch.scalars, "is launched with scalar registers, which this machine does not write"),
    ):
        if missing:
            raise LaunchError(f"{path}: the program {what}; run it on --gpu sm")
    if (program.uops[:, u.DATAPATH] == u.DOUBLE_PRECISION).any():
        raise LaunchError(f"{path}: the program computes with 64-bit floats, and this machine's ALUs have none; run it on --gpu sm")
    if program.registers > u.HIDDEN:
        raise LaunchError(f"{path}: the program uses {program.registers} registers per thread, a thread can have {u.HIDDEN}")
    if not 0 <= launch.threads <= most_threads:
        raise LaunchError(f"{path}: threads = {launch.threads}: the device control register takes 0 to {most_threads}")
    if launch.block not in (0, block):
        raise LaunchError(
            f"{path}: the program wants blocks of {launch.block} threads, a core runs blocks of {block}; "
            f"add --set core.threads_per_block={launch.block}"
        )
    if most_bytes > config.memory.bytes:
        raise LaunchError(f"{path}: {most_bytes} bytes of data, data memory has {config.memory.bytes}; add --set memory.bytes={most_bytes}")
    if len(launch.registers) > MAX_LAUNCH_REGISTERS:
        raise LaunchError(f"{path}: a launch can write {MAX_LAUNCH_REGISTERS} registers, the program wants {len(launch.registers)}")
    if launch.entry != 0:
        raise LaunchError(f"{path}: the program starts at instruction {launch.entry}, and this kind of core always starts at 0")
    if config.memory.kind != "channels":
        raise LaunchError(
            f"memory.kind = {config.memory.kind!r}: a core that runs one instruction at a time has memory channels; {pipelines()}"
        )
    lines = config.fetch.sets * config.fetch.ways
    if lines > MAX_CACHE_LINES:
        raise LaunchError(f"fetch.sets x fetch.ways = {lines}: the instruction cache has at most {MAX_CACHE_LINES} lines")
