"""ELF: the file format in which compilers and linkers leave programs, of 32 and 64 bits.

`file.py` header and sections · `segments.py` what a linked program loads · `objects.py` object files, placed and relocated without a
linker · `symbols.py` names of addresses · `lines.py` the lines of source that instructions came from.

A file may be cut off or made to harm: each number is checked before it is used, and what is wrong is one sentence. Symbols and lines are an
addition: a program whose debugging information is damaged runs without it.
"""
