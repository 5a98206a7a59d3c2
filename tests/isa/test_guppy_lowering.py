"""The lowering of guppy: every instruction's micro-ops do what the language says, read all sources first, and issue as they should."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.guppy_reference import Warp
from tests.guppy_uops import run_instruction
from tests.isa.test_guppy_parser import statements
from warploom.isa import guppy
from warploom.isa import uop as u
from warploom.isa.guppy.lower import RECIPES, WHOLE
from warploom.isa.guppy.parser import parse_statement

LANES = 8
MEMORY = ".buffer t0 64 random 0 0xffffffff 7\n.buffer u0 64\n.image u1 4 3\n"
INTERESTING = [
    0,
    1,
    2,
    3,
    0x80000000,
    0x7F800000,
    0xFF800000,
    0x7FC00000,
    0x3F800000,
    0xBF800000,
    0x3F000000,
    0xFFFFFFFF,
    0x437F0000,
    12,
    16,
]
words = st.one_of(st.sampled_from(INTERESTING), st.integers(0, 0xFFFFFFFF))


def assemble(*lines):
    return guppy.assemble(MEMORY + "\n".join(lines) + "\nret")


def both(program, contents, mask):
    """Run the first instruction through the language's meaning and through its micro-ops; (registers, memory) of each."""
    warp = Warp(program.with_launch(threads=LANES, block=LANES), program.data.copy(), LANES)
    warp.registers[:4] = contents
    warp.mask = mask
    lane_registers = np.zeros((u.REGISTERS, LANES), np.uint32)
    lane_registers[:16] = contents.reshape(16, LANES)
    memory = program.data.copy()
    lanes = np.arange(LANES)
    specials = {"lane": lanes, "global_thread": lanes, "warp": 0 * lanes, "clock": 0 * lanes + 1}
    run_instruction(program, 0, lane_registers, mask, memory, specials)
    with np.errstate(all="ignore"):
        warp.step()
    return (warp.registers[:4].reshape(16, LANES), warp.memory), (lane_registers[:16], memory)


def agree(ours, theirs):
    return np.all((ours == theirs) | (np.isnan(ours.view(np.float32)) & np.isnan(theirs.view(np.float32))))


@settings(max_examples=300, deadline=None)
@given(statement=statements(registers=4, arithmetic_only=True), data=st.data())
@example(statement=parse_statement("mov r0.xyzw, r0.yzwx"), data=None)
@example(statement=parse_statement("mov r0.xx, r0.yz"), data=None)
@example(statement=parse_statement("norm r0.wzy, r0.xyzw"), data=None)
@example(statement=parse_statement("lerp r1.xyzw, r1.wzyx, f4(1 2 3 4), r1.yyyy"), data=None)
@example(statement=parse_statement("div.f32 r1.xyzw, r1.wzyx, f4(1 -0 3 nan)"), data=None)
def test_micro_ops_of_arithmetic_do_what_the_language_says(statement, data):
    if data is None:
        contents = np.random.default_rng(1).choice(np.array(INTERESTING, np.uint32), (4, 4, LANES))
        mask = np.arange(LANES) % 3 != 0
    else:
        contents = np.array(data.draw(st.lists(words, min_size=128, max_size=128)), np.uint32).reshape(4, 4, LANES)
        mask = np.array(data.draw(st.lists(st.booleans(), min_size=LANES, max_size=LANES)))
    (expected, _), (registers, _) = both(assemble(str(statement)), contents, mask)
    assert agree(registers, expected)


@pytest.mark.parametrize(
    "text",
    [
        "ld r1.xyzw, t0.xyzw, r0.x",
        "ld r0.xyzw, t0.wzyx, r0.z",
        "ld r0.yxw, t0.xyz, r0.x",
        "ld r0.xy, t0.z, r0.x",
        "ld r0.xx, t0.xy, r0.x",
        "ld r1.x, t0.y, u(16)",
        "st u0.xyzw, r0.x, r2.xyzw",
        "st u0.yx, r0.x, r2.xy",
        "st u0.w, r0.x, r2.x",
        "st u0.x, u(8), f(1.5)",
        "st u0.xy, r0.x, thread_id",
        "st u1.xyzw, r3.xy, r2.xyzw",
        "st u1.x, r3.xy, f3(0.5 nan -1)",
        "st u1.x, u2(1 2), lane_id",
    ],
)
def test_micro_ops_of_memory_accesses_do_what_the_language_says(text):
    contents = np.random.default_rng(2).choice(np.array(INTERESTING, np.uint32), (4, 4, LANES))
    contents[0] = 16 * np.arange(LANES)
    contents[2] = np.random.default_rng(3).uniform(-0.5, 1.5, (4, LANES)).astype(np.float32).view(np.uint32)
    contents[3] = np.arange(LANES) % 5
    for mask in (np.ones(LANES, bool), np.arange(LANES) % 3 == 0):
        (registers, memory), (ours, our_memory) = both(assemble(text), contents, mask)
        assert agree(ours, registers)
        assert our_memory.tobytes() == memory.tobytes()


def test_stores_name_components_of_the_source_operand_by_their_letters():
    """As measured on the original: `u0.w` with `r1.x` writes 0, and `u0.yx` swaps."""
    contents = np.arange(1, 129, dtype=np.uint32).reshape(4, 4, LANES)
    contents[0] = 8 * np.arange(LANES)
    everyone = np.ones(LANES, bool)
    program = assemble("st u0.w, r0.x, r1.x")
    _, (_, memory) = both(program, contents, everyone)
    assert guppy.read_view(program, memory, "u0").tolist() == [0] * 64
    program = assemble("st u0.yx, r0.x, r1.xy")
    _, (_, memory) = both(program, contents, everyone)
    assert guppy.read_view(program, memory, "u0")[:4].tolist() == [
        contents[1, 1, 0],
        contents[1, 0, 0],
        contents[1, 1, 1],
        contents[1, 0, 1],
    ]


CLASSES_OF_CYCLES = {
    1: "add.f32 add.u32 sub.f32 sub.u32 mov clamp len utof lt.f32 lt.u32 gt.f32 gt.u32 and or abs.f32",
    2: "mul.f32 mul.u32 mad.f32 mad.u32 lerp",
    4: "div.f32 div.u32 norm",
}


def test_the_originals_three_latencies_can_be_given_by_class():
    arithmetic = {row.mnemonic: row.latency for row in guppy.INSTRUCTIONS if row.latency not in (u.L_MEMORY, u.L_CONTROL)}
    assert sorted(arithmetic) == sorted(" ".join(CLASSES_OF_CYCLES.values()).split())
    one, two, four = ({arithmetic[name] for name in names.split()} for names in CLASSES_OF_CYCLES.values())
    assert not one & two
    assert not (one | two) & four


@pytest.mark.parametrize(
    ("text", "unit", "latency"),
    [
        ("len r0.x, r1.xyzw", u.ALU, u.L_SPECIAL),
        ("norm r0.xyz, r1.xyz", u.ALU, u.L_FLOAT_DIVIDE),
        ("clamp r0.x, r1.x", u.ALU, u.L_FLOAT),
        ("mov r0.x, clock", u.ALU, u.L_ALU),
        ("ld r0.x, t0.x, thread_id", u.MEMORY, u.L_MEMORY),
        ("st u1.xyzw, r0.xy, r1.xyzw", u.MEMORY, u.L_MEMORY),
        ("mask_nz r0.x", u.CONTROL, u.L_CONTROL),
    ],
)
def test_a_bundle_issues_as_one_with_its_own_unit_and_latency(text, unit, latency):
    row = assemble(text).code[0]
    assert (row[u.ISSUE_UNIT], row[u.ISSUE_LATENCY]) == (unit, latency)


def test_the_scoreboard_sees_whole_registers_written_first_and_no_hidden_ones():
    row = assemble("norm r3.xy, r1.yx").code[0]
    assert row[u.USE : u.USE + row[u.USES]].tolist() == [3, 1]
    assert row[u.WRITES] == 1
    row = assemble(".texture t5 4 4 noise", "sample r2.xw, t5.xy, s0, r9.xy").code[0]
    assert row[u.USE : u.USE + row[u.USES]].tolist() == [2, 9]


def test_a_copy_is_made_only_where_a_later_component_still_needs_the_old_value():
    assert assemble("add.f32 r0.xyzw, r0.xyzw, r1.xyzw").code[0, u.COUNT] == 4
    assert assemble("mov r0.xy, r0.yx").code[0, u.COUNT] == 3
    assert assemble("mov r0.x, r1.y").code[0, u.COUNT] == 1


def test_control_instructions_know_their_targets():
    program = assemble("push_mask B", "A: br_push r2.z, A, B", "B: jmp A")
    assert [u.listing(row) for row in program.uops] == ["push_mask ->2", "branch_push v10, ->1, reconverge 2", "jump ->1", "exit_warp"]


def test_sample_names_its_texture_and_sampler():
    program = assemble(".texture t3 4 4 noise", ".sampler s1 point clamp", "sample r0.wx, t3.zy, s0, f2(0.5 0.25)")
    sample = next(row for row in program.uops if u.OPERATIONS[row[u.OP]].name == "sample")
    assert program.view_names[sample[u.VIEW]] == "t3"
    assert program.samplers[sample[u.IMM]].tolist() == [1, 0, 0, 0]
    moves = [u.listing(row) for row in program.uops[3:5]]
    texel = sample[u.DST]
    assert moves == [f"mov v3, v{texel + 2}", f"mov v0, v{texel + 1}"]


def test_every_recipe_of_the_table_is_a_micro_op_or_is_written_down():
    for row in guppy.INSTRUCTIONS:
        assert row.recipe in RECIPES or row.recipe in WHOLE or row.recipe in u.NUMBER, row.mnemonic
    named = {row.recipe for row in guppy.INSTRUCTIONS}
    assert set(RECIPES) | set(WHOLE) <= named
