"""Packages that only some studies need, and the mistakes that a study can be."""

from __future__ import annotations

from typing import Any

from warploom.observe.text import needs


class StudyError(ValueError):
    """A study that cannot be made like this: a mistake of the user's, or something that is not there. One sentence."""


def needed(module: str, purpose: str, extra: str = "study") -> Any:
    """An optional module. purpose: what needs it, as the beginning of a sentence. Raises StudyError where it is not installed."""
    try:
        return needs.needed(module, purpose, extra)
    except needs.MissingPackage as error:
        raise StudyError(str(error)) from None
