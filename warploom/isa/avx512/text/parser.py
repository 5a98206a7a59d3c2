"""The words of a line of assembly in Intel's notation: labels, a mnemonic, operands with what stands in braces at them."""

from __future__ import annotations

import re
from typing import NamedTuple

from warploom.isa.avx512.operands import REGISTERS, Immediate, Memory, Operand, Written
from warploom.isa.avx512.registers import WIDTHS

SIZES = {"byte": 8, "word": 16, "dword": 32, "qword": 64, "xmmword": 128, "ymmword": 256, "zmmword": 512}
ROUNDINGS = ("sae", "rn-sae", "rd-sae", "ru-sae", "rz-sae")
_LABEL = re.compile(r"\s*([A-Za-z_.$@][\w.$@]*|\d+)\s*:(?!:)")
_NAME = re.compile(r"[A-Za-z_.$@][\w.$@]*|\d+[bf]")
_NUMBER = re.compile(r"([+-]?)\s*(?:0[xX]([0-9a-fA-F]{1,16})|([0-9][0-9a-fA-F]{0,16})[hH]|0[bB]([01]{1,64})|([0-9]{1,20}))")
_BRACES = re.compile(r"\{\s*([\w-]+)\s*\}")
_POINTER = re.compile(r"(?:(\w+)\s+ptr\s+)?(?:\w\w:)?\[(.*)\]", re.IGNORECASE | re.DOTALL)


class Mistake(Exception):
    """What is wrong with a piece of text. text: the piece."""

    def __init__(self, message: str, text: str, fix: str = "") -> None:
        super().__init__(message)
        self.message, self.text, self.fix = message, text, fix


class Piece(NamedTuple):
    """A part of a line. column: from 1."""

    text: str
    column: int


def labels(line: str) -> tuple[list[Piece], int]:
    """The labels that a line begins with, and where the rest of it is."""
    found, start = [], 0
    while match := _LABEL.match(line, start):
        found.append(Piece(match[1], match.start(1) + 1))
        start = match.end()
    return found, start


def without_comment(line: str) -> str:
    """A line up to its comment: from #, ; or // on, outside of quotes."""
    quoted = False
    for place, char in enumerate(line):
        if char == '"':
            quoted = not quoted
        elif not quoted and (char in "#;" or line.startswith("//", place)):
            return line[:place]
    return line


def statement(line: str, start: int) -> tuple[Piece, list[Piece]] | None:
    """The first word of the rest of a line, and what follows it, apart at the commas outside of brackets and braces."""
    match = re.compile(r"\s*(\S+)\s*").match(line, start)
    if match is None:
        return None
    head = Piece(match[1], match.start(1) + 1)
    pieces: list[Piece] = []
    begin, depth = match.end(), 0
    for place in range(begin, len(line) + 1):
        char = line[place] if place < len(line) else ","
        depth += (char in "[{(") - (char in "]})")
        if char == "," and (depth <= 0 or place == len(line)):
            text = line[begin:place]
            if text.strip() or place < len(line) or pieces:
                pieces.append(Piece(text.strip(), begin + len(text) - len(text.lstrip()) + 1))
            begin = place + 1
    return head, pieces


def written(pieces: list[Piece]) -> Written:
    """The operands of an instruction. Raises Mistake."""
    operands: list[Operand] = []
    mask, zeroing, rounding = 0, False, ""
    for number, piece in enumerate(pieces):
        braces = [match[1].lower() for match in _BRACES.finditer(piece.text)]
        bare = _BRACES.sub("", piece.text).strip()
        broadcast = False
        for word in braces:
            if re.fullmatch("k[0-7]", word) and number == 0:
                if word == "k0":
                    raise Mistake("k0 cannot be a mask: in an instruction's encoding it stands for no mask", piece.text, "use k1 to k7")
                mask = int(word[1])
            elif word == "z" and number == 0:
                zeroing = True
            elif re.fullmatch("1to(4|8|16)", word):
                broadcast = True
            elif word in ROUNDINGS:
                rounding = "rn-sae" if word == "sae" else word
            else:
                raise Mistake(f"{{{word}}} cannot stand here", piece.text, "a mask is written {k1} at the first operand")
        if bare:
            operands.append(_operand(bare, broadcast))
        elif not braces or rounding == "":
            raise Mistake("there is no operand between these commas", piece.text or ",")
    if zeroing and not mask:
        raise Mistake("{z} needs a mask: it says what happens to the lanes that the mask leaves out", pieces[0].text, "write {k1}{z}")
    return Written(tuple(operands), mask, zeroing, rounding)


def _operand(text: str, broadcast: bool) -> Operand:
    if register := REGISTERS.get(text.lower()):
        return register
    if match := _POINTER.fullmatch(text):
        size = (match[1] or "").lower()
        if size and size not in SIZES:
            raise Mistake(f"{match[1]!r} is not a size of memory", text, f"there are {', '.join(SIZES)}")
        return _memory(match[2], SIZES.get(size, 0), broadcast, text)
    if (value := number(text)) is not None:
        return Immediate(value)
    if _NAME.fullmatch(text):
        return Immediate(0, text)
    raise Mistake(f"{text!r} is not a register, number, address or label", text)


def _memory(inside: str, size: int, broadcast: bool, text: str) -> Memory:
    found = Memory(size=0 if broadcast else size, broadcast=broadcast)
    for sign, term in re.findall(r"([+-]?)\s*([^\s+-][^+-]*)", inside):
        factors = [factor.strip().lower() for factor in term.split("*")]
        value = number(term.strip())
        if value is not None:
            found = found._replace(displacement=found.displacement + (-value if sign == "-" else value))
            continue
        if sign == "-":
            raise Mistake(f"{term.strip()!r} is taken off, and only a number can be", text)
        if len(factors) == 1 and factors[0] == "rip":
            found = found._replace(relative=True)
        elif len(factors) == 1 and factors[0] not in REGISTERS:
            if not _NAME.fullmatch(term.strip()) or found.label:
                raise Mistake(f"{term.strip()!r} is not part of an address", text)
            found = found._replace(label=term.strip())
        else:
            found = _with_register(found, factors, text)
    return found


def _with_register(found: Memory, factors: list[str], text: str) -> Memory:
    registers = [REGISTERS[factor] for factor in factors if factor in REGISTERS]
    scales = [number(factor) for factor in factors if factor not in REGISTERS]
    if len(registers) != 1 or len(scales) > 1 or any(scale not in (1, 2, 4, 8) for scale in scales):
        raise Mistake("an index is a register, times 1, 2, 4 or 8", text, "write [rsi + 4*rcx]")
    register, scale = registers[0], scales[0] if scales else None
    if register.kind not in ("r64", *WIDTHS.values()):
        raise Mistake(f"{register} cannot be in an address: it has not 64 bits", text)
    if register.kind == "r64" and scale is None and found.base < 0:
        return found._replace(base=register.number)
    if found.indexed >= 0:
        if found.base < 0 and found.scale == 1 and not found.vector:  # what came first was the base after all
            found = found._replace(base=found.indexed)
        else:
            raise Mistake("an address has one base and one index", text)
    vector = "" if register.kind == "r64" else register.kind
    if register.number == 4 and not vector:
        if found.base >= 0 and scale is None:
            return found._replace(base=4, indexed=found.base, scale=1)
        raise Mistake("rsp cannot be an index", text)
    return found._replace(indexed=register.number, scale=scale or 1, vector=vector)


def number(text: str) -> int | None:
    """A number as it is written; None for anything else."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    sign, prefixed, suffixed, binary, decimal = match.groups()
    digits = prefixed or suffixed
    value = int(digits, 16) if digits else int(binary, 2) if binary else int(decimal)
    return -value if sign == "-" else value
