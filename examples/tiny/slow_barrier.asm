; slow_barrier: the last warp of a block has far more to do than the others, and all meet at a barrier.
;
; Teaches: a barrier costs what the slowest warp takes. The others wait, and their cycles are lost.
; Look for: with --gpu tiny-simt --set core.threads_per_block=16 a block has four warps. Threads 12 to 15 iterate 60 times, the
;          others once. `warploom profile` names the barrier and how long the warps wait there.
;
; Memory: 0..15 result: 60 for threads 12 to 15 of a block, 1 for the others.

.threads 16

    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx          ; R0 = thread
    CONST R1, #1
    CONST R2, #12
    CONST R3, #0                      ; R3 = iterations
    CONST R4, #1                      ; R4 = iterations to do
    CMP   %threadIdx, R2
    BRn   next
    CONST R4, #60
next:
    ADD   R3, R3, R1
    CMP   R3, R4
    BRn   next
    BAR
    STR   R0, R3
    RET
