"""Skeletons: first programs and units that run as they are, a row each; their texts lie in `skeletons/`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

TEXTS = Path(__file__).parent / "skeletons"


@dataclass(frozen=True)
class Skeleton:
    """ending: of the file. about: what it is, in a few words. then: the command that tries it; {file} and {stem} stand for its name.

    beside: files that go with it, by ending, with their text.
    """

    ending: str
    about: str
    then: str = "warploom run {file}"
    beside: dict[str, str] = field(default_factory=dict)

    def files(self, kind: str, path: Path) -> dict[Path, str]:
        """Every file of it with its text, the program first."""
        text = (TEXTS / f"{kind}.txt").read_text(encoding="utf-8")
        if self.ending != ".ipynb":  # whose text has braces of its own
            text = text.replace("{file}", path.name).replace("{stem}", path.stem)
        return {path: text} | {path.with_suffix(ending): more for ending, more in self.beside.items()}


BALL = """import numpy as np

from warploom.graphics import Mesh, Shading

u, v = (part.ravel() for part in np.meshgrid(np.linspace(0, 1, 25), np.linspace(0, 1, 13)))
ring, height = np.sin(np.pi * v), np.cos(np.pi * v)
ball = np.stack([-ring * np.cos(2 * np.pi * u), height, ring * np.sin(2 * np.pi * u)], axis=1)
first = (np.arange(12)[:, None] * 25 + np.arange(24)).reshape(-1, 1)
triangles = np.concatenate([first + [0, 25, 1], first + [1, 25, 26]])
scene = Mesh(ball, triangles, np.stack([u, v], axis=1), normals=ball, shading=Shading((0.9, 0.5, 0.2, 1), lit=True))
"""
LARGER = '''"""A solution: the larger of two numbers, a thread per element."""

from numba import cuda


@cuda.jit
def larger(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = max(a[i], b[i])
'''
UNIT = "warploom unit check {file}:choose --slot "
SKELETONS = {
    "python": Skeleton(".py", "a kernel in Python, in the dialect of numba.cuda"),
    "notebook": Skeleton(".ipynb", "a notebook with a kernel in Python"),
    "picture": Skeleton(".py", "a kernel in Python that computes a picture"),
    "tiny": Skeleton(".asm", "a kernel in the assembly of the smallest GPU"),
    "guppy": Skeleton(".guppy", "a kernel in the mask language"),
    "cuda": Skeleton(".cu", "a program in CUDA C++, with its host code (extra cc)"),
    "c": Skeleton(".c", "a kernel in C for Vortex (extra cc)"),
    "pixel": Skeleton(
        ".c", "a pixel shader in C, with a scene (extra cc)", "warploom draw {stem}.py --shader {file} --size 64", {".py": BALL}
    ),
    "shader": Skeleton(".py", "a pixel shader in Python, with its scene", "warploom draw {file} --size 64"),
    "vertex": Skeleton(
        ".c", "a vertex shader in C, with a scene (extra cc)", "warploom draw {stem}.py --vertex-shader {file} --size 64", {".py": BALL}
    ),
    "vertex_shader": Skeleton(".py", "a vertex shader in Python, with its scene", "warploom draw {file} --vertex-shader {file} --size 64"),
    "opencl": Skeleton(
        ".cl",
        "a kernel in OpenCL C for AMD's GCN (extra cc)",
        "warploom run {file} --grid 4 --arg a=2.5 --arg n=250 --buffer y={stem}.csv",
        {".csv": ",".join(["1.0"] * 250) + "\n"},
    ),
    "riscv": Skeleton(".rv", "a kernel in RISC-V's assembly"),
    "scheduler": Skeleton(".py", "a unit: which warp issues next", UNIT + "scheduler"),
    "divergence": Skeleton(".py", "a unit: which path of a warp runs next", UNIT + "divergence"),
    "replacement": Skeleton(".py", "a unit: which line of a full set has to go", UNIT + "replacement"),
    "prefetcher": Skeleton(".py", "a unit: which line will be wanted next", UNIT + "prefetcher"),
    "coalescer": Skeleton(".py", "a unit: which transactions addresses become", UNIT + "coalescer"),
    "set_hash": Skeleton(".py", "a unit: in which set of a cache a line lies", UNIT + "set_hash"),
    "machine": Skeleton(".toml", "a machine of your own", "warploom presets {file}"),
    "task": Skeleton(".toml", "a task to grade by, with its solution", "warploom grade {file} {stem}.py", {".py": LARGER}),
}


# What a file's name may say, beside the names of kinds.
WORDS = {
    "unit": "scheduler",
    "policy": "scheduler",
    "mechanism": "divergence",
    "hash": "set_hash",
    "eviction": "replacement",
    "homework": "task",
    "assignment": "task",
    "puzzle": "task",
}
SHADERS = (("vertex", "vertex_shader"), ("pixel", "shader"))  # either word of a pair means both, and the ending which


def kind_of(path: Path) -> str | None:
    """The skeleton that a file's name means: by a word in it, as `my_prefetcher.py`, else the first in the table with its ending."""
    words = path.stem.lower().replace("-", "_").split("_")
    for word in (path.stem.lower(), *sorted(words, key="vertex".__ne__)):  # a vertex shader is one whatever comes first
        kinds = next((pair for pair in SHADERS if word in pair), (WORDS.get(word, word),))
        for kind in kinds:
            if kind in SKELETONS and SKELETONS[kind].ending == path.suffix.lower():
                return kind
    return next((name for name, row in SKELETONS.items() if row.ending == path.suffix.lower()), None)
