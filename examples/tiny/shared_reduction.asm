; shared_reduction: each block adds up its own numbers in shared memory, with barriers.
;
; Teaches: the extension instructions LDS, STS and BAR. Shared memory belongs to one block and is close to its
;          threads; a barrier holds every thread until the last one has come.
; Look for: two barriers per round: one between reading and overwriting, one between writing and reading. tiny-gpu's
;          hardware has none of the three instructions, so `tiny` and `tiny-original` refuse the program.
;
; Memory: 0..7 numbers, 16 on: one sum per block. Shared memory: byte t belongs to thread t.

.threads 8
.data 1 2 3 4 50 60 70 20

    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx
    LDR   R1, R0
    STS   %threadIdx, R1
    BAR
    CONST R2, #2
    CONST R3, #0
    DIV   R4, %blockDim, R2           ; R4 = distance to the partner
round:
    ADD   R5, %threadIdx, R4
    LDS   R5, R5
    LDS   R1, %threadIdx
    ADD   R1, R1, R5
    BAR
    STS   %threadIdx, R1
    BAR
    DIV   R4, R4, R2
    CMP   R3, R4
    BRn   round                       ; while 0 < distance

    LDS   R1, R3                      ; the block's sum
    CONST R5, #16
    ADD   R5, R5, %blockIdx
    STR   R5, R1
    RET
