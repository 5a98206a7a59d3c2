; copy_strided: eight threads copy 32 bytes, each every eighth one.
;
; Teaches: the loop with which few threads process many elements: start at your own number, continue
;          in steps of the number of threads. Neighbouring threads access neighbouring bytes in every round.
; Look for: after the last round the threads' own element numbers are 32, 33, 34 and 35: they differ,
;          yet all four are not below 32, so all threads agree on the branch. On tiny-original, where
;          BRn is taken unless the two are equal, the last thread decides, 35 is not 32, and the
;          kernel never ends.
;
; Memory: 0..31 source, 128..159 copy.

.threads 8
.data 1..32

    MUL   R0, %blockIdx, %blockDim
    ADD   R0, R0, %threadIdx          ; R0 = element
    CONST R1, #8                      ; all threads
    CONST R2, #32                     ; all elements
    CONST R3, #128                    ; where the copy begins

more:
    LDR   R4, R0
    ADD   R5, R3, R0
    STR   R5, R4
    ADD   R0, R0, R1
    CMP   R0, R2
    BRn   more                        ; while element < 32
    RET
