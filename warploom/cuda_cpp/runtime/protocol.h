/* What a host program says to the device, over a socket pair whose descriptor WARPLOOM_DEVICE names.

   A request is a Request and `bytes` bytes; a reply is a Reply and `bytes` bytes. Numbers are little endian. One request at a time.
   `warploom/cuda_cpp/protocol.py` says the same. A device address is the low word of a pointer. */
#pragma once
#include <stdint.h>

enum Kind : uint32_t {
    HELLO = 1,      /* a: VERSION. Reply: value = bytes of device memory; the properties, a cudaDeviceProp. */
    MODULE = 2,     /* PTX and where it comes from. Reply: value = its number. */
    SYMBOL = 3,     /* a: module; a name. Reply: value = address, bytes of it as a uint64_t. */
    FUNCTION = 4,   /* a: module, b: cudaLimitStackSize; a name. Reply: value = its number; uint64_t: registers, shared, constant and local bytes, most threads, then
                       offset and bytes of each parameter. */
    ALLOCATE = 5,   /* a: bytes, b: alignment, c: 1 where the host may access it, d: place in the program that asks. Reply: value = address. */
    FREE = 6,       /* a: address. */
    WRITE = 7,      /* a: address; the bytes. */
    READ = 8,       /* a: address, b: bytes. Reply: the bytes. */
    FILL = 9,       /* a: address, b: the byte, c: how many. */
    COPY = 10,      /* a: to, b: from, c: bytes. */
    LAUNCH = 11,    /* a: function, b: stream, c: place in the program that asks; a Launch and the parameters. Reply: value = nanoseconds it took. */
    TIME = 12,      /* Reply: value = nanoseconds of simulated time. */
    MEMORY = 13,    /* Reply: value = free bytes. */
    MESSAGE = 14,   /* A sentence for the user. */
    FAULT = 15,     /* a: the address that the host has accessed, b: place in the program, c: 1 for a write. */
    OCCUPANCY = 16, /* a: function, b: threads of a block, c: dynamic shared bytes. Reply: value = blocks on a multiprocessor. */
    LARGEST = 17,   /* a: function, b: dynamic shared bytes that a launch may ask for. */
    RESET = 18,     /* All memory is free. */
    ELAPSE = 19,    /* a: nanoseconds that pass on the device, for what only takes time. */
    LIBRARY = 20    /* a, b: numbers for it, c: place in the program that asks; the name of a library, a zero, bytes for it. Reply: value = address of what it made. */
};
enum { VERSION = 1 };
struct Request {
    uint32_t kind, zero;
    uint64_t a, b, c, d, bytes;
};
struct Reply {
    int32_t status; /* a cudaError */
    uint32_t zero;
    uint64_t value, bytes;
};
enum { COOPERATIVE = 1 };
struct Launch {
    uint32_t grid[3], block[3], shared, flags;
};
