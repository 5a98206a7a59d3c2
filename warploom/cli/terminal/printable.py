"""Text of a user's, as a terminal may be shown it: a file name can hold any character, and some of them are commands to a terminal."""

from __future__ import annotations

import re

# Control characters but tab and line feed, line and paragraph separators, changes of writing direction, halves of characters.
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The same text, with `?` for every character that is a command to a terminal."""
    return _COMMANDS.sub("?", text)
