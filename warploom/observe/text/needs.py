"""Packages that only some users need, and what is said where one is missing."""

from __future__ import annotations

import importlib
from typing import Any


class MissingPackage(ValueError):
    """An optional package is not installed. One sentence that says what needs it and how to get it."""


def needed(module: str, purpose: str, extra: str = "") -> Any:
    """A module that may be missing. extra: what installs it; "": it comes with warploom. purpose: what needs it, as the beginning of a
    sentence. Raises MissingPackage where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        install = f"'warploom[{extra}]'" if extra else "warploom"
        raise MissingPackage(f"{purpose} needs the package {package}, which is not installed: pip install {install}") from None
