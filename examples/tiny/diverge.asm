; diverge: threads with an even number double it, threads with an odd one triple it, with a branch.
;
; Teaches: divergence, the problem that the threads of a block or warp have when they disagree.
; Look for: on the machine `tiny` all threads of a block share the next instruction, so this kernel stops at the
;          BRz below, and the message names the threads on each side. On tiny-original the last
;          thread decides for all: the even ones triple too. Machines that mask lanes run it correctly,
;          one path after the other. threshold.asm shows a selection without a branch.
;
; Memory: 0..3 result.

.threads 4

    CONST R1, #2
    CONST R2, #0
    DIV   R3, %threadIdx, R1
    MUL   R3, R3, R1
    SUB   R3, %threadIdx, R3          ; R3 = 0 for even threads, 1 for odd ones
    CMP   R3, R2
    BRz   even                        ; threads 0 and 2 go, threads 1 and 3 stay
    CONST R4, #3
    MUL   R4, R4, %threadIdx
    STR   %threadIdx, R4
    RET
even:
    MUL   R4, R1, %threadIdx
    STR   %threadIdx, R4
    RET
