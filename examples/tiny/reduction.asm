; reduction: the sum of eight numbers as a tree, by one block of four threads: three rounds, not seven.
;
; Teaches: parallel sums. In each round a thread adds its partner's number to its own, and the distance to the
;          partner halves: 4, 2, 1.
; Look for: in the second round only two threads are needed, in the third one. The others may not branch away from
;          them, so they add too, to numbers that are not read again. All threads load before any
;          stores: that is why thread 2 may overwrite what thread 0 has just read.
;
; Memory: 0..7 numbers, overwritten; the sum ends up at 0.

.threads 4
.data 3 1 4 1 5 9 2 6

    CONST R0, #0
    CONST R1, #4                      ; R1 = distance
    CONST R2, #2
round:
    ADD   R3, %threadIdx, R1
    LDR   R3, R3                      ; the partner's number
    LDR   R4, %threadIdx              ; my own
    ADD   R4, R4, R3
    STR   %threadIdx, R4
    DIV   R1, R1, R2
    CMP   R0, R1
    BRn   round                       ; while 0 < distance
    RET
