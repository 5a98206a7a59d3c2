"""The Perfetto trace of cores that run one instruction at a time: what each core did, and every channel's requests."""

from __future__ import annotations

from warploom.isa import uop as u
from warploom.machine.run.result import RunResult
from warploom.machine.sequencer.states import STATES
from warploom.observe.facts.state_spans import State
from warploom.observe.traces.perfetto.tracks import Tracks, said_of
from warploom.observe.traces.steps import Request, steps
from warploom.observe.traces.vocabulary import Percent, instruction


def write_steps(result: RunResult, tracks: Tracks, progress: Percent) -> None:
    """Write the run's cores, channels and counters, cycle by cycle."""
    writer = _Writer(result, tracks)
    for step in steps(result):
        for state in step.states:
            writer.state(state)
        for request in step.requests:
            writer.request(request)
        if step.line is not None:
            busy = sum(channel["state"] != 0 for channel in step.line["data_ctrl"]["channels"])
            writer.count(step.cycle, step.line["blocks_dispatched"] - step.line["blocks_done"], busy)
            progress(100 * step.cycle // max(result.cycles, 1))
    writer.finish(result.cycles)
    progress(100)


class _Writer:
    """Remembers which block and instruction of each core is open, and which arrow leads away from it."""

    def __init__(self, result: RunResult, tracks: Tracks) -> None:
        self.program, self.tracks = result.program, tracks
        config = result.config
        self.counters = (tracks.counter("blocks in cores", "blocks"), tracks.counter("data channels at work", "channels"))
        self.values: list[int] = [-1, -1]
        nested = "a block, its instructions, their states"
        self.cores = [tracks.track(f"core {number}", description=nested) for number in range(config.gpu.cores)]
        self.channels = {
            (name, number): tracks.track(f"{name} channel {number}", description=f"requests to {name} memory")
            for name, count in (("data", config.memory.data_channels), ("program", config.memory.program_channels))
            for number in range(count)
        }
        self.open: dict[int, State] = {}
        self.flows: dict[tuple[int, int], int] = {}
        self.last_flow = 0
        self.touches_memory = [row[u.ISSUE_UNIT] == u.MEMORY for row in result.program.code]

    def state(self, state: State) -> None:
        track, before = self.cores[state.core], self.open.get(state.core)
        if before is None or state.begins or before.stop != state.start:
            self._close(before, same_block=before is not None and (before.block, before.stop) == (state.block, state.start))
            if before is None or (before.block, before.stop) != (state.block, state.start):
                self.tracks.begin(track, state.start, f"block {state.block}", {"block": state.block, "threads": state.threads})
            said = said_of(self.program, state.pc, (1 << state.threads) - 1)
            self.tracks.begin(track, state.start, instruction(self.program, state.pc), said, self._new_flows(state))
        self.tracks.slice(track, state.start, state.stop, STATES[state.state])
        self.open[state.core] = state

    def _new_flows(self, state: State) -> list[int]:
        """An arrow for each thread of an instruction that accesses memory."""
        if state.pc >= len(self.touches_memory) or not self.touches_memory[state.pc]:
            return []
        first = self.last_flow + 1
        self.last_flow += state.threads
        flows = list(range(first, first + state.threads))
        self.flows |= {(state.core, thread): flow for thread, flow in enumerate(flows)}
        return flows

    def _close(self, state: State | None, same_block: bool) -> None:
        if state is not None:
            self.tracks.end(self.cores[state.core], state.stop)
            if not same_block:
                self.tracks.end(self.cores[state.core], state.stop)

    def request(self, request: Request) -> None:
        who = f"core {request.core}" + (f", thread {request.thread}" if request.thread >= 0 else "")
        what = f"{'write' if request.writes else 'read'} [{request.address}]"
        said: dict[str, int | str] = {"address": request.address, "for": who}
        if request.value >= 0:
            said["value"] = request.value
        track = self.channels[request.controller, request.channel]
        flow = self.flows.pop((request.core, request.thread), 0)
        self.tracks.begin(track, request.start, f"{what} for {who}", said, [flow] if flow else ())
        if request.answer >= 0:
            self.tracks.slice(track, request.start, request.answer, "memory works")
            self.tracks.slice(track, request.answer, request.stop, "hands over")
        self.tracks.end(track, request.stop)

    def count(self, cycle: int, *values: int) -> None:
        for number, value in enumerate(values):
            if value != self.values[number]:
                self.values[number] = value
                self.tracks.value(self.counters[number], cycle, value)

    def finish(self, cycle: int) -> None:
        for state in self.open.values():
            self._close(state, same_block=False)
        self.count(cycle, 0, 0)
