"""Signals: replayed, they are the trace of the run; and memory names the thread that wrote it."""

import numpy as np
import pytest

import warploom
from tests.places import EXAMPLES
from warploom.observe.explorer.signals import NOBODY, signals_of


def value_at(line, name):
    for part in name.split("."):
        line = line[int(part)] if part.isdecimal() else line[part]
    return line


@pytest.mark.parametrize("preset", ["tiny", "tiny-original"])
def test_replayed_changes_are_the_trace(preset):
    result = warploom.GPU(preset, engine="python").run(warploom.load(EXAMPLES / "tiny/matadd.asm"))
    signals = signals_of(result)
    now = dict.fromkeys(signals.names, 0)
    changes = sorted(signals.changes.tolist(), key=lambda row: row[1])
    place = 0
    for line in result.trace():
        while place < len(changes) and changes[place][1] == line["cycle"]:
            now[signals.names[changes[place][0]]] = changes[place][2]
            place += 1
        assert now == {name: value_at(line, name) for name in signals.names}
    assert place == len(changes)


def test_every_word_of_the_sum_names_the_thread_that_wrote_it():
    result = warploom.GPU("tiny", engine="python").run(warploom.load(EXAMPLES / "tiny/matadd.asm"))
    rows = signals_of(result).memory
    memory = result.initial_memory.view("<u4").copy()
    for _, core, thread, word, old, new in rows.tolist():
        assert memory[word] == old
        memory[word] = new
        # Thread t of core c stores sum[4 c + t] at byte 16 + 4 c + t. Where two channels write to a word in one cycle nobody is named.
        changed = [byte for byte in range(4) if (old ^ new) >> 8 * byte & 255]
        assert (core, thread) == (word - 4, changed[0]) if len(changed) == 1 else (core, thread) == (NOBODY, NOBODY)
    assert np.array_equal(memory, result.memory.view("<u4"))
