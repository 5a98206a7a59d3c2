"""Pieces of assembly text, run on the machine."""

import numpy as np

from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import read_buffer


def program_of(lines, buffers, threads=64, more=(), **options):
    """The program of some lines whose arguments are these buffers, 8 bytes each in their order."""
    text = "\n".join([".kernel main", *(f".arg {name}, pointer" for name in buffers), *more, *lines])
    return open_source(text.encode(), "gcn", Options("snippet.gcn", threads=threads, buffers=buffers, **options)).program


def run(lines, buffers, threads=64, engine="python", more=(), **options):
    """What the buffers hold afterwards, uint32."""
    program = program_of(lines, buffers, threads, more, **options)
    result = GPU("gcn", engine=engine).run(program, max_cycles=5_000_000)
    assert result.status == "done", str(result)
    return {name: read_buffer(program, result.memory, name).view(np.uint32) for name in buffers}
