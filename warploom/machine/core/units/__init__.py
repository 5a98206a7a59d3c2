"""Execution units: what takes an instruction at issue, a file each.

The memory stage (`memory_stage.py`) executes the micro-ops of a load, store, atomic or sample one after the other: those of the device's
memory (`global_access.py`), of shared memory (`shared_access.py`), of addresses that a scratchpad answers (`scratchpad.py`), of textures
(`texture_access.py`) and of images (`image_store.py`). Together these micro-ops form the bundle (`bundle.py`), which is then handed to the
unit that accounts for its time.
"""
