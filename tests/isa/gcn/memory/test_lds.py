"""DS: what LDS holds after atomic operations, and halves of registers from it."""

import numpy as np

from tests.isa.gcn.snippets import run

HEAD = ["s_load_dwordx2 s[8:9], s[4:5], 0x0", "v_lshlrev_b32 v1, 4, v0", "s_waitcnt lgkmcnt(0)", "s_mov_b32 m0, -1"]


def held(lines, words=4):
    """v4 and those after it, of each lane."""
    text = [*HEAD, *lines, "s_waitcnt lgkmcnt(0)", f"global_store_dwordx{words} v1, v[4:{3 + words}], s[8:9]", "s_endpgm"]
    return run(text, {"out": np.zeros(256, "u4")}, more=(".lds 2048",))["out"].reshape(64, 4).T.tolist()


def test_lanes_on_one_word_subtract_from_each_other_in_turn():
    lines = ["v_mov_b32 v2, 0", "v_mov_b32 v3, 100", "ds_write_b32 v2, v3", "ds_rsub_rtn_u32 v4, v2, v0", "ds_read_b32 v5, v2",
             "v_mov_b32 v6, 0", "v_mov_b32 v7, 0"]  # fmt: skip
    old, expected = 100, []
    for lane in range(64):
        expected.append(old & 0xFFFFFFFF)
        old = lane - old
    found = held(lines)
    assert found[0] == expected and set(found[1]) == {old & 0xFFFFFFFF}


def test_64_bits_are_compared_and_subtracted():
    lines = ["v_mov_b32 v2, v0", "v_mov_b32 v3, 7", "ds_write_b64 v1, v[2:3]", "v_mov_b32 v8, 5", "v_mov_b32 v9, 7", "v_mov_b32 v10, -1",
             "v_mov_b32 v11, 3", "ds_cmpst_rtn_b64 v[4:5], v1, v[8:9], v[10:11]", "ds_rsub_u64 v1, v[10:11]",
             "ds_read_b64 v[6:7], v1"]  # fmt: skip
    low, high, after_low, after_high = held(lines)
    assert (low, high) == (list(range(64)), [7] * 64)
    other = (3 << 32) + 0xFFFFFFFF
    for lane in range(64):
        left = other - (other if lane == 5 else lane + (7 << 32)) & (1 << 64) - 1
        assert (after_low[lane], after_high[lane]) == (left & 0xFFFFFFFF, left >> 32)


def test_a_half_of_a_register_is_read_and_written():
    lines = ["v_mov_b32 v2, 0x8182f3f4", "ds_write_b32 v1, v2", "ds_write_b8_d16_hi v1, v2 offset:4", "v_mov_b32 v4, 0x55667788",
             "v_mov_b32 v5, 0x55667788", "v_mov_b32 v6, 0x55667788", "ds_read_u16_d16_hi v4, v1", "ds_read_i8_d16 v5, v1 offset:1",
             "ds_read_u8_d16 v6, v1 offset:4", "v_mov_b32 v7, 0"]  # fmt: skip
    found = held(lines)
    assert [set(row) for row in found[:3]] == [{0xF3F47788}, {0x5566FFF3}, {0x55660082}]


def test_doubles_are_compared():
    numbers = np.array([-2.5, 3.0]).view("u4")
    lines = [*(f"v_mov_b32 v{8 + n}, {word:#x}" for n, word in enumerate(numbers)), "ds_write_b64 v1, v[8:9]", "ds_max_f64 v1, v[10:11]",
             "ds_read_b64 v[4:5], v1", "ds_min_rtn_f64 v[6:7], v1, v[8:9]", "ds_read_b64 v[6:7], v1"]  # fmt: skip
    found = held(lines)
    assert [set(row) for row in found] == [{int(numbers[2])}, {int(numbers[3])}, {int(numbers[0])}, {int(numbers[1])}]
