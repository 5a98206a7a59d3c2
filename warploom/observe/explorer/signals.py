"""Signals: what changes, and when, in every block of a machine whose cores run one instruction at a time.

The run is repeated for it: such a machine writes nothing down, and does the same each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.machine.run.result import RunResult

NOBODY = -1
# Left out: the cycle itself, and masks with a bit for each consumer of all cores, as the consumers' own fields say the same.
LEFT_OUT = frozenset(("cycle", "serving", "req_rv", "req_wv", "ack_rr", "ack_wr"))


@dataclass(frozen=True, eq=False)
class Signals:
    """What changed in a run, or a part of it. names: of the signals, as the fields of `Result.trace` are reached.

    initial_memory: uint8[bytes], before that part; what signals are then are changes of the cycle before it.

    changes: int64[n, 3], (signal, cycle, value), ordered by signal and cycle; a signal is 0 before its first row. memory: int64[n, 6],
    (cycle, core, thread, word, old, new); core and thread are those whose store a channel was performing, NOBODY where two were.
    """

    names: list[str]
    changes: np.ndarray
    memory: np.ndarray
    initial_memory: np.ndarray


def signals_of(result: RunResult, progress: Callable[[int], None] | None = None, first: int = 0, stop: int | None = None) -> Signals:
    """The signals of a run, or of its cycles from `first` to `stop` (not included). progress: called with the cycle."""
    threads = result.config.core.threads_per_block
    names: list[str] = []
    before: list[int] = []
    rows: list[tuple[int, int, int]] = []
    writes: list[tuple[int, int, int, int, int, int]] = []
    replay = result.replay()
    memory = replay.memory.copy()
    line: dict[str, Any] = {}
    initial = memory.view(np.uint8)[: len(result.initial_memory)].copy()
    steps = replay.steps(result.cycles if stop is None else stop, max(first - 1, 0))
    for cycle, machine in enumerate(steps, max(first - 1, 0)):
        if cycle < first:  # what holds before the first cycle that is asked for
            memory = machine.memory.copy()
            initial = memory.view(np.uint8)[: len(result.initial_memory)].copy()
        channels = line["data_ctrl"]["channels"] if line else []
        line = machine.trace_line()
        if not names:
            names = [name for name, _ in _flat("", line)]
            before = [0] * len(names)
        now = [value for _, value in _flat("", line)]
        rows.extend((number, cycle, value) for number, (value, old) in enumerate(zip(now, before, strict=True)) if value != old)
        before = now
        for word in np.flatnonzero(machine.memory != memory).tolist():
            writers = {channel["consumer"] for channel in channels if channel["wv"] and channel["wa"] >> 2 == word}
            core, thread = divmod(writers.pop(), threads) if len(writers) == 1 else (NOBODY, NOBODY)
            writes.append((cycle, core, thread, word, int(memory[word]), int(machine.memory[word])))
        memory = machine.memory.copy()
        if progress is not None and cycle % 64 == 0:
            progress(cycle)
    changes = np.array(rows, np.int64).reshape(-1, 3)
    changes = changes[np.lexsort((changes[:, 1], changes[:, 0]))]
    return Signals(names, changes, np.array(writes, np.int64).reshape(-1, 6), initial)


def _flat(name: str, value: Any) -> Iterator[tuple[str, int]]:
    """(name, number) of everything in a line of a trace, in order."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in LEFT_OUT:
                yield from _flat(f"{name}.{key}" if name else key, inner)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _flat(f"{name}.{number}", inner)
    else:
        yield name, int(value)
