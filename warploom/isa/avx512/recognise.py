"""Which files with an ending that others have too are x86's: ELF files that say so, and assembly in Intel's notation."""

from __future__ import annotations

from pathlib import Path

from warploom.isa.avx512.elf import X86_64
from warploom.isa.elf.file import MAGIC, machine_of

LARGEST = 1 << 24


def is_x86(path: str | Path) -> bool:
    """Whether a file is an ELF file for x86, text that begins as compilers begin it with -masm=intel, or C with <lanes.h>."""
    try:
        if Path(path).stat().st_size > LARGEST:
            return False
        data = Path(path).read_bytes()
    except (OSError, ValueError):
        return False
    if data.startswith(MAGIC):
        return machine_of(data) == X86_64
    return (b"<lanes.h>" if str(path).endswith(".c") else b".intel_syntax") in data
