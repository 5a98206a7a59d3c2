; saxpy: y = a * x + y for eight elements, with a in memory.
;
; Teaches: that a load of one address by all threads is still one request per thread: nothing here
;          notices that the four addresses are the same.
; Look for: the first LDR takes as long as the others. In the trace the four load/store units send requests
;          for address 0 through four channels at once.
;
; Memory: 0 the factor a, 8..15 x, 16..23 y and the result.

.threads 8
.data 3 0*7
.data 1..8
.data 10*4 100*4

    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx
    CONST R1, #0
    LDR   R1, R1                      ; R1 = a
    CONST R2, #8
    ADD   R2, R2, R0
    LDR   R2, R2                      ; R2 = x[i]
    CONST R3, #16
    ADD   R3, R3, R0
    LDR   R4, R3                      ; R4 = y[i]
    MUL   R2, R1, R2
    ADD   R4, R2, R4
    STR   R3, R4
    RET
