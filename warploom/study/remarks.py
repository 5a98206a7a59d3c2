"""What there is to say about a ladder below its table, a sentence each: what did nothing, how far it gets, and what the limit is."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from warploom.checks.report.places import Names, element_text, value_text
from warploom.isa.uop import GLOBAL_SPACE
from warploom.machine.memory.channels import DATA_HOLD, PROGRAM_HOLD
from warploom.result import Result
from warploom.study.bottleneck import DATA_CHANNELS, PROGRAM_CHANNELS, bottleneck

if TYPE_CHECKING:
    from warploom.study.ladder import Ladder, Step


def title(ladder: Ladder) -> str:
    """The kernel and the machine at the foot, in one line."""
    start, launch = ladder.start, ladder.program.launch
    if ladder.of_warps:
        launched = f"{_counted(launch.threads, 'thread')} in {_counted(ladder.blocks, 'block')}"
        return f"{ladder.program.name} from a bare {start.name} up: {'it starts its threads itself' if launch.whole_device else launched}"
    memory = start.memory
    counts = (
        (launch.threads, "thread"), (ladder.blocks, "block"), (start.gpu.cores, "core"),
        (memory.data_channels, "data channel"), (memory.program_channels, "program channel"),
    )  # fmt: skip
    threads, blocks, cores, data, program = (_counted(number, noun) for number, noun in counts)
    return f"{ladder.program.name} from {start.name} up: {threads} in {blocks}, {cores}, {data}, {program}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def remarks(ladder: Ladder) -> list[str]:
    """All sentences, in the order in which a reader asks for them."""
    return [
        *left_out(ladder),
        *_without_gain(ladder),
        *_best(ladder),
        *_kept(ladder),
        *_idle(ladder),
        *_variant(ladder),
        *on_memory(ladder),
    ]


def left_out(ladder: Ladder) -> list[str]:
    """Why rungs did not run, a sentence for those that follow each other and have one reason."""
    found = []
    for reason, group in groupby(ladder.steps, lambda step: step.skipped):
        steps = list(group)
        if reason:
            first, last = steps[0].rung.name, steps[-1].rung.name
            found.append(f"Left out, {first if len(steps) == 1 else f'{first} to {last}'}: {reason}.")
    return found


def _without_gain(ladder: Ladder) -> list[str]:
    gains = [(step.rung.name, ladder.gain(step)) for step in ladder.measured]
    none = [name for name, gain in gains if gain == 1.0]
    slower = [f"{name} ({gain:.2f})" for name, gain in gains if gain is not None and gain < 1.0]
    sentences = []
    if none:
        sentences.append(f"No effect on this kernel: {', '.join(none)}.")
    if slower:
        sentences.append(f"Slower with: {', '.join(slower)}.")
    return sentences


def _best(ladder: Ladder) -> list[str]:
    best = min(ladder.measured, key=lambda step: step.cycles or 0)
    first = ladder.measured[0]
    if best is first:
        return []
    return [f"Fastest: {best.cycles} cycles at {best.rung.name}, {_ratio(first.cycles, best.cycles)} times as fast as {first.rung.name}."]


def _kept(ladder: Ladder) -> list[str]:
    """How far it gets with the channels that there are, and what keeps it from getting further."""
    if len(ladder.measured) < 2 or ladder.of_warps:
        return []
    best = min(ladder.measured, key=_kept_cycles)
    found, first = best.same_channels, _kept_cycles(ladder.measured[0])
    assert found is not None
    sentence = f"With the first rung's channels: {found.cycles} cycles at {best.rung.name}, {_ratio(first, found.cycles)} times as fast"
    return [f"{sentence}; held up by {bottleneck(found)}{_floor(found)}."]


def _floor(result: Result) -> str:
    """The cycles that a full memory takes, whatever the cores do."""
    name, memory = bottleneck(result).name, result.config.memory
    if name == PROGRAM_CHANNELS:
        requests, hold, channels = result.counters["program_requests"], PROGRAM_HOLD, memory.program_channels
    elif name == DATA_CHANNELS:
        requests, hold, channels = result.counters["data_requests"], DATA_HOLD, memory.data_channels
    else:
        return ""
    plural = "s" if channels > 1 else ""
    return f": {requests} requests of {hold} cycles each on {channels} channel{plural} take {-(-requests * hold // channels)} cycles"


def _kept_cycles(step: Step) -> int:
    assert step.same_channels is not None
    return step.same_channels.cycles


def _idle(ladder: Ladder) -> list[str]:
    idle, cores = ladder.idle_cores, ladder.top.gpu.cores
    if not idle:
        return []
    number, where = _counted(ladder.blocks, "block"), "" if ladder.of_warps else " on any rung"
    return [f"{number} on {cores} cores: {idle} of them {'has' if idle == 1 else 'have'} nothing to do{where}."]


def _variant(ladder: Ladder) -> list[str]:
    if ladder.variant is None:
        return []
    return [f"The last rung ran {ladder.variant.source.path}."]


def on_memory(ladder: Ladder) -> list[str]:
    """A warning where a rung leaves other values than the first one."""
    different = ladder.differing()
    if not different:
        return []
    first, other = ladder.measured[0], different[0]
    assert first.result is not None and other.result is not None
    address = int(np.flatnonzero(first.result.memory != other.result.memory)[0])
    here, there = first.result.memory, other.result.memory
    if ladder.of_warps:
        element = element_text(ladder.program, Names(), GLOBAL_SPACE, address, 0)
        values = f"{element} is {value_text(ladder.program, there, address)}, on the first rung {value_text(ladder.program, here, address)}"
    else:
        values = f"byte {address} is {there[address]}, on the first rung {here[address]}"
    if ladder.variant is not None and different == ladder.steps[-1:]:
        why = "the variant computes something else"
    elif ladder.of_warps:
        why = "the result depends on the order of the threads, by a race or by atomics; `warploom check` says which"
    else:
        why = "the kernel has a race"
    return [f"WARNING: {other.rung.name} leaves different values in memory ({values}): {why}."]


def _ratio(before: int | None, after: int | None) -> str:
    return f"{before / after:.2f}" if before and after else "1.00"
