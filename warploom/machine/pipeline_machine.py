"""A machine of cores with warps: builds its state from a Config and a Program, and reads its results.

This is the workshop, not the hardware: everything here happens once, before the first cycle or after the last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.isa import uop as u
from warploom.isa.flow import with_reconvergence
from warploom.isa.program import FORMATS, LINEAR, POINT, SAMPLER_FILTER, VIEW_FORMAT, Program
from warploom.machine import cache as caches
from warploom.machine import dram as drams
from warploom.machine import pipeline_report
from warploom.machine.alu import execute
from warploom.machine.barrier import MAX_BARRIERS
from warploom.machine.channels import DATA_ANSWER, DATA_HOLD, PROGRAM_ANSWER, PROGRAM_HOLD
from warploom.machine.config import MAX_WARPS, Config
from warploom.machine.control import control
from warploom.machine.core import Core
from warploom.machine.device import FILL, MAX_LAUNCH_REGISTERS, SPLIT, SPREAD, Gpu, no_events, run, serve_events
from warploom.machine.divergence import MECHANISMS, WITH_MEETING_POINTS
from warploom.machine.divergence.contexts import SIDES
from warploom.machine.driver import LaunchError, Outcome
from warploom.machine.engine import Hook, mirror, native, zeros
from warploom.machine.events import EVENT_COLUMNS, MEMORY_ROWS_A_CYCLE, ROWS_A_CYCLE
from warploom.machine.limits import Demand, limits_of, residency
from warploom.machine.livelock import Watch
from warploom.machine.lsu import MAX_TRANSACTIONS, Lsu, load_store, no_load_store
from warploom.machine.memory_stage import access_memory, no_memory, no_texture, sample_texture
from warploom.machine.pipeline import step
from warploom.machine.reasons import ISSUES, PROFILE_COLUMNS
from warploom.machine.registers import WarpRegisters
from warploom.machine.result import Result
from warploom.machine.scheduler import POLICIES, Policy, Scheduler
from warploom.machine.scoreboard import LANE_GROUPS
from warploom.machine.texture import TEXELS

EVENT_ROWS = 1 << 16
ORDERS = {"spread": SPREAD, "fill": FILL, "split": SPLIT}


class PipelineMachine:
    """One run of a program on cores with warps. See `driver.Machine` for what it offers.

    policy: a scheduling policy instead of the configured one. tracing: write events down; they are kept in
    `events`, a list of int64[n, EVENT_COLUMNS] arrays.
    """

    entry = staticmethod(run)
    compile_seconds = 20.0

    def __init__(self, config: Config, program: Program, *, policy: Callable[..., int] | None = None, tracing: bool = False) -> None:
        program = with_reconvergence(program) if config.core.divergence in WITH_MEETING_POINTS else program
        self.config, self.program, self.tracing = config, program, tracing
        self.policy = Policy(policy, every_cycle=True) if policy is not None else POLICIES[config.core.scheduler]
        self.variant = "_".join(function.__name__ for function in self._units()[3:5])
        self.events: list[np.ndarray] = []
        self._check()
        self.gpu = zeros((), Gpu)
        self.cores = zeros(config.gpu.cores, Core)
        self.uops = np.ascontiguousarray(program.uops)
        self.code = np.ascontiguousarray(program.code)
        self.views = np.ascontiguousarray(program.views)
        self.samplers = np.ascontiguousarray(program.samplers)
        size = max(config.memory.bytes, program.memory_bytes, len(program.data))
        self.memory = np.zeros((size + 3) // 4, np.uint32)
        self.memory.view(np.uint8)[: len(program.data)] = program.data
        self.memory_bytes = size
        self.initial_memory = self.memory.view(np.uint8)[:size].copy()
        self.profile = np.zeros((len(program), PROFILE_COLUMNS), np.int64)
        rows = EVENT_ROWS + ROWS_A_CYCLE * config.gpu.cores + MEMORY_ROWS_A_CYCLE if tracing else 1
        self.event_buffer = np.zeros((rows, EVENT_COLUMNS), np.int64)
        self._set_up_device()
        for number in range(config.gpu.cores):
            self._set_up_core(mirror(self.cores[number : number + 1].reshape(())), number)
        self.watch = Watch(self)

    # ---- the protocol of driver.Machine

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""
        return int(self.gpu["now"])

    def arguments(self, native: bool) -> tuple[Any, ...]:
        """The entry's arguments without the limit, for one engine or the other."""
        tables = (self.uops, self.code, self.views, self.samplers, self.memory, self.profile, self.event_buffer)
        if native:
            return (self._gpu_record(), self.cores, *tables, *self._hooks())
        return (mirror(self.gpu), mirror(self.cores), *tables, *self._units())

    def _units(self) -> tuple[Callable[..., Any], ...]:
        """The functions that the run loop gets as arguments: those of units that the program does not use are left out."""
        units = {int(row[u.UNIT]) for row in self.program.uops}
        touches_memory = bool(units & {u.MEMORY, u.SHARED, u.TEXTURE})
        return (
            execute,
            self.policy.choose,
            control,
            access_memory if touches_memory else no_memory,
            sample_texture if u.TEXTURE in units else no_texture,
            load_store if touches_memory else no_load_store,
            serve_events if touches_memory else no_events,
            step,
        )

    def _gpu_record(self) -> Any:
        return self.gpu.reshape(1)[0]

    def _hooks(self) -> tuple[Hook, ...]:
        numba = native().numba
        types = numba.types
        number, table, rows = types.int64, types.Array(types.int32, 2, "C"), types.Array(types.int64, 2, "C")
        words, cores = types.Array(types.uint32, 1, "C"), types.Array(numba.from_dtype(Core), 1, "C")
        execute, policy, control, access, sampler, queue, system, live = self._units()
        execute_hook = Hook(execute, types.void, (WarpRegisters, table, number, number))
        sampler_hook = Hook(sampler, number, (Core, number, table, number, words, table, table, number))
        access_types = (Gpu, Core, number, number, number, table, table, table, table, words, rows, execute_hook, sampler_hook, number)
        policy_hook = Hook(policy, number, (Scheduler, number))
        control_hook = Hook(control, number, (Gpu, Core, number, number, table, table, number, rows, number))
        access_hook = Hook(access, number, access_types)
        queue_hook = Hook(queue, number, (Gpu, Core, Lsu, table, rows, rows, number))
        units = (execute_hook, policy_hook, control_hook, access_hook, sampler_hook, queue_hook)
        live_hook = Hook(live, number, (Gpu, Core, table, table, table, table, words, rows, rows, *units, number))
        return (*units, Hook(system, types.void, (Gpu, cores, table, rows, number)), live_hook)

    def drain(self) -> None:
        """Take the events out of the buffer."""
        rows = int(self.gpu["log"]["rows"])
        if rows:
            self.events.append(self.event_buffer[:rows].copy())
            self.gpu["log"]["rows"] = 0

    def finish(self, outcome: Outcome) -> Result:
        """What the run gave. `detail` holds the profile (int64[instructions, PROFILE_COLUMNS]), the events and the last registers."""
        pipeline_report.charge_the_rest(self)
        return Result(
            program=self.program,
            config=self.config,
            status=outcome.status,
            cycles=self.cycle,
            instructions=int(self.profile[:, ISSUES].sum()),
            memory=self.memory.view(np.uint8)[: self.memory_bytes],
            initial_memory=self.initial_memory,
            counters=pipeline_report.counters(self),
            fault=pipeline_report.fault_text(self),
            running=tuple(pipeline_report.running(self)) if outcome.status == "timeout" else (),
            engine=outcome.engine,
            seconds=outcome.seconds,
            detail={
                "profile": self.profile,
                "events": np.concatenate([np.zeros((0, EVENT_COLUMNS), np.int64), *self.events]),
                "registers": pipeline_report.final_registers(self),
            },
        )

    def state(self) -> tuple[bytes, ...]:
        """Everything that changes, as bytes: equal in two machines that have gone the same way."""
        return self.gpu.tobytes(), self.cores.tobytes(), self.memory.tobytes(), self.profile.tobytes()

    # ---- checks

    def _check(self) -> None:
        """Refuse what this machine cannot run, with the reason and what to change."""
        config, program = self.config, self.program
        if not len(program):
            raise LaunchError(f"{program.source.path}: the program has no instructions")
        if len(program) > config.memory.program_words:
            raise LaunchError(f"the program has {len(program)} instructions, memory.program_words = {config.memory.program_words}")
        if program.registers > u.HIDDEN:
            raise LaunchError(f"the program uses {program.registers} registers a thread, a thread can have {u.HIDDEN}")
        if config.core.lock == "lane" and (program.registers + program.lock_width - 1) // program.lock_width > LANE_GROUPS:
            raise LaunchError(
                f"core.lock = 'lane' has room for {LANE_GROUPS} registers, the program uses {program.registers}; use core.lock=register"
            )
        if len(program.launch.registers) > MAX_LAUNCH_REGISTERS:
            raise LaunchError(f"a launch can write {MAX_LAUNCH_REGISTERS} registers, the program wants {len(program.launch.registers)}")
        limit = config.memory.bytes
        if config.memory.kind == "channels" and max(program.memory_bytes, len(program.data)) > limit:
            raise LaunchError(f"the program needs {max(program.memory_bytes, len(program.data))} bytes of memory, memory.bytes = {limit}")
        used = {u.OPERATIONS[int(row[u.OP])].name for row in program.uops}
        if "sample" in used and config.texture.count == 0:
            raise LaunchError("the program samples textures, and this machine has no texture unit; set texture.count=1")
        if config.gpu.dispatch == "split" and (program.launch.shared_bytes or used & {"barrier", "barrier_arrive"}):
            raise LaunchError("a block whose warps lie on several cores has neither shared memory nor barriers; set gpu.dispatch=spread")

        if not 0 <= program.launch.entry < len(program):
            raise LaunchError(f"the launch begins at instruction {program.launch.entry}, the program has {len(program)}")
        for number in range(len(program)):
            most = self._most_transactions(number)
            if most > MAX_TRANSACTIONS:
                raise LaunchError(
                    f"{program.where(number)}: it may take {most} transactions, a load/store unit has room for {MAX_TRANSACTIONS}; "
                    f"use longer lines (l1.line = {config.l1.line}) or fewer lanes (core.lanes = {config.core.lanes})"
                )

    def _most_transactions(self, number: int) -> int:
        """The most transactions that an instruction can take: as many as its lanes touch lines, all in different ones."""
        program, line = self.program, self.config.l1.line
        first, pieces = int(program.code[number, u.FIRST]), 0
        for row in program.uops[first : first + int(program.code[number, u.COUNT])]:
            size, times = int(row[u.SIZE]), 1
            if row[u.UNIT] == u.TEXTURE:
                size = FORMATS[int(program.views[row[u.VIEW], VIEW_FORMAT])].bytes
                times = {POINT: 1, LINEAR: 4}.get(int(program.samplers[row[u.IMM], SAMPLER_FILTER]), TEXELS)
            elif row[u.UNIT] != u.MEMORY:
                continue
            # A cell that lies across lines: texels of 16 bytes lie anywhere, everything else is aligned.
            pieces += times * (1 + (size - 1) // line + (1 if size > 4 else 0))
        return pieces * self.config.core.lanes

    # ---- set-up

    def _set_up_device(self) -> None:
        config = self.config
        gpu = mirror(self.gpu)
        gpu.cores = config.gpu.cores
        gpu.every_cycle = int(self.policy.every_cycle)
        gpu.log.tracing = int(self.tracing)
        gpu.memory_bytes = self.memory_bytes
        gpu.line_shift = (config.l1.line - 1).bit_length()
        gpu.sector_shift = self._sector_shift(config.l1.line)
        self._set_up_grid(gpu.grid)
        gpu.shared_fetch.lines, gpu.shared_fetch.ahead = config.fetch.shared, config.fetch.ahead
        self._set_up_l2(gpu)
        gpu.has_dram = int(config.memory.kind == "dram")
        if gpu.has_dram:
            d, line = config.dram, max(config.l1.line, config.l2.line if config.l2.bytes else 1)
            drams.configure(gpu.dram, d.channels, line, d.latency, d.bandwidth, d.row, d.row_miss)
        for channels, count, width, hold, answer in (
            (gpu.data_channels, config.memory.data_channels, config.memory.channel_bytes, DATA_HOLD, DATA_ANSWER),
            (gpu.program_channels, config.memory.program_channels, 1, PROGRAM_HOLD, PROGRAM_ANSWER),
        ):
            channels.count, channels.width, channels.hold, channels.answer = count, width, hold, answer

    def _sector_shift(self, line: int) -> int:
        """log2 of a sector: the configured one, but no smaller than a 64th of the line and no larger than the line."""
        sector = min(max(self.config.lsu.sector, line // 64), line)
        return sector.bit_length() - 1

    def _set_up_grid(self, grid: Any) -> None:
        config, launch = self.config, self.program.launch
        grid.order = ORDERS[config.gpu.dispatch]
        grid.threads = launch.threads
        block = launch.block or config.core.threads_per_block
        grid.block_threads = block
        grid.blocks = (launch.threads + block - 1) // block
        grid.warps = (block + config.core.lanes - 1) // config.core.lanes
        grid.low, grid.high = 0, grid.blocks
        grid.entry, grid.argument, grid.latency = launch.entry, launch.argument, config.gpu.dispatch_latency
        grid.registers = len(launch.registers)
        for index, (register, name) in enumerate(launch.registers):
            grid.register[index], grid.special[index] = register, u.SPECIAL_NUMBER[name]
        self.block_threads = block
        self.resident = self._resident(block, int(grid.warps))

    def _resident(self, block: int, warps: int) -> int:
        """How many blocks a core holds at a time. Raises LaunchError with the resource that is short when it is none."""
        config, program = self.config, self.program
        if config.gpu.dispatch == "split":
            slots = config.gpu.cores * config.core.warps
            if warps > slots:
                each = -(-warps // config.gpu.cores)
                raise LaunchError(
                    f"a block has {warps} warps, the device has warp slots for {slots}; set core.warps={each} or use smaller blocks"
                )
            return config.core.warps
        found = residency(limits_of(config), Demand(block, program.registers, program.launch.shared_bytes))
        if found.blocks == 0:
            raise LaunchError(found.reason)
        return min(found.blocks, config.core.warps)

    def _set_up_l2(self, gpu: Any) -> None:
        config, l2 = self.config, gpu.l2
        l2.present = int(config.l2.bytes > 0)
        if not l2.present:
            return
        line = config.l2.line
        l2.banks, l2.latency, l2.limit = config.l2.banks, config.l2.latency, config.l2.mshrs
        l2.line_shift = line.bit_length() - 1
        l2.ratio_shift = l2.line_shift - gpu.line_shift
        l2.sector_shift = gpu.sector_shift
        l2.sectors_a_line = config.l1.line >> int(gpu.sector_shift)
        l2.write_back, l2.write_allocate = int(config.l2.write == "back"), int(config.l2.allocate)
        caches.configure(l2.cache, config.l2.bytes // (line * config.l2.ways), config.l2.ways, config.l2.replacement, 2)

    def _set_up_core(self, core: Any, number: int) -> None:
        config, program = self.config, self.program
        core.number = number
        core.warps.slots, core.warps.lanes = config.core.warps, config.core.lanes
        core.blocks.slots = self.resident
        core.blocks.shared_bytes = (program.launch.shared_bytes + 3) // 4 * 4
        core.divergence = MECHANISMS[config.core.divergence]
        core.paths.limit = core.masks.limit = config.core.stack_depth
        core.paths.first = core.contexts.first = SIDES[config.divergence.first]
        core.contexts.barrier_limit, core.contexts.patience = config.divergence.barriers, config.divergence.patience
        core.scoreboard.by_lane = int(config.core.lock == "lane")
        core.scheduler_count = config.core.schedulers
        core.warps.scheduler[:] = np.arange(MAX_WARPS) % config.core.schedulers
        for index in range(config.core.schedulers):
            scheduler = core.schedulers[index]
            owned = sum(1 << warp for warp in range(index, config.core.warps, config.core.schedulers))
            scheduler.owned, scheduler.last, scheduler.warps = np.uint64(owned), -1, config.core.warps
            scheduler.number, scheduler.step, scheduler.group_size = index, config.core.schedulers, config.core.fetch_group
        self._set_up_units(core)
        core.barriers.count = min(config.core.barriers, MAX_BARRIERS)
        core.branch_latency = config.core.branch_latency
        core.code_rows = len(program)
        core.code_step = int(program.code[1, u.ADDRESS] - program.code[0, u.ADDRESS]) if len(program) > 1 else 1
        core.clear_registers = program.registers
        for index, name in enumerate(u.LATENCIES):
            core.latency[index] = getattr(config.latency, name, 1)
        self._set_up_memory(core)

    def _set_up_units(self, core: Any) -> None:
        alu, lanes = self.config.alu, self.config.core.lanes
        core.alus.count, core.alus.depth = alu.count, alu.depth
        core.alus.passes = -(-lanes // (alu.width or lanes))
        core.specials.count = alu.special_count
        core.specials.passes = -(-lanes // (alu.special_width or lanes))

    def _set_up_memory(self, core: Any) -> None:
        config = self.config
        fetch = core.fetch
        f = config.fetch
        fetch.buffer, fetch.per_cycle, fetch.line, fetch.sets, fetch.ways = f.buffer, f.per_cycle, f.line, f.sets, f.ways
        fetch.latency, fetch.miss_latency = f.latency, f.miss_latency
        fetch.channels = int(config.memory.kind == "channels")
        core.shared_latency, core.shared_banks, core.shared_bank_bytes = (
            config.shared.latency,
            config.shared.banks,
            config.shared.bank_bytes,
        )
        lsu = core.lsu
        lsu.capacity, lsu.ports, lsu.merge = config.lsu.queue, config.lsu.ports, int(config.lsu.coalesce)
        lsu.line_shift, lsu.sector_shift = config.l1.line.bit_length() - 1, self._sector_shift(config.l1.line)
        lsu.latency, lsu.cached = config.l1.latency, int(config.l1.bytes > 0)
        lsu.write_back, lsu.write_allocate = int(config.l1.write == "back"), int(config.l1.allocate)
        lsu.misses.limit = config.l1.mshrs
        if lsu.cached:
            caches.configure(lsu.cache, config.l1.bytes // (config.l1.line * config.l1.ways), config.l1.ways, config.l1.replacement, 1)
        t = config.texture
        unit = core.texture
        unit.texture, unit.capacity, unit.ports, unit.merge = 1, t.queue or config.core.warps, t.ports * max(t.count, 1), 1
        unit.line_shift, unit.sector_shift = lsu.line_shift, lsu.sector_shift
        unit.latency, unit.cached, unit.misses.limit = t.latency, int(t.bytes > 0), t.mshrs
        if unit.cached:
            caches.configure(unit.cache, t.bytes // (config.l1.line * t.ways), t.ways, "fifo", 3)
