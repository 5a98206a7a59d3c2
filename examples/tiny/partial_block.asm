; partial_block: the squares of six numbers with blocks of four threads.
;
; Teaches: what happens when the number of threads is not a multiple of the block: the second block has two, and two
;          lanes of its core are idle.
; Look for: only bytes 8..13 change. %blockDim is 4 in the second block too: it is what a core can
;          hold, not how many threads there are. On tiny-original the second block never ends, because its
;          next instruction is taken from its last lane, which does not run.
;
; Memory: 0..5 input, 8..13 squares.

.threads 6
.data 2 3 5 7 11 13

    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx
    LDR   R1, R0
    MUL   R1, R1, R1
    CONST R2, #8
    ADD   R2, R2, R0
    STR   R2, R1
    RET
