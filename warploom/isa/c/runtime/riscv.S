# Start-up of ordinary RISC-V code: warploom has set a0 to a2, sp and ra; main gets the thread's number, how many there are, and the arguments.
# What kernels ask for stays in tp (the thread's number) and gp (the arguments): nothing else uses these registers here.
    .section .text.start, "ax"
    .globl _start
_start:
    mv tp, a0
    mv gp, a2
    j main
