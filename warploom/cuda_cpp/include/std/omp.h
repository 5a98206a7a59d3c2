/* OpenMP for a host program of one thread: its pragmas are comments here (OpenMP API 5.2, "Runtime library routines"). */
#pragma once
#pragma GCC system_header
#include <sys/time.h>

typedef struct omp_lock_t {
    int held;
} omp_lock_t;
static inline int omp_get_thread_num(void) { return 0; }
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_get_max_threads(void) { return 1; }
static inline int omp_get_num_procs(void) { return 1; }
static inline int omp_in_parallel(void) { return 0; }
static inline int omp_get_level(void) { return 0; }
static inline void omp_set_num_threads(int count) { (void)count; }
static inline void omp_set_dynamic(int dynamic) { (void)dynamic; }
static inline void omp_init_lock(omp_lock_t *lock) { lock->held = 0; }
static inline void omp_destroy_lock(omp_lock_t *lock) { (void)lock; }
static inline void omp_set_lock(omp_lock_t *lock) { lock->held = 1; }
static inline void omp_unset_lock(omp_lock_t *lock) { lock->held = 0; }
static inline double omp_get_wtime(void)
{
    struct timeval now;
    gettimeofday(&now, 0);
    return now.tv_sec + now.tv_usec * 1e-6;
}
static inline double omp_get_wtick(void) { return 1e-6; }
