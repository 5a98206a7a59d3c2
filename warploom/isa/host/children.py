"""Processes that are started: none of them imports what happens to lie in the user's current folder."""

from __future__ import annotations

# For Python with -c or -m: the current folder is not on the path of imports (Python 3.11 and later).
ISOLATED = ("-P",)
