"""A machine of cores with warps: builds its state from a Config and a Program, and reads its results.

This is the builder, not the hardware: everything here happens once, before the first cycle or after the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from warploom.isa.analysis.control_flow import with_reconvergence
from warploom.isa.analysis.spins import with_yields
from warploom.isa.counts import numbers
from warploom.isa.needs import traces
from warploom.isa.program import Program
from warploom.isa.regions import SPACE_BYTES, AddressSpace, RegionError, flat_memory, for_machine
from warploom.isa.table_check import check_tables
from warploom.machine.accounting.events import EVENT_COLUMNS, MEMORY_ROWS_A_CYCLE, ROWS_A_CYCLE
from warploom.machine.accounting.notes import new_log, notes_of, printed
from warploom.machine.accounting.reasons import ISSUES, PROFILE_COLUMNS
from warploom.machine.accounting.status import LaunchError, Outcome, TooManyEvents
from warploom.machine.config.roles import names_barriers, obeys_words
from warploom.machine.config.schema import Config
from warploom.machine.core.core import Core
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.core.divergence.dwf import foremost
from warploom.machine.core.divergence.named_barriers import BY_NAME
from warploom.machine.core.divergence.thread_pool import depends_on_warps, with_thread_numbers
from warploom.machine.core.issue_rules import ISSUE_RULES
from warploom.machine.core.scheduling.policies import POLICIES, Policy
from warploom.machine.device import report as pipeline_report
from warploom.machine.device.bare import bare, single_issue
from warploom.machine.device.check import check, check_grid
from warploom.machine.device.decode import decode
from warploom.machine.device.device import Gpu, run
from warploom.machine.device.handed import hooks_of, units_of
from warploom.machine.device.held import Held
from warploom.machine.device.inspection import PipelineInspection
from warploom.machine.device.memory_system import tracks_bytes
from warploom.machine.device.remarks.barriers import left_out
from warploom.machine.device.remarks.overwritten import overwritten
from warploom.machine.device.remarks.stacks import full_stacks
from warploom.machine.device.remarks.touched_memory import touched_memory
from warploom.machine.device.rooms import rooms_of_core, rooms_of_device
from warploom.machine.device.setup import first_level_of, set_up_core, set_up_device
from warploom.machine.device.storage import Storage, set_up_spaces, spare_pages
from warploom.machine.engine.layout import bytes_of
from warploom.machine.engine.native.piece import Fit
from warploom.machine.engine.pages import Pages, contents, in_use, repeat_first
from warploom.machine.engine.swaps import Socket, Swaps, reached
from warploom.machine.engine.unit import aligned, mirror, zeros
from warploom.machine.occupancy.resident import resident_blocks
from warploom.machine.run.image import Image
from warploom.machine.run.policy_watch import detector_of
from warploom.machine.run.probe import Probe
from warploom.machine.run.recording import Recorder
from warploom.machine.run.result import Detail, RunResult
from warploom.machine.run.runnable import MOST_EVENTS, ClockEdge, Listener
from warploom.machine.run.tables import Tables, Units
from warploom.machine.slots import prepare, stand_in, swaps_of
from warploom.machine.slots.scheduler import policy_socket

EVENT_ROWS = 1 << 16


class Watcher(Protocol):
    """Who looks at a run from inside: a hook, and the tables that it keeps."""

    @property
    def unit(self) -> Callable[..., None]:
        """Called with (gpu, core, warp, pc, tables, k, now) before micro-op `k` of an instruction is executed."""

    @property
    def access(self) -> Callable[..., int]:
        """Stands in for `access_memory`."""

    def tables(self, machine: PipelineMachine) -> dict[str, np.ndarray]:
        """The members of `Tables` that are the watcher's own, before the first cycle."""


class PipelineMachine:
    """One run of a program on cores with warps. See `run.protocol.Machine` for what it offers.

    units: functions of a user's by slot, in place of the configured ones. tracing: write events down; they are handed to `listener` as the
    run goes, or kept in `events`, a list of int64[n, EVENT_COLUMNS] arrays. recording: every change of registers and memory too.
    held: memory and caches that outlive the run, in place of the program's own. before: a copy of them, by which the run can be repeated.
    reusable: `begin_again` will be called. watcher: looks at micro-ops before they are executed.
    """

    entry = staticmethod(run)
    compile_seconds = 15.0

    def __init__(
        self,
        config: Config,
        program: Program,
        *,
        units: Mapping[str, Callable[..., int]] | None = None,
        tracing: bool = False,
        recording: bool = False,
        held: Held | None = None,
        before: Held | None = None,
        reusable: bool = False,
        watcher: Watcher | None = None,
    ) -> None:
        check_tables(program, max(config.memory.bytes, program.memory_bytes, len(program.data)) if held is None else held.used)
        if any(region.thread_bytes for region in program.regions):
            try:
                threads = config.core.warps * config.core.lanes
                program = replace(program, regions=for_machine(program.regions, config.gpu.cores, threads))
            except RegionError as error:
                raise LaunchError(f"{program.source.path}: {error}; use fewer cores, warps or lanes") from None
        self._space = program.address_space(config.memory.bytes) if held is None else flat_memory(held.used)
        self.held, self.before = held, before
        asks = "divergence" in (units or {}) or MECHANISMS[config.core.divergence].uses_reconvergence_pc
        program = with_reconvergence(program) if asks else program
        program = with_yields(program) if asks and config.core.divergence in ("its", "minpc") else program
        self.config, self.program, self.tracing = config, program, tracing or recording
        self.forms_warps = config.core.divergence == "dwf"
        self.users_units = dict(units or {})
        own = self.users_units.get("scheduler")
        self.policy = Policy(own, every_cycle=True) if own is not None else self._policy()
        issue = ISSUE_RULES["control" if obeys_words(config, program) else "scoreboard"]
        self.swaps = (*issue, *(BY_NAME if names_barriers(config, program) else ()), *swaps_of(self.users_units))
        self.events: list[np.ndarray] = []
        self.listener: Listener | None = None
        self.most_events = MOST_EVENTS
        self._kept = 0
        check(config, program)
        self.gpu = zeros((), Gpu, rooms_of_device(config, tracks_bytes(config), traces(program)))
        # As the hardware sees it; `program` stays as the user wrote it.
        self.moves_threads = self.forms_warps and not depends_on_warps(program)
        self.loaded = with_thread_numbers(program) if self.moves_threads else program
        self.uops = aligned(self.loaded.uops)
        self.code = aligned(decode(config, program))
        self.views = np.ascontiguousarray(program.views) if held is None else program.views.copy()
        self.samplers = np.ascontiguousarray(program.samplers)
        pages = spare_pages(config, program) if watcher is None and held is None else 0  # a check shows what finds no memory
        self.storage = Storage(config, program, self._space if held is None else flat_memory(held.capacity), pages)
        self.memory = self.storage.filled() if held is None else self.storage.added_to(held)
        self.memory_bytes = self.storage.bytes if held is None else self._space.bytes
        # Filled again, not copied: a copy would touch every page.
        self.initial_memory = (self.storage.filled() if held is None else (before or Held(0)).words).view(np.uint8)
        self.initial_memory = self.initial_memory[: self.memory_bytes if held is None or before is not None else 0]
        self.notes = new_log(program)
        self.functions = np.ascontiguousarray(program.functions)
        self.profile = zeros((len(program), PROFILE_COLUMNS), np.int64)
        rows = EVENT_ROWS + ROWS_A_CYCLE * config.gpu.cores + MEMORY_ROWS_A_CYCLE if self.tracing else 1
        self.event_buffer = zeros((rows, EVENT_COLUMNS), np.int64)  # aligned: a row is a cache line of the host
        self.watcher = watcher
        self._set_up()
        self._watched = watcher.tables(self) if watcher is not None else {}
        self._pages: list[Pages] = []
        if held is not None:
            self._pages = [Pages(array) for array in (self.gpu, self.cores)] if reusable else []
            held.put_into(self.gpu["l2"]["cache"])
        self.families: tuple[Fit, ...] = (single_issue(), bare())
        self.probes: list[Probe] = []
        self.detector = detector_of(self)
        self.recorder = Recorder(self) if recording else None

    def _set_up(self) -> None:
        gpu = mirror(self.gpu)
        gpu.every_cycle = int(self.policy.every_cycle)
        gpu.log.tracing = int(self.tracing)
        gpu.memory_bytes = SPACE_BYTES if self.program.regions else self.memory_bytes
        set_up_device(gpu, self.config, self.loaded)
        resident = resident_blocks(self.config, self.program, int(gpu.grid.block_threads), int(gpu.grid.warps))
        check_grid(self.config, self.program, int(gpu.grid.blocks), resident)
        first_level = first_level_of(self.config, self.loaded, resident)
        self.cores = zeros(self.config.gpu.cores, Core, rooms_of_core(self.config, self.loaded, first_level))
        core = mirror(self.cores[:1].reshape(()))
        set_up_core(core, 0, resident, self.config, self.loaded)
        set_up_spaces(core, self.config, self.program, self.storage)
        core.watched = int(self.watcher is not None)
        prepare(self.users_units, gpu, [core])
        repeat_first(self.cores)
        self.cores["number"] = numbers(self.config.gpu.cores)

    def begin_again(self, program: Program) -> None:
        """A machine with held memory that has run is as if it were built for `program`: the same but for views and a launch's scalars.

        Raises ProgramError for a table that names what is not there.
        """
        assert self.held is not None and self._pages
        check_tables(program, self.held.used)
        for pages in self._pages:
            pages.restore()
        of_launch = {name: getattr(program, name) for name in ("launch", "views", "view_names", "view_shapes")}
        self.program = replace(self.program, **of_launch)
        self.views[:] = program.views
        self.gpu["grid"]["scalar"][: len(program.launch.scalars)] = program.launch.scalars
        self.held.put_into(self.gpu["l2"]["cache"])
        self.profile[:] = 0
        self.notes[: 1 + int(self.notes[0, 0])] = 0
        self.detector = detector_of(self)

    # ---- the protocol of run.protocol.Machine

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""
        return int(self.gpu["now"])

    @property
    def blocks(self) -> tuple[int, int]:
        """How many blocks of the launch have ended, and how many there are."""
        return pipeline_report.blocks(self)

    def arguments(self, native: bool) -> tuple[Any, ...]:
        """The entry's arguments without the limit, for one engine or the other."""
        tables = Tables(
            self.uops,
            self.code,
            self.views,
            self.samplers,
            self.memory,
            self.storage.tables,
            self.notes,
            self.profile,
            self.event_buffer,
            functions=self.functions,
            **self._watched,
        )
        if native:
            return (self._gpu_record(), self.cores, tables, self._hooks())
        return (mirror(self.gpu), mirror(self.cores), tables, self._guarded(self._units()))

    def _units(self) -> Units:
        """The functions that the run loop is handed."""
        return units_of(self)

    def _guarded(self, units: Units) -> Units:
        """The same, with a user's units for plain Python: a mistake in one of them ends as a sentence."""
        if "scheduler" not in self.users_units:
            return units
        return units._replace(policy=policy_socket(units.policy).guarded())

    def _policy(self) -> Policy:
        """The configured one; warps that are formed anew issue as their heuristic says."""
        return Policy(foremost) if self.forms_warps else POLICIES[self.config.core.scheduler]

    def _gpu_record(self) -> Any:
        return self.gpu[()]

    def _hooks(self) -> Units:
        units = self._units()
        if "scheduler" in self.users_units:
            units = units._replace(policy=policy_socket(units.policy))
        return hooks_of(units, self._reached)

    def _reached(self, function: Any) -> Swaps:
        """The swaps that a unit comes to."""
        return () if isinstance(function, Socket) else reached(function, self.swaps)

    def stand_ins(self) -> dict[str, Any]:
        """See `run.runnable.Runnable`."""
        return {"units": {name: stand_in(name) for name in self.users_units}}

    def drain(self) -> None:
        """Take the events out of the buffer."""
        rows = int(self.gpu["log"]["rows"])
        if rows:
            written = self.event_buffer[:rows].copy()
            self.gpu["log"]["rows"] = 0
            self._hand_on(written)
            if self.recorder is not None:
                self.recorder.drained()

    def _hand_on(self, written: np.ndarray) -> None:
        """Events to whoever listens to them, or else to those that are kept."""
        if self.listener is not None:
            self.listener(written)
        else:
            self._keep(written)

    def _keep(self, written: np.ndarray) -> None:
        self._kept += len(written)
        if self._kept > self.most_events:
            raise TooManyEvents(
                f"{self.program.name} has written down more than {self.most_events} events in {self.cycle} cycles, the most that are kept "
                "here: let it run for fewer cycles (--max-cycles), or write a trace file, which takes any number (--perfetto, --csv ...)"
            )
        self.events.append(written)

    @property
    def space(self) -> AddressSpace:
        """Where in `memory` the byte of an address is now: pages appear as the run goes."""
        return self.storage.mapped() if self.storage.pages else self._space

    @property
    def inspection(self) -> PipelineInspection:
        """What is in it now."""
        return PipelineInspection(self)

    def steps(self, last: int, first: int = 0) -> Iterator[ClockEdge]:
        """Raises LaunchError: cores with warps skip cycles in which nothing happens, and do not show single signals."""
        name, kind = self.config.name, self.config.core.control
        raise LaunchError(f"{name!r} has core.control = {kind!r}; steps() is for core.control = 'sequencer'")

    def finish(self, outcome: Outcome) -> RunResult:
        """What the run gave."""
        if self.tracing:
            self._hand_on(self.open_rows())
        pipeline_report.account_the_rest(self)
        notes, lost = notes_of(self.program, self.notes)
        space = self.space
        return RunResult(
            program=self.program,
            config=self.config,
            status=outcome.status,
            cycles=self.cycle,
            instructions=int(self.profile[:, ISSUES].sum()),
            memory=self._final_memory()[: space.bytes],
            initial_memory=self.initial_memory[: space.bytes],
            mapped=space if self.storage.pages else None,
            counters=pipeline_report.counters(self),
            fault=pipeline_report.fault_text(self),
            fault_at=int(self.gpu["fault"]["pc"]) if int(self.gpu["fault"]["kind"]) else -1,
            running=tuple(pipeline_report.running(self)) if outcome.status == "timeout" else (),
            notes=notes,
            notes_lost=lost,
            exit_code=pipeline_report.exit_code(self),
            remarks=(
                *pipeline_report.remarks(self),
                *overwritten(self),
                *touched_memory(self),
                *full_stacks(self),
                *(left_out(self) if outcome.status == "done" else ()),
                *self.program.remarks,
            ),
            console=(*printed(self.program, self.notes), *(self.program.printing(self.program, notes) if self.program.printing else ())),
            engine=outcome.engine,
            seconds=outcome.seconds,
            units=pipeline_report.names_of_units(self.users_units),
            rebuild=self._rebuild(),
            detail=Detail(
                profile=self.profile if self.held is None else self.profile.copy(),
                events=np.concatenate([np.zeros((0, EVENT_COLUMNS), np.int64), *self.events]),
                registers=pipeline_report.final_registers(self),
                recording=self.recorder.recording() if self.recorder is not None else None,
                by_visit=self.policy.visits,
            ),
        )

    def _final_memory(self) -> np.ndarray:
        """Memory after the run. What is held changes with the next launch: of it a copy, where the run is to be repeated."""
        memory = self.memory.view(np.uint8)[: self.memory_bytes]
        if self.held is None:
            return memory
        return memory.copy() if self.before is not None else memory[:0]

    def _rebuild(self) -> Callable[..., PipelineMachine] | None:
        """What builds this machine anew, before its first cycle; None where what it began with is gone."""
        if self.held is None:
            return partial(PipelineMachine, self.config, self.program, units=self.users_units)
        return None if self.before is None else partial(_repeated, self.config, self.program, self.users_units, self.before)

    def launch_rows(self) -> np.ndarray:
        """A LAUNCH of every warp that has not ended, as if it came now."""
        return pipeline_report.launch_rows(self)

    def open_rows(self) -> np.ndarray:
        """The spans of warps that have not ended, as if they ended now."""
        return pipeline_report.open_rows(self)

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Everything that changes, as far as it is in use by now."""
        return tuple(in_use(array) for array in self.whole())

    def whole(self) -> tuple[np.ndarray, ...]:
        """The same with what may come into use: what a checkpoint has to keep."""
        return bytes_of(self.gpu), bytes_of(self.cores), self.memory, self.profile, self.notes, self.storage.tables

    def image(self) -> Image:
        """All of it now, as bytes and as JSON."""
        return Image.of(self)

    def state(self) -> tuple[bytes, ...]:
        """What they hold, as bytes: equal in two machines that have run alike."""
        return tuple(contents(array) for array in self.whole())


def _repeated(config: Config, program: Program, units: Mapping[str, Callable[..., int]], before: Held, **options: Any) -> PipelineMachine:
    """The machine of a run over memory that was held, as it was then."""
    return PipelineMachine(config, program, units=units, held=before.copy(), before=before, **options)
