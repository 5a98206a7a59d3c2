; reduction_shared: the sum of eight numbers as a tree, as reduction.asm has it, with the rounds in shared memory.
;
; Teaches: what shared memory is for. reduction.asm sends every round through data memory; here the numbers come from there
;          once, the sum goes back once, and the rounds use the memory in the core.
; Look for: the same bytes in data memory at the end. Two barriers per round: one between reading and overwriting, one
;          between writing and reading. A block of one warp never waits there; a larger block would be wrong without.
;          Compare the two with: warploom ladder reduction.asm --shared-variant reduction_shared.asm
;
; Memory: 0..7 numbers, overwritten; the sum ends up at 0. Shared memory: 0..7 the same.

.threads 4
.data 3 1 4 1 5 9 2 6

    CONST R0, #0
    CONST R1, #4                      ; R1 = distance
    CONST R2, #2
    ADD   R5, %threadIdx, R1
    LDR   R3, R5                      ; the first round has its numbers from data memory
    LDR   R4, %threadIdx
    STS   R5, R3
    ADD   R4, R4, R3
    STS   %threadIdx, R4
    BAR
    CONST R1, #2
round:
    ADD   R3, %threadIdx, R1
    LDS   R3, R3                      ; the partner's number; my own is still in R4
    BAR
    ADD   R4, R4, R3
    STS   %threadIdx, R4
    BAR
    DIV   R1, R1, R2
    CMP   R0, R1
    BRn   round                       ; while 0 < distance
    STR   %threadIdx, R4
    RET
