; histogram: how often each of the numbers 0 to 3 occurs among eight, and how counting goes wrong.
;
; Teaches: a race. Each thread loads a counter, adds one, stores it. Threads of a block load together, so
;          two of them that count the same number both see the old value, and one count is lost.
; Look for: the counters at 16..19 should be 2 3 1 2, and some are smaller. Change the number of cores and channels: what
;          is lost changes too. A machine with atomic operations counts correctly; histogram_private.asm
;          does without them.
;
; Memory: 0..7 numbers, 16..19 counters.

.threads 8
.data 0 1 1 3 1 0 2 3

    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx
    LDR   R1, R0                      ; R1 = the number
    CONST R2, #16
    ADD   R1, R1, R2                  ; R1 = address of its counter
    LDR   R3, R1
    CONST R4, #1
    ADD   R3, R3, R4
    STR   R1, R3
    RET
