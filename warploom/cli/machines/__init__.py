"""Commands about machines: presets, occupancy, cost, build, lockstep, and fit and warmup, which compile native code.

They read a configuration; those about hardware use `warploom/rtl`.
"""
