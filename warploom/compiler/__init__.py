"""The compiler: typed SSA in, micro-ops out. Front ends build SSA (`ssa.py`) and call `compile_function` of `compiler.py`."""
