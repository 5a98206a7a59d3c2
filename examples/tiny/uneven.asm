; uneven: block b adds up 1 + 2 + ... + n, with n = (b + 1) squared: 1, 4, 9 and 16 rounds.
;
; Teaches: that a loop may have a different length in each block, as long as it has one length inside a block.
; Look for: four blocks on two cores. Blocks 0 and 1 start together; the core that ends first takes block 2,
;          the other core block 3. The last block is also the longest, so one core waits for
;          the other at the end: start long work first.
;
; Memory: 0..15 result, the same for the four threads of a block.

.threads 16

    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx
    CONST R1, #1
    ADD   R2, %blockIdx, R1
    MUL   R2, R2, R2                  ; R2 = rounds
    CONST R3, #0                      ; R3 = round
    CONST R4, #0                      ; R4 = sum
round:
    ADD   R3, R3, R1
    ADD   R4, R4, R3
    CMP   R3, R2
    BRn   round
    STR   R0, R4
    RET
