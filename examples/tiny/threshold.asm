; threshold: 255 where a pixel is 128 or more, 0 elsewhere, without a branch.
;
; Teaches: how threads that must stay together make different choices. A decision becomes a number: pixel
;          / 128 is 1 for the bright ones and 0 for the others, and a product does the rest.
; Look for: no CMP, no BR. Compare with diverge.asm, which has a branch.
;
; Memory: 0..7 pixels, 8..15 result.

.threads 8
.data 0 127 128 255 200 50 129 1

    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx
    LDR   R1, R0
    CONST R2, #128
    DIV   R1, R1, R2                  ; 1 or 0
    CONST R3, #255
    MUL   R1, R1, R3                  ; 255 or 0
    CONST R4, #8
    ADD   R4, R4, R0
    STR   R4, R1
    RET
