"""From a launch to a result: `kernel[grid, block, stream, shared](...)`.

`signature.py` gives the types of the arguments, `compile.py` the program for them, `arguments.py` brings arrays into the device's
memory and back, `launch.py` runs it, `checked_launch.py` with checks.
"""
