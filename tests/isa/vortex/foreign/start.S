# Start-up of a program that knows nothing of warploom: every warp and lane sets its registers, then warp 0 alone goes on in main.
#if GENERATION >= 2023
#define TMC(reg) .insn r 0x0b, 0, 0, x0, reg, x0
#define WSPAWN(count, at) .insn r 0x0b, 1, 0, x0, count, at
#define THREAD 0xF14
#define STACKS_END 0xFFFF0000
#define STACK_SHIFT 13
#else
#define TMC(reg) .insn s 0x6b, 0, x0, 0(reg)
#define WSPAWN(count, at) .insn s 0x6b, 1, at, 0(count)
#define THREAD 0xCC1
#define STACKS_END 0xFF000000
#define STACK_SHIFT 10
#endif
    .section .init, "ax"
    .globl _start
_start:
    csrr t0, 0xFC1
    la t1, others
    WSPAWN(t0, t1)
    li t0, -1
    TMC(t0)
    call set_up         # in all lanes: which lane's return address counts differs between the generations
    li t0, 1
    TMC(t0)
    la t0, __bss_start
    la t1, __bss_end
1:  bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:
    call main
    mv gp, a0
#if GENERATION >= 2023
    li t0, 0x88
    sw a0, 0(t0)
#endif
    fence
    TMC(zero)

    .text
others:
    li t0, -1
    TMC(t0)
    call set_up
    TMC(zero)
set_up:
    .option push
    .option norelax
    la gp, __global_pointer
    .option pop
    csrr t0, THREAD
    slli t0, t0, STACK_SHIFT
    li sp, STACKS_END
    sub sp, sp, t0
    ret
