"""A lock that lanes of one warp want at the same time.

Run it: warploom run examples/python/spin_lock.py
Look at: under a reconvergence stack it never ends. The lane that has the lock waits for the others after the loop, and they wait
for the lock in it; the run is stopped, and told so. Independent threads (its) let the one continue that can.
"""

import numpy as np
from numba import cuda

import warploom


@cuda.jit
def locked(lock, counter):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    cuda.threadfence()
    counter[0] += 1
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)


for mechanism in ("its", "stack"):
    lock, counter = np.zeros(1, np.int32), np.zeros(1, np.int32)
    try:
        locked.on(warploom.GPU("sm", set={"core.divergence": mechanism}))[1, 8](lock, counter)
        print(f"{mechanism}: {counter[0]} threads have had the lock")
    except RuntimeError as error:
        print(f"{mechanism}: {str(error).splitlines()[0]}")
