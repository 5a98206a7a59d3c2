"""What a loop copies at its end, and how many instructions a turn has."""

import numpy as np

# Fibonacci's numbers: two values change places, so that a copy is wanted in every turn.
TWO = """
.visible .entry k(.param .u64 out, .param .u32 turns) {
    .reg .b32 %r<8>; .reg .b64 %d<2>; .reg .pred %p<2>;
    mov.u32 %r0, %tid.x; ld.param.u32 %r1, [turns]; add.s32 %r1, %r1, %r0; mov.u32 %r2, 0; mov.u32 %r3, 1; mov.u32 %r5, 0;
again:
    add.s32 %r4, %r2, %r3; add.s32 %r5, %r5, %r4; mov.u32 %r2, %r3; mov.u32 %r3, %r4;
    sub.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra again;
    ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r0, 4; add.s64 %d0, %d0, %d1; st.global.u32 [%d0], WHICH; ret; }
"""


def test_copies_of_a_turn_stand_in_front_of_the_branch_back(bench):
    out = np.zeros(32, np.uint32)
    bench.run(TWO.replace("WHICH", "%r5"), "k", out, 5)
    found = [0, 1]
    for _ in range(40):
        found.append(found[-1] + found[-2])
    assert out.tolist() == [sum(found[2 : 7 + k]) for k in range(32)]
    text = bench.built.program.text
    (back,) = [place for place, line in enumerate(text) if line.startswith("branch")]
    assert int(text[back].split("->")[1]) < back
    assert not any(line.startswith("jump") for line in text)


def test_what_is_wanted_behind_the_loop_is_not_overwritten(bench):
    out = np.zeros(32, np.uint32)
    bench.run(TWO.replace("WHICH", "%r4"), "k", out, 3)
    found = [1, 1]
    for _ in range(40):
        found.append(found[-1] + found[-2])
    assert out.tolist() == found[3:35]
