"""The program around a body, in each notation: `x` and `r` in registers before it, `r` stored after it; the body is at the line `BODY`."""

GUPPY = """; {meaning}
.threads 16
.buffer u0 16

    mov r0.x, lane_id               ; x
    mov r1.x, lane_id               ; r
BODY
    mul.u32 r5.x, thread_id, u(4)
    st u0.x, r5.x, r1.x
    ret
"""

PYTHON = """# {meaning}
import numpy as np
from numba import cuda


@cuda.jit
def kernel(out):
    x = cuda.threadIdx.x
    r = x
BODY
    out[x] = r


out = np.zeros(16, dtype=np.int32)
kernel[1, 16](out)
"""

VORTEX = """# {meaning}
    li t0, -1
    vx_tmc t0                       # all lanes on
    csrr s0, mhartid                # x
    mv s1, s0                       # r
    csrr t3, mscratch
    lw t4, 0(t3)                    # where the results go
BODY
    slli t5, s0, 2
    add t5, t5, t4
    sw s1, 0(t5)
    vx_tmc zero
"""

GCN = """# {meaning}
.kernel main
.arg out, pointer, 64
.block 16
    s_load_dwordx2 s[8:9], s[4:5], 0x0
    v_mov_b32 v1, v0                # v0: x, v1: r
    s_waitcnt lgkmcnt(0)
BODY
    v_lshlrev_b32 v0, 2, v0
    global_store_dword v0, v1, s[8:9]
    s_endpgm
"""

AVX512 = """# {meaning}
main:
    vmovdqa32 zmm1, zmm0            # zmm0: x, zmm1: r
    vpbroadcastd zmm10, dword ptr [rip + one]
    vpbroadcastd zmm11, dword ptr [rip + three]
    vpbroadcastd zmm12, dword ptr [rip + five]
    vpbroadcastd zmm13, dword ptr [rip + hundred]
    vpbroadcastd zmm14, dword ptr [rip + four]
    vpbroadcastd zmm15, dword ptr [rip + sixteen]
    vpaddd zmm16, zmm10, zmm11      # wait until all of them are there
    vpaddd zmm16, zmm12, zmm13
    vpaddd zmm16, zmm14, zmm15
BODY
    mov eax, 0x10000000             # where the memory is
    vmovdqu32 zmmword ptr [rax]{{k1}}, zmm1
    ret

.data
one: .long 1
three: .long 3
four: .long 4
five: .long 5
sixteen: .long 16
hundred: .long 100
"""
