"""Packages that only some users need, and what is said where one is missing."""

from __future__ import annotations

import importlib
from typing import Any


class StudyError(ValueError):
    """A study that cannot be made like this: a mistake of the user's, or something that is not there. One sentence."""


def needed(module: str, purpose: str, extra: str = "study") -> Any:
    """An optional module. purpose: what needs it, as the beginning of a sentence. Raises StudyError where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise StudyError(f"{purpose} needs the package {package}, which is not installed: pip install 'warploom[{extra}]'") from None
