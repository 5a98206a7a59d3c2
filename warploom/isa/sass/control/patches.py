"""Patches: fields of a kernel's words changed by hand, as `0x120:stall=2,wait=1`, before it runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from warploom.isa.diagnostics import nearest
from warploom.isa.launching import BufferError
from warploom.isa.sass.cubin import Kernel
from warploom.isa.sass.instruction import Instruction
from warploom.isa.sass.table import decode
from warploom.isa.sass.word import BYTES

_PATCH = re.compile(r"(0x[0-9a-fA-F]+|\d+):(.+)")
_FIELD = re.compile(r"([a-z_][a-z_0-9]*)=(0x[0-9a-fA-F]+|\d+)")
SHAPE = "a patch is written ADDRESS:FIELD=NUMBER, as 0x120:stall=2; several fields with commas between them"


def patched(path: str, kernel: Kernel, architecture: int, patches: Sequence[str]) -> Kernel:
    """The kernel with patches in its code. Raises BufferError for what cannot be patched so."""
    code = bytearray(kernel.code)
    for text in patches:
        whole = _PATCH.fullmatch(text.strip())
        fields = [_FIELD.fullmatch(part.strip()) for part in whole[2].split(",")] if whole else [None]
        if whole is None or not all(fields):
            raise BufferError(f"--patch {text}: {SHAPE}")
        address = int(whole[1], 0)
        if address % BYTES or address >= len(code):
            last = len(code) - BYTES
            raise BufferError(
                f"{path}: --patch {text}: there is no instruction at {address:#x}; they lie at multiples of 16 up to {last:#x}"
            )
        one = decode(int.from_bytes(code[address : address + BYTES], "little"), address, architecture)
        for field in fields:
            assert field is not None
            one = _changed(path, text, one, field[1], int(field[2], 0))
        code[address : address + BYTES] = one.word.to_bytes(BYTES, "little")
    return replace(kernel, code=bytes(code))


def _changed(path: str, text: str, one: Instruction, name: str, value: int) -> Instruction:
    try:
        return one.changed(**{name: value})
    except KeyError:
        known = [field for field in one.fields if field != "rest"]
        near = nearest(name, known)
        raise BufferError(f"{path}: --patch {text}: {one.text()} has no field {name!r}{near}; it has {', '.join(known)}") from None
    except ValueError as error:
        raise BufferError(f"{path}: --patch {text}: {name}: {error}") from None
