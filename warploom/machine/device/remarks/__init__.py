"""What is said of a run when it has ended, though it is not a fault: instructions that the program has stored over (`overwritten.py`),
stacks that were full (`stacks.py`), pages that were touched between the program's regions (`touched_memory.py`). Each looks at the machine
as it is then and gives sentences; `device/machine.py` puts them into the result's remarks."""
