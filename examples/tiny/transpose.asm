; transpose: a 4 x 4 matrix, rows into columns, one thread per element.
;
; Teaches: address arithmetic without a remainder: column = i - i / 4 * 4.
; Look for: the loads of a block go to four neighbouring bytes, its stores to bytes that are four apart,
;          and both take the same time: this memory serves one byte per request. A machine that
;          coalesces neighbouring addresses into one transaction is faster with the loads.
;
; Memory: 0..15 the matrix row by row, 16..31 its transpose.

.threads 16
.data 0x11 0x12 0x13 0x14
.data 0x21 0x22 0x23 0x24
.data 0x31 0x32 0x33 0x34
.data 0x41 0x42 0x43 0x44

    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx
    CONST R1, #4
    DIV   R2, R0, R1                  ; R2 = row
    MUL   R3, R2, R1
    SUB   R3, R0, R3                  ; R3 = column
    LDR   R4, R0
    MUL   R5, R3, R1
    ADD   R5, R5, R2                  ; column * 4 + row
    CONST R6, #16
    ADD   R5, R5, R6
    STR   R5, R4
    RET
