; slow_banks: every thread writes and reads its own byte of shared memory, four bytes from its neighbour's.
;
; Teaches: bank conflicts. Byte b of shared memory is in bank b mod 4, and a bank serves one byte per cycle. With a
;          stride of 4 all threads access the same bank, so an access takes four passes where one would do.
; Look for: the passes in `warploom profile`. With CONST R1, #1 every access takes one; so it does with #5, because 5 and 4 share no
;          factor. Only machines with warps have shared memory.
;
; Memory: 0..15 result: thread t leaves 4 t + 9. Shared memory: byte 4 t of thread t within its block.

.threads 16

    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx          ; R0 = thread
    CONST R1, #4                      ; the stride
    MUL   R1, R1, %threadIdx          ; R1 = the thread's byte
    CONST R2, #0
    CONST R3, #1
    CONST R5, #9
    MUL   R4, R0, R5                  ; R4 = what is counted up
    CONST R6, #5
    MUL   R6, R6, R0
    SUB   R4, R4, R6                  ; 9 t - 5 t
more:
    STS   R1, R4
    LDS   R4, R1
    ADD   R4, R4, R3
    ADD   R2, R2, R3
    CMP   R2, R5
    BRn   more                        ; nine rounds
    STR   R0, R4
    RET
