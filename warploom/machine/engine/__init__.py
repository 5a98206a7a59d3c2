"""The engine: one source at two speeds. It knows nothing of the hardware.

`unit.py` records and marks of units, `bits.py` masks, `sizes.py` largest sizes, `intrinsics.py` what Python and native code do alike.
"""
