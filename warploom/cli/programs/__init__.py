"""Commands about programs' words and files: asm, disasm, cc.

`machine_code.py` serves asm and disasm for instruction sets that compilers know, `disasm_script.py` shows the kernels of a Python program.
"""
