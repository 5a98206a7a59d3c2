"""The memory system below the cores: caches and their parts, L2, DRAM, the channels of tiny-gpu."""
