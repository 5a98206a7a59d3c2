"""The signals of cores that run one instruction at a time: the registers and wires of the hardware, by the names of its traces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from warploom.isa.program import Program
from warploom.machine.run.result import RunResult
from warploom.machine.sequencer.states import STATES
from warploom.observe.traces.vcd.waves import Signal, Waves, string
from warploom.observe.traces.vocabulary import CHANNEL_STATES, FETCHER_STATES, LSU_STATES, Percent, instruction

WORD = 16  # bits of an instruction
FLAGS = frozenset(("start", "reset", "done", "fetch_valid", "fetch_ready", "rv", "wv", "rr", "wr"))
STATE_NAMES: dict[str, Any] = {"core_state": STATES, "fetcher_state": FETCHER_STATES, "lsu_state": LSU_STATES, "state": CHANNEL_STATES}


class Wire(NamedTuple):
    """A signal and where its value lies in a line of the trace. names: of its values, where they are states."""

    signal: Signal
    place: tuple[str | int, ...]
    names: Any = None


def signals_of_steps(result: RunResult) -> list[Signal]:
    """The signals of a run, in the order of the device."""
    return [wire.signal for wire in _wires(result)]


def write_steps(result: RunResult, waves: Waves, progress: Percent) -> None:
    """Write the run, cycle by cycle: a cycle's values are those that its clock edge leaves."""
    wires = [(waves.add(wire.signal), wire.place, wire.names) for wire in _wires(result)]
    for cycle, line in enumerate(result.trace()):
        waves.rise(cycle)
        for number, place, names in wires:
            value: Any = line
            for key in place:
                value = value[key]
            waves.change(number, cycle, value if names is None else names[value])
        waves.fall(cycle)
        progress(100 * cycle // result.cycles)
    waves.close(result.cycles)


def _wires(result: RunResult) -> list[Wire]:
    """Every number of a line of the trace."""
    line = next(result.trace(0, 0), None)
    return [] if line is None else list(_found(_Sizes(result), line))


def _found(sizes: _Sizes, line: dict[str, Any]) -> Iterator[Wire]:
    for name in ("done", "thread_count", "blocks_dispatched", "blocks_done"):
        yield sizes.wire(("gpu", "dispatcher"), (name,))
    for number, core in enumerate(line["cores"]):
        scope, place = ("gpu", f"core{number}"), ("cores", number)
        for name in core:
            if name != "threads":
                yield sizes.wire(scope, (*place, name))
        yield Wire(string(scope, "text"), (*place, "current_pc"), sizes.texts)
        for thread, fields in enumerate(core["threads"]):
            here, below = (*scope, f"thread{thread}"), (*place, "threads", thread)
            for name in fields:
                if name != "regs":
                    yield sizes.wire(here, (*below, name))
            for register in range(len(fields["regs"])):
                yield Wire(Signal(here, f"R{register}", sizes.value), (*below, "regs", register))
    for unit, key in (("data", "data_ctrl"), ("program", "prog_ctrl")):
        for name in line[key]:
            if name != "channels":
                yield sizes.wire(("gpu", unit), (key, name))
        for number, channel in enumerate(line[key]["channels"]):
            for name in channel:
                yield sizes.wire(("gpu", unit, f"channel{number}"), (key, "channels", number, name))


class _Sizes:
    """How many bits a field has."""

    def __init__(self, result: RunResult) -> None:
        config = result.config
        self.value = result.program.value_bits
        self.pc = max(8, len(result.program).bit_length())
        self.consumers = config.gpu.cores * config.core.threads_per_block
        self.texts = _Texts(result.program)

    def wire(self, scope: tuple[str, ...], place: tuple[str | int, ...]) -> Wire:
        """The signal of a field; a state goes by its name."""
        name = str(place[-1])
        if name in STATE_NAMES:
            return Wire(string(scope, name), place, STATE_NAMES[name])
        return Wire(self.signal(scope, name), place)

    def signal(self, scope: tuple[str, ...], name: str) -> Signal:
        """The signal of a field."""
        if name in FLAGS:
            return Signal(scope, name, 1)
        if name in ("serving", "req_rv", "req_wv", "ack_rr", "ack_wr"):
            return Signal(scope, name, self.consumers)
        if name in ("current_pc", "next_pc", "fetch_addr"):
            return Signal(scope, name, self.pc, "dec")
        if name in ("instruction", "fetch_data") or (name == "rd" and "program" in scope):
            return Signal(scope, name, WORD)
        if name in ("thread_count", "blocks_dispatched", "blocks_done", "block_id", "consumer"):
            return Signal(scope, name, 32, "dec")
        if name == "nzp":
            return Signal(scope, name, 3, "bin")
        return Signal(scope, name, max(self.value, self.pc if name == "ra" else 0))


class _Texts:
    """The instructions' texts by their numbers, also behind the program's end."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def __getitem__(self, pc: int) -> str:
        return instruction(self.program, pc)
