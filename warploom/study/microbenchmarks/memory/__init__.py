"""Probes of memory: shared and constant memory, first and second level, DRAM, atomics and fences.

Sizes, lines, ways and latencies come from chains of dependent loads (`pointer_chase.py`), bandwidths from warps that stream (`streams.py`).
"""
