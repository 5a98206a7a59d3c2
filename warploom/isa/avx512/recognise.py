"""Which files with an ending that others have too are x86's: ELF files that say so, and assembly in Intel's notation."""

from __future__ import annotations

import struct
from pathlib import Path

from warploom.isa.avx512.elf import MAGIC, X86_64

LARGEST = 1 << 24
MACHINE = 18  # where an ELF file's header has its machine


def is_x86(path: str | Path) -> bool:
    """Whether a file is an ELF file for x86, or text that begins as compilers begin it with -masm=intel."""
    try:
        if Path(path).stat().st_size > LARGEST:
            return False
        data = Path(path).read_bytes()
    except (OSError, ValueError):
        return False
    if data.startswith(MAGIC):
        return len(data) >= MACHINE + 2 and struct.unpack_from("<H", data, MACHINE)[0] == X86_64
    return b".intel_syntax" in data
