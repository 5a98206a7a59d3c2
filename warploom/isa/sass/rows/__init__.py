"""The rows of NVIDIA's machine code: each instruction's word, operands and modifiers, by the unit that executes it."""
