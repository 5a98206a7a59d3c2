"""Buffers into files after a run: what `--save NAME=FILE` writes. The file's ending says how."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from warploom.cli.common import UserError

if TYPE_CHECKING:
    import numpy as np

    from warploom.cli.terminal.output import OutputFile
    from warploom.isa.program import Program
    from warploom.result import Result

ENDINGS = (".npy", ".csv", ".bin", ".png")
MOST_POWER = 40  # of two: a float beyond it is hardly meant
TYPES = {"f32": "<f4", "u32": "<u4", "i32": "<i4"}  # what 32-bit words may be written as


def check_save(program: Program, name: str, path: str) -> None:
    """Refuse, before a run, a buffer that the program has not, or a file that cannot hold it. Raises UserError.

    name: of the buffer; `:f32`, `:u32` or `:i32` after it says what its words are.
    """
    from warploom.isa.diagnostics import nearest
    from warploom.isa.launching import buffer_names
    from warploom.isa.views import VIEW_WIDTH

    there = buffer_names(program)
    regions = {region.name for region in program.regions}
    name, colon, kind = name.partition(":")
    if colon and kind not in TYPES:
        raise UserError(f"--save {name}:{kind}={path}: words are written as {', '.join(TYPES)}{nearest(kind, TYPES)}")
    if name not in there and name not in regions:
        also = f", and the regions {', '.join(sorted(regions - {*there}))}" if regions - {*there} else ""
        close = nearest(name, [*there, *regions])
        raise UserError(f"--save {name}={path}: the program has no buffer {name!r}{close}; it has {', '.join(there)}{also}")
    suffix = Path(path).suffix.lower()
    if suffix not in ENDINGS:
        raise UserError(f"--save {name}={path}: name a file that ends in {', '.join(ENDINGS)}")
    of_words = not program.views[there.index(name), VIEW_WIDTH] if name in program.view_names else name in regions
    if colon and (suffix not in (".npy", ".csv") or not of_words):
        raise UserError(f"--save {name}:{kind}={path}: a type is that of words, in a buffer or a region, saved as .npy or .csv")
    if suffix == ".png" and not (name in program.view_names and program.views[there.index(name), VIEW_WIDTH]):
        raise UserError(f"--save {name}={path}: {name} is not an image; save it as .npy, .csv or .bin")


def save(result: Result, name: str, out: OutputFile) -> None:
    """Write a buffer as it is after a run. In CSV a row of a picture is a line, and of anything else a line a number.

    A buffer whose type is known has that, unless one after the name, as `:u32`, says something else. Other words have none: in CSV they
    are floats where all of them that are not zero look like some, in .npy whole numbers. A region is bytes, if nothing is said.
    """
    import numpy as np

    from warploom.isa.launching import read_buffer

    name, _, kind = name.partition(":")
    values = read_buffer(result.program, result.memory, name)
    suffix = Path(out.path).suffix.lower()
    if kind:
        values = np.pad(values.view(np.uint8), (0, -values.nbytes % 4)).view(TYPES[kind])  # items of 8 or 16 bits may end within a word
    whole = io.BytesIO()
    if suffix == ".png":
        from warploom.isa.pictures import png

        whole.write(png(values))
    elif suffix == ".npy":
        np.save(whole, values)
    elif suffix == ".csv":
        if not kind and values.dtype == np.uint32 and result.program.element_type(name) is None and look_like_floats(values):
            values = values.view("<f4")
        if values.dtype.kind == "f":
            whole.write("".join(f"{value!s}\n" for value in values).encode())
        else:
            np.savetxt(whole, values.reshape(len(values), -1), fmt="%d", delimiter=",")
    else:
        whole.write(values.tobytes())
    with out.stream() as file:
        file.write(whole.getvalue())


def look_like_floats(words: np.ndarray) -> bool:
    """Whether words, uint32[n], are likely to be 32-bit floats: all of them that are not zero are neither tiny nor huge as such."""
    used = words[words & 0x7FFFFFFF != 0]
    exponents = used >> 23 & 0xFF
    return bool(len(used)) and bool(((exponents >= 127 - MOST_POWER) & (exponents <= 127 + MOST_POWER)).all())
