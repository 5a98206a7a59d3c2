"""What is written to a terminal, a pipe or a file, and how a process ends.

`screen.py` styled lines, `progress.py` bars on standard error, `output.py` files that are whole or not there, `own_output.py` what a Python
program prints, `printable.py` texts of users', `process.py` standard streams and signals.
"""
