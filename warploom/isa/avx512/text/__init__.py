"""x86 assembly in Intel's notation, into bytes.

`parser.py` reads the words of a line, `forms.py` finds the row that a written instruction is, `encoder.py` writes its bytes, and
`assembler.py` makes an image of all lines. The disassembler is beside the folder: lowering names instructions with it.
"""
