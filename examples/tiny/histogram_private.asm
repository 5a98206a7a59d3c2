; histogram_private: the numbers 0 to 3 among sixteen, counted without a race.
;
; Teaches: privatisation. Every thread has four counters of its own, so no two threads write to one address; at
;          the end thread t adds up the four counters of the number t.
; Look for: more memory and a second loop in exchange for a correct result: 16..19 hold 5 4 3 4.
;
; Memory: 0..15 numbers, 16..19 result, 64..79 private counters, four per thread.

.threads 4
.data 0 1 2 3 0 1 3 3 0 2 1 0 0 1 2 3

    CONST R1, #1
    CONST R2, #4
    MUL   R3, %threadIdx, R2          ; R3 = the thread's first number
    CONST R4, #64
    ADD   R5, R4, R3                  ; R5 = its counters
    CONST R6, #0                      ; R6 = round
count:
    LDR   R7, R3
    ADD   R7, R7, R5
    LDR   R8, R7
    ADD   R8, R8, R1
    STR   R7, R8
    ADD   R3, R3, R1
    ADD   R6, R6, R1
    CMP   R6, R2
    BRn   count                       ; four numbers per thread

    ADD   R7, R4, %threadIdx          ; R7 = counter of the number t of thread 0
    CONST R6, #0
    CONST R8, #0
collect:
    LDR   R9, R7
    ADD   R8, R8, R9
    ADD   R7, R7, R2
    ADD   R6, R6, R1
    CMP   R6, R2
    BRn   collect

    CONST R9, #16
    ADD   R9, R9, %threadIdx
    STR   R9, R8
    RET
