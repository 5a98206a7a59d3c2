/* A function that is a word of the language: its instructions belong to the line that calls it, in profiles and messages. */
#ifndef WARPLOOM_INLINE
#define WARPLOOM_INLINE static inline __attribute__((always_inline, nodebug))
#ifdef __cplusplus
#define WARPLOOM_C extern "C"
#else
#define WARPLOOM_C extern
#endif
#endif
