"""What a text says of its functions: read when a function is first asked for, since most runs ask for no names."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from warploom.ptx.debug.said import Described


class Descriptions:
    """Of the functions of a text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def of(self, function: str) -> Described:
        """What is said of a function, by its name in the text; nothing where the text has no debug information."""
        return self._reader.of(function) if self._reader is not None else Described()

    @cached_property
    def _reader(self) -> Any:
        if ".debug_info" not in self._text:
            return None
        from warploom.ptx.debug.described import Reader

        return Reader(self._text)
