"""Vector registers that M0 chooses, as GCN 3 and as its successors have it."""

import numpy as np
import pytest

from tests.isa.gcn.snippets import run
from warploom.isa.diagnostics import SourceError

HEAD = ["s_load_dwordx2 s[8:9], s[4:5], 0x0", "v_lshlrev_b32 v1, 4, v0", "s_waitcnt lgkmcnt(0)",
        *(f"v_add_u32 v{4 + n}, {n + 1}, v0" for n in range(4)), "s_mov_b64 s[12:13], exec", "s_mov_b64 exec, 0x5555"]  # fmt: skip


def held(lines):
    """v4 to v7 of lanes 0 (active) and 1 (not active)."""
    text = [*HEAD, *lines, "s_mov_b64 exec, s[12:13]", "global_store_dwordx4 v1, v[4:7], s[8:9]", "s_endpgm"]
    return run(text, {"out": np.zeros(256, "u4")})["out"].reshape(64, 4)[:2].tolist()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["s_mov_b32 m0, 2", "v_movrels_b32 v4, v5"], [4, 2, 3, 4]),
        (["s_mov_b32 m0, 2", "v_movreld_b32 v5, 9"], [1, 2, 3, 9]),
        (["s_mov_b32 m0, 1", "v_movrelsd_b32 v4, v6"], [1, 4, 3, 4]),
        (["s_mov_b32 s20, 0x101", "s_set_gpr_idx_on s20, gpr_idx(SRC0)", "v_mov_b32 v4, v5", "s_set_gpr_idx_off", "v_mov_b32 v7, v5"],
         [3, 2, 3, 2]),
        (["s_mov_b32 s20, 3", "s_set_gpr_idx_on s20, gpr_idx(DST)", "v_mov_b32 v4, 8", "s_set_gpr_idx_off"], [1, 2, 3, 8]),
        (["s_mov_b32 s20, 1", "s_set_gpr_idx_on s20, gpr_idx(SRC1,DST)", "v_add_u32 v4, v4, v5", "s_set_gpr_idx_idx 2",
          "s_set_gpr_idx_mode gpr_idx(SRC0)", "v_add_u32 v7, v4, v5", "s_set_gpr_idx_off"], [1, 4, 3, 7]),
        # The adder's operands are chosen while it is off: nothing is added.
        (["s_mov_b32 m0, 2", "s_set_gpr_idx_mode gpr_idx(SRC0)", "v_mov_b32 v4, v5"], [2, 2, 3, 4]),
        # Bits 7:0 and 15:12 of M0 are set, the others stay.
        (["s_mov_b32 m0, 0x12340f00", "s_mov_b32 s20, 0x7ff", "s_set_gpr_idx_on s20, gpr_idx(SRC0)", "s_set_gpr_idx_off",
          "v_mov_b32 v4, m0"], [0x12341FFF, 2, 3, 4]),
        # A result that is not a vector register is not one that M0 chooses.
        (["s_mov_b32 s20, 1", "s_set_gpr_idx_on s20, gpr_idx(DST)", "v_readfirstlane_b32 s21, v5", "s_set_gpr_idx_off",
          "v_mov_b32 v4, s21"], [2, 2, 3, 4]),
        (["v_mov_b32 v4, 0", "v_mov_b32 v5, 0", "v_mov_b32 v6, 1.0", "s_mov_b32 s20, 1", "s_set_gpr_idx_on s20, gpr_idx(SRC0)",
          "v_mad_mix_f32 v4, v5, 1.0, 0", "s_set_gpr_idx_off"], [0x3F800000, 0, 0x3F800000, 4]),
    ],
)  # fmt: skip
def test_a_register_is_chosen_by_m0_in_active_lanes(lines, expected):
    assert held(lines) == [expected, [2, 3, 4, 5]]


def test_what_the_machine_does_not_have_is_refused():
    with pytest.raises(SourceError, match="has for v_mov_b32 and results of 32 bits only"):
        held(["s_set_gpr_idx_on s20, gpr_idx(DST)", "v_lshlrev_b64 v[4:5], 1, v[6:7]", "s_set_gpr_idx_off"])
    with pytest.raises(SourceError, match=r"'gpr_idx\(SRC4\)' names no operands"):
        held(["s_set_gpr_idx_on s20, gpr_idx(SRC4)"])
    with pytest.raises(SourceError, match="names no operands"):
        held(["s_set_gpr_idx_on s20, gpr_idx(SRC0,)"])


@pytest.mark.parametrize("text", ["gpr_idx(" + "SRC0_" * 10, "gpr_idx(" + "A, " * 40, "gpr_idx(SRC0 SRC1)"])
def test_what_is_no_list_of_operands_is_refused_at_once(text):
    with pytest.raises(SourceError):
        held([f"s_set_gpr_idx_on s20, {text}"])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("v_movrels_b32 v4, 5", "the register that M0 chooses is a vector register"),
        ("v_movrels_b32 v4, s20", "the register that M0 chooses is a vector register"),
        ("v_movrels_b32_sdwa v4, v5 src0_sel:WORD_1", "whole registers of this lane, as they are"),
        ("v_movreld_b32_e64 v4, v5 clamp", "whole registers of this lane, as they are"),
    ],
)
def test_a_move_takes_whole_vector_registers(line, reason):
    with pytest.raises(SourceError, match=reason):
        held([line])
