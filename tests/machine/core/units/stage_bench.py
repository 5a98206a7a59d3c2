"""A core about to execute a bundle of memory micro-ops, what the memory stage calls, and what it leaves behind."""

from types import SimpleNamespace

import numpy as np

from tests.machine.core.unit_bench import bench, mask
from tests.machine.programs import FREE, Assembly
from warploom.isa import uop as u
from warploom.machine.accounting import reasons as r
from warploom.machine.core.units.memory_stage import access_memory
from warploom.machine.memory.transactions import TURNS_BITS

A, B, C, D = range(FREE, FREE + 4)
WARP, PC, NOW, LATENCY = 2, 1, 100, 9
FILLED = [0, 4, 64, 68]  # byte addresses of the lanes: two sectors of 16 bytes, in two lines of 64


def stage(*uops, active=0b1111, machine=None, **settings):
    """A core about to execute a bundle, and what it calls. Register A: FILLED; B: 7, 8, 9, 10."""
    code = Assembly()
    code("nop")
    code.bundle(*uops)
    code("exit")
    gpu, cores, tables = bench(code, core__warps=4, **(machine or {}))
    core, registers = cores[0], cores[0].registers[WARP]
    tables.uops, tables.code = tables.uops.copy(), tables.code.copy()
    tables.profile, tables.memory = np.zeros((3, 64), np.int64), np.arange(1024, dtype=np.uint32)
    core.warps.mask[WARP] = core.warps.expanded_from[WARP] = active
    core.warps.started[WARP], core.shared_latency, core.shared_free = 33, LATENCY, 0
    registers.active[:4] = [0xFFFFFFFF * (active >> lane & 1) for lane in range(4)]
    registers.lane[A, :4], registers.lane[B, :4] = FILLED, (7, 8, 9, 10)
    core.lsu.used, core.texture.used, core.blocks.shared_bytes = mask(0), mask(0, 1), 256
    core.warps.block[WARP], core.lane_slots.capacity = 1, 0
    for name, value in settings.items():
        setattr(core, name, value)
    calls = []
    units = SimpleNamespace(
        watch=lambda gpu, core, warp, pc, tables, k, now: calls.append(("watch", k - first, int(core.access.address[3]), now)),
        execute=lambda registers, tables, k, lanes: calls.append(("execute", k - first)),
        wide=lambda core, warp, tables, k, where: calls.append(("wide", k - first, where)),
    )
    first = int(tables.code[PC, u.FIRST_UOP])
    made = SimpleNamespace(gpu=gpu, core=core, tables=tables, units=units, calls=calls, registers=registers)
    made.warps, made.lsu, made.row = core.warps, core.lsu, tables.profile[PC]
    gpu.progress = 5
    return made


def execute(made, wanted=u.MEMORY, now=NOW):
    with np.errstate(over="ignore"):  # words wrap around
        return access_memory(made.gpu, made.core, WARP, PC, wanted, made.tables, made.units, np.int64(now))


def busy(made, register=C):
    board = made.core.scoreboard
    return int(board.ready[WARP, register]), int(board.reason[WARP, register])


def entered(made, unit=None, slot=1):
    """(kind, warp, instruction, lanes, launch, more turns, bypass, transactions, issue) of the access in a slot."""
    lsu = unit or made.lsu
    assert (lsu.count, lsu.used) == (1, mask(*range(slot + 1)))
    access = lsu.access[slot]
    columns = (lsu.kind, lsu.warp, lsu.pc, lsu.mask, lsu.launched)
    turns = int(lsu.turns[slot, 0]) & TURNS_BITS
    return (*(int(column[access]) for column in columns), turns, int(lsu.bypass[access]), int(lsu.total[slot]), int(lsu.issued[access]))


def counted(made):
    return made.row[[r.ACCESSES, r.TRANSACTIONS, r.SECTORS, r.SECTORS_NEEDED, r.PASSES]].tolist()


LOADS = {"name": "load", "dst": C, "a": A, "imm": 0}
STORES = {"name": "store", "a": A, "b": B, "imm": 0}
ADDS = {"name": "atomic_add", "dst": C, "a": A, "b": B, "imm": 0}
