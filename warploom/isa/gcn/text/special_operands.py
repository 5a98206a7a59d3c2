"""Operands that are not simply a source or a result: numbers in the instruction, jumps, counters, hardware registers, and the parts of an
address in memory.

Each of them is a word of a row's operands, and has a function here that writes its fields.

Source: AMD "Vega" Instruction Set Architecture, chapters 4, 7 to 9 and 13; spelling as in LLVM, "Syntax of gfx900 Instructions".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from warploom.isa.gcn.modifiers import HARDWARE, MESSAGES, MOST_EXP, MOST_LGKM, MOST_VM, index_number, waitcnt_number
from warploom.isa.gcn.registers import FIRST_VECTOR, LITERAL, constant
from warploom.isa.gcn.text.encoding import Encoding
from warploom.isa.gcn.text.parser import Mistake, inline, operand, whole


def _number(encoding: Encoding, text: str) -> None:
    least = 0 if text.startswith("0x") or encoding.row.mnemonic.endswith("_u32") else -(1 << 15)
    encoding.fields["simm16"] = whole(text, encoding.row.mnemonic, least, (1 << 16) - 1) & 0xFFFF


def _target(encoding: Encoding, text: str) -> None:
    found = operand(text)
    if found.code >= 0 or found.is_float:
        raise Mistake(f"{text!r} is neither a label nor a distance", text)
    if found.terms:
        to = encoding.total(found)
        distance = (to - encoding.address - 4) // 4
    else:
        distance = found.value or 0
        distance -= 1 << 16 if 0x8000 <= distance < 0x10000 else 0
    if not -(1 << 15) <= distance < 1 << 15:
        raise Mistake(f"{text!r} is {distance} words away: a jump reaches 32767", text, "jump through registers: s_setpc_b64")
    encoding.fields["simm16"] = distance & 0xFFFF


def _waitcnt(encoding: Encoding, text: str) -> None:
    if re.fullmatch(r"\w+", text) and text[0].isdigit():
        encoding.fields["simm16"] = whole(text, "s_waitcnt", 0, 0xFFFF)
        return
    limits = {"vmcnt": MOST_VM, "expcnt": MOST_EXP, "lgkmcnt": MOST_LGKM}
    counts: dict[str, int] = {}
    for part in re.split(r"[\s,&]+", text):
        found = re.fullmatch(r"(\w+)\((\w+)\)", part)
        if found is None or found[1] not in limits:
            raise Mistake(f"{part!r} is not a counter", part, "write vmcnt(0), expcnt(0), lgkmcnt(0)")
        counts[found[1]] = whole(found[2], found[1], 0, limits[found[1]])
    encoding.fields["simm16"] = waitcnt_number(**{name.removesuffix("cnt"): value for name, value in counts.items()})


def _hwreg(encoding: Encoding, text: str) -> None:
    found = re.fullmatch(r"hwreg\(\s*(\w+)\s*(?:,\s*(\d+)\s*,\s*(\d+)\s*)?\)", text)
    numbers = {name: number for number, name in HARDWARE.items()}
    if found is None or not (found[1] in numbers or found[1].isdigit()):
        raise Mistake(f"{text!r} is not a hardware register", text, "write hwreg(HW_REG_MODE, 29, 3): name, first bit, bits")
    first, bits = int(found[2] or 0), int(found[3] or 32)
    if not (0 <= first < 32 and 1 <= bits <= 32 - first):
        raise Mistake(f"{text!r}: {bits} bits from bit {first} on are not in a register of 32", text)
    encoding.fields["simm16"] = (numbers[found[1]] if found[1] in numbers else int(found[1]) & 63) | first << 6 | bits - 1 << 11


def _message(encoding: Encoding, text: str) -> None:
    found = re.fullmatch(r"sendmsg\(\s*(\w+)\s*\)", text)
    numbers = {name: number for number, name in MESSAGES.items()}
    if found is None or not (found[1] in numbers or found[1].isdigit()):
        encoding.fields["simm16"] = whole(text, encoding.row.mnemonic, 0, 0xFFFF)
        return
    encoding.fields["simm16"] = numbers[found[1]] if found[1] in numbers else whole(found[1], "sendmsg", 0, 15)


def _literal(encoding: Encoding, text: str) -> None:
    found = operand(text)
    if found.code >= 0 and not found.is_float:
        raise Mistake(f"{text!r} is not a number", text)
    if found.is_float and found.code >= 0:
        encoding.set_literal(constant(found.code), text)
    else:
        encoding.set_literal(encoding.total(found), text)
    encoding.count(LITERAL)


def _offset(encoding: Encoding, text: str) -> None:
    found = operand(text)
    if found.code >= 0 and not found.is_float:
        if found.code > 127 or found.count != 1:
            raise Mistake(f"{text!r} is not a scalar register", text)
        encoding.fields |= {"imm": 0, "offset": found.code}
        return
    value = encoding.total(found)
    if found.is_float or not -(1 << 20) <= value < 1 << 20:
        raise Mistake(f"{text!r}: an offset is {-(1 << 20)} to {(1 << 20) - 1}", text)
    encoding.fields["offset"] = value & 0x1FFFFF


def _vectors(encoding: Encoding, text: str, counts: tuple[int, ...]) -> int:
    found = operand(text)
    if found.code < FIRST_VECTOR or found.count not in counts or found.is_float:
        wanted = " or ".join(map(str, counts))
        raise Mistake(f"{text!r} is not {wanted} vector register{'s' if counts != (1,) else ''}", text)
    return found.code - FIRST_VECTOR


def _access_address(encoding: Encoding, text: str) -> None:
    if encoding.row.format == "SCRATCH":
        if text != "off":
            encoding.fields["addr"] = _vectors(encoding, text, (1,))
        return
    encoding.fields["addr"] = _vectors(encoding, text, (2,) if encoding.row.format == "FLAT" else (1, 2))
    encoding.wide_address = operand(text).count == 2


def _saddr(encoding: Encoding, text: str) -> None:
    if text == "off":
        if encoding.row.format == "GLOBAL" and not encoding.wide_address:
            raise Mistake("an address alone is two vector registers", text, "write a pair, as v[0:1], or a scalar base")
        return
    found = operand(text)
    count = 1 if encoding.row.format == "SCRATCH" else 2
    if not 0 <= found.code < 127 or found.count != count:
        raise Mistake(f"{text!r} is not {count} scalar register{'s' if count > 1 else ''}, and not off", text)
    if encoding.row.format == "GLOBAL" and encoding.wide_address:
        raise Mistake("beside a scalar base the lanes' address is one vector register", text, "write it without brackets, as v0")
    encoding.fields["saddr"] = found.code


def _returned(encoding: Encoding, text: str) -> None:
    encoding.fields["vdst"] = _vectors(encoding, text, (encoding.row.returned,))


def _vaddr(encoding: Encoding, text: str) -> None:
    if text != "off":
        encoding.fields["vaddr"] = _vectors(encoding, text, (1, 2))


def _srsrc(encoding: Encoding, text: str) -> None:
    found = operand(text)
    if not 0 <= found.code < 102 or found.count != 4 or found.code % 4:
        raise Mistake(f"{text!r} is not a descriptor: four scalar registers from a multiple of 4 on", text)
    encoding.fields["srsrc"] = found.code // 4


def _soffset(encoding: Encoding, text: str) -> None:
    found = operand(text)
    code = found.code if found.code >= 0 else inline(found.value or 0)
    if code is None or code >= 248 or found.count != 1:
        raise Mistake(f"{text!r} is neither a scalar register nor a number from -16 to 64", text)
    encoding.fields["soffset"] = code


def _index(encoding: Encoding, text: str) -> None:
    number = index_number(text)
    if number is None:
        raise Mistake(f"{text!r} names no operands", text, "write gpr_idx(SRC0), with SRC0, SRC1, SRC2 and DST as they are wanted")
    encoding.fields["simm16" if encoding.row.format == "SOPP" else "ssrc1"] = number


def _export(encoding: Encoding, text: str) -> None:
    found = re.fullmatch(r"(mrt|pos|param)(\d+)", text)
    named = {"mrtz": 8, "null": 9}
    if text not in named and found is None:
        raise Mistake(f"{text!r} is not a target of exp", text)
    encoding.fields["target"] = named[text] if found is None else {"mrt": 0, "pos": 12, "param": 32}[found[1]] + int(found[2])


SPECIAL: Mapping[str, Callable[[Encoding, str], None]] = {
    "imm": _number, "hex": _number, "target": _target, "waitcnt": _waitcnt, "hwreg": _hwreg, "message": _message, "literal": _literal,
    "offset": _offset, "address": _access_address, "saddr": _saddr, "returned": _returned, "vaddr": _vaddr, "srsrc": _srsrc,
    "soffset": _soffset, "target_exp": _export, "gpr_idx": _index,
}  # fmt: skip
