"""GCN's kernels as files describe them, and how the command processor starts one.

`code_object.py` reads the ELF file, `descriptor.py` and `metadata.py` (with `plain_yaml.py`) what it says of a kernel; `launch.py` sets the
registers of a first wave, `arguments.py` and `values.py` lay out the segment of arguments.
"""
