"""Loads that lie side by side: which become one instruction, and which may not."""

import numpy as np
import pytest

from warploom.compiler.neighbours import join_neighbours
from warploom.compiler.text import parsed

BASES = {  # what the address is computed of, and the bytes of the rows that are joined
    "%2 = shl i64 %1, 4": 16,
    "%2 = shl i64 %1, 3": 8,
    "%2 = shl i64 %1, 2": 0,
    "%2 = mul i64 %1, 48": 16,
    "%2 = and i64 %1, 1008": 16,
    "%2 = add i64 %1, 16": 0,
}


def rows(text):
    blocks = parsed(text)
    join_neighbours(blocks)
    return [value.access.row for block in blocks for value in block.code if value.op == "load"]


def four(base, between=""):
    loads = "\n".join(f"%{3 + k} = load[{4 * k}] shared.4 i64 %2{between if k == 1 else ''}" for k in range(4))
    used = "\n".join(f"store global.4 {4 * k}, %{3 + k}" for k in range(4))
    return f"b0:\n%1 = special[thread_x] i64\n{base}\n{loads}\n{used}\nexit"


@pytest.mark.parametrize("base", BASES)
def test_rows_are_as_long_as_the_address_is_aligned(base):
    assert rows(four(base)) == [BASES[base]] * 4


@pytest.mark.parametrize("between", ["store shared.4 %2, %3", "barrier", "fence[block]"])
def test_nothing_moves_past_what_may_change_memory(between):
    assert rows(four("%2 = shl i64 %1, 4", f"\n{between}")) == [8] * 4


def test_no_load_comes_before_one_that_stands_alone():
    blocks = parsed(four("%2 = shl i64 %1, 4", "\n%9 = load[64] shared.4/4 i64 %2").replace("exit", "store global.4 16, %9\nexit"))
    join_neighbours(blocks)
    found = [(value.imm, value.access.row) for value in blocks[0].code if value.op == "load"]
    assert found == [(0, 8), (4, 8), (64, 4), (8, 8), (12, 8)]


@pytest.mark.parametrize(("kind", "joined"), [("volatile", 0), ("acquire.cta", 0), ("relaxed.cta", 0), ("weak", 1)])
def test_loads_that_order_others_are_instructions_of_their_own(bench, kind, joined):
    loads = " ".join(f"ld.{kind}.shared.u32 %r{3 + k}, [%r2+{4 * k}]; add.u32 %r1, %r1, %r{3 + k};" for k in range(4))
    text = f""".visible .entry k(.param .u64 out) {{
    .reg .b32 %r<8>; .reg .b64 %d<2>; .shared .align 16 .b8 held[16];
    mov.u32 %r1, 5; mov.u32 %r2, held; st.shared.u32 [%r2+8], %r1; bar.sync 0; st.shared.u32 [%r2+12], %r1;
    {loads} ld.param.u64 %d0, [out]; st.global.u32 [%d0], %r1; ret; }}"""
    out = np.zeros(1, np.uint32)
    bench.run(text, "k", out, block=(1,))
    assert out.tolist() == [15] and sum(line.count("load") == 4 for line in bench.built.program.text) == joined


def test_a_base_that_grows_by_whole_rows_in_a_loop_stays_aligned(bench):
    text = """
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %d<2>; .reg .pred %p<2>;
    .shared .align 4 .b8 held[512];
    mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, held; add.s32 %r4, %r3, %r2;
    cvt.rn.f32.u32 %f1, %r1; st.shared.f32 [%r4], %f1; bar.sync 0;
    mov.f32 %f2, 0f00000000; mov.u32 %r5, 0;
again:
    add.s32 %r6, %r3, %r5;
    ld.shared.f32 %f3, [%r6+12]; ld.shared.f32 %f4, [%r6]; ld.shared.f32 %f5, [%r6+8]; ld.shared.f32 %f6, [%r6+4];
    fma.rn.f32 %f2, %f3, 0f40000000, %f2; sub.f32 %f2, %f2, %f4; add.f32 %f2, %f2, %f5; add.f32 %f2, %f2, %f6;
    add.s32 %r5, %r5, 16; setp.lt.u32 %p1, %r5, 128; @%p1 bra again;
    ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r1, 4; add.s64 %d0, %d0, %d1; st.global.f32 [%d0], %f2; ret; }
"""
    out = np.zeros(32, np.float32)
    bench.run(text, "k", out)
    assert out.tolist() == [sum(2 * (k + 3) - k + (k + 2) + (k + 1) for k in range(0, 32, 4))] * 32
    joined = [line for line in bench.built.program.text if line.count("load") == 4]
    assert len(joined) == 1
