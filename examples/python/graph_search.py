"""Breadth-first search of a graph: a launch a level, until nothing is found any more.

Run it: warploom run examples/python/graph_search.py
Look at: the lanes in warploom profile examples/python/graph_search.py --launch 2. Vertices have different numbers of neighbours,
and few are on the frontier.
"""

import numpy as np
from numba import cuda

FAR = 1000


@cuda.jit
def level(starts, neighbours, before, after, now, found):
    v = cuda.grid(1)
    if v < before.size and before[v] == now:
        for k in range(starts[v], starts[v + 1]):
            w = neighbours[k]
            if before[w] == FAR:
                after[w] = now + 1
                found[0] = 1


# A ring of 60 vertices with a shortcut from each one to the one 7 times its number.
edges = [sorted({(v + 1) % 60, (v - 1) % 60, v * 7 % 60}) for v in range(60)]
starts = np.cumsum([0, *map(len, edges)]).astype(np.int32)
neighbours = np.concatenate(edges).astype(np.int32)
distance = np.full(60, FAR, np.int32)
distance[0] = 0
for now in range(60):
    found = np.zeros(1, np.int32)
    level[2, 32](starts, neighbours, distance.copy(), distance, now, found)
    if not found[0]:
        break
assert distance.max() < FAR
for v, others in enumerate(edges):
    assert all(distance[w] <= distance[v] + 1 for w in others)
print(f"60 vertices, the farthest is {distance.max()} steps away")
