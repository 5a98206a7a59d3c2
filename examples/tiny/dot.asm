; dot: the dot product of two vectors of sixteen numbers by one block of four threads.
;
; Teaches: a sum of many in two steps. Each thread adds up every fourth product by itself; then the four
;          partial sums are added.
; Look for: there is no barrier between the two steps, although each thread reads what the others wrote. It
;          works because the threads of a block here move from instruction to instruction together: a
;          STR ends when it has ended for all of them. Threads of two blocks could not rely on that.
;
; Memory: 0..15 x, 16..31 y, 32..35 the partial sums, 36 the result.

.threads 4
.data 1 2 3 4 5 6 7 8 8 7 6 5 4 3 2 1
.data 1 0 2 0 1 0 2 0 1 0 2 0 1 0 2 3

    CONST R1, #1
    CONST R2, #4                      ; threads, and the distance between a thread's elements
    CONST R3, #16                     ; elements, and where y begins
    CONST R4, #0                      ; R4 = step
    CONST R5, #0                      ; R5 = sum
    ADD   R6, %threadIdx, R4          ; R6 = element

product:
    LDR   R7, R6                      ; x
    ADD   R8, R6, R3
    LDR   R8, R8                      ; y
    MUL   R7, R7, R8
    ADD   R5, R5, R7
    ADD   R6, R6, R2
    ADD   R4, R4, R1
    CMP   R4, R2
    BRn   product                     ; four products a thread

    CONST R9, #32
    ADD   R10, R9, %threadIdx
    STR   R10, R5                     ; the partial sum

    CONST R4, #0
    CONST R5, #0
partial:
    ADD   R10, R9, R4
    LDR   R10, R10
    ADD   R5, R5, R10
    ADD   R4, R4, R1
    CMP   R4, R2
    BRn   partial

    CONST R10, #36
    STR   R10, R5                     ; all four threads store the same number
    RET
