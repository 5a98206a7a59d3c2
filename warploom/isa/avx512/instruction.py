"""One row of the instruction tables: how it is written, how it is encoded, what it does.

`encoding` is close to the manual's: `EVEX.66.0F38.W0 3D`, `VEX.L1.0F.W0 42`, `F3.0F B8`, `83 /0`. Before the opcode: the kind of prefix
(none for the oldest instructions), the mandatory prefix (66, F3, F2), the opcode map (0F, 0F38, 0F3A) and W; L0, L1 and L2 say that only
128, 256 or 512 bits will do. After it: /0 to /7, where the field reg of ModRM is part of the opcode; + where the opcode's low three
bits are a register.

`operands` are words, one an operand, as `vr vv vmb`: the place and what may stand there.
    vr vv vm     vector in reg, vvvv, rm (rm: or memory of its width); vmb: or one element for all lanes (broadcast); vg: no memory
    xm ym        xmm, ymm or memory in rm; xr; m: memory alone, of the vector's width; x32: xmm or 32 bits of memory; gather: lanes'
    addresses
    kr kv km     opmask; kmm: or memory
    r v rm o     general register in reg, vvvv, rm (or memory), in the opcode; 32 bits, or 64 with W; with a number: of so many bits
    g            general register in rm, no memory
    m0           memory of no size (lea)
    ib ibs id iq immediates: a byte without sign, with sign, 32 bits with sign, 64 bits where W is 1; 1, cl, eax: just that
    rel8 rel32   distance of a jump
Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapters 2 to 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

LEGACY, VEX, EVEX = "", "VEX", "EVEX"
PREFIXES = {"66": 1, "F3": 2, "F2": 3}
MAPS = {"0F": 1, "0F38": 2, "0F3A": 3}
_IMMEDIATES = {"ib": 1, "ibs": 1, "id": 4, "rel8": 1, "rel32": 4}


class Refusal(Exception):
    """An instruction in a form that the machine does not have. One sentence, without the instruction's place."""


@dataclass(frozen=True)
class Encoding:
    """An `encoding` taken apart. w, length, digit: -1 where any will do. in_opcode: its low three bits are a register."""

    kind: str
    prefix: int
    map: int
    w: int
    length: int
    opcode: int
    digit: int
    in_opcode: bool


def _taken_apart(text: str) -> Encoding:
    head, *rest = text.split()
    parts = head.split(".") if rest and (not rest[0].startswith(("/", "+"))) else []
    opcode, *more = rest if parts else (head, *rest)
    kind = next((part for part in parts if part in (VEX, EVEX)), LEGACY)
    prefix = next((PREFIXES[part] for part in parts if part in PREFIXES), 0)
    opcode_map = next((MAPS[part] for part in parts if part in MAPS), 0)
    w = next((int(part[1]) for part in parts if part in ("W0", "W1")), -1)
    length = next((int(part[1]) for part in parts if part in ("L0", "L1", "L2")), -1)
    digit = next((int(part[1]) for part in more if part[0] == "/"), -1)
    return Encoding(kind, prefix, opcode_map, w, length, int(opcode, 16), digit, "+" in more)


@dataclass(frozen=True)
class Row:
    """One form of an instruction. masks: "" none, "k" merging, "kz" zeroing too, "K" a mask is required.

    lower: adds its micro-ops to a `Code`. element: bytes that an 8-bit displacement counts in (EVEX), 0 for those of the vector.
    immediate: the last
    byte, where the mnemonic says what it is. reads, writes: flags; those left undefined are written too. shown: disassembly writes it so.
    """

    mnemonic: str
    encoding_text: str
    operand_text: str
    lower: Callable[[Any], None]
    meaning: str
    masks: str = ""
    element: int = 0
    immediate: int = -1
    rounds: bool = False
    reads: str = ""
    writes: str = ""
    shown: bool = True
    extra: str = field(default="")  # what `lower` is told

    @cached_property
    def encoding(self) -> Encoding:
        """The encoding, taken apart."""
        return _taken_apart(self.encoding_text)

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The operands' words."""
        return tuple(self.operand_text.split())

    @cached_property
    def has_modrm(self) -> bool:
        """Whether a ModRM byte follows the opcode."""
        return self.encoding.digit >= 0 or any(place_of(word) in ("reg", "rm") for word in self.places)

    @cached_property
    def immediate_words(self) -> tuple[str, ...]:
        """The operands that are numbers after the other bytes."""
        return tuple(word for word in self.places if word in _IMMEDIATES or word == "iq")

    @property
    def syntax(self) -> str:
        """How it is written."""
        return f"{self.mnemonic} {', '.join(_shown(word, self.masks if n == 0 else '') for n, word in enumerate(self.places))}".rstrip()

    def immediate_bytes(self, w: int) -> int:
        """Bytes of numbers at its end. w: the bit W."""
        own = 1 if self.immediate >= 0 else 0
        return own + sum(8 if word == "iq" and w else _IMMEDIATES.get(word, 4) for word in self.immediate_words)


def place_of(word: str) -> str:
    """Where an operand is encoded: reg, vvvv, rm, opcode, number, or fixed."""
    if word in ("vr", "xr", "yr", "kr") or word in ("r", "r32", "r64", "r16", "r8"):
        return "reg"
    if word in ("vv", "xv", "kv") or (word.startswith("v") and word[1:] in ("", "32", "64")):
        return "vvvv"
    if word.startswith("o"):
        return "opcode"
    if word in _IMMEDIATES or word == "iq":
        return "number"
    return "fixed" if word in ("1", "al", "cl", "eax") else "rm"


_NAMES = {
    "vr": "v1",
    "vv": "v2",
    "vm": "v3/m",
    "vg": "v2",
    "vmb": "v3/m/m32{1toN}",
    "xm": "xmm/m",
    "ym": "ymm/m",
    "xr": "xmm",
    "yr": "ymm",
    "m": "m",
    "x32": "xmm/m32",
    "gather": "[base + scale*v]",
    "kr": "k1",
    "kv": "k2",
    "km": "k3",
    "kmm": "k/m",
    "m0": "m",
    "ib": "imm8",
    "ibs": "imm8",
    "id": "imm32",
    "iq": "imm",
    "rel8": "target",
    "rel32": "target",
}


def _shown(word: str, masks: str) -> str:
    name = _NAMES.get(word)
    if name is None:
        place, bits = word.rstrip("0123456789"), word.lstrip("abcdefghijklmnopqrstuvwxyz") or "32/64"
        name = {"r": f"r{bits}", "v": f"r{bits}", "o": f"r{bits}", "g": f"r{bits}", "rm": f"r/m{bits}", "m": f"m{bits}"}.get(place, word)
    return name + {"": "", "k": "{k}", "kz": "{k}{z}", "K": "{k}"}[masks]
