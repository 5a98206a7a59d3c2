"""Probes of a core: what issues, in which pipes, how soon, and what a launch may have.

Latency and throughput of arithmetic, mixed issue, register banks, the instruction cache, barriers, limits and the cost of a launch.
"""
