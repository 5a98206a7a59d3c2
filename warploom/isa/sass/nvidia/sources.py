"""Files that become a cubin when they are loaded: kernels in CUDA C++ (.cu, without host code) and PTX (.ptx)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from warploom.isa.reading import decoded, error
from warploom.isa.sass.container import cubin_in
from warploom.isa.sass.cubin import Cubin, read
from warploom.isa.sass.nvidia import toolkit
from warploom.isa.sass.nvidia.toolkit import ONLY_THERE, Compiled
from warploom.isa.sass.products import ARCHITECTURES

USUAL = 90  # the architecture for a machine that takes any code, and for none
KNOWN = ("70", "72", "75", "80", "86", "87", "89", "90", "90a")  # 90a: with what later generations do not have
MAKERS: dict[str, Callable[[str, str, int, Sequence[str], str], Compiled]] = {".cu": toolkit.from_cuda, ".ptx": toolkit.from_ptx}
_ARCHITECTURE = re.compile(r"^-{1,2}(?:gpu-architecture|arch)=(?:sm|compute)_(\w+)$")
_MAIN = re.compile(r"^\s*(?:int|auto|void)\s+main\s*\(", re.MULTILINE)
# Of nvcc's words those that say something to NVRTC; the others are about the host, or already said.
_WORDS = re.compile(r"^(?:-D|-U|-I|-std=|--std=|-use_fast_math|--use_fast_math|-maxrregcount|--maxrregcount|-ftz|-prec-|-fmad|-G$|-dw$|--)")
_NOT_OURS = re.compile(r"^-{1,2}(?:lineinfo|generate-line-info|extended-lambda|expt-|relocatable|rdc|Xcompiler)")


def is_compiled(path: str) -> bool:
    """Whether a file is a text that NVIDIA's compilers make a cubin of."""
    return Path(path).suffix.lower() in MAKERS


def opened(data: bytes, path: str, product: object = None, kernel: str | None = None, words: Sequence[str] = ()) -> tuple[Cubin, Compiled]:
    """The cubin of a file: as it is, out of a fat binary, or made of a text; and what made it. Raises SourceError.

    product: a preset's name. kernel: the one that is wanted, of a fat binary. words: of the compiler.
    """
    made = compiled(data, path, product, words) if is_compiled(path) else Compiled(data, "")
    return read(cubin_in(made.cubin, path, product, kernel), path), made


def compiled(data: bytes, path: str, product: object, words: Sequence[str] = ()) -> Compiled:
    """The cubin of a text, for a product's architecture, or the one that the words name. Raises SourceError.

    words: of nvcc, as `-arch=sm_86`, `-use_fast_math`, `-DN=4`.
    """
    suffix = Path(path).suffix.lower()
    text = decoded(data, path)
    if suffix == ".cu" and (found := _MAIN.search(text)) is not None:
        line = text.count("\n", 0, found.end()) + 1
        said = f"it has a main() at line {line}: under --compiler nvidia a file has kernels alone, which NVRTC compiles"
        raise error(path, said, "put the kernels into a .cu file of their own, or leave --compiler out")
    asked = next((named[1] for word in words if (named := _ARCHITECTURE.match(word))), None)
    if asked is not None and asked not in KNOWN:
        raise error(path, f"-arch=sm_{asked}: code runs here for sm_{', sm_'.join(KNOWN)}", "choose one of them")
    number = asked and int(asked.removesuffix(ONLY_THERE))
    architecture = number or (ARCHITECTURES.get(product) if isinstance(product, str) else None) or USUAL
    told = [word for word in words if _WORDS.match(word) and not _ARCHITECTURE.match(word) and not _NOT_OURS.match(word)]
    only_there = ONLY_THERE if asked is not None and asked.endswith(ONLY_THERE) else ""
    return MAKERS[suffix](text, path, architecture, told if suffix == ".cu" else (), only_there)
