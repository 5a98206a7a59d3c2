"""C and OpenCL C for GCN: clang makes an object file of each source, its linker a code object of them.

Zig's own driver gives clang two sizes of waves at once, so clang itself is called, which knows no linker: two steps. Names of parameters
are kept for the metadata, where `warploom run` finds them. OpenCL's types and functions are in a header of ours, since AMD's library is
not there.
Source: LLVM, "User Guide for AMDGPU Backend".
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from warploom.isa.host.children import ISOLATED

OPENCL = ".cl"
PROCESSOR = "gfx900"
Step = tuple[list[str], Path]  # a command, and the source that is named where it fails


def commands(sources: Sequence[Path], include: Path, options: Sequence[str], result: Path) -> list[Step]:
    """What is called, in order. options: for every source. result: the code object."""
    zig = [sys.executable, *ISOLATED, "-m", "ziglang"]
    common = ["--target=amdgcn-amd-amdhsa", f"-mcpu={PROCESSOR}", "-nogpulib", "-g", "-Wall", "-fno-discard-value-names", *options]
    found: list[Step] = []
    objects: list[str] = []
    for number, source in enumerate(sources):
        objects.append(str(result.with_name(f"{number}.o")))
        own = ["-std=gnu17", "-ffreestanding", "-fconvergent-functions", "-I", str(include)]
        if source.suffix.lower() == OPENCL:
            header = str(include / "opencl_gcn.h")
            own = ["-x", "cl", "-cl-std=CL2.0", "-cl-no-stdinc", "-cl-kernel-arg-info", "-include", header, "-I", str(include)]
        found.append(([*zig, "clang", *common, *own, "-c", str(source), "-o", objects[-1]], source))
    return [*found, ([*zig, "ld.lld", "-shared", *objects, "-o", str(result)], sources[0])]
