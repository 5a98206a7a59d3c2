"""GCN's assembly text, in both directions of the assembler: lines, mnemonics and operands into words.

`parser.py` takes a line apart, `encoder.py` finds the row and the form that fit, `encoding.py` holds the fields while it is tried,
`special_operands.py` and `modifier_fields.py` fill them; `declared.py` reads directives, `assembler.py` makes a code object of all.
The disassembler is beside the folder: lowering names instructions with it.
"""
