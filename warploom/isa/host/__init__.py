"""What front ends need of the host and not of a program: processes, a cache on disk, and Python's garbage collector.

`children.py` starts other programs, `user_cache.py` keeps what one run leaves for the next, `collector.py` keeps the collector away from
decoding and compiling.
"""
