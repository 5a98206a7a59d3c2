; matmul: the product of two 2 x 2 matrices, one thread per element of the product.
;
; Teaches: a loop. Each thread walks along a row of the first matrix and down a column of the second.
; Look for: the branch is taken once, and all four threads agree on it: they count the same steps.
;          Two threads of a row load the same number of the first matrix: nothing is kept from one load for the other.
;
; Memory, row by row: 0..3 first matrix, 4..7 second matrix, 8..11 the product.

.threads 4
.data 1 2 3 4
.data 1 2 3 4

    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx          ; R0 = which element of the product

    CONST R1, #1                      ; one, to count with
    CONST R2, #2                      ; rows and columns
    CONST R3, #0                      ; where the first matrix begins
    CONST R4, #4                      ; the second
    CONST R5, #8                      ; the product

    DIV   R6, R0, R2                  ; R6 = its row
    MUL   R7, R6, R2
    SUB   R7, R0, R7                  ; R7 = its column: there is no remainder instruction

    CONST R8, #0                      ; R8 = sum of the products so far
    CONST R9, #0                      ; R9 = step

next:
    MUL   R10, R6, R2
    ADD   R10, R10, R9
    ADD   R10, R10, R3
    LDR   R10, R10                    ; first[row, step]

    MUL   R11, R9, R2
    ADD   R11, R11, R7
    ADD   R11, R11, R4
    LDR   R11, R11                    ; second[step, column]

    MUL   R12, R10, R11
    ADD   R8, R8, R12

    ADD   R9, R9, R1
    CMP   R9, R2
    BRn   next                        ; while step < 2

    ADD   R9, R5, R0
    STR   R9, R8                      ; product[R0] = R8
    RET
