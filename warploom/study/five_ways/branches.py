"""Kernels whose lanes part at a branch: an `if`, and an `if` with an `else`."""

from __future__ import annotations

from warploom.study.five_ways.kernel import Kernel

IF = Kernel(
    "if",
    "if (x & 1) r += 100;",
    lambda x: x + 100 * (x & 1),
    lambda x: [0] if x & 1 else [],
    {
        "mask language": """
    push_mask after
    and r2.x, r0.x, u(1)
    mask_nz r2.x
    add.u32 r1.x, r1.x, u(100)
    pop_mask
after:
""",
        "Python": """
    if x & 1:
        r += 100
""",
        "Vortex": """
    andi t1, s0, 1
    vx_split t0, t1
    beqz t1, after
    addi s1, s1, 100
after:
    vx_join t0
""",
        "GCN": """
    s_mov_b64 s[12:13], exec
    v_and_b32 v2, 1, v0
    v_cmpx_ne_u32 vcc, 0, v2
    s_cbranch_execz after
    v_add_u32 v1, 0x64, v1
after:
    s_mov_b64 exec, s[12:13]
""",
        "AVX-512": """
    vptestmd k2 {k1}, zmm0, zmm10
    kortestw k2, k2
    je after
    vpaddd zmm1 {k2}, zmm1, zmm13
after:
""",
    },
)

IF_ELSE = Kernel(
    "if-else",
    "if (x < 5) r += 100; else r -= 3;",
    lambda x: x + 100 if x < 5 else x - 3,
    lambda x: [int(x < 5)],
    {
        "mask language": """
    lt.u32 r2.x, r0.x, u(5)
    br_push r2.x, other, after
    add.u32 r1.x, r1.x, u(100)
    pop_mask
other:
    sub.u32 r1.x, r1.x, u(3)
    pop_mask
after:
""",
        "Python": """
    if x < 5:
        r += 100
    else:
        r -= 3
""",
        "Vortex": """
    sltiu t1, s0, 5
    vx_split t0, t1
    beqz t1, other
    addi s1, s1, 100
    j after
other:
    addi s1, s1, -3
after:
    vx_join t0
""",
        "GCN": """
    s_mov_b64 s[12:13], exec
    v_cmpx_gt_u32 vcc, 5, v0
    s_cbranch_execz other
    v_add_u32 v1, 0x64, v1
other:
    s_andn2_b64 exec, s[12:13], exec
    s_cbranch_execz after
    v_subrev_u32 v1, 3, v1
after:
    s_mov_b64 exec, s[12:13]
""",
        "AVX-512": """
    vpcmpltud k2 {k1}, zmm0, zmm12
    kortestw k2, k2
    je other
    vpaddd zmm1 {k2}, zmm1, zmm13
other:
    kandnw k2, k2, k1
    kortestw k2, k2
    je after
    vpsubd zmm1 {k2}, zmm1, zmm11
after:
""",
    },
)
