"""The model's own functions, called at random while a recorder listens: a stimulus for every unit of the modern core."""

import random
from types import SimpleNamespace

import numpy as np

from warploom import GPU
from warploom.isa.uop import USE, USES, WRITES
from warploom.machine.core.divergence import minpc, path_table, split_join, stack
from warploom.machine.core.load_store import coalescer, shared_memory
from warploom.machine.core.scheduling import policies, scheduler
from warploom.machine.core.warps import barrier, scoreboard
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.unit import FOREVER, mirror, zeros
from warploom.machine.memory import cache, mshr
from warploom.rtl.beside import WATCHERS
from warploom.rtl.beside.recorder import calls
from warploom.rtl.beside.steps import play

LANES = WARPS = 8
MACHINE = {
    "core.lanes": LANES, "core.warps": WARPS, "core.blocks": 4, "core.stack_depth": 6, "core.fetch_group": 3, "l1.bytes": 64, "l1.ways": 4,
    "l1.line": 4, "l1.mshrs": 4, "l1.merges": 3, "latency.to_float": 0, "latency.to_integer": 0, "l1.sets": 0, "shared.banks": 4,
    "shared.bank_bytes": 4, "lsu.coalesce": True,
}  # fmt: skip


class Program30(list):
    """A program of 30 instructions, of which nobody asks more than their number."""


def watched(unit, changes, act, most=4000):
    """(what came out, the watcher) of a unit whose model `act(watcher, chance)` calls."""
    config = GPU("tiny-simt", set=MACHINE | changes).config
    watcher = WATCHERS[unit](config, Program30([0] * 30), most)
    taps = watcher.taps()

    def do(unit):
        """The model's unit, watched."""
        is_policy = any(unit is policy.choose for policy in policies.POLICIES.values())
        return calls(taps["policy" if is_policy else unit], unit)

    with np.errstate(all="ignore"):
        act(watcher, random.Random(7), do)
    return play(watcher.hardware(), watcher.traces), watcher


def schedule(watcher, chance, do):
    s = mirror(zeros((), scheduler.Scheduler))
    name = watcher.config.core.scheduler
    s.warps, s.step, s.last, s.group_size, s.owned = WARPS, 1, -1, 3, np.uint64(255)
    for now in range(400):
        watcher.now = now
        if chance.random() < 0.2:
            do(scheduler.add_warp)(s, chance.randrange(WARPS), now)
        s.active = np.uint64(chance.getrandbits(WARPS) | chance.getrandbits(WARPS))
        s.awake = s.active & np.uint64(chance.getrandbits(WARPS))
        s.eligible = s.awake & np.uint64(chance.getrandbits(WARPS))
        s.waiting_memory = s.active & ~s.awake & np.uint64(chance.getrandbits(WARPS) | chance.getrandbits(WARPS))
        s.at_barrier = s.active & np.uint64(chance.getrandbits(WARPS) & chance.getrandbits(WARPS))
        if s.eligible or name == "vortex":
            pick = do(policies.POLICIES[name].choose)(s, now)
            s.last = pick if pick >= 0 else s.last


def lock(watcher, chance, do):
    board, warps = mirror(zeros((), scoreboard.Scoreboard)), mirror(zeros((), Warps))
    code = np.zeros((30, USE + 8), np.int32)
    for row in code:
        row[USES], row[WRITES] = 3, 1
        row[USE : USE + 3] = [chance.randrange(6) for _ in range(3)]
    watcher.code = code
    warps.active, warps.lanes, board.groups = np.uint64(255), LANES, 6
    core = SimpleNamespace(scoreboard=board, warps=warps)
    loads = []
    for now in range(300):
        watcher.now = now
        watcher.begin_cycle(core, now)
        warp = chance.randrange(WARPS)
        pc = warps.pc[warp]
        if scoreboard.blocking_group(board, code, warp, pc, warps.mask[warp], LANES, now)[0] < 0:
            load = chance.random() < 0.3
            do(scoreboard.mark_busy)(board, code, warp, pc, warps.mask[warp], LANES, FOREVER if load else now + chance.randrange(1, 9), 0)
            if load:
                loads.append((warp, int(pc)))
            warps.pc[warp] = chance.randrange(30)
        if loads and chance.random() < 0.4:
            warp, pc = loads.pop(chance.randrange(len(loads)))
            do(scoreboard.mark_busy)(board, code, warp, pc, warps.mask[warp], LANES, now + 1, 0)
        if chance.random() < 0.02:
            warp = chance.randrange(WARPS)
            loads = [load for load in loads if load[0] != warp]
            do(scoreboard.clear)(board, warp, now)


def warp_table():
    warps = mirror(zeros((), Warps))
    warps.mask[0] = warps.threads[0] = np.uint64(255)
    return warps


def stack_paths(watcher, chance, do):
    table, warps = mirror(zeros((), path_table.PathTable)), None
    table.limit, table.first_side = 6, path_table.SIDES[watcher.config.divergence.first]
    for now in range(2500):
        watcher.now = now
        if warps is None or warps.threads[0] == 0 or chance.random() < 0.02:
            do(path_table.clear)(table, 0)
            warps = warp_table()
        mask = int(warps.mask[0])
        taken = mask & chance.getrandbits(LANES)
        action = chance.random()
        if taken not in (0, mask) and 0.6 <= action < 0.75:
            here = int(warps.pc[0])
            if do(stack.jump_apart)(table, warps, 0, np.uint64(taken), here + 1 if action < 0.7 else int(table.rejoins_at[0])) == 0:
                warps = None
                continue
            warps.pc[0] = chance.randrange(12)
        elif taken not in (0, mask) and action < 0.6:
            if do(stack.branch)(table, warps, 0, np.uint64(taken), chance.randrange(12), chance.randrange(12)) == 0:
                warps = None  # an overflow stops the machine
                continue
        else:
            warps.pc[0] = chance.randrange(12)
        if chance.random() < 0.2:
            warps.threads[0] &= ~np.uint64(1 << chance.randrange(LANES))
            warps.mask[0] &= warps.threads[0]
        do(stack.select_path)(table, warps, 0)


def pc_paths(watcher, chance, do):
    table, warps = mirror(zeros((), path_table.PathTable)), None
    table.limit = 64
    for now in range(500):
        watcher.now = now
        if warps is None or warps.threads[0] == 0 or chance.random() < 0.02:
            do(path_table.clear)(table, 0)
            warps = warp_table()
        mask = int(warps.mask[0])
        taken = mask & chance.getrandbits(LANES)
        action = chance.random()
        if taken not in (0, mask) and action < 0.5:
            do(path_table.split_group)(table, warps, 0, np.uint64(taken), chance.randrange(12))
        elif action < 0.7 and mask:
            warps.pc[0] += 1
            if path_table.all_arrive(table, 0, 0) == 0:
                path_table.put_aside(table, warps, 0, path_table.AT_BARRIER)
        else:
            warps.pc[0] = chance.randrange(12)
        if chance.random() < 0.1 and warps.mask[0]:
            gone = warps.mask[0] & np.uint64(chance.getrandbits(LANES))
            warps.threads[0] &= ~gone
            warps.mask[0] &= ~gone
        do(minpc.select_path)(table, warps, 0)
        if warps.mask[0] == 0:
            warps = None  # nobody opens the barrier here


def split_and_join(watcher, chance, do):
    table, warps = mirror(zeros((), path_table.PathTable)), warp_table()
    table.limit = 6
    do(path_table.clear)(table, 0)
    for now in range(400):
        watcher.now = now
        if chance.random() < 0.5:
            chosen = warps.mask[0] & np.uint64(chance.getrandbits(LANES) | chance.choice([0, 255]))
            fault = do(split_join.split)(table, warps, 0, chosen)
        else:
            fault = do(split_join.join)(table, warps, 0)
        warps.pc[0] = chance.randrange(20)
        if fault or warps.mask[0] == 0 or chance.random() < 0.05:
            warps = warp_table()
            do(path_table.clear)(table, 0)


def barriers(watcher, chance, do):
    table = mirror(zeros((), barrier.Barriers))
    table.count = 3
    alive = [255, 255]
    for now in range(500):
        watcher.now = now
        block, number, action = chance.randrange(2), chance.randrange(3), chance.random()
        if action < 0.7 and alive[block]:
            warp = chance.choice([w for w in range(WARPS) if alive[block] >> w & 1])
            expected = chance.choice([0, 0, 2, 5])
            do(barrier.arrive)(table, block, number, warp, chance.random() < 0.8, expected, np.uint64(alive[block]))
        elif action < 0.95:
            alive[block] &= ~(1 << chance.randrange(WARPS))
            for each in range(3):
                do(barrier.release)(table, block, each, np.uint64(alive[block]))
        else:
            alive[block] = 255
            do(barrier.reset)(table, block)


def addresses_of(chance, size, aligned):
    kind = chance.random()
    if kind < 0.3:
        return np.array([64 + lane * size for lane in range(LANES)], np.uint32)
    found = [chance.randrange(0, 200) for _ in range(LANES)]
    return np.array([a // size * size if aligned else a for a in found], np.uint32)


def accesses(aligned):
    def act(watcher, chance, do):
        lsu = SimpleNamespace(line_shift=5, sector_shift=3, merge=int(watcher.config.lsu.coalesce))
        for now in range(150):
            watcher.now = now
            size = chance.choice([1, 2, 4, 8, 16])
            active = np.array([chance.random() < 0.8 for _ in range(LANES)], np.uint32)
            lines, sectors = np.zeros(2 * LANES, np.int64), np.zeros(2 * LANES, np.uint64)
            do(coalescer.coalesce)(lsu, addresses_of(chance, size, aligned), active, size, LANES, lines, sectors)

    return act


def shared_accesses(watcher, chance, do):
    for now in range(200):
        watcher.now = now
        size = chance.choice([1, 2, 4, 4, 8, 16])
        active = np.array([chance.random() < 0.8 for _ in range(LANES)], np.uint32)
        atomic = int(size == 4 and chance.random() < 0.3)
        do(shared_memory.conflicts)(addresses_of(chance, size, True), active, size, LANES, 4, 4, atomic)


def lookups(watcher, chance, do):
    tags = mirror(zeros((), cache.Cache))
    cache.configure(tags, 4, 4, watcher.config.l1.replacement, 3)
    for now in range(500):
        watcher.now = now
        # Two lines that arrive in one cycle are one too many for the counter of `fifo`.
        for _ in range(1 if watcher.config.l1.replacement == "fifo" else chance.choice([1, 1, 2])):
            line, sectors = chance.randrange(40), np.uint64(chance.randrange(1, 16))
            missing = do(cache.lookup)(tags, line, sectors, now)
            if missing and chance.random() < 0.8:
                do(cache.fill)(tags, line, missing, now)


def misses(watcher, chance, do):
    table = mirror(zeros((), mshr.Mshr))
    mshr.configure(table, 4, 3)
    for now in range(500):
        watcher.now = now
        line, sectors = chance.randrange(8), np.uint64(chance.randrange(1, 16))
        entry = mshr.find(table, line)
        if entry < 0:
            if do(mshr.may_allocate)(table):
                do(mshr.allocate)(table, line, sectors, chance.randrange(16))
        elif chance.random() < 0.5:
            if mshr.may_join(table, entry):
                do(mshr.merge)(table, entry, sectors, chance.randrange(16))
        elif chance.random() < 0.4:
            table.sectors[entry] &= ~sectors
            if table.sectors[entry] == 0:
                finish(table, entry, do)
        else:
            finish(table, entry, do)


def finish(table, entry, do):
    table.sectors[entry] = np.uint64(0)
    link = mshr.first_waiter(table, entry)
    do(mshr.release)(table, entry)
    while link:
        _, link = mshr.take_waiter(table, link)


# by name: the watcher, settings, and what is done at random
UNITS = {
    **{f"scheduler {name}": ("scheduler", {"core.scheduler": name}, schedule) for name in WATCHERS["scheduler"].HARDWARE},
    "scoreboard": ("scoreboard", {}, lock),
    **{f"stack {side}": ("stack", {"divergence.first": side}, stack_paths) for side in ("fall_through", "taken", "smaller")},
    "minimum PC": ("minpc", {"core.divergence": "minpc"}, pc_paths),
    "split and join": ("split_join", {}, split_and_join),
    "barrier table": ("barriers", {}, barriers),
    "coalescer": ("coalescer", {}, accesses(True)),
    "coalescer, lanes that straddle lines": ("coalescer", {}, accesses(False)),
    "no coalescing": ("coalescer", {"lsu.coalesce": False}, accesses(True)),
    "bank conflicts": ("banks", {}, shared_accesses),
    **{f"tags {name}": ("tags", {"l1.replacement": name}, lookups) for name in ("lru", "fifo", "plru", "random")},
    "MSHRs": ("mshrs", {}, misses),
}
