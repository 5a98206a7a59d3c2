"""A text log of a run, cycle by cycle: memory before, every core and thread after every clock edge, memory after.

For machines whose cores run one instruction at a time, in the manner of tiny-gpu's own log. A star after a number says that
it has changed since the edge before. Of the registers those are shown that the program names; the others stay 0. Where a
line is too narrow for a thread's registers and units, the units have a table of their own below.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from warploom.isa import uop as u
from warploom.machine.run.result import RunResult
from warploom.machine.sequencer.states import DONE, IDLE, STATES
from warploom.observe.text.memory_table import memory_table
from warploom.observe.text.styled import counted, grouped, plain
from warploom.observe.text.summary import headline, outcome

WIDTH = 120  # characters of a line
HEADING = 100  # characters of a heading, at most
UNITS = "  nzp   RS   RT  ALU   LSU"
LONGEST = len(UNITS) + len("stores 255 in [255]") - len("LSU")
CONDITIONS = ((4, "n"), (2, "z"), (1, "p"))
REQUESTING, WAITING, ANSWERED = 1, 2, 3  # lsu_state of a trace
READ_WAIT, WRITE_WAIT, READ_RELAY, WRITE_RELAY = 2, 3, 4, 5  # state of a controller's channel in a trace
LEGEND = (
    "Each line of a core: its state, its program counter and the instruction there. Each line of a thread, numbered within its "
    "block: its registers; nzp, the condition that CMP left; RS and RT, what the register file read; ALU, its result; LSU, what "
    "the load/store unit does. A * marks a number that this clock edge has changed."
)


class Selection(NamedTuple):
    """What a log shows; None for all. threads: numbers within a block. first, last: cycles, both included."""

    cores: Collection[int] | None = None
    threads: Collection[int] | None = None
    first: int = 0
    last: int | None = None


def log(result: RunResult, selection: Selection | None = None, width: int = WIDTH) -> Iterator[tuple[int, str]]:
    """The log, piece by piece: (cycle, text), the cycle being -1 for what stands before the first one; lines of `width` characters.

    Raises ValueError for a machine whose cores have warps.
    """
    chosen = selection or Selection()
    writer = _Writer(result, chosen, width)
    yield -1, writer.heading()
    for line in result.trace(chosen.first, chosen.last):
        yield line["cycle"], writer.cycle(line)
    yield result.cycles, writer.ending()


class _Writer:
    """Writes the pieces; remembers the cycle before, to mark what has changed."""

    def __init__(self, result: RunResult, selection: Selection, width: int) -> None:
        self.result, self.selection, self.width = result, selection, width
        self.heading_width = min(width, HEADING)
        self.per_core = result.config.core.threads_per_block
        self.registers = _named_registers(result)
        self.before: dict[tuple[int, int], list[int]] = {}
        self.answers: dict[tuple[int, int], str] = {}
        names = [result.program.register_names[number] for number in self.registers]
        self.columns = f"  thread{''.join(f'{name:>4} ' for name in names)}"
        self.one_table = len(self.columns) + LONGEST <= width

    def heading(self) -> str:
        memory = memory_table(self.result.initial_memory, self.result.initial_memory, width=self.heading_width)
        table = "\n".join(plain(line) for line in memory)
        return f"{plain(headline(self.result))}\n\nbefore the first cycle\n{table}\n\n{textwrap.fill(LEGEND, self.width)}\n"

    def ending(self) -> str:
        memory = memory_table(self.result.initial_memory, self.result.memory, width=self.heading_width)
        table = "\n".join(plain(line) for line in memory)
        messages = "".join(f"{message}\n" for message in self.result.messages)
        return f"\n{plain(outcome(self.result))}\n{messages}\nafter the last cycle\n{table}\n"

    def cycle(self, line: dict[str, Any]) -> str:
        blocks = f"{line['blocks_done']} of {counted(-(-line['thread_count'] // self.per_core), 'block')} done"
        title = f"cycle {grouped(line['cycle'])} "
        shown = [f"\n{title:-<{self.heading_width - len(blocks) - 1}} {blocks}"]
        for number, core in enumerate(line["cores"]):
            if self.selection.cores is None or number in self.selection.cores:
                shown += self._core(number, core)
        shown += self._controller("data memory", line["data_ctrl"])
        shown += self._controller("program memory", line["prog_ctrl"])
        return "\n".join(shown) + "\n"

    def _core(self, number: int, core: dict[str, Any]) -> list[str]:
        if core["core_state"] == IDLE:
            return [f"core {number}  has no block"]
        program, pc = self.result.program, core["current_pc"]
        text = program.text[pc] if pc < len(program) else "(past the end)"
        line = program.position(pc).line
        place = f"line {line}" if line else ""
        state = STATES[core["core_state"]].upper()
        block = f"block {core['block_id']}, {counted(core['thread_count'], 'thread')}"
        shown = [f"core {number}  {block}  {state:<7} PC {pc:<3}  {text:<26} {place}".rstrip()]
        if core["core_state"] == DONE:
            return shown
        threads = enumerate(core["threads"][: core["thread_count"]])
        chosen = [(thread, values) for thread, values in threads if self.selection.threads is None or thread in self.selection.threads]
        rows = [(thread, *self._thread(number, thread, values)) for thread, values in chosen]
        if self.one_table:
            return [*shown, f"{self.columns}{UNITS}", *(f"{thread:>8}{registers}{units}" for thread, registers, units in rows)]
        shown += [self.columns.rstrip(), *(f"{thread:>8}{registers}".rstrip() for thread, registers, _ in rows)]
        return [*shown, f"  thread{UNITS}", *(f"{thread:>8}{units}" for thread, _, units in rows)]

    def _thread(self, core: int, thread: int, state: dict[str, Any]) -> tuple[str, str]:
        """A thread's registers, and what its units have."""
        numbers = [*(state["regs"][number] for number in self.registers), state["nzp"], state["rs"], state["rt"], state["alu_out"]]
        old = self.before.get((core, thread), numbers)
        self.before[core, thread] = numbers
        marks = ["*" if new != before else " " for new, before in zip(numbers, old, strict=True)]
        count = len(self.registers)
        cells = "".join(f"{value:>4}{mark}" for value, mark in zip(numbers[:count], marks, strict=False))
        nzp = "".join(letter for bit, letter in CONDITIONS if numbers[count] & bit) or "-"
        ports = "".join(f"{value:>4}{mark}" for value, mark in zip(numbers[count + 1 :], marks[count + 1 :], strict=True))
        return cells, f"{nzp:>5}{marks[count]}{ports}  {self._lsu(core, thread, state)}".rstrip()

    def _lsu(self, core: int, thread: int, state: dict[str, Any]) -> str:
        if state["lsu_state"] == REQUESTING:
            return "asks"
        if state["lsu_state"] == WAITING and state["rv"]:
            self.answers[core, thread] = "has loaded"
            return f"loads [{state['ra']}]"
        if state["lsu_state"] == WAITING:
            self.answers[core, thread] = "has stored"
            return f"stores {state['wd']} in [{state['wa']}]"
        if state["lsu_state"] == ANSWERED:
            answer = self.answers.get((core, thread), "is done")
            return f"{answer} {state['lsu_out']}" if answer == "has loaded" else answer
        return "-"

    def _controller(self, name: str, controller: dict[str, Any]) -> list[str]:
        """A line a busy channel that works for a core and thread that are shown."""
        shown = []
        for number, channel in enumerate(controller["channels"]):
            core, thread = channel["consumer"], None
            if "req_wv" in controller:
                core, thread = divmod(channel["consumer"], self.per_core)
            if channel["state"] and self._shows(core, thread):
                owner = f"core {core}" if thread is None else f"core {core}, thread {thread}"
                shown.append(f"{name}, channel {number}: {_request(channel)} for {owner}")
        return shown

    def _shows(self, core: int, thread: int | None) -> bool:
        cores, threads = self.selection.cores, self.selection.threads
        return (cores is None or core in cores) and (threads is None or thread is None or thread in threads)


def _request(channel: dict[str, Any]) -> str:
    return {
        READ_WAIT: f"reads [{channel['ra']}]",
        WRITE_WAIT: f"writes {channel.get('wd')} to [{channel.get('wa')}]",
        READ_RELAY: f"answers [{channel['ra']}]",
        WRITE_RELAY: f"answers, [{channel.get('wa')}] is written",
    }[channel["state"]]


def _named_registers(result: RunResult) -> list[int]:
    """The registers that the program's text names, those that the launch writes left out: they are in a core's line."""
    program = result.program
    written = {register for register, _ in program.launch.registers}
    found = {int(row[column]) for row in program.uops for column in (u.DST, u.A, u.B, u.C)}
    names = program.register_names
    return [number for number in sorted(found) if 0 <= number < len(names) and number not in written and names[number] not in ("", "nzp")]
