"""The words of call_counts.py, which both engines read and write. Not hardware."""

from __future__ import annotations

import numpy as np

WORDS = np.zeros(1 << 16, np.int64)  # the first is the number of the call; of each function the call that it knows of, and its counts
