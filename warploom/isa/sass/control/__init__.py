"""Control words: the role of each opcode in time, and a word in words."""
