"""Kernels whose lanes leave loops at different times: a loop with 1 to 16 iterations, and one in another.

Every lane has at least one iteration, so that a loop may test at its end.
"""

from __future__ import annotations

from warploom.study.five_ways.kernel import Kernel

LOOP = Kernel(
    "loop",
    "for (i = x; i < 16; i++) r += i;",
    lambda x: x + sum(range(x, 16)),
    lambda x: range(16 - x),
    {
        "mask language": """
    mov r2.x, r0.x
    push_mask done
again:
    add.u32 r1.x, r1.x, r2.x
    add.u32 r2.x, r2.x, u(1)
    lt.u32 r3.x, r2.x, u(16)
    mask_nz r3.x
    jmp again
done:
""",
        "Python": """
    for i in range(x, 16):
        r += i
""",
        "Vortex": """
    mv s2, s0
    csrr t2, active_threads
again:
    add s1, s1, s2
    addi s2, s2, 1
    sltiu t1, s2, 16
    vx_pred t1, t2
    bnez t1, again
""",
        "GCN": """
    v_mov_b32 v2, v0
    s_mov_b64 s[12:13], exec
again:
    v_add_u32 v1, v1, v2
    v_add_u32 v2, 1, v2
    v_cmpx_gt_u32 vcc, 16, v2
    s_cbranch_execnz again
    s_mov_b64 exec, s[12:13]
""",
        "AVX-512": """
    vmovdqa32 zmm2 {k1}, zmm0
    kmovw k2, k1
again:
    vpaddd zmm1 {k2}, zmm1, zmm2
    vpaddd zmm2 {k2}, zmm2, zmm10
    vpcmpltud k2 {k2}, zmm2, zmm15
    kortestw k2, k2
    jne again
""",
    },
)

NESTED = Kernel(
    "nested loops",
    "for (a = x; a < 16; a += 4) for (b = a; b < 16; b += 3) r += b;",
    lambda x: x + sum(b for a in range(x, 16, 4) for b in range(a, 16, 3)),
    lambda x: [(a, b) for a in range(len(range(x, 16, 4))) for b in range(len(range(x + 4 * a, 16, 3)))],
    {
        "mask language": """
    mov r2.x, r0.x
    push_mask done
outer:
    mov r3.x, r2.x
    push_mask next
inner:
    add.u32 r1.x, r1.x, r3.x
    add.u32 r3.x, r3.x, u(3)
    lt.u32 r4.x, r3.x, u(16)
    mask_nz r4.x
    jmp inner
next:
    add.u32 r2.x, r2.x, u(4)
    lt.u32 r4.x, r2.x, u(16)
    mask_nz r4.x
    jmp outer
done:
""",
        "Python": """
    for a in range(x, 16, 4):
        for b in range(a, 16, 3):
            r += b
""",
        "Vortex": """
    mv s2, s0
    csrr t2, active_threads
outer:
    mv s3, s2
    csrr t3, active_threads
inner:
    add s1, s1, s3
    addi s3, s3, 3
    sltiu t1, s3, 16
    vx_pred t1, t3
    bnez t1, inner
    addi s2, s2, 4
    sltiu t1, s2, 16
    vx_pred t1, t2
    bnez t1, outer
""",
        "GCN": """
    v_mov_b32 v2, v0
    s_mov_b64 s[12:13], exec
outer:
    v_mov_b32 v3, v2
    s_mov_b64 s[14:15], exec
inner:
    v_add_u32 v1, v1, v3
    v_add_u32 v3, 3, v3
    v_cmpx_gt_u32 vcc, 16, v3
    s_cbranch_execnz inner
    s_mov_b64 exec, s[14:15]
    v_add_u32 v2, 4, v2
    v_cmpx_gt_u32 vcc, 16, v2
    s_cbranch_execnz outer
    s_mov_b64 exec, s[12:13]
""",
        "AVX-512": """
    vmovdqa32 zmm2 {k1}, zmm0
    kmovw k2, k1
outer:
    vmovdqa32 zmm3 {k2}, zmm2
    kmovw k3, k2
inner:
    vpaddd zmm1 {k3}, zmm1, zmm3
    vpaddd zmm3 {k3}, zmm3, zmm11
    vpcmpltud k3 {k3}, zmm3, zmm15
    kortestw k3, k3
    jne inner
    vpaddd zmm2 {k2}, zmm2, zmm14
    vpcmpltud k2 {k2}, zmm2, zmm15
    kortestw k2, k2
    jne outer
""",
    },
)
