"""What a run on cores with warps gave: counters, the fault as a sentence, and where each warp was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.faults import FAULTS, lanes_of, lanes_text, sentence
from warploom.machine.config.schema import Config
from warploom.machine.core.divergence.path_table import AT_BARRIER, AT_RECONVERGENCE, READY
from warploom.machine.core.divergence.thread_pool import OF_A_THREAD
from warploom.machine.run.livelock import LivelockDetector

MOST_WARPS = 8  # warps that a message lists


class Reported(Protocol):
    """What is read of a machine after its run."""

    program: Program
    config: Config
    gpu: np.ndarray
    cores: np.ndarray
    code: np.ndarray
    profile: np.ndarray
    moves_threads: bool
    detector: LivelockDetector

    @property
    def cycle(self) -> int:
        """Cycles simulated."""


def counters(machine: Reported) -> dict[str, int]:
    """The counters, by their names in `counters.COUNTERS`."""
    gpu, cores, totals = machine.gpu, machine.cores, machine.profile.sum(axis=0)
    found = {
        "cycles": machine.cycle,
        "instructions": int(totals[r.ISSUES]),
        "thread_instructions": int(totals[r.LANES]),
        "lane_uops": int((machine.profile[:, r.LANES] * machine.code[:, u.COUNT]).sum()),
        "warp_cycles": int(totals[: len(r.REASONS)].sum()),
        "diverged_branches": int(totals[r.DIVERGED]),
    }
    found |= {f"{reason.name}_warp_cycles": int(totals[number]) for number, reason in enumerate(r.REASONS)}
    found |= {
        "accesses": int(totals[r.ACCESSES]),
        "transactions": int(totals[r.TRANSACTIONS]),
        "sectors": int(totals[r.SECTORS]),
        "sectors_needed": int(totals[r.SECTORS_NEEDED]),
        "shared_passes": int(totals[r.PASSES]),
        "l1_hits": int(totals[r.HITS]),
        "l1_misses": int(totals[r.MISSES]),
        "l1_evictions": int(cores["lsu"]["cache"]["evictions"].sum()),
        "texture_evictions": int(cores["texture"]["cache"]["evictions"].sum()),
    }
    l2 = gpu["l2"]["cache"]
    found |= {
        "l2_hits": int(l2["hits"]),
        "l2_misses": int(l2["tag_misses"] + l2["sector_misses"]),
        "l2_evictions": int(l2["evictions"]),
        "l2_write_backs": int(l2["write_backs"]),
        "dram_requests": int(gpu["dram"]["requests"].sum()),
        "dram_bytes": int(gpu["dram"]["bytes_read"].sum() + gpu["dram"]["bytes_written"].sum()),
        "dram_row_hits": int(gpu["dram"]["row_hits"].sum()),
        "dram_row_misses": int(gpu["dram"]["row_misses"].sum()),
        "data_requests": int(gpu["data_channels"]["requests"]),
        "data_channel_busy_cycles": int(gpu["data_channels"]["busy"].sum()),
        "program_requests": int(gpu["program_channels"]["requests"]),
        "program_channel_busy_cycles": int(gpu["program_channels"]["busy"].sum()),
        "fetch_hits": int(cores["fetch"]["hits"].sum()),
        "fetch_misses": int(cores["fetch"]["misses"].sum()),
        "l0_fetch_hits": int(cores["fetch"]["l0_hits"].sum()),
        "l0_fetch_misses": int(cores["fetch"]["l0_misses"].sum()),
        "shared_fetch_hits": int(gpu["shared_fetch"]["hits"]),
        "shared_fetch_misses": int(gpu["shared_fetch"]["misses"]),
        "alu_instructions": int(cores["alus"]["busy"].sum()),
        "stack_peak": int(max(cores["reconvergence_stack"]["peak"].max(), cores["mask_stack"]["peak"].max())),
    }
    return found


def account_the_rest(machine: Reported) -> None:
    """Account for the last cycles of warps that were stopped in the middle: each span goes to its reason."""
    for core, warp in live_warps(machine):
        warps = machine.cores[core]["warps"]
        since, now = int(warps["since"][warp]), machine.cycle
        if now > since:
            pc = min(max(int(warps["pc"][warp]), 0), len(machine.profile) - 1)
            woke = min(max(int(warps["wake"][warp]), since), now) if int(warps["awake"]) >> warp & 1 else now
            machine.profile[pc, int(warps["reason"][warp])] += woke - since
            machine.profile[pc, r.NOT_SELECTED] += now - woke
            warps["since"][warp] = now


def live_warps(machine: Reported) -> Iterator[tuple[int, int]]:
    """(core, warp slot) of every warp that has not ended."""
    for core in range(len(machine.cores)):
        active = int(machine.cores[core]["warps"]["active"])
        yield from ((core, warp) for warp in range(64) if active >> warp & 1)


def fault_text(machine: Reported) -> str:
    """The fault with its place in the source; "" when there is none."""
    fault = machine.gpu["fault"]
    kind = int(fault["kind"])
    if kind == 0:
        return ""
    core, warp = int(fault["core"]), int(fault["warp"])
    if FAULTS[kind].name in ("deadlock", "livelock"):
        return f"{sentence(fault)}: {'; '.join([*running(machine), *_way_out(machine)])} (cycle {int(fault['cycle'])})"
    text = f"{machine.program.where(int(fault['pc']))}: {sentence(fault)}"
    return f"{text} ({_who(machine, core, warp, int(fault['lanes']))}, core {core}, cycle {int(fault['cycle'])})"


def _who(machine: Reported, core: int, warp: int, lanes: int) -> str:
    """Whose lanes these are: their block and warp; the threads, where they are not all of the warp that was launched in this slot."""
    block = int(machine.cores[core]["blocks"]["number"][int(machine.cores[core]["warps"]["block"][warp])])
    rank = int(machine.cores[core]["warps"]["rank"][warp])
    if machine.moves_threads:
        numbers = machine.cores[core]["registers"]["lane"][warp][machine.program.registers :]
        found = [tuple(int(numbers[OF_A_THREAD.index(name), lane]) for name in ("block", "warp", "thread")) for lane in lanes_of(lanes)]
        if any((its_block, its_warp) != (block, rank) for its_block, its_warp, _ in found):
            return ", ".join(f"thread {thread} of block {its_block}" for its_block, _, thread in found)
    return f"block {block}, warp {rank}, {lanes_text(lanes, 'lane')}"


def running(machine: Reported) -> list[str]:
    """Where each live warp is and what it waits for, a line each; the rest is counted."""
    found = list(live_warps(machine))
    lines = [_warp_line(machine, core, warp) for core, warp in found[:MOST_WARPS]]
    if len(found) > MOST_WARPS:
        lines.append(f"and {len(found) - MOST_WARPS} more warps")
    return lines


def _warp_line(machine: Reported, core: int, warp: int) -> str:
    state = machine.cores[core]["warps"]
    pc, reason = int(state["pc"][warp]), r.REASONS[int(state["reason"][warp])]
    waits = int(state["at_barrier"]) >> warp & 1
    block = int(machine.cores[core]["blocks"]["number"][int(state["block"][warp])])
    mask = int(state["mask"][warp])
    name = f"warp {int(state['rank'][warp])} of block {block} (core {core}"
    if (core, warp) in machine.detector.spinning:
        text = f"{name}, {lanes_text(mask, 'lane')}) spins at {machine.program.where(machine.detector.spinning[core, warp])}"
    elif mask:
        text = f"{name}, {lanes_text(mask, 'lane')}) at {machine.program.where(pc - 1 if waits else pc)}: {reason.meaning}"
    else:
        text = f"{name}) waits for itself: none of its lanes can go on"
    return "; ".join([text, *_waiting_lanes(machine, core, warp, mask)])


def _waiting_lanes(machine: Reported, core: int, warp: int, running_lanes: int) -> Iterator[str]:
    """The lanes of a warp that wait for others of it, and where."""
    where = machine.program.where
    stack, groups = machine.cores[core]["reconvergence_stack"], machine.cores[core]["path_table"]
    depth = int(stack["depth"][warp])
    if depth:
        mask = int(stack["mask"][warp][depth - 1]) & ~running_lanes
        yield f"{_wait(mask)} on the stack for {where(int(stack['pc'][warp][depth - 1]))}"
    for row in range(int(groups["count"][warp])):
        mask, pc, state = (int(groups[name][warp][row]) for name in ("mask", "pc", "state"))
        if state == READY:
            yield f"{_wait(mask)} to go on at {where(pc)}"
        elif state == AT_RECONVERGENCE:
            yield f"{_wait(mask)} for the others at {where(pc)}"
        else:
            yield f"{_wait(mask)} for the others at barrier {state - AT_BARRIER}, {where(pc - 1)}"


def _wait(mask: int) -> str:
    return f"{lanes_text(mask, 'lane')} of it wait{'' if mask & (mask - 1) else 's'}"


def _way_out(machine: Reported) -> list[str]:
    """What to change when lanes keep others of their own warp from going on."""
    for core, warp in machine.detector.spinning:
        if machine.config.core.divergence != "its" and any(_waiting_lanes(machine, core, warp, 0)):
            return ["with core.divergence=its no lane waits for another one for ever"]
    return []


def final_registers(machine: Reported) -> np.ndarray:
    """uint32[cores, warp slots, registers, lanes]: what the last warp of each slot had in its lane registers."""
    config = machine.config.core
    return machine.cores["registers"]["lane"][:, : config.warps, : min(machine.program.registers, u.HIDDEN), : config.lanes].copy()
