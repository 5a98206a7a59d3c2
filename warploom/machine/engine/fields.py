"""How a setting is declared: with its meaning, unit, range and default, where it is a field of a section."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta


def number(meaning: str, unit: str = "", *, at_least: int = 0, at_most: int | None = None) -> Any:
    """A whole number."""
    return Annotated[int, Meta(ge=at_least, le=at_most, description=meaning, extra={"unit": unit})]


def choice(meaning: str, *names: str) -> Any:
    """One of some names."""
    return Annotated[str, Meta(description=meaning, extra={"unit": "", "choices": names})]


def switch(meaning: str) -> Any:
    """On or off."""
    return Annotated[bool, Meta(description=meaning, extra={"unit": ""})]


def shaped(meaning: str, unit: str, shape: str) -> Any:
    """A text; shape: what it looks like."""
    return Annotated[str, Meta(description=meaning, extra={"unit": unit, "shape": shape})]


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A group of settings."""
