"""Which warp slots a block begins in, as an H100 gave them: those of one block that has ended, all of them."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.machine.programs import BLOCK, FREE, WARP, Assembly, run
from warploom import GPU
from warploom.machine.accounting import events as e

RECORDED = json.loads((Path(__file__).parents[2] / "golden/h100/assignment.json").read_text())


def recorded(name):
    """Of each multiprocessor, its blocks in the order of their beginning: (nanosecond, warp slot of warp 0)."""
    smid, start, slot = (
        next(row["list"] for row in RECORDED if row["name"] == f"assign.{what}" and row["params"].startswith(f"{name} "))
        for what in ("smid", "start_ns", "warpid")
    )
    return [sorted((start[n], slot[n]) for n in range(len(smid)) if smid[n] == core) for core in sorted({*smid})]


def places(blocks, warps):
    """Which place of so many warps each block of a core begins in."""
    return tuple(slot // warps for _, slot in blocks)


def simulated(rule, blocks, longer=0, cores=2, warps=8):
    """The same of blocks on a machine whose cores hold two; and the slots of each block.

    Of the first block of each core, and of each second one from there on, odd warps take so many turns of a loop longer.
    """
    code = Assembly()
    code.op("shr", FREE, BLOCK, imm=1)
    code.op("xor", FREE, FREE, imm=1)
    code.op("and", FREE, FREE, WARP)
    code.op("and", FREE, FREE, imm=1)
    code.op("mul", FREE, FREE, imm=longer)
    code.op("add", FREE, FREE, WARP)
    code.op("add", FREE, FREE, imm=1)
    code.label("again")
    code.op("sub", FREE + 1, FREE + 1, imm=1)
    code.op("add", FREE + 2, FREE, FREE + 1)
    code.branch(FREE + 2, "again")
    code("exit")
    program = code.program(threads=4 * warps * blocks, block=4 * warps)
    changes = {"gpu__cores": cores, "core__warps": 2 * warps, "gpu__dispatch_latency": 20, "core__warp_slots": rule}
    rows = run(program, tracing=True, **changes).detail.events
    found = {}
    for core, block, time, warp in e.of_kind(rows, e.LAUNCH)[["core", "block", "time", "warp"]].tolist():
        found.setdefault(core, {}).setdefault(block, []).append((time, warp))
    assert sum(map(len, found.values())) == blocks
    begun = [[block[0] for block in core.values()] for core in found.values()]
    return begun, [{slot for _, slot in block} for core in found.values() for block in core.values()]


def test_an_h100_gives_the_third_block_the_slots_of_one_that_has_ended():
    cores = recorded("big_blocks")
    assert Counter(places(blocks, 32) for blocks in cores) == {(0, 1): 16, (0, 1, 0): 95, (0, 1, 0, 1): 21}
    assert all(slot % 32 < 4 for blocks in cores for _, slot in blocks)  # warp 0 in one of the first four of its place


def test_on_an_h100_a_block_waits_for_the_last_warp_of_the_one_before_it():
    # Two blocks to a multiprocessor both times; warps start two cycles apart and run equally long, so the 32nd ends 56 after the 4th.
    cycles = []
    for name in ("two_per_sm", "big_blocks"):
        waits = [blocks[2][0] - blocks[0][0] for blocks in recorded(name) if len(blocks) > 2]
        cycles.append(1.98 * sum(waits) / len(waits))
    assert 35 < cycles[1] - cycles[0] < 80


@pytest.mark.parametrize("blocks", [4, 6, 7, 8])
def test_blocks_that_keep_their_slots_begin_as_those_of_an_h100(blocks):
    cores, slots = simulated("block", blocks)
    assert {places(core, 8) for core in cores} <= {places(core, 32) for core in recorded("big_blocks")}
    assert all(own in ({*range(8)}, {*range(8, 16)}) for own in slots)


@pytest.mark.parametrize("longer", [30, 200])
def test_a_block_that_has_half_ended_keeps_all_its_slots(longer):
    _, slots = simulated("block", 8, longer)
    assert all(own in ({*range(8)}, {*range(8, 16)}) for own in slots)


def test_where_slots_are_free_warp_by_warp_a_block_begins_in_those_of_several():
    _, slots = simulated("warp", 8, 200)
    assert any(own not in ({*range(8)}, {*range(8, 16)}) for own in slots)


def test_presets_of_nvidia_have_the_rule_and_other_machines_their_own():
    for name, rule in (("v100", "block"), ("a100", "block"), ("h100", "block"), ("sm", "block"), ("rtx3070", "block"),
                       ("guppy", "warp"), ("vortex-2024", "warp"), ("gcn", "warp"), ("tiny-simt", "warp")):  # fmt: skip
        assert GPU(name).config.core.warp_slots == rule
