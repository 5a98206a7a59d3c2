"""Kanata logs, format 0004, for the pipeline viewer Konata: a row an instruction, in lane 0 its stages, in lane 1 why it did not go on.

Cores with warps: an instruction is a warp's. `F` it is fetched, `D` it is in the warp's buffer and waits to issue, then it executes
until its result can be used: `X` in an ALU, `XF` special functions, `XM` memory, `XS` shared memory, `XT` texture, `XC` control.
Arrows lead from an instruction to those that had to wait for its registers. Konata draws them at stages with an X in their names.

Cores that run one instruction at a time: an instruction is a block's, and its stages are the states `F D R W X U`.

The log is plain text with a command a line; there is no library for it. Source of the format: Konata, docs/kanata-log-format.md.
"""

from __future__ import annotations

from typing import IO

from warploom.machine import core_states
from warploom.machine.result import Result
from warploom.observe.state_spans import State
from warploom.observe.traces.steps import steps
from warploom.observe.traces.vocabulary import Percent, instruction, unheard

STAGES, STALLS = 0, 1  # lanes
RETIRED, FLUSHED = 0, 1
STATE_STAGES = dict(zip(range(core_states.FETCH, core_states.DONE), "FDRWXU", strict=True))
WAITS = {core_states.FETCH: "program_memory", core_states.WAIT: "data_memory"}


def write(result: Result, file: IO[str], progress: Percent = unheard) -> None:
    """Write a run. progress: called with the percentage that is written.

    Raises ValueError for a run on cores with warps without events.
    """
    if result.config.core.control == "sequencer":
        _write_steps(result, Log(file), progress)
    else:
        from warploom.observe.traces.konata_warps import write_warps

        write_warps(result, Log(file), progress)
    progress(100)


class Log:
    """Writes commands in the order of time; an operation's number is the one that `begin` gave it."""

    def __init__(self, file: IO[str]) -> None:
        self._file, self._now, self._count, self._ended = file, 0, 0, 0
        file.write("Kanata\t0004\nC=\t0\n")

    def go_to(self, cycle: int) -> None:
        """What follows happens in this cycle."""
        if cycle > self._now:
            self._file.write(f"C\t{cycle - self._now}\n")
            self._now = cycle

    def begin(self, thread: int, label: str, detail: str) -> int:
        """A new operation; label: at the left. detail: shown when the mouse is over it."""
        number = self._count
        self._count += 1
        self._file.write(f"I\t{number}\t{number}\t{thread}\nL\t{number}\t0\t{_plain(label)}\nL\t{number}\t1\t{_plain(detail)}\n")
        return number

    def stage(self, number: int, lane: int, name: str) -> None:
        """A stage begins; the one before it in its lane ends."""
        self._file.write(f"S\t{number}\t{lane}\t{name}\n")

    def end_stage(self, number: int, lane: int, name: str) -> None:
        """A stage ends."""
        self._file.write(f"E\t{number}\t{lane}\t{name}\n")

    def arrow(self, consumer: int, producer: int) -> None:
        """One operation has waited for another one's result."""
        self._file.write(f"W\t{consumer}\t{producer}\t0\n")

    def end(self, number: int, how: int) -> None:
        """The operation has ended: RETIRED or FLUSHED."""
        self._file.write(f"R\t{number}\t{self._ended}\t{how}\n")
        self._ended += 1


def _plain(text: str) -> str:
    r"""A text without tabs, and with `\n` for a new line, as the format has it."""
    return text.replace("\t", " ").replace("\n", "\\n")


def _write_steps(result: Result, log: Log, progress: Percent) -> None:
    """Each core's instructions, as they begin and end."""
    running: dict[int, int] = {}
    for step in steps(result):
        log.go_to(step.cycle)
        begun = {state.core: state for state in step.begun}
        for state in step.states:
            if state.state in WAITS:
                log.end_stage(running[state.core], STALLS, WAITS[state.state])
            if state.core not in begun or begun[state.core].begins:
                log.end(running.pop(state.core), RETIRED if step.line is not None else FLUSHED)
        for state in step.begun:
            if state.begins:
                running[state.core] = _begin(result, log, state)
            log.stage(running[state.core], STAGES, STATE_STAGES[state.state])
            if state.state in WAITS:
                log.stage(running[state.core], STALLS, WAITS[state.state])
        progress(100 * step.cycle // max(result.cycles, 1))


def _begin(result: Result, log: Log, state: State) -> int:
    line = result.program.position(state.pc).line
    where = f"\n{result.program.source.path}:{line}" if line else ""
    label = f"c{state.core} @{state.pc}: {instruction(result.program, state.pc)}"
    return log.begin(state.core, label, f"block {state.block}\n{state.threads} threads{where}")
