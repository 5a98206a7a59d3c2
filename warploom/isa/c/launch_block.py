"""The launch block of a kernel in C, and the words of a program that has no kernels: what lies at the arguments' address.

`kernel.c` and `riscv_kernel.c` of the run-time read the block: which function to call, grid and block in three dimensions, then the
kernel's arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from warploom.isa.c.parameters import BLOCK, BLOCK_BYTES, CALL, DIMENSION, GRID, HAS_FLOATS, CKernel
from warploom.isa.frontend import Options
from warploom.isa.launch import MOST_DIMENSIONS, Launch, Parameter
from warploom.isa.launching import POINTER, BufferError


def launch_block(kernel: CKernel, grid: tuple[int, int, int], block: tuple[int, int, int]) -> np.ndarray:
    """The block without the arguments: uint8[BLOCK_BYTES]."""
    words = np.zeros(BLOCK_BYTES // 4, "<u4")
    words[[CALL // 4, DIMENSION // 4]] = kernel.address, MOST_DIMENSIONS
    words[HAS_FLOATS // 4] = any(kind == "float32" for _, kind in kernel.parameters)
    words[GRID // 4 : GRID // 4 + 3], words[BLOCK // 4 : BLOCK // 4 + 3] = grid, block
    return words.view(np.uint8)


def extents_of(path: str, options: Options) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """(blocks of the grid, threads a block) in three dimensions."""
    try:
        if options.grid is not None:
            launch = Launch(block=options.block or 1, grid=options.grid)
            return launch.grid_dims, launch.block_dims
        threads, block = options.threads if options.threads is not None else 1, options.block or 1
        launch = Launch(threads=threads, block=block)
    except ValueError as error:
        raise BufferError(f"{path}: {error}") from None
    if threads % launch.block_threads:
        if options.threads is None:
            raise BufferError(f"{path}: nothing says in how many threads it runs, in blocks of {launch.block_threads}: add --threads N")
        raise BufferError(f"{path}: {threads} threads are not a whole number of blocks of {launch.block_threads}")
    return (threads // launch.block_threads, 1, 1), (launch.block_threads, 1, 1)


def words_of(arguments: Mapping[str, Any], buffers: Collection[str], room: int) -> tuple[Parameter, ...]:
    """A parameter for each argument, a word after the other in the order in which they are given. room: in bytes. Raises BufferError."""
    if 4 * len(arguments) > room:
        raise BufferError(f"there are {len(arguments)} arguments: a program takes at most {room // 4}")
    return tuple(Parameter(name, 4 * index, _type_of(name, value, buffers)) for index, (name, value) in enumerate(arguments.items()))


def _type_of(name: str, value: Any, buffers: Collection[str]) -> str:
    """What an argument is in memory: 4 bytes of any kind."""
    if isinstance(value, str):
        if value not in buffers:
            raise BufferError(f"an argument is the buffer {value!r}, which is not there; there are {', '.join(sorted(buffers)) or 'none'}")
        return POINTER
    if isinstance(value, float | np.floating):
        return "float32"
    if not isinstance(value, int | np.integer | np.bool_):
        raise BufferError(f"the argument {name} = {value!r}: it is a number, or the name of a buffer")
    return "int32" if value < 0 else "uint32"
