"""Vertex shaders on a machine: a thread shades a vertex."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.gpu import GPU
from warploom.graphics.host.vertices import MADE, Work, shading, uniform_words, uniforms
from warploom.graphics.state import GraphicsError
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer
from warploom.kernel import cuda
from warploom.kernel.device.context import CURRENT
from warploom.kernel.launch.launch import Kernel, KernelError
from warploom.result import Result

ISA = "vortex-2024"
MOST_THREADS = 128  # of a block


class Launches:
    """Kernels of a draw call on a machine. results: of the launches, with what each has done.

    A compiler splits no lanes where an `if` divides them, so the machine finds by itself where they meet again, whatever it does in
    draw calls.
    """

    def __init__(self, gpu: GPU) -> None:
        masks = gpu.config["core.divergence"] == "masks"
        self.gpu = GPU(gpu.config, set={"core.divergence": "stack"}, engine=gpu.engine) if masks else gpu
        self.results = list[tuple[str, Result]]()

    def launch(self, name: str, kernel: Kernel, threads: int, *arguments: Any, block: int = 0) -> None:
        """Run a kernel of at least so many threads. name: for the table of cycles. block: its threads, 0: as fit. Raises GraphicsError."""
        core, found = self.gpu.config.core, list[Result]()
        most = max(core.lanes * min(core.warps, MOST_THREADS // core.lanes), core.lanes)
        block = block or min(most, -(-threads // core.lanes) * core.lanes)
        try:
            with CURRENT.watched(found.append, self.gpu):
                kernel[-(-threads // block), block](*arguments)
        except KernelError as error:
            raise GraphicsError(f"{name}: {error}") from None
        self.results += [(name, result) for result in found]

    def vertices(self, work: Work) -> np.ndarray:
        """Shade vertices: float32[n, MADE]. Raises GraphicsError, SourceError."""
        name = f"{work.name}, vertices"
        made = np.zeros((len(work.given), MADE), np.float32)
        if work.shader.function is not None:
            if "machine" not in work.shader.built:
                work.shader.built["machine"] = cuda.jit(fma=False)(around(work.shader.function))
            self.launch(name, work.shader.built["machine"], len(made), work.given, made, uniforms(work))
            return made
        words = np.array([0x100000, 0, len(made), 0], np.uint32)
        words[1] = words[0] + _blocks(work.given.nbytes)
        words[3] = words[1] + _blocks(made.nbytes)
        buffers = {
            f"given@{words[0]:#x}": work.given.ravel().view(np.uint32), f"made@{words[1]:#x}": made.ravel().view(np.uint32),
            f"u@{words[3]:#x}": uniform_words(work),
        }  # fmt: skip
        arguments: dict[str, str | int] = {"given": "given", "made": "made", "count": len(made), "u": "u"}
        options = Options(path=work.shader.source, buffers=buffers, arguments=arguments)
        result = self.gpu.run(load(work.shader.code, ISA, options=options))
        if result.status != "done":
            raise GraphicsError(f"{name}: {next(iter(result.messages), result.status)}")
        self.results.append((name, result))
        return np.asarray(read_buffer(result.program, result.memory, "made").view(np.float32).reshape(made.shape))


def _blocks(size: int) -> int:
    return -(-size // 64) * 64


def around(vertex: Callable[..., Any]) -> Callable[..., None]:
    """The kernel that shades with a vertex shader."""
    one = shading(vertex)

    def shade(given: Any, made: Any, u: Any) -> None:
        i = cuda.grid(1)
        if i < given.shape[0]:
            one(given, made, u, i)

    shade.__name__ = vertex.__name__
    return shade
