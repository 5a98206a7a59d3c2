# Start-up on Vortex: every core comes here with lane 0 of warp 0. All warps set up their registers; then lane 0 of warp 0 runs main.
# Registers are set in all lanes, since a lane that is switched on later finds what its own registers hold.

#if WARPLOOM_VORTEX >= 2023
#define TMC(mask) .insn r 0x0b, 0, 0, x0, mask, x0
#define WSPAWN(count, start) .insn r 0x0b, 1, 0, x0, count, start
#define BAR(number, count) .insn r 0x0b, 4, 0, x0, number, count
#define WARP_ID 0xCC1
#define THREAD_ID 0xF14
#define STACKS_END 0xFFFF0000
#define STACK_BITS 13
#define LINE_BITS 6
#else
#define TMC(mask) .insn s 0x6b, 0, x0, 0(mask)
#define WSPAWN(count, start) .insn s 0x6b, 1, start, 0(count)
#define BAR(number, count) .insn s 0x6b, 4, count, 0(number)
#define WARP_ID 0xCC3
#define THREAD_ID 0xCC1
#define STACKS_END 0xFF000000
#define STACK_BITS 10
#endif
#define THREAD_BYTES 48  /* what tp points to, at the end of the stack */

    .section .text.start, "ax"
    .globl _start
_start:
    csrr t0, 0xFC1
    la t1, set_up
    WSPAWN(t0, t1)
set_up:
    li t0, -1
    TMC(t0)
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    li sp, STACKS_END
    csrr t0, THREAD_ID
    slli t1, t0, STACK_BITS
    sub sp, sp, t1
#if WARPLOOM_VORTEX >= 2023
    slli t1, t0, LINE_BITS   # stacks in memory begin a line of the cache apart, or all of them would have to share one or two of its sets
    sub sp, sp, t1
#endif
    addi sp, sp, -THREAD_BYTES
    mv tp, sp
    csrr t0, WARP_ID
    beqz t0, first_warp
    TMC(zero)
first_warp:
    li t0, 1
#if WARPLOOM_VORTEX >= 2023
    WSPAWN(t0, zero)         # waits until the other warps have ended
    TMC(t0)
    csrr a0, 0x340
#else
    TMC(t0)
    li a0, 0x7ffff000
#endif
    call main
    .globl _exit
_exit:
#if WARPLOOM_VORTEX >= 2023
    sw a0, 0x88(zero)
    fence
#else
    mv gp, a0
#endif
    TMC(zero)

# A parallel section. Lane 0 of warp 0 comes here and returns; what the other lanes have in ra and on their stacks is their own.
    .text
    .globl warploom_spawn
warploom_spawn:
    addi sp, sp, -16
    sw ra, 12(sp)
    fence
    csrr t0, 0xFC1
    la t1, other_warp
    WSPAWN(t0, t1)
    li t0, -1
    TMC(t0)
    call warploom_run_body
#if WARPLOOM_VORTEX < 2023
    li t0, 0
    csrr t1, 0xFC1
    BAR(t0, t1)
#endif
    li t0, 1
    TMC(t0)
#if WARPLOOM_VORTEX >= 2023
    WSPAWN(t0, zero)         # waits until the other warps have ended
#endif
    lw ra, 12(sp)
    addi sp, sp, 16
    ret
other_warp:
    li t0, -1
    TMC(t0)
    call warploom_run_body
#if WARPLOOM_VORTEX < 2023
    li t0, 0
    csrr t1, 0xFC1
    BAR(t0, t1)
#endif
    TMC(zero)
