; matadd: the sum of two rows of eight numbers, one thread per element.
;
; Teaches: how a thread finds its own element. %blockIdx, %blockDim and %threadIdx are the only
;          registers in which threads differ; everything else follows from them.
; Look for: 8 threads are two blocks of four, and each of the two cores takes one. An ADD takes 11
;          cycles, a LDR 18 or more: most of the time goes into fetching and into memory.
;
; Memory: 0..7 first row, 8..15 second row, 16..23 the sum.

.threads 8
.data 0..7
.data 0..7

    MUL   R0, %blockIdx, %blockDim    ; threads in the blocks before this one
    ADD   R0, R0, %threadIdx          ; R0 = number of this thread in the whole grid

    CONST R1, #0                      ; where the first row begins
    CONST R2, #8                      ; the second
    CONST R3, #16                     ; the sum

    ADD   R4, R1, R0
    LDR   R4, R4                      ; R4 = first[R0]
    ADD   R5, R2, R0
    LDR   R5, R5                      ; R5 = second[R0]

    ADD   R6, R4, R5

    ADD   R7, R3, R0
    STR   R7, R6                      ; sum[R0] = R6
    RET
