# Start-up of ordinary RISC-V code: warploom has set a0 to a2, sp and ra; main gets the thread's number, how many there are, and the arguments.
    .section .text.start, "ax"
    .globl _start
_start:
    j main
