; Eight threads come to a barrier one after the other, from two places; then each reads what its neighbour has written before.
; The last leaves instead, and is not waited for.
.threads 8

    CONST R0, #0
    CONST R2, #2
    CONST R7, #7
    CMP   %threadIdx, R7
    BRz   leaves
    DIV   R3, %threadIdx, R2
    MUL   R3, R3, R2
    SUB   R3, %threadIdx, R3
    ADD   R4, %threadIdx, R7
    CMP   R3, R0
    BRz   even
    STS   %threadIdx, R4
    BAR
    CMP   R0, R0
    BRz   read
even:
    CONST R5, #1
    ADD   R6, %threadIdx, R5
longer:                               ; they part once more, while the odd ones wait already
    ADD   R4, R4, R7
    SUB   R6, R6, R5
    CMP   R6, R0
    BRp   longer
    STS   %threadIdx, R4
    BAR
read:
    CONST R5, #1
    ADD   R3, %threadIdx, R5
    LDS   R4, R3
    STR   %threadIdx, R4
    RET
leaves:
    STR   %threadIdx, R7
    RET
