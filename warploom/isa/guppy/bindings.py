"""What tN, uN and sN are: buffers, textures, images and samplers, and where they lie in memory.

Memory begins with bytes that belong to nobody, as in the original, where address 0 means "no load"; the bindings follow in order, each
at a multiple of 256 bytes, as NVIDIA's allocator places them (CUDA C++ Programming Guide, "Device Memory Accesses"), so that a buffer
begins with a line of every cache. The original's buffers lie at multiples of 64 bytes, its own line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from warploom.isa.launching import BufferError, as_words, read_buffer
from warploom.isa.pictures import OPAQUE_BLACK, PictureError, pack, pattern, read_picture
from warploom.isa.program import Program
from warploom.isa.views import (
    F_RGBA8,
    F_WORD,
    FILTERS,
    FORMAT_NUMBER,
    FORMATS,
    SAMPLER_COLUMNS,
    VIEW_BASE,
    VIEW_BYTES,
    VIEW_COLUMNS,
    VIEW_FORMAT,
    VIEW_HEIGHT,
    VIEW_LEVELS,
    VIEW_PITCH,
    VIEW_WIDTH,
    VIEW_WRITABLE,
    WRAPS,
)

PADDING = 256
ALIGNMENT = 256
LARGEST = 1 << 28  # bytes of one binding: a typing error in a size is refused before it takes all memory


class BindingError(ValueError):
    """A binding that cannot be; the message says why."""


@dataclass(frozen=True, eq=False)
class Binding:
    """A buffer, texture or image. data: its first contents, uint8. form: a number of FORMATS."""

    name: str
    kind: str
    data: np.ndarray
    form: int = F_WORD
    width: int = 0
    height: int = 0

    def __post_init__(self) -> None:
        allowed = {"buffer": "[tu]", "texture": "t", "image": "u"}[self.kind]
        if not re.fullmatch(allowed + r"\d+", self.name):
            names = {"buffer": "tN (read only) or uN (writable)", "texture": "tN", "image": "uN"}[self.kind]
            article = "an" if self.kind == "image" else "a"
            raise BindingError(f"{self.name!r} cannot name {article} {self.kind}: it is called {names}")
        if len(self.data) == 0:
            raise BindingError(f"{self.kind} {self.name} is empty")

    @property
    def writable(self) -> bool:
        """Whether `st` may write it."""
        return self.name.startswith("u")


@dataclass(frozen=True)
class SamplerBinding:
    """A sampler: how `sample` reads between and beside texels."""

    name: str
    filter: str = "linear"
    wrap_u: str = "repeat"
    wrap_v: str = "repeat"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"s\d+", self.name):
            raise BindingError(f"{self.name!r} cannot name a sampler: it is called sN")
        for value, choices in ((self.filter, FILTERS), (self.wrap_u, WRAPS), (self.wrap_v, WRAPS)):
            if value not in choices:
                raise BindingError(f"sampler {self.name}: {value!r} is not one of {', '.join(choices)}")


AnyBinding = Binding | SamplerBinding


# ---------------------------------------------------------------------------------------------------------
# Built in Python


def buffer(name: str, values: Sequence[int | float] | np.ndarray) -> Binding:
    """A buffer of 32-bit words: a whole number is a word (modulo 2^32), a float a 32-bit float. Raises BindingError."""
    if isinstance(values, np.ndarray):
        words = values.astype(np.float32).view(np.uint32) if values.dtype.kind == "f" else values.astype(np.int64).astype(np.uint32)
    else:
        words = np.array([_word(value) for value in values], np.uint32)
    return Binding(name, "buffer", words.astype("<u4").ravel().view(np.uint8))


def texture(name: str, picture: np.ndarray | str | Path, form: str = "rgba8") -> Binding:
    """A texture from a picture (uint8[height, width, 4]) or a picture file. Raises BindingError."""
    if form not in FORMAT_NUMBER or form == "word":
        names = [one.name for one in FORMATS if one.name != "word"]
        raise BindingError(f"texture {name}: there is no format {form!r}; there are {', '.join(names)}")
    try:
        pixels = picture if isinstance(picture, np.ndarray) else read_picture(picture)
    except PictureError as error:
        raise BindingError(f"texture {name}: {error}") from None
    number = FORMAT_NUMBER[form]
    return Binding(name, "texture", pack(pixels, number), number, pixels.shape[1], pixels.shape[0])


def image(name: str, width: int, height: int, color: int = OPAQUE_BLACK) -> Binding:
    """An image that a program writes, one RGBA word a texel, at first all `color` (0xRRGGBBAA). Raises BindingError."""
    check_size(name, width * height * 4)
    return Binding(name, "image", pack(pattern("solid", width, height, color), F_RGBA8), F_RGBA8, width, height)


def sampler(name: str, filter: str = "linear", wrap: str = "repeat", wrap_v: str | None = None) -> SamplerBinding:
    """A sampler; `wrap_v` is for the second coordinate when it differs. Raises BindingError."""
    return SamplerBinding(name, filter, wrap, wrap_v or wrap)


def bound_to(name: str, contents: Any, before: AnyBinding | None) -> Binding:
    """A binding from what a user gives: numbers, or a picture (uint8[height, width, 4]). before: the one whose place it takes."""
    pixels = np.asarray(contents)
    if pixels.ndim == 3 and pixels.shape[2] == 4 and pixels.dtype == np.uint8:
        form = before.form if isinstance(before, Binding) and before.form != F_WORD else F_RGBA8
        kind = "image" if name.startswith("u") else "texture"
        return Binding(name, kind, pack(pixels, form), form, pixels.shape[1], pixels.shape[0])
    try:
        return Binding(name, "buffer", as_words(contents, name).astype("<u4").view(np.uint8))
    except BufferError as error:
        raise BindingError(str(error)) from None


def _word(value: int | float) -> int:
    return int(np.float32(value).view(np.uint32)) if isinstance(value, float | np.floating) else int(value) % (1 << 32)


def check_size(name: str, size: int) -> None:
    """Raises BindingError when a binding of `size` bytes would be empty or larger than anything that is meant."""
    if not 0 < size <= LARGEST:
        raise BindingError(f"{name} would have {size} bytes; a binding has 1 to {LARGEST}")


# ---------------------------------------------------------------------------------------------------------
# In memory


@dataclass(frozen=True)
class Layout:
    """Bindings laid out: first memory contents, the tables of Program, and the rows of the names."""

    data: np.ndarray
    views: np.ndarray
    samplers: np.ndarray
    view_names: tuple[str, ...]
    sampler_names: tuple[str, ...] = field(default=())


def lay_out(bindings: Iterable[AnyBinding]) -> Layout:
    """Place bindings in memory in the given order."""
    memory = [np.zeros(PADDING, np.uint8)]
    end, views, samplers, names, sampler_names = PADDING, [], [], [], []
    for item in bindings:
        if isinstance(item, SamplerBinding):
            samplers.append([FILTERS.index(item.filter), WRAPS.index(item.wrap_u), WRAPS.index(item.wrap_v), 0])
            sampler_names.append(item.name)
            continue
        size = len(item.data)
        row = [0] * VIEW_COLUMNS
        row[VIEW_BASE], row[VIEW_BYTES], row[VIEW_FORMAT] = end, size, item.form
        row[VIEW_WIDTH], row[VIEW_HEIGHT], row[VIEW_WRITABLE] = item.width, item.height, item.writable
        row[VIEW_LEVELS], row[VIEW_PITCH] = (1, item.width * FORMATS[item.form].bytes) if item.width else (0, 0)
        views.append(row)
        names.append(item.name)
        gap = -size % ALIGNMENT
        memory += [item.data, np.zeros(gap, np.uint8)]
        end += size + gap
    return Layout(
        np.concatenate(memory),
        np.array(views, np.int32).reshape(-1, VIEW_COLUMNS),
        np.array(samplers, np.int32).reshape(-1, SAMPLER_COLUMNS),
        tuple(names),
        tuple(sampler_names),
    )


def read_view(program: Program, memory: np.ndarray, name: str) -> np.ndarray:
    """What a view holds after a run: uint32[words] of a buffer, a picture (uint8[height, width, 4]) of anything else.

    memory: bytes (uint8). Raises KeyError when the program has no view of that name.
    """
    if name not in program.view_names:
        raise KeyError(f"there is no view {name!r}; there are {', '.join(program.view_names) or 'none'}")
    return read_buffer(program, memory, name)
