"""Flat trace: the fields of a trace line as a row of numbers, with their names said once.

A trace line is a tree of some hundred numbers, made for people; to make one takes a sixth of a millisecond. A row is gathered from the
bytes of the machine's state in a tenth of that, so that comparing rows does not take longer than simulating.

A field's name is its path in the trace line: `cores[1].threads[2].rs`. A mask of consumers is a field for each group of them:
`data_ctrl.serving[1]` are the threads of core 1. After them come the fault's kind, core, pc and lanes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.counts import running_sum
from warploom.machine.sequencer.decoder import ALU_OUT
from warploom.machine.sequencer.machine import SequencerMachine
from warploom.machine.sequencer.sequencer import SequencerCore, SequencerGpu
from warploom.machine.sequencer.trace import VISIBLE_REGISTERS

ALL = 64  # bits of the widest number


class Part(NamedTuple):
    """Some bits of the machine's state. place: byte, from the start of the GPU's record, or after it of the cores' records."""

    place: int
    shift: int = 0
    bits: int = ALL
    weight: int = 1


Named = tuple[str, tuple[Part, ...]]


class FlatTrace:
    """Rows of a machine whose cores run one instruction at a time. names: of the fields, in the order of a row."""

    def __init__(self, machine: SequencerMachine) -> None:
        self._gpu = machine.gpu.reshape(1).view(np.uint32)
        self._cores = machine.cores.view(np.uint32)
        found = list(_Places(machine).fields())
        self.names = tuple(name for name, _ in found)
        parts = [part for _, row in found for part in row]
        counts = [len(row) for _, row in found]
        self._starts = running_sum([0, *counts[:-1]])
        words = np.array([part.place // 4 for part in parts], np.int64)
        self._of_cores = words >= len(self._gpu)
        self._low = np.where(self._of_cores, words - len(self._gpu), words)
        last = np.where(self._of_cores, len(self._cores), len(self._gpu)) - 1
        self._high = np.minimum(self._low + 1, last)
        self._shift = np.array([part.shift for part in parts], np.uint64)
        self._mask = np.array([(1 << part.bits) - 1 for part in parts], np.uint64)
        self._weight = np.array([part.weight for part in parts], np.uint64)
        self._words = np.zeros((2, len(parts)), np.uint32)
        self._split = [(np.flatnonzero(which), array) for which, array in ((~self._of_cores, self._gpu), (self._of_cores, self._cores))]
        self._order = np.argsort(np.concatenate([positions for positions, _ in self._split]), kind="stable")
        self._indices = [np.stack([self._low[positions], self._high[positions]]) for positions, _ in self._split]

    def row(self) -> np.ndarray:
        """uint64[fields]: the state after the last clock edge."""
        gathered = [array[indices] for (_, array), indices in zip(self._split, self._indices, strict=True)]
        low, high = np.concatenate(gathered, axis=1)[:, self._order].astype(np.uint64)
        values = (low | high << np.uint64(32)) >> self._shift & self._mask
        return np.add.reduceat(values * self._weight, self._starts)


class _Places:
    """Where each field of a trace line lies in the machine's records."""

    def __init__(self, machine: SequencerMachine) -> None:
        self.count, self.threads = len(machine.cores), int(machine.gpu["threads_per_block"])
        self.channels = {name: int(machine.gpu[name]["channels"]) for name in ("data", "program")}
        names = machine.program.register_names
        self.condition = names.index("nzp") if "nzp" in names else None

    def fields(self) -> Iterator[Named]:
        yield "done", self.number("dispatcher", "done")
        yield "thread_count", self.number("dispatcher", "threads")
        yield "blocks_dispatched", self.number("dispatcher", "dispatched")
        yield "blocks_done", self.number("dispatcher", "ended")
        for number in range(self.count):
            yield from ((f"cores[{number}].{name}", parts) for name, parts in self.core(number))
        yield from ((f"data_ctrl.{name}", parts) for name, parts in self.controller("data", self.count, self.threads, writes=True))
        yield from ((f"prog_ctrl.{name}", parts) for name, parts in self.controller("program", 1, self.count, writes=False))
        for name in ("kind", "core", "pc", "lanes"):
            yield f"fault.{name}", self.number("fault", name)

    def core(self, number: int) -> Iterator[Named]:
        def bit(*path: Any) -> tuple[Part, ...]:
            return (Part(_place(SequencerGpu, path)[0], number, 1),)

        def own(*path: Any) -> tuple[Part, ...]:
            return (self.part_of_core(number, *path),)

        yield "start", bit("dispatcher", "start")
        yield "reset", bit("dispatcher", "reset")
        yield "done", bit("dispatcher", "finished")
        yield "block_id", own("block")
        yield "thread_count", own("threads")
        yield "core_state", own("state")
        yield "current_pc", own("pc")
        yield "instruction", own("fetcher", "instruction")
        yield "fetcher_state", own("fetcher", "state")
        yield "fetch_valid", bit("fetch_lines")
        yield "fetch_addr", self.number("program", "read_address", 0, number)
        yield "fetch_ready", bit("program", "read_ready", 0)
        yield "fetch_data", self.number("program", "read_data", 0, number)
        for thread in range(self.threads):
            yield from ((f"threads[{thread}].{name}", parts) for name, parts in self.thread(number, thread))

    def thread(self, number: int, thread: int) -> Iterator[Named]:
        def bit(name: str, weight: int = 1) -> Part:
            return self.part_of_core(number, "lsu", name)._replace(shift=thread, bits=1, weight=weight)

        def own(*path: Any) -> tuple[Part, ...]:
            return (self.part_of_core(number, *path, thread),)

        yield "lsu_state", (bit("requesting", 1), bit("waiting", 2), bit("done", 3))
        yield "lsu_out", own("lsu", "out")
        yield "rs", own("rs")
        yield "rt", own("rt")
        yield "alu_out", own("registers", "lane", ALU_OUT)
        yield "nzp", (Part(0, 0, 0),) if self.condition is None else own("registers", "lane", self.condition)
        yield "next_pc", own("next_pc")
        yield "rv", (bit("read_valid"),)
        yield "ra", self.number("data", "read_address", number, thread)
        yield "wv", (bit("write_valid"),)
        yield "wa", self.number("data", "write_address", number, thread)
        yield "wd", self.number("data", "write_data", number, thread)
        yield "rr", (bit("read_ready"),)
        yield "rd", own("lsu", "read_data")
        yield "wr", (bit("write_ready"),)
        for register in range(VISIBLE_REGISTERS):
            yield f"regs[{register}]", own("registers", "lane", register)

    def controller(self, controller: str, groups: int, width: int, writes: bool) -> Iterator[Named]:
        masks = {"serving": "serving", "req_rv": "read_request", "req_wv": "write_request", "ack_rr": "read_ready", "ack_wr": "write_ready"}
        for name, field in masks.items():
            if writes or name not in ("req_wv", "ack_wr"):
                for group in range(groups):
                    # The program controller's request lines are the fetchers': it copies them as a cycle begins.
                    lines = name == "req_rv" and not writes
                    yield f"{name}[{group}]", self.number("fetch_lines") if lines else self.number(controller, field, group)
        rest = {"state": "state", "rv": "memory_read", "ra": "memory_read_address", "rr": "memory_read_ready", "rd": "memory_read_data"}
        if writes:
            rest |= {"wv": "memory_write", "wa": "memory_write_address", "wd": "memory_write_data", "wr": "memory_write_ready"}
        for channel in range(self.channels[controller]):
            found = {name: self.number(controller, field, channel) for name, field in rest.items()}
            ((served,), (index,)) = (self.number(controller, field, channel) for field in ("group", "index"))
            yield f"channels[{channel}].state", found.pop("state")
            yield f"channels[{channel}].consumer", (served._replace(weight=width), index)
            yield from ((f"channels[{channel}].{name}", parts) for name, parts in found.items())

    def number(self, *path: Any) -> tuple[Part, ...]:
        place, bits = _place(SequencerGpu, path)
        return (Part(place, bits=bits),)

    def part_of_core(self, number: int, *path: Any) -> Part:
        within, bits = _place(SequencerCore, path)
        return Part(SequencerGpu.itemsize + number * SequencerCore.itemsize + within, bits=bits)


def _place(record: np.dtype, path: tuple[Any, ...]) -> tuple[int, int]:
    """(byte, bits) of a number in a record. path: names of fields, and indices into arrays."""
    place, kind = 0, record
    steps = list(path)
    while steps:
        step = steps.pop(0)
        assert kind.fields is not None
        kind, offset = kind.fields[step][:2]
        place += offset
        if kind.subdtype is not None:
            kind, shape = kind.subdtype
            index = 0
            for extent in shape:
                index = index * extent + steps.pop(0)
            place += index * kind.itemsize
    return place, 8 * kind.itemsize
