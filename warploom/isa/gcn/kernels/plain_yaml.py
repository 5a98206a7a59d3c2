"""The YAML of code objects of version 2: mappings and lists by indentation, lists in brackets, plain and quoted words.

That is all that LLVM writes there. A package that reads the whole of YAML would be a dependency for one old file format, and reads much
that must not be in such a file; the tests compare this reader with one.
Source: LLVM, "User Guide for AMDGPU Backend", section "Code Object V2 Metadata".
"""

from __future__ import annotations

import re
from typing import Any

MOST_DEPTH = 16
_KEY = re.compile(r"([A-Za-z_][\w.]*):(?:\s+(.*))?$")
_ENDS = ("---", "...")


class YamlError(ValueError):
    """What is not plain YAML. One sentence."""


def read_yaml(text: str) -> Any:
    """Dictionaries, lists, whole numbers and words. Raises YamlError."""
    lines = []
    for line in text.replace("\0", "").splitlines():
        if line.strip() and line.strip() not in _ENDS and not line.lstrip().startswith("#"):
            lines.append((len(line) - len(line.lstrip(" ")), line.strip()))
    if not lines:
        return {}
    value, place = _block(lines, 0, 0)
    if place < len(lines):
        raise YamlError(f"{lines[place][1]!r} is indented like nothing before it")
    return value


def _block(lines: list[tuple[int, str]], place: int, depth: int) -> tuple[Any, int]:
    """The mapping or list whose first line is at a place, and the place after it."""
    indent, first = lines[place]
    if depth > MOST_DEPTH:
        raise YamlError(f"it is nested more than {MOST_DEPTH} deep")
    mapping: dict[str, Any] = {}
    listed: list[Any] = []
    is_list = _is_item(first)
    while place < len(lines) and lines[place][0] == indent and _is_item(lines[place][1]) == is_list:
        text = lines[place][1]
        if is_list:
            inner = text[1:].lstrip()
            if _KEY.match(inner) or _is_item(inner):  # a block that begins on the line of its dash
                lines[place] = (indent + len(text) - len(inner), inner)
                value, place = _block(lines, place, depth + 1)
            elif inner:
                value, place = _scalar(inner), place + 1
            else:
                value, place = _nested(lines, place, indent, depth)
            listed.append(value)
            continue
        found = _KEY.match(text)
        if found is None:
            raise YamlError(f"{text!r} is not a key with a value")
        rest = found[2]
        if rest:
            mapping[found[1]], place = _scalar(rest), place + 1
        else:
            mapping[found[1]], place = _nested(lines, place, indent, depth)
    return (listed if is_list else mapping), place


def _nested(lines: list[tuple[int, str]], place: int, indent: int, depth: int) -> tuple[Any, int]:
    """What follows a key or a dash on the next lines; a list may be indented like its key."""
    following = place + 1
    if following < len(lines):
        deeper, text = lines[following]
        if deeper > indent or (deeper == indent and _is_item(text) and not _is_item(lines[place][1])):
            return _block(lines, following, depth + 1)
    return None, following


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _scalar(text: str) -> Any:
    if text.startswith("["):
        if not text.endswith("]"):
            raise YamlError(f"{text!r} has no end")
        return [_scalar(piece.strip()) for piece in text[1:-1].split(",") if piece.strip()]
    if text[0] in "'\"":
        if len(text) < 2 or text[-1] != text[0]:
            raise YamlError(f"{text!r} has no end")
        return text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text
