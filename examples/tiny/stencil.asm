; stencil: each of eight results is (left + 2 * middle + right) / 4 of its neighbourhood.
;
; Teaches: the halo. Eight results need ten inputs, so the input has one more byte at each end, and no
;          thread has to check whether it is at the edge.
; Look for: 24 loads for ten different bytes. Most bytes are loaded three times, by three threads: this is
;          what a cache, or memory that a block shares, is for.
;
; Memory: 0..9 input, 16..23 result.

.threads 8
.data 0 0 0 100 100 20 60 60 60 60

    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx          ; the result's number is also its left neighbour's address
    CONST R1, #1
    LDR   R2, R0                      ; left
    ADD   R3, R0, R1
    LDR   R4, R3                      ; middle
    ADD   R3, R3, R1
    LDR   R5, R3                      ; right
    CONST R6, #4                      ; divide first: the sum of four bytes may not fit into one
    DIV   R2, R2, R6
    DIV   R5, R5, R6
    CONST R7, #2
    DIV   R4, R4, R7
    ADD   R2, R2, R4
    ADD   R2, R2, R5
    CONST R8, #16
    ADD   R8, R8, R0
    STR   R8, R2
    RET
