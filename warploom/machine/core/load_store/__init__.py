"""Load and store: addresses of lanes, coalescing, the load/store unit, shared memory, atomics."""
