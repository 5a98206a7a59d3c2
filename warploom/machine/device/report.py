"""What a run on cores with warps gave: counters, the fault as a sentence, and where each warp was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.isa.needs import special_registers
from warploom.isa.program import Program
from warploom.isa.regions import PAGE_BYTES
from warploom.isa.views import VIEW_BYTES
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.faults import FAULTS, lanes_of, lanes_text, sentence
from warploom.machine.accounting.status import DONE
from warploom.machine.config.roles import obeys_words
from warploom.machine.config.schema import Config
from warploom.machine.config.sequences import slots_of
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.core.divergence.path_table import AT_RECONVERGENCE, AT_SYNC, READY, STACKED
from warploom.machine.core.divergence.thread_pool import OF_A_THREAD
from warploom.machine.core.divergence.waiting import next_paths
from warploom.machine.core.warps.barrier import CORE_BARRIERS, GRID_BARRIER, WHOLE_WARP
from warploom.machine.device.callers import caller
from warploom.machine.device.graphics_report import graphics_counters, graphics_remarks
from warploom.machine.device.ray_report import ray_counters, ray_remarks
from warploom.machine.device.remarks.stacks import overflow_at
from warploom.machine.device.storage import Storage
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.users import unit_in_its_file, unit_name
from warploom.machine.memory.sector_masks import DIRTY, table_of
from warploom.machine.memory.settings import MOST_MEMORY
from warploom.machine.run.livelock import LivelockDetector

MOST_WARPS = 8  # warps that a message lists


class Reported(Protocol):
    """What is read of a machine after its run."""

    program: Program
    config: Config
    gpu: np.ndarray
    cores: np.ndarray
    code: np.ndarray
    memory: np.ndarray
    profile: np.ndarray
    moves_threads: bool
    storage: Storage
    detector: LivelockDetector

    @property
    def users_units(self) -> Mapping[str, Callable[..., Any]]:
        """A user's own units by their slots."""

    @property
    def cycle(self) -> int:
        """Cycles simulated."""


def counters(machine: Reported) -> dict[str, int]:
    """The counters, by their names in `counters.COUNTERS`."""
    gpu, cores, totals = machine.gpu, machine.cores, machine.profile.sum(axis=0)
    found = {
        "cycles": machine.cycle,
        "store_tail_cycles": _store_tail(machine),
        "instructions": int(totals[r.ISSUES]),
        "issued_instructions": _issued(machine),
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
        **_of_spaces(machine),
        "l1_hits": int(totals[r.HITS]),
        "l1_misses": int(totals[r.MISSES]),
        "l1_evictions": int(cores["lsu"]["cache"]["evictions"].sum()),
        "l1_prefetches": int(cores["lsu"]["prefetcher"]["sent"].sum()),
        "l1_useful_prefetches": int(cores["lsu"]["prefetcher"]["useful"].sum()),
        "l1_dropped_prefetches": int(cores["lsu"]["prefetcher"]["dropped"].sum()),
        "texture_evictions": int(cores["texture"]["cache"]["evictions"].sum()),
    }
    l2 = gpu["l2"]["cache"]
    found |= {
        "l2_hits": int(l2["hits"]),
        "l2_misses": int(l2["tag_misses"] + l2["sector_misses"]),
        "l2_evictions": int(l2["evictions"]),
        "l2_write_backs": int(l2["write_backs"]),
        "l2_write_back_bytes": int(l2["written_back"]) << int(gpu["sector_shift"]),
        "l2_fill_bytes": int(gpu["l2"]["filled"]) << int(gpu["sector_shift"]),
        "l2_passed_on_bytes": int(gpu["l2"]["passed_on"]) << int(gpu["sector_shift"]),
        "l2_stalls": int(gpu["l2"]["stalls"]),
        "l2_atomics": int(gpu["l2"]["atomics"]),
        "dirty_bytes": _dirty_sectors(machine) << int(gpu["sector_shift"]),
        "dram_requests": int(gpu["dram"]["requests"].sum()),
        "dram_bytes": int(gpu["dram"]["bytes_read"].sum() + gpu["dram"]["bytes_written"].sum()),
        "dram_bytes_written": int(gpu["dram"]["bytes_written"].sum()),
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
        "stack_peak": int(max(cores[name]["peak"].max() for name in _stacks(machine))),
    }
    return found | graphics_counters(gpu) | ray_counters(gpu)


def _store_tail(machine: Reported) -> int:
    """Cycles after the last warp has ended; 0 where one runs, or none ever has."""
    ended = int(machine.gpu["room_since"])
    return machine.cycle - ended if ended and int(machine.gpu["live"]) == 0 else 0


def _issued(machine: Reported) -> int:
    """Instructions, of which a sequence counts as those that it is made of: each takes an issue slot."""
    issues = machine.profile[:, r.ISSUES]
    if machine.config.pipes.owner != "scheduler" or obeys_words(machine.config, machine.program):
        return int(issues.sum())
    each = np.array([slots_of(machine.config, name) for name in u.LATENCIES], np.int64)
    return int((issues * each[machine.code[:, u.ISSUE_LATENCY]]).sum())


def remarks(machine: Reported) -> Iterator[str]:
    """What a user should know of a run although it is not a fault: lanes that disagreed at a branch which their program had not split;
    fragments of a pixel that did not keep their order."""
    yield from graphics_remarks(machine.gpu)
    yield from ray_remarks(machine.gpu)
    for core, state in enumerate(machine.cores):
        found = state["counters"] if "counters" in (state.dtype.names or ()) else state
        first, times = found["unguarded"], int(found["unguarded"]["times"])
        if times:
            where, warp = machine.program.where(int(first["pc"])), int(first["warp"])
            going, staying = (lanes_text(int(first[name]), "lane") for name in ("going", "staying"))
            much = "once" if times == 1 else f"{times} times"
            yield (
                f"{where}: lanes of a warp disagree here and nothing splits them, so all go where one of them does: {going} would, "
                f"{staying} would not (warp {warp}, core {core}; {much} on this core); with core.divergence=stack, minpc or its each "
                "goes its own way"
            )
            return


def exit_code(machine: Reported) -> int | None:
    """What the program has left as its exit code, with a sign; None where it leaves none."""
    if machine.program.exit_code is None:
        return None
    where, number = machine.program.exit_code
    if where == "register":
        return int(machine.cores[0]["registers"]["lane"][0, number, 0].astype(np.int32))
    place = machine.program.address_space().place(number, 4)
    return int(machine.memory[place // 4].astype(np.int32))


def _stacks(machine: Reported) -> tuple[str, ...]:
    """The path tables that are stacks: that of groups in any order is none."""
    return ("mask_stack",) if MECHANISMS[machine.config.core.divergence].any_order else ("path_table", "mask_stack")


def _of_spaces(machine: Reported) -> dict[str, int]:
    """What local and constant memory were asked: an instruction that accesses one has all of its accesses counted there."""
    uops, found = machine.program.uops, {}
    for space, name in ((u.LOCAL_SPACE, "local"), (u.CONSTANT_SPACE, "constant")):
        of_space = (uops[:, u.UNIT] == u.MEMORY) & (uops[:, u.SPACE] == space)
        rows = [bool(of_space[row[u.FIRST_UOP] : row[u.FIRST_UOP] + row[u.COUNT]].any()) for row in machine.code]
        found[f"{name}_accesses"] = int(machine.profile[rows, r.ACCESSES].sum())
        if space == u.LOCAL_SPACE:
            found["local_transactions"] = int(machine.profile[rows, r.TRANSACTIONS].sum())
    constants = machine.cores["constants"]
    for level, name in (("first", "constant"), ("second", "constant_next")):
        for what in ("hits", "misses"):
            found[f"{name}_{what}"] = int(constants[level][what].sum())
    return found


def _dirty_sectors(machine: Reported) -> int:
    """Sectors that only a cache has the new content of."""
    caches = [machine.gpu["l2"]["cache"]] if machine.config.l2.write == "back" else []
    caches += [core["lsu"]["cache"] for core in machine.cores] if machine.config.l1.write == "back" else []
    found = 0
    for cache in caches:
        masks = table_of(cache["masks"])[: int(cache["sets"]) * int(cache["ways"]), DIRTY]
        found += int(np.unpackbits(masks[masks != 0].view(np.uint8)).sum())
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


def launch_rows(machine: Reported) -> np.ndarray:
    """A LAUNCH of every warp that has not ended, as if it came now: what events need that begin in the middle of a run."""
    rows = []
    for core, warp in live_warps(machine):
        state = machine.cores[core]
        warps = state["warps"]
        block, mask = int(state["blocks"]["number"][int(warps["block"][warp])]), int(warps["launched"][warp].astype(np.int64))
        pc, rank = int(warps["pc"][warp]), int(warps["rank"][warp])
        rows.append(e.row_of(e.LAUNCH, time=machine.cycle, core=core, warp=warp, pc=pc, lanes=mask, block=block, rank=rank))
    return np.array(rows, np.int64).reshape(-1, e.EVENT_COLUMNS)


def open_rows(machine: Reported) -> np.ndarray:
    """The spans of warps that have not ended, as if they ended now: STALLs, in the order of `account_the_rest`."""
    rows = []
    for core, warp in live_warps(machine):
        warps = machine.cores[core]["warps"]
        since, now = int(warps["since"][warp]), machine.cycle
        pc, mask, reason = int(warps["pc"][warp]), int(warps["mask"][warp].astype(np.int64)), int(warps["reason"][warp])
        woke = min(max(int(warps["wake"][warp]), since), now) if int(warps["awake"]) >> warp & 1 else now
        rows += [
            e.row_of(e.STALL, time=until, core=core, warp=warp, pc=pc, lanes=mask, reason=why, since=begin)
            for begin, until, why in ((since, woke, reason), (woke, now, r.NOT_SELECTED))
            if until > begin
        ]
    return np.array(rows, np.int64).reshape(-1, e.EVENT_COLUMNS)


def blocks(machine: Reported) -> tuple[int, int]:
    """How many blocks of the launch have ended, and how many there are."""
    grid, table = machine.gpu["grid"], machine.cores["blocks"]
    used = (table["used"][:, None] >> np.arange(MAX_WARPS, dtype=np.uint64) & np.uint64(1)).astype(bool)
    waiting = max(int(grid["high"]) - int(grid["low"]), 0)
    return int(grid["blocks"]) - waiting - len(set(table["number"][used].tolist())), int(grid["blocks"])


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
        said = [*running(machine), *_not_started(machine), *_way_out(machine)]
        return f"{sentence(fault, 'lane')}: {'; '.join(said)} (cycle {int(fault['cycle'])})"
    where, who = machine.program.where(*fault_place(machine)), _who(machine, core, warp, int(fault["lanes"]))
    if element := _of_array(machine, fault):
        return f"{where}: {element}, {who} (core {core}, cycle {int(fault['cycle'])})"
    whole = f"{where}: {_sentence(machine, fault)}{_nearest_region(machine, fault)}{overflow_at(machine)}"
    return f"{whole} ({who}, core {core}, cycle {int(fault['cycle'])})"


def fault_place(machine: Reported) -> tuple[int, int]:
    """(the instruction that a fault is about, the user's that has called it where it is of the run-time; else -1).

    Where no warp can ever continue, that of the first one that is in the user's program, or was called from there.
    """
    fault = machine.gpu["fault"]
    pc, core, warp = (int(fault[name]) for name in ("pc", "core", "warp"))
    places = [(pc, _called_from(machine, core, warp, int(fault["lanes"]), pc))]
    if FAULTS[int(fault["kind"])].name in ("deadlock", "livelock") and any(source.of_runtime for source in machine.program.sources):
        places = [*(_place(machine, *where) for where in live_warps(machine)), *places]
    known = [place for place in places if place[1] >= 0 or not machine.program.in_runtime(place[0])]
    return next(iter(known), places[0])


def _place(machine: Reported, core: int, warp: int) -> tuple[int, int]:
    """The same of a warp that has not ended: where it spins, waits or is."""
    state = machine.cores[core]["warps"]
    spin = machine.detector.spinning.get((core, warp))
    pc = spin.instruction if spin else int(state["pc"][warp]) - (int(state["at_barrier"]) >> warp & 1)
    return pc, _called_from(machine, core, warp, spin.lanes if spin else int(state["mask"][warp]), pc)


def _called_from(machine: Reported, core: int, warp: int, lanes: int, pc: int) -> int:
    """Of an instruction of the run-time the user's that has called it; else -1."""
    return caller(machine, core, warp, next(iter(lanes_of(lanes)), 0), pc)


def _sentence(machine: Reported, fault: np.ndarray) -> str:
    """A fault as one sentence, in the words of the run-time or the instruction set where they say more than a number."""
    program = machine.program
    if why := program.stops.get(int(fault["pc"])):
        return why
    kind, number = FAULTS[int(fault["kind"])].name, int(fault["value"])
    if kind == "illegal" and (why := program.refused.get(int(fault["pc"]))):
        return f"{sentence(fault, 'lane')}: {why}"
    if kind == "address_out_of_range" and (pointer := _pointer(machine, fault)) >> 32:
        said = sentence(fault, "lane").partition(" address ")[0]
        return f"{said} address {pointer:#x}, where there is no memory: the pointers of this device are below {1 << 32:#x}"
    if kind == "no_pick":
        return sentence(fault, "lane").replace("the scheduler", unit_in_its_file(machine.users_units["scheduler"]), 1)
    if kind == "read_only_register" and (name := program.control_registers.get(number)):
        return sentence(fault, "lane").replace(f"{number:#05x}", name)
    return sentence(fault, "lane")


def _pointer(machine: Reported, fault: np.ndarray) -> int:
    """The address of 64 bits that the lane of a fault has accessed; 0 where its instruction has no such pointers."""
    if int(fault["pc"]) not in machine.program.pointers:
        return 0
    register, offset = machine.program.pointers[int(fault["pc"])]
    core, warp = int(fault["core"]), int(fault["warp"])
    lane = next(iter(lanes_of(int(fault["lanes"]))), 0)
    low, high = machine.cores[core]["registers"]["lane"][warp, register : register + 2, lane].tolist()
    return ((high << 32 | low) + offset) % (1 << 64)


def _of_array(machine: Reported, fault: np.ndarray) -> str:
    """An access outside of a view that the program knows as an array: `out[12]: it has 10 elements`."""
    if FAULTS[int(fault["kind"])].name != "view_out_of_range":
        return ""
    program, row = machine.program, machine.program.code[int(fault["pc"])]
    for view in program.uops[row[u.FIRST_UOP] : row[u.FIRST_UOP] + row[u.COUNT], u.VIEW].tolist():
        if 0 <= view < len(program.view_shapes) and program.views[view, VIEW_BYTES] == fault["limit"]:
            shape = program.view_shapes[view]
            if shape is not None:
                name = program.view_names[view] if view < len(program.view_names) else f"view {view}"
                return f"{name}{shape.element(int(fault['value']))}: it has {shape.extent}"
    return ""


def _nearest_region(machine: Reported, fault: np.ndarray) -> str:
    """The region next to an address that was accessed and at which there is nothing, or nothing to write."""
    if FAULTS[int(fault["kind"])].name not in ("unmapped", "read_only_region"):
        return ""
    all_used = len(machine.storage.touched()) == machine.storage.pages
    if FAULTS[int(fault["kind"])].name == "unmapped" and 0 < machine.storage.pages < machine.program.spare_pages and all_used:
        size, used = machine.config.memory.bytes, machine.storage.pages * PAGE_BYTES  # at least one page, however small memory is
        more = f"add --set memory.bytes={min(2 * max(size, used), MOST_MEMORY)}" if size < MOST_MEMORY else "more there cannot be"
        return f" any more: the program has used {used >> 20} MiB outside of what it declares, all of memory.bytes = {size}; {more}"
    return machine.program.address_space().nearest(int(fault["value"]))


def _who(machine: Reported, core: int, warp: int, lanes: int) -> str:
    """Whose lanes these are: their block and warp; the threads, where they are not all of the warp that was launched in this slot."""
    block = int(machine.cores[core]["blocks"]["number"][int(machine.cores[core]["warps"]["block"][warp])])
    rank = int(machine.cores[core]["warps"]["rank"][warp])
    if machine.moves_threads:
        numbers = machine.cores[core]["registers"]["lane"][warp][machine.program.registers :]
        found = [tuple(int(numbers[OF_A_THREAD.index(name), lane]) for name in ("block", "warp", "thread")) for lane in lanes_of(lanes)]
        if any((its_block, its_warp) != (block, rank) for its_block, its_warp, _ in found):
            return ", ".join(f"thread {thread} of block {its_block}" for its_block, _, thread in found)
    of_arrays = machine.program.view_shapes and not machine.program.regions  # one memory and arrays in it: a kernel with a grid
    if of_arrays or special_registers(machine.program) & {*u.BY_DIMENSION}:
        return _by_dimension(machine, block, rank, lanes_of(lanes))
    return f"block {block}, warp {rank}, {lanes_text(lanes, 'lane')}"


def _by_dimension(machine: Reported, block: int, rank: int, lanes: list[int]) -> str:
    """The same by dimension: `thread (3,0,0) of block (2,0,0)`; of several lanes the first and how many there are beside it."""
    grid = machine.gpu["grid"]
    numbers = [_in_three(block, grid["grid_dim"].tolist())]
    numbers += [_in_three(rank * machine.config.core.lanes + lane, grid["block_dim"].tolist()) for lane in lanes[:1]]
    said = [f"({x},{y},{z})" for x, y, z in numbers]
    if not lanes:
        return f"block {said[0]}, warp {rank}"
    more = f" and {len(lanes) - 1} more" if len(lanes) > 1 else ""
    return f"thread {said[1]}{more} of block {said[0]}"


def _in_three(number: int, extents: list[int]) -> tuple[int, int, int]:
    """A number in one dimension as x, y and z."""
    return number % extents[0], number // extents[0] % extents[1], number // (extents[0] * extents[1])


def running(machine: Reported) -> list[str]:
    """Where each live warp is and what it waits for, a line each; the rest is counted. Without a warp, what the run still waits for."""
    found = list(live_warps(machine))
    if not found and int(machine.gpu["grid"]["low"]) >= int(machine.gpu["grid"]["high"]):
        end = int(machine.gpu["end"])
        when = f", the last one until the end of cycle {end - 1}" if int(machine.gpu["stop"]) == DONE else ""
        return [f"no warp is left: stores are on their way to memory{when}"]
    lines = [_warp_line(machine, core, warp) for core, warp in found[:MOST_WARPS]]
    if len(found) > MOST_WARPS:
        lines.append(f"and {len(found) - MOST_WARPS} more warps")
    return lines


def _warp_line(machine: Reported, core: int, warp: int) -> str:
    state = machine.cores[core]["warps"]
    reason = r.REASONS[int(state["reason"][warp])]
    block = int(machine.cores[core]["blocks"]["number"][int(state["block"][warp])])
    mask = int(state["mask"][warp])
    beyond = int(machine.cores[core]["barriers"]["at_grid"]) >> warp & 1  # of the grid, or of cores
    meaning = "waits at a barrier for warps of other blocks too" if beyond else reason.meaning
    name = f"warp {int(state['rank'][warp])} of block {block} (core {core}"
    where = machine.program.where(*_place(machine, core, warp))
    if spin := machine.detector.spinning.get((core, warp)):
        mask |= spin.lanes
        text = f"{name}, {lanes_text(spin.lanes, 'lane')}) spins at {where}"
    elif mask:
        text = f"{name}, {lanes_text(mask, 'lane')}) at {where}: {meaning}"
    else:
        text = f"{name}) waits for itself: none of its lanes can continue"
    return "; ".join([text, *_barrier_text(machine, core, warp), *_waiting_lanes(machine, core, warp, mask)])


def _barrier_text(machine: Reported, core: int, warp: int) -> Iterator[str]:
    """Which barrier a warp waits at, how many have come and are expected, and which warps of its block have not come."""
    state, barriers = machine.cores[core]["warps"], machine.cores[core]["barriers"]
    slot = int(state["block"][warp])
    alive, at_grid = int(machine.cores[core]["blocks"]["alive"][slot]), int(barriers["at_grid"])
    if at_grid >> warp & 1:
        came = int(machine.gpu["grid"]["waiting"])
        of_grid = f"the barrier of the grid waits for {int(machine.gpu['live'])} warps, and {came} came"
        yield (
            of_grid
            if came
            else _core_barrier_text(machine, core, sum(1 << int(state["rank"][other]) for other in lanes_of(alive & ~at_grid)))
        )
    for number, waiting in enumerate(barriers["waiting"][slot].tolist()):
        if waiting >> warp & 1:
            arrived = int(barriers["arrived"][slot][number])
            expected = int(barriers["expected"][slot][number]) or alive.bit_count()
            missing = sum(1 << int(state["rank"][other]) for other in lanes_of(alive & ~arrived))
            said = f"barrier {number} expects {expected} warps of the block, and {arrived.bit_count()} came"
            yield f"{said}; not there: {lanes_text(missing, 'warp')}" if missing else said


def _core_barrier_text(machine: Reported, core: int, missing: int) -> str:
    """Of a barrier across cores: which cores have come to it, or which warps this core waits for before it has. missing: those warps."""
    if missing:
        return f"a barrier across cores waits for all warps of core {core}; not there: {lanes_text(missing, 'warp')}"
    for number, cores in enumerate(machine.gpu["core_barriers"]["cores"].tolist()):
        if cores >> core & 1:
            return f"barrier {number} across cores expects more cores; there: {lanes_text(cores, 'core')}"
    return "a barrier across cores opens"


def _not_started(machine: Reported) -> list[str]:
    """The blocks that no core had room for."""
    low, high = int(machine.gpu["grid"]["low"]), int(machine.gpu["grid"]["high"])
    if low >= high:
        return []
    which = f"block {low} has" if high - low == 1 else f"blocks {low} to {high - 1} have"
    return [f"{which} not started, because no core has room before others end"]


def _waiting_lanes(machine: Reported, core: int, warp: int, running_lanes: int) -> Iterator[str]:
    """The lanes of a warp that wait for others of it, and where, whatever manages its divergence."""
    where, state = machine.program.where, machine.cores[core]
    for lanes, path in next_paths(state, warp, int(state["warps"]["threads"][warp]) & ~running_lanes):
        if path.table == "mask_stack":
            yield f"{_wait(lanes)} masked off until {where(path.pc)}"
        elif path.state == STACKED:
            yield f"{_wait(lanes)} on the stack for {where(path.pc)}"
        elif path.state == READY:
            yield f"{_wait(lanes)} to continue at {where(path.pc)}"
        elif path.state in (AT_RECONVERGENCE, AT_SYNC):
            yield f"{_wait(lanes)} for the others at {where(path.pc)}"
        elif path.barrier == WHOLE_WARP:
            yield f"{_wait(lanes)} for the others at {where(path.pc - 1)}"
        elif path.barrier == GRID_BARRIER:
            yield f"{_wait(lanes)} for the others at the barrier of the grid, {where(path.pc - 1)}"
        else:
            across = path.barrier >= CORE_BARRIERS
            barrier = f"{path.barrier - CORE_BARRIERS} across cores" if across else str(path.barrier)
            yield f"{_wait(lanes)} for the others at barrier {barrier}, {where(path.pc - 1)}"


def _wait(mask: int) -> str:
    return f"{lanes_text(mask, 'lane')} of it wait{'' if mask & (mask - 1) else 's'}"


def _way_out(machine: Reported) -> list[str]:
    """What to change when lanes keep others of their own warp from going on."""
    for core, warp in machine.detector.spinning:
        if machine.config.core.divergence != "its" and any(_waiting_lanes(machine, core, warp, 0)):
            return ["with core.divergence=its, as on Volta and later, no lane waits forever for another lane of its warp"]
    return []


def final_registers(machine: Reported) -> np.ndarray:
    """uint32[cores, warp slots, registers, lanes]: what the last warp of each slot had in its lane registers."""
    config = machine.config.core
    return machine.cores["registers"]["lane"][:, : config.warps, : min(machine.program.registers, u.HIDDEN), : config.lanes].copy()


def names_of_units(units: Mapping[str, Any]) -> dict[str, str]:
    """A user's units by slot, as one names them: with their file, but for ours."""
    return {slot: _named(unit) for slot, unit in units.items()}


def _named(unit: Any) -> str:
    function = next(verb for verb in unit if verb is not None) if isinstance(unit, tuple) else unit
    ours = str(getattr(function, "__module__", "")).startswith("warploom.")
    return unit_name(unit) if ours else unit_in_its_file(unit)
