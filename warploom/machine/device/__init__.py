"""A device of cores with warps: `device.py` is its cycle, the rest builds it and reads its results."""
