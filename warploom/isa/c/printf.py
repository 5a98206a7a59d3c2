"""The text of a printf: C's format, and values of 64 bits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

FORMAT = re.compile(
    r"%(?P<flags>[-+ #0']*)(?P<width>\d+|\*)?(?:\.(?P<precision>\d+|\*)?)?(?P<size>hh|h|ll|l|z|j|t|L)?(?P<kind>[diouxXcfFeEgGaAsp%])"
)
SIZES = {"hh": 8, "h": 16, "l": 64, "ll": 64, "z": 64, "j": 64, "t": 64}  # bits of an integer; without one of these 32


def bytes_of(spec: re.Match[str]) -> int:
    """How many bytes the value of a conversion takes in a device's buffer: 4 or 8."""
    return 8 if spec["kind"] in "fFeEgGaAsp" or SIZES.get(spec["size"] or "", 0) == 64 else 4


def written(form: str, values: Iterator[Any]) -> str:
    """A format with its values: floats, integers, and the texts of strings."""

    def one(spec: re.Match[str]) -> str:
        kind = spec["kind"]
        if kind == "%":
            return "%"
        value: Any = next(values)
        precision = spec["precision"]
        shape = "%" + spec["flags"].replace("'", "") + (spec["width"] or "") + (f".{precision or 0}" if "." in spec[0] else "")
        if kind in "aA":
            return str(shape + "s") % (float.hex(value) if kind == "a" else float.hex(value).upper())
        if kind == "p":
            return str(shape + "s") % hex(value & 0xFFFFFFFFFFFFFFFF)
        if kind == "c":
            return str(shape + "c") % chr(value & 0xFF)
        if kind in "ouxX":
            value &= (1 << SIZES.get(spec["size"] or "", 32)) - 1
            if kind == "o" and "#" in spec["flags"]:
                return (shape.replace("#", "") + "s") % f"0{value:o}"
            return str(shape + ("d" if kind == "u" else kind)) % value
        return str(shape + ("d" if kind == "i" else kind)) % value

    return FORMAT.sub(one, form)
