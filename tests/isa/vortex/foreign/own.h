/* A programmer's own head for both generations, in the idioms of programs for Vortex. */
#include <stdint.h>
/* Inlined without optimisation too: a function that switches lanes on would return to where they, not their warp, were called from. */
#define INLINE static inline __attribute__((always_inline))
#define csr(n) ({ unsigned v_; __asm__ volatile("csrr %0, " #n : "=r"(v_)); v_; })
#define NT csr(0xFC0)
#define NW csr(0xFC1)
#define NC csr(0xFC2)
#define LANE csr(0xCC0)
#if GENERATION >= 2023
#define WARP csr(0xCC1)
#define CORE csr(0xCC2)
#define HART csr(0xF14)
INLINE void vx_tmc(int m) { __asm__ volatile(".insn r 0x0b, 0, 0, x0, %0, x0" ::"r"(m) : "memory"); }
INLINE void vx_wspawn(int n, void (*f)(void)) { __asm__ volatile(".insn r 0x0b, 1, 0, x0, %0, %1" ::"r"(n), "r"(f) : "memory"); }
INLINE int vx_split(int c) { int h; __asm__ volatile(".insn r 0x0b, 2, 0, %0, %1, x0" : "=r"(h) : "r"(c) : "memory"); return h; }
INLINE void vx_join(int h) { __asm__ volatile(".insn r 0x0b, 3, 0, x0, %0, x0" ::"r"(h) : "memory"); }
INLINE void vx_barrier(int b, int n) { __asm__ volatile(".insn r 0x0b, 4, 0, x0, %0, %1" ::"r"(b), "r"(n) : "memory"); }
INLINE void vx_pred(int c, int m) { __asm__ volatile(".insn r 0x0b, 5, 0, x0, %0, %1" ::"r"(c), "r"(m) : "memory"); }
#define ARGUMENTS ((kernel_arg_t *)csr(0x340))
#define CONSOLE 0x40
typedef uint64_t address_t; /* 64 bits in the argument block, also on 32-bit cores */
#else
#define WARP csr(0xCC3)
#define CORE csr(0xCC5)
#define HART csr(0xCC2)
INLINE void vx_tmc(int m) { __asm__ volatile(".insn s 0x6b, 0, x0, 0(%0)" ::"r"(m) : "memory"); }
INLINE void vx_wspawn(int n, void (*f)(void)) { __asm__ volatile(".insn s 0x6b, 1, %1, 0(%0)" ::"r"(n), "r"(f) : "memory"); }
INLINE int vx_split(int c) { __asm__ volatile(".insn s 0x6b, 2, x0, 0(%0)" ::"r"(c) : "memory"); return 0; }
INLINE void vx_join(int h) { (void)h; __asm__ volatile(".insn s 0x6b, 3, x0, 0(x0)" ::: "memory"); }
INLINE void vx_barrier(int b, int n) { __asm__ volatile(".insn s 0x6b, 4, %1, 0(%0)" ::"r"(b), "r"(n) : "memory"); }
#define ARGUMENTS ((kernel_arg_t *)0x7ffff000)
#define CONSOLE 0xFFFFFFC0
typedef uint32_t address_t;
#endif
typedef struct { uint32_t count, spare; address_t in, out; } kernel_arg_t;
#define P(a) ((volatile int *)(uintptr_t)(a))
INLINE void vx_putchar(char c) { *(volatile char *)(CONSOLE + (HART & 63)) = c; }

/* Tasks over all lanes of this core's warps, as a run-time does it: neighbouring tasks in neighbouring lanes. */
typedef void (*task_t)(int task, kernel_arg_t *arg);
static struct { task_t f; kernel_arg_t *arg; int n, warps; } job[16];
/* Code after a tmc is in functions of its own: what a compiler computes before one is not in the lanes that it switches on. */
__attribute__((noinline)) static void run_tasks(void) {
  int core = (int)CORE, here = (int)(WARP * NT + LANE), all = (int)(NW * NT);
  int n = job[core].n;
  for (int base = 0; base < n; base += all) {
    int task = base + here, h = vx_split(task < n);
    if (task < n) job[core].f(task + core * n, job[core].arg);
    vx_join(h);
  }
  vx_barrier(0, job[core].warps);
}
__attribute__((noinline)) static void leave(void) { vx_tmc(WARP == 0); }
__attribute__((noinline)) static void stub(void) {
  vx_tmc(-1);
  run_tasks();
  leave();
}
__attribute__((noinline)) static void spawn_tasks(int n, task_t f, kernel_arg_t *arg) {
  int core = (int)CORE;
  job[core].f = f; job[core].arg = arg; job[core].n = n / (int)NC; job[core].warps = (int)NW;
  vx_wspawn((int)NW, stub);
  stub();
}
