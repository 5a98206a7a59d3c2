"""Bindings written as a line: a directive in a program, with a full stop in front, or text on the command line.

buffer t0 256 random 0 255        256 words, filled; see FILLS
buffer t1 values 1 2 0xff 0.5     as many words as values; a value with a point or an exponent is a float
texture t2 "photo.png"            a picture file, looked for beside the program; `as rg8` chooses another format
texture t3 64 64 checkerboard 8   a pattern; see pictures.PATTERNS
image u0 256 256                  a picture that the program writes
sampler s0 point clamp            filter and wrap; linear and repeat when nothing is said
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from warploom.isa.counts import numbers
from warploom.isa.diagnostics import closest
from warploom.isa.guppy.bindings import (
    AnyBinding,
    Binding,
    BindingError,
    SamplerBinding,
    buffer,
    check_size,
    image,
    sampler,
    texture,
)
from warploom.isa.guppy.operands import float_bits
from warploom.isa.guppy.parser import WORD
from warploom.isa.numbers import cut, digits
from warploom.isa.pictures import OPAQUE_BLACK, PATTERNS, RANDOM_NUMBERS, PictureError, pattern, random_numbers

FILLS = {
    "zero": "all words 0",
    "fill V": "every word V",
    "iota [START [STEP]]": "START, START + STEP, ...; 0 and 1 when nothing is said",
    "random LOW HIGH [SEED]": "random numbers from LOW to HIGH (whole numbers both included)",
    "sorted LOW HIGH [SEED]": "the same numbers in ascending order",
}
KINDS = ("buffer", "texture", "image", "sampler")


def binding(line: str, folder: str | Path = ".") -> AnyBinding:
    """A binding from its line, as in `buffer t0 256 iota`; a picture's path begins at `folder`. Raises BindingError."""
    return from_words(WORD.findall(line), folder)


def from_words(words: Sequence[str], folder: str | Path = ".") -> AnyBinding:
    """A binding from the words of its line. Raises BindingError."""
    if not words or words[0] not in KINDS:
        given = words[0] if words else ""
        near = closest(given, KINDS)
        hint = f", did you mean {near!r}?" if near else f"; there are {', '.join(KINDS)}"
        raise BindingError(f"there is no binding {given!r}{hint}")
    kind, *rest = words
    if not rest:
        raise BindingError(f"{kind} needs a name, as in {USUAL[kind]}")
    return READERS[kind](rest[0], list(rest[1:]), Path(folder))


USUAL = {
    "buffer": "buffer t0 64 iota",
    "texture": "texture t0 64 64 checkerboard 8",
    "image": "image u0 256 256",
    "sampler": "sampler s0 linear repeat",
}


def _buffer(name: str, words: list[str], folder: Path) -> Binding:
    if words[:1] == ["values"]:
        return buffer(name, [_value(word) for word in words[1:]])
    if not words:
        raise BindingError(f"buffer {name} needs its number of words, as in {USUAL['buffer']}")
    count = _count(words[0], f"buffer {name}: the number of words")
    check_size(name, 4 * count)
    return buffer(name, _filled(name, count, words[1:] or ["zero"]))


def _filled(name: str, count: int, words: list[str]) -> np.ndarray:
    fill, arguments = words[0], [_value(word) for word in words[1:]]
    takes = {"zero": (0, 0), "fill": (1, 1), "iota": (0, 2), "random": (2, 3), "sorted": (2, 3)}
    if fill not in takes:
        raise BindingError(f"buffer {name}: there is no fill {fill!r}; there are {'; '.join(FILLS)}")
    least, most = takes[fill]
    if not least <= len(arguments) <= most:
        text = next(text for text in FILLS if text.split()[0] == fill)
        raise BindingError(f"buffer {name}: the fill {fill} is written {text!r}, {len(arguments)} values given")
    if fill in ("random", "sorted"):
        return _random(name, count, fill == "sorted", *arguments)
    start, step = {"zero": (0, 0), "fill": (*arguments, 0)[:2], "iota": (*arguments, *(0, 1)[len(arguments) :])}[fill]
    return start + step * numbers(count)


def _random(name: str, count: int, ascending: bool, low: int | float, high: int | float, seed: int | float = 1) -> np.ndarray:
    if not isinstance(seed, int):
        raise BindingError(f"buffer {name}: the seed is {seed}; it must be a whole number")
    if high < low:
        raise BindingError(f"buffer {name}: random numbers from {low} to {high}: the first must not be above the second")
    numbers = random_numbers(count, seed)
    if isinstance(low, float) or isinstance(high, float):
        values = low + (high - low) * (numbers / RANDOM_NUMBERS)
    elif high - low < RANDOM_NUMBERS:
        values = low + numbers % (high - low + 1)
    else:
        values = low + numbers * (high - low + 1) // RANDOM_NUMBERS
    return np.sort(values) if ascending else values


def _texture(name: str, words: list[str], folder: Path) -> Binding:
    form = "rgba8"
    if len(words) >= 2 and words[-2] == "as":
        form, words = words[-1], words[:-2]
    if len(words) == 1 and words[0].startswith('"'):
        return texture(name, folder / words[0].strip('"'), form)
    if not 3 <= len(words) <= 4:
        raise BindingError(f'texture {name}: write a file in quotes ("photo.png"), or width, height and a pattern ({", ".join(PATTERNS)})')
    width, height = (_count(word, f"texture {name}: its {what}") for word, what in zip(words, ("width", "height"), strict=False))
    check_size(name, 16 * width * height)
    argument = _count(words[3], f"texture {name}: the pattern's number", 0) if len(words) == 4 else None
    try:
        return texture(name, pattern(words[2], width, height, argument), form)
    except PictureError as error:
        raise BindingError(f"texture {name}: {error}") from None


def _image(name: str, words: list[str], folder: Path) -> Binding:
    if len(words) == 4 and words[2] == "solid":
        color = _count(words[3], f"image {name}: its colour", 0)
    elif len(words) == 2:
        color = OPAQUE_BLACK
    else:
        raise BindingError(
            f"image {name}: write width and height, and, if it shall not be black, solid and a colour, as in {USUAL['image']}"
        )
    width, height = (_count(word, f"image {name}: its {what}") for word, what in zip(words, ("width", "height"), strict=False))
    return image(name, width, height, color)


def _sampler(name: str, words: list[str], folder: Path) -> SamplerBinding:
    if len(words) > 3:
        raise BindingError(f"sampler {name}: write filter, wrap and perhaps a second wrap, as in {USUAL['sampler']}")
    return sampler(name, *words)


def _count(word: str, what: str, least: int = 1) -> int:
    if not re.fullmatch(r"\d+|0[xX][0-9a-fA-F]+", word) or (value := _whole(word)) < least:
        raise BindingError(f"{what} is {word!r}; it must be a whole number, {least} or more")
    return value


def _whole(word: str) -> int:
    return -digits(word[1:]) if word.startswith("-") else digits(word)


def _value(word: str) -> int | float:
    if re.fullmatch(r"-?\d+|0[xX][0-9a-fA-F]+", word):
        if not -(1 << 31) <= _whole(word) < 1 << 32:
            raise BindingError(f"{cut(word)} does not fit in 32 bits")
        return _whole(word)
    try:
        return float(np.uint32(float_bits(word)).view(np.float32))
    except ValueError:
        raise BindingError(f"{word!r} is not a number; write 12, 0xff, -3 or 0.5") from None


READERS: dict[str, Callable[[str, list[str], Path], AnyBinding]] = {
    "buffer": _buffer,
    "texture": _texture,
    "image": _image,
    "sampler": _sampler,
}
