"""Buffers into files after a run: what `--save NAME=FILE` writes. The file's ending says how."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from warploom.cli.common import UserError

if TYPE_CHECKING:
    from warploom.cli.output import OutputFile
    from warploom.isa.program import Program
    from warploom.result import Result

ENDINGS = (".npy", ".csv", ".bin", ".png")


def check_save(program: Program, name: str, path: str) -> None:
    """Refuse, before a run, a buffer that the program has not, or a file that cannot hold it. Raises UserError."""
    from warploom.isa.diagnostics import nearest
    from warploom.isa.launching import buffer_names
    from warploom.isa.views import VIEW_WIDTH

    there = buffer_names(program)
    if name not in there:
        raise UserError(f"--save {name}={path}: the program has no buffer {name!r}{nearest(name, there)}; it has {', '.join(there)}")
    suffix = Path(path).suffix.lower()
    if suffix not in ENDINGS:
        raise UserError(f"--save {name}={path}: name a file that ends in {', '.join(ENDINGS)}")
    if suffix == ".png" and not (program.view_names and program.views[there.index(name), VIEW_WIDTH]):
        raise UserError(f"--save {name}={path}: {name} is no image; save it as .npy, .csv or .bin")


def save(result: Result, name: str, out: OutputFile) -> None:
    """Write a buffer as it is after a run. In CSV a row of a picture is a line, and of anything else a line a number."""
    import numpy as np

    from warploom.isa.launching import read_buffer

    values = read_buffer(result.program, result.memory, name)
    suffix = Path(out.path).suffix.lower()
    whole = io.BytesIO()
    if suffix == ".png":
        from warploom.isa.pictures import png

        whole.write(png(values))
    elif suffix == ".npy":
        np.save(whole, values)
    elif suffix == ".csv":
        np.savetxt(whole, values.reshape(len(values), -1), fmt="%d", delimiter=",")
    else:
        whole.write(values.tobytes())
    with out.stream() as file:
        file.write(whole.getvalue())
