"""Names of the source in PTX: what its debug information says of variables, kept beside the instructions while they are translated.

`sections.py` makes DWARF of the text's sections, `described.py` reads functions and variables out of it
(`said.py`), `descriptions.py` does so when it is asked, `marks.py` puts into a function
where a register begins to hold a variable, and follows that where ways meet.
"""
