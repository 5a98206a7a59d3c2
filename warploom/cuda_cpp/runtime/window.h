/* All that depends on the system: where the device's memory lies among the host's addresses, and what becomes of an access to it.

   4 GiB of addresses are reserved, at the same place in every run (DEVICE_WINDOW of `warploom/ptx`), and cannot be accessed: a pointer to the device is base + device address.
   A host that reads one gets a signal, which ends in a sentence. Memory that both may access (managed, mapped) is opened there. */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static const uint64_t WINDOW = 0x200000000000ull, WINDOW_BYTES = 1ull << 32;
extern "C" const char __executable_start[] __attribute__((visibility("hidden")));
extern "C" const char *__warploom_command[] __attribute__((weak)); /* of a program that is started by itself: what runs it */

static inline bool in_window(const void *p) { return (uint64_t)p >> 32 == WINDOW >> 32; }
static inline uint64_t device_address(const void *p) { return (uint64_t)p & (WINDOW_BYTES - 1); }
static inline void *pointer_of(uint64_t address) { return (void *)(WINDOW | address); }
/* A place in the program, as its line tables count them. */
static inline uint64_t place_of(const void *code) { return (uint64_t)code - (uint64_t)__executable_start; }

static bool open_to_host(void *p, size_t bytes) { return mprotect(p, bytes, PROT_READ | PROT_WRITE) == 0; }
static void close_to_host(void *p, size_t bytes)
{
    /* Fresh pages: what was there is gone, and takes no memory. */
    mmap(p, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static void faulted(int number, siginfo_t *about, void *context)
{
    signal(number, SIG_DFL);
    if (!in_window(about->si_addr) || wire < 0) return; /* it happens once more, and ends the program */
    uint64_t place = 0, write = 0;
#if defined(__x86_64__)
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    place = place_of((const void *)registers[REG_RIP]);
    write = registers[REG_ERR] >> 1 & 1;
#elif defined(__aarch64__)
    place = place_of((const void *)((ucontext_t *)context)->uc_mcontext.pc);
#endif
    fflush(stdout);
    say(FAULT, device_address(about->si_addr), place, write, 0, 0, 0, 0, 0, 0);
}
static void after_fork() { forked = true; }

static void reserve_window()
{
    void *found = mmap((void *)WINDOW, WINDOW_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (found != (void *)WINDOW) {
        static const char text[] = "warploom: 4 GiB of addresses for the device's memory cannot be reserved; raise the limit (ulimit -v)\n";
        if (write(2, text, sizeof text - 1) < 0) {}
        _exit(1);
    }
    static char stack[1 << 16];
    stack_t other = {};
    other.ss_sp = stack;
    other.ss_size = sizeof stack;
    sigaltstack(&other, 0);
    struct sigaction action = {};
    action.sa_sigaction = faulted;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, 0);
    pthread_atfork(0, 0, after_fork);
}

/* Before anything of the program runs: one that was started by itself is started once more with a device. */
__attribute__((constructor(101))) static void start(int, char **arguments, char **)
{
    const char *named = getenv("WARPLOOM_DEVICE");
    if (named) {
        wire = atoi(named);
        unsetenv("WARPLOOM_DEVICE"); /* not for programs that this one starts */
        reserve_window();
        return;
    }
    if (!__warploom_command) return;
    static char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return;
    std::vector<char *> words;
    for (const char **word = __warploom_command; *word; word++) words.push_back((char *)*word);
    words.push_back(self);
    for (char **word = arguments + 1; arguments[0] && *word; word++) words.push_back(*word);
    words.push_back(0);
    execvp(words[0], words.data());
    fprintf(stderr, "warploom: %s, which runs this program, cannot be started: %s\n", words[0], strerror(errno));
    _exit(1);
}
