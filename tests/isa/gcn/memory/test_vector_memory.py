"""FLAT: each lane's address says whether it goes to memory, to LDS or to its private memory, in one instruction."""

import numpy as np
import pytest

from tests.isa.gcn.snippets import program_of
from warploom import GPU
from warploom.isa.launching import read_buffer

# Lanes 0, 3, 6... have an address in LDS, 1, 4, 7... in private memory, the others in `own`. There lie the lane's number and 1000.
ADDRESSES = """
    s_load_dwordx4 s[8:11], s[4:5], 0x0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v20, v0
    v_mov_b32 v21, 0x3e8
    v_lshlrev_b32 v1, 4, v0
    ds_write_b64 v1, v[20:21]
    v_mov_b32 v9, 0
    scratch_store_dwordx2 v9, v[20:21], off offset:8
    s_mov_b32 s20, 0x55555556
    v_mul_hi_u32 v2, v0, s20
    v_mul_u32_u24 v2, 3, v2
    v_sub_u32 v2, v0, v2
    v_add_u32 v4, s10, v1
    v_mov_b32 v5, 0
    flat_store_dwordx2 v[4:5], v[20:21]
    s_mov_b64 s[14:15], src_shared_base
    s_mov_b64 s[16:17], src_private_base
    v_cmp_eq_u32 vcc, 0, v2
    v_mov_b32 v6, s15
    v_cndmask_b32 v4, v4, v1, vcc
    v_cndmask_b32 v5, v5, v6, vcc
    v_cmp_eq_u32 vcc, 1, v2
    v_mov_b32 v6, s17
    v_mov_b32 v7, 8
    v_cndmask_b32 v4, v4, v7, vcc
    v_cndmask_b32 v5, v5, v6, vcc
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mov_b32 v10, 0
    v_mov_b32 v11, 0
""".splitlines()
RESULTS = """
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_u32 v8, s8, v1
    v_mov_b32 v9, 0
    global_store_dwordx4 v[8:9], v[10:13], off
    s_endpgm
""".splitlines()
LANES = np.arange(64)
PRIVATE = LANES % 3 == 1
ALL = np.full(64, 1000)
# By name: instructions, and what v10 to v13 hold afterwards.
ACCESSES = {
    "load": (["flat_load_dwordx2 v[10:11], v[4:5]", "flat_load_ushort v12, v[4:5] offset:4", "flat_load_ubyte_d16_hi v13, v[4:5] offset:4"],
             [LANES, ALL, ALL, ALL % 256 << 16]),
    "load over its own address": (["flat_load_dwordx2 v[4:5], v[4:5]", "s_waitcnt vmcnt(0) lgkmcnt(0)", "v_mov_b32 v10, v4",
                                   "v_mov_b32 v11, v5"], [LANES, ALL, 0 * LANES, 0 * LANES]),
    "store": (["flat_store_byte v[4:5], v2", "flat_store_dword v[4:5], v1 offset:4", "flat_load_dwordx2 v[10:11], v[4:5]"],
              [LANES % 3, 16 * LANES, 0 * LANES, 0 * LANES]),
    "atomics": (["flat_atomic_add v12, v[4:5], v1 glc", "flat_atomic_smax v[4:5], v21 offset:4", "v_mov_b32 v22, 77",
                 "v_mov_b32 v23, 1000", "flat_atomic_cmpswap v13, v[4:5], v[22:23] offset:4 glc",
                 "flat_load_dwordx2 v[10:11], v[4:5]"], [17 * LANES, 0 * ALL + 77, LANES, ALL]),
    "atomics of 64 bits, which private memory does not have": (
        ["v_mov_b32 v22, 5", "v_mov_b32 v23, 1", "flat_atomic_add_x2 v[12:13], v[4:5], v[22:23] glc", "flat_load_dwordx2 v[10:11], v[4:5]"],
        [np.where(PRIVATE, LANES, LANES + 5), np.where(PRIVATE, 1000, 1001), np.where(PRIVATE, 0, LANES), np.where(PRIVATE, 0, 1000)]),
}  # fmt: skip


def made(lines):
    text = [*ADDRESSES, *(["    v_mov_b32 v12, 0", "    v_mov_b32 v13, 0"]), *lines, *RESULTS]
    return program_of(text, {"out": np.zeros(256, "u4"), "own": np.zeros(256, "u4")}, more=(".lds 1024", ".private 16"))


@pytest.mark.parametrize("name", ACCESSES)
def test_each_lane_goes_where_its_address_says(name):
    lines, expected = ACCESSES[name]
    program = made(lines)
    result = GPU("gcn", engine="python").run(program)
    assert result.status == "done", str(result)
    assert read_buffer(program, result.memory, "out").view("u4").reshape(64, 4).T.tolist() == [list(row) for row in expected]


def test_both_engines_agree_about_it():
    program = made([line for lines, _ in ACCESSES.values() for line in lines if "v[4:5], v[4:5]" not in line])
    one, other = (GPU("gcn", engine=engine).run(program) for engine in ("python", "native"))
    assert one.memory.tobytes() == other.memory.tobytes() and one.counters == other.counters


def test_lanes_that_are_all_in_lds_wait_for_lds_only():
    def cycles(more):
        text = ["s_mov_b64 s[14:15], src_shared_base", "v_lshlrev_b32 v4, 2, v0", "v_mov_b32 v5, s15", *more]
        result = GPU("gcn", engine="python").run(program_of([*text, "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_endpgm"], {}, more=(".lds 256",)))
        assert result.status == "done", str(result)
        return result.cycles

    assert cycles(["flat_load_dword v10, v[4:5]"]) == cycles(["ds_read_b32 v10, v4"])
