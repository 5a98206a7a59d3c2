"""Kanata logs, format 0004, for the pipeline viewer Konata: a row an instruction, in lane 0 its stages, in lane 1 why it had to wait.

Cores with warps: an instruction is a warp's. `F` it is fetched, `D` it is in the warp's buffer and waits to issue, then it executes
until its result can be used: `X` in an ALU, `XF` special functions, `XM` memory, `XS` shared memory, `XT` texture, `XC` control.
Arrows lead from an instruction to those that had to wait for its registers. Konata draws them at stages with an X in their names.

Cores that run one instruction at a time: an instruction is a block's, and its stages are the states `F D R W X U`.

The log is plain text with a command a line; there is no library for it. Source of the format: Konata, docs/kanata-log-format.md.
"""

from __future__ import annotations

from typing import IO

from warploom.machine.run.result import RunResult
from warploom.machine.sequencer import states as core_states
from warploom.observe.facts.state_spans import State
from warploom.observe.traces.konata.kanata_log import FLUSHED, RETIRED, STAGES, STALLS, Log
from warploom.observe.traces.konata.warps import write_warps
from warploom.observe.traces.steps import steps
from warploom.observe.traces.vocabulary import Percent, instruction, unheard
from warploom.observe.traces.windows import Source, source_of

STATE_STAGES = dict(zip(range(core_states.FETCH, core_states.DONE), "FDRWXU", strict=True))
WAITS = {core_states.FETCH: "program_memory", core_states.WAIT: "data_memory"}


def write(result: RunResult, file: IO[str], progress: Percent = unheard, source: Source | None = None) -> None:
    """Write a run. progress: called with the percentage that is written. source: the events of cores with warps, where the run has none.

    Raises ValueError for a run on cores with warps without events.
    """
    if result.has.steps:
        _write_steps(result, Log(file), progress)
    else:
        write_warps(result, source_of(result, source), Log(file), progress)
    progress(100)


def _write_steps(result: RunResult, log: Log, progress: Percent) -> None:
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


def _begin(result: RunResult, log: Log, state: State) -> int:
    place = result.program.position(state.pc)
    where = f"\n{result.program.source_of(place).path}:{place.line}" if place.line else ""
    number = log.begin(state.core)
    label = f"core {state.core} @{state.pc}: {instruction(result.program, state.pc)}"
    log.label(number, label, f"block {state.block}\n{state.threads} threads{where}")
    return number
