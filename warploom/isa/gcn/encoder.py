"""From the text of one instruction to its fields.

An instruction without `_e32`, `_e64`, `_sdwa` or `_dpp` takes the shortest form that can hold its operands: VOP3 where there are signs or
modifiers, a scalar or number as the second source, or a mask other than VCC. A vector instruction reads at most one scalar register, or one
literal, and VOP3 has no literals.

Source: AMD "Vega" Instruction Set Architecture, section 6.2, and LLVM, "Syntax of gfx900 Instructions".
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from warploom.isa.gcn.formats import FORMATS, SEGMENTS
from warploom.isa.gcn.instruction import DPP_KIND, E32, E64, KINDS, SDWA_KIND, SOURCE, VECTOR, Row, Written
from warploom.isa.gcn.modifiers import (
    HARDWARE,
    MESSAGES,
    MOST_EXP,
    MOST_LGKM,
    MOST_VM,
    RESULTS,
    SELECTED,
    UNUSED,
    dpp_number,
    index_number,
    swizzle_number,
    waitcnt_number,
)
from warploom.isa.gcn.parser import Mistake, Operand, Piece, Resolve, inline, operand, whole
from warploom.isa.gcn.registers import DPP, FIRST_VECTOR, LITERAL, OFF, SDWA, SHARED_BASE, VCC, constant
from warploom.isa.gcn.table import BY_MNEMONIC

_FLAGS = ("glc", "slc", "lds", "tfe", "gds", "idxen", "offen", "clamp", "done", "compr", "vm")
_SIGNED_OFFSET = re.compile(r"offset:(-?\w+)")


def forms_of(name: str) -> tuple[Row, str] | None:
    """The row of a mnemonic, and the form that its ending asks for, or `` ."""
    base, _, ending = name.rpartition("_")
    if ending in KINDS and base in BY_MNEMONIC and ending in BY_MNEMONIC[base].kinds:
        return BY_MNEMONIC[base], ending
    return (BY_MNEMONIC[name], "") if name in BY_MNEMONIC else None


def encode(row: Row, kind: str, operands: list[Piece], after: list[Piece], address: int, resolve: Resolve) -> Written:
    """An instruction at an address. resolve: the address of a label. Raises Mistake."""
    if row.format == "EXP" and operands:  # no comma stands after its target
        target, _, first = operands[0].text.partition(" ")
        operands = [Piece(target, operands[0].column), Piece(first.strip(), operands[0].column), *operands[1:]]
    if "waitcnt" in row.words and operands:  # counters are written with spaces between them
        operands, after = [Piece(" ".join(piece.text for piece in (*operands, *after)), operands[0].column)], []
    kinds = [kind] if kind else [one for one in row.kinds if one in (E32, E64)]
    failure = Mistake("")
    for one in kinds:
        try:
            return _Encoding(row, one, operands, after, address, resolve).written()
        except Mistake as mistake:
            failure = mistake
    raise failure


class _Encoding:
    def __init__(self, row: Row, kind: str, operands: list[Piece], after: list[Piece], address: int, resolve: Resolve) -> None:
        self.row, self.kind, self.address, self.resolve = row, kind, address, resolve
        self.operands, self.after = operands, after
        self.fields: dict[str, int] = {}
        self.literal: int | None = None
        self.scalars: set[int] = set()
        self.wide_address = False

    def written(self) -> Written:
        words = list(self.row.words)
        if "returned" in words and not any(piece.text == "glc" for piece in self.after):
            words.remove("returned")
        if len(self.operands) != len(words):
            raise Mistake(f"{self.row.mnemonic} takes {len(words)} operands, not {len(self.operands)}", "", f"write {self.row.syntax}")
        self._defaults()
        for word, piece in zip(words, self.operands, strict=True):
            self._operand(word, piece.text)
        for piece in self.after:
            self._modifier(piece.text)
        self._check()
        return Written(self.row, self.kind, self.fields, self.literal)

    def _defaults(self) -> None:
        row = self.row
        if row.format in SEGMENTS:
            self.fields |= {"seg": SEGMENTS[row.format], "saddr": OFF if row.format != "FLAT" else 0}
        if row.format == "SMEM":
            self.fields["imm"] = 1 if "offset" in row.words else 0
        if row.format == "EXP":
            self.fields["en"] = 15
        if row.format == "VOP3P" and not row.mnemonic.startswith("v_mad_mix"):
            self.fields |= {"hi_low": 3, "hi_top": 1}
        if self.kind == SDWA_KIND:
            self.fields |= {"src0": SDWA, "dst_sel": 6, "src0_sel": 6, "src1_sel": 6}
        if self.kind == DPP_KIND:
            self.fields |= {"src0": DPP, "ctrl": 0xE4, "row_mask": 15, "bank_mask": 15}

    # -----------------------------------------------------------------------------------------------------
    # Operands

    def _operand(self, word: str, text: str) -> None:
        special = {
            "imm": self._number, "hex": self._number, "target": self._target, "waitcnt": self._waitcnt, "hwreg": self._hwreg,
            "message": self._message, "literal": self._literal, "offset": self._offset, "address": self._access_address,
            "saddr": self._saddr, "returned": self._returned, "vaddr": self._vaddr, "srsrc": self._srsrc, "soffset": self._soffset,
            "target_exp": self._export, "gpr_idx": self._index,
        }.get(word)  # fmt: skip
        if special is not None:
            special(text)
            return
        found = operand(text)
        place = self.row.place(word, self.kind)
        assert place is not None
        if self.row.format == "SMEM" and word.startswith("a"):
            if found.code < 0 or found.count != place.count or found.code % 2:
                raise Mistake(f"{text!r} is no {place.count} scalar registers from an even one on", text)
            self.fields["sbase"] = found.code // 2
            return
        self._signs(place.letter, found, text)
        code = self._code(found, text, place.count, place.holds == SOURCE or place.letter in "abc")
        if not place.field or (place.field == "sdst" and self.kind == SDWA_KIND):
            self._mask(place.field, code, text)
            return
        if place.holds == VECTOR:
            self._vector(place.letter, place.field, code, text)
            return
        if place.holds != SOURCE and code >= FIRST_VECTOR:
            raise Mistake(f"{text!r} is no scalar register", text)
        if place.letter in "de" and code > 127:
            raise Mistake(f"{text!r} is nothing that an instruction can write", text)
        if code == LITERAL and self.kind != E32:
            raise Mistake(f"{text!r} needs 32 bits of its own, which this form has no room for", text, "move it into a register first")
        self.fields[place.field] = code
        if place.letter in "abc":
            self._count(code)

    def _mask(self, field: str, code: int, text: str) -> None:
        """The mask of a form that has no field for it, or of SDWA, where VCC needs none."""
        if field:
            self.fields |= {"sd": int(code != VCC), "sdst": code if code != VCC else 0}
        elif code != VCC:
            raise Mistake(f"{text!r}: in this form the mask is vcc", text)

    def _vector(self, letter: str, field: str, code: int, text: str) -> None:
        if code < FIRST_VECTOR:
            choice = {"a": "s0", "b": "s1"}.get(letter, "")
            if self.kind != SDWA_KIND or not choice or code > 127:
                raise Mistake(f"{text!r} is no vector register", text)
            self.fields |= {field: code, choice: 1}
            self._count(code)
            return
        self.fields[field] = code - FIRST_VECTOR

    def _code(self, found: Operand, text: str, count: int, is_source: bool) -> int:
        """The operand code of an operand, with its literal noted."""
        if found.code >= 0:
            if found.is_float or SHARED_BASE <= found.code < LITERAL:  # what has a name only is as wide as is asked for
                return found.code
            if found.count != count:
                raise Mistake(f"{text!r} is {found.count} register{'s' if found.count > 1 else ''}, not {count}", text)
            if count > 1 and found.code < 102 and found.code % min(count, 4):
                raise Mistake(f"{text!r}: {count} scalar registers begin at a multiple of {min(count, 4)}", text)
            return found.code
        if not is_source:
            raise Mistake(f"{text!r} is no register", text)
        value = (found.value or 0) + sum(sign * self.resolve(name) for sign, name in found.terms)
        if not -(1 << 31) <= value < 1 << 32:
            raise Mistake(f"{text!r} has more than 32 bits", text)
        code = None if found.terms else inline(value)
        if code is not None and (count == 1 or -16 <= value <= 64):
            return code
        self._set_literal(value, text)
        return LITERAL

    def _set_literal(self, value: int, text: str) -> None:
        value &= 0xFFFFFFFF
        if self.literal not in (None, value):
            raise Mistake(f"{text!r}: an instruction has room for one literal", text)
        self.literal = value

    def _signs(self, letter: str, found: Operand, text: str) -> None:
        if not (found.minus or found.positive or found.extended):
            return
        number = "abc".find(letter)
        if self.row.mixes and not found.extended:
            self.fields["neg"] = self.fields.get("neg", 0) | found.minus << number
            self.fields["neg_hi"] = self.fields.get("neg_hi", 0) | found.positive << number
            return
        if self.kind == E32 or number < 0 or (found.extended and self.kind != SDWA_KIND) or not (self.row.floats or found.extended):
            raise Mistake(f"{text!r}: signs are for sources that are floats", text)
        if self.kind == E64:
            self.fields["neg"] = self.fields.get("neg", 0) | found.minus << number
            self.fields["abs"] = self.fields.get("abs", 0) | found.positive << number
        else:
            self.fields |= {f"neg{number}": int(found.minus), f"abs{number}": int(found.positive), f"sext{number}": int(found.extended)}

    def _count(self, code: int) -> None:
        if code < 128 or code == LITERAL or 251 <= code <= 253:
            self.scalars.add(code)

    def _check(self) -> None:
        if not self.row.format.startswith("V") or self.row.mnemonic in ("v_readlane_b32", "v_writelane_b32"):
            return
        implied = {VCC} if self.kind != E64 and "cm" in self.row.words else set()
        if len(self.scalars | implied) > 1:
            raise Mistake(f"{self.row.mnemonic} can read one scalar register or literal, not {len(self.scalars | implied)}", "",
                          "move one into a vector register first")  # fmt: skip

    # -----------------------------------------------------------------------------------------------------
    # Operands that are no registers

    def _number(self, text: str) -> None:
        least = 0 if text.startswith("0x") or self.row.mnemonic.endswith("_u32") else -(1 << 15)
        self.fields["simm16"] = whole(text, self.row.mnemonic, least, (1 << 16) - 1) & 0xFFFF

    def _target(self, text: str) -> None:
        found = operand(text)
        if found.code >= 0 or found.is_float:
            raise Mistake(f"{text!r} is no label and no distance", text)
        if found.terms:
            to = (found.value or 0) + sum(sign * self.resolve(name) for sign, name in found.terms)
            distance = (to - self.address - 4) // 4
        else:
            distance = found.value or 0
            distance -= 1 << 16 if 0x8000 <= distance < 0x10000 else 0
        if not -(1 << 15) <= distance < 1 << 15:
            raise Mistake(f"{text!r} is {distance} words away: a jump reaches 32767", text, "jump through registers: s_setpc_b64")
        self.fields["simm16"] = distance & 0xFFFF

    def _waitcnt(self, text: str) -> None:
        if re.fullmatch(r"\w+", text) and text[0].isdigit():
            self.fields["simm16"] = whole(text, "s_waitcnt", 0, 0xFFFF)
            return
        limits = {"vmcnt": MOST_VM, "expcnt": MOST_EXP, "lgkmcnt": MOST_LGKM}
        counts: dict[str, int] = {}
        for part in re.split(r"[\s,&]+", text):
            found = re.fullmatch(r"(\w+)\((\w+)\)", part)
            if found is None or found[1] not in limits:
                raise Mistake(f"{part!r} is no counter", part, "write vmcnt(0), expcnt(0), lgkmcnt(0)")
            counts[found[1]] = whole(found[2], found[1], 0, limits[found[1]])
        self.fields["simm16"] = waitcnt_number(**{name.removesuffix("cnt"): value for name, value in counts.items()})

    def _hwreg(self, text: str) -> None:
        found = re.fullmatch(r"hwreg\(\s*(\w+)\s*(?:,\s*(\d+)\s*,\s*(\d+)\s*)?\)", text)
        numbers = {name: number for number, name in HARDWARE.items()}
        if found is None or not (found[1] in numbers or found[1].isdigit()):
            raise Mistake(f"{text!r} is no hardware register", text, "write hwreg(HW_REG_MODE, 29, 3): name, first bit, bits")
        first, bits = int(found[2] or 0), int(found[3] or 32)
        if not (0 <= first < 32 and 1 <= bits <= 32 - first):
            raise Mistake(f"{text!r}: {bits} bits from bit {first} on are not in a register of 32", text)
        self.fields["simm16"] = (numbers[found[1]] if found[1] in numbers else int(found[1]) & 63) | first << 6 | bits - 1 << 11

    def _message(self, text: str) -> None:
        found = re.fullmatch(r"sendmsg\(\s*(\w+)\s*\)", text)
        numbers = {name: number for number, name in MESSAGES.items()}
        if found is None or not (found[1] in numbers or found[1].isdigit()):
            self.fields["simm16"] = whole(text, self.row.mnemonic, 0, 0xFFFF)
            return
        self.fields["simm16"] = numbers[found[1]] if found[1] in numbers else whole(found[1], "sendmsg", 0, 15)

    def _literal(self, text: str) -> None:
        found = operand(text)
        if found.code >= 0 and not found.is_float:
            raise Mistake(f"{text!r} is no number", text)
        if found.is_float and found.code >= 0:
            self._set_literal(constant(found.code), text)
        else:
            self._set_literal((found.value or 0) + sum(sign * self.resolve(name) for sign, name in found.terms), text)
        self._count(LITERAL)

    def _offset(self, text: str) -> None:
        found = operand(text)
        if found.code >= 0 and not found.is_float:
            if found.code > 127 or found.count != 1:
                raise Mistake(f"{text!r} is no scalar register", text)
            self.fields |= {"imm": 0, "offset": found.code}
            return
        value = (found.value or 0) + sum(sign * self.resolve(name) for sign, name in found.terms)
        if found.is_float or not -(1 << 20) <= value < 1 << 20:
            raise Mistake(f"{text!r}: an offset is {-(1 << 20)} to {(1 << 20) - 1}", text)
        self.fields["offset"] = value & 0x1FFFFF

    def _vectors(self, text: str, counts: tuple[int, ...]) -> int:
        found = operand(text)
        if found.code < FIRST_VECTOR or found.count not in counts or found.is_float:
            wanted = " or ".join(map(str, counts))
            raise Mistake(f"{text!r} is not {wanted} vector register{'s' if counts != (1,) else ''}", text)
        return found.code - FIRST_VECTOR

    def _access_address(self, text: str) -> None:
        if self.row.format == "SCRATCH":
            if text != "off":
                self.fields["addr"] = self._vectors(text, (1,))
            return
        self.fields["addr"] = self._vectors(text, (2,) if self.row.format == "FLAT" else (1, 2))
        self.wide_address = operand(text).count == 2

    def _saddr(self, text: str) -> None:
        if text == "off":
            if self.row.format == "GLOBAL" and not self.wide_address:
                raise Mistake("an address alone is two vector registers", text, "write a pair, as v[0:1], or a scalar base")
            return
        found = operand(text)
        count = 1 if self.row.format == "SCRATCH" else 2
        if not 0 <= found.code < 127 or found.count != count:
            raise Mistake(f"{text!r} is not {count} scalar register{'s' if count > 1 else ''}, and not off", text)
        if self.row.format == "GLOBAL" and self.wide_address:
            raise Mistake("beside a scalar base the lanes' address is one vector register", text, "write it without brackets, as v0")
        self.fields["saddr"] = found.code

    def _returned(self, text: str) -> None:
        self.fields["vdst"] = self._vectors(text, (self.row.returned,))

    def _vaddr(self, text: str) -> None:
        if text != "off":
            self.fields["vaddr"] = self._vectors(text, (1, 2))

    def _srsrc(self, text: str) -> None:
        found = operand(text)
        if not 0 <= found.code < 102 or found.count != 4 or found.code % 4:
            raise Mistake(f"{text!r} is no descriptor: four scalar registers from a multiple of 4 on", text)
        self.fields["srsrc"] = found.code // 4

    def _soffset(self, text: str) -> None:
        found = operand(text)
        code = found.code if found.code >= 0 else inline(found.value or 0)
        if code is None or code >= 248 or found.count != 1:
            raise Mistake(f"{text!r} is no scalar register and no number from -16 to 64", text)
        self.fields["soffset"] = code

    def _index(self, text: str) -> None:
        number = index_number(text)
        if number is None:
            raise Mistake(f"{text!r} names no operands", text, "write gpr_idx(SRC0), with SRC0, SRC1, SRC2 and DST as they are wanted")
        self.fields["simm16" if self.row.format == "SOPP" else "ssrc1"] = number

    def _export(self, text: str) -> None:
        found = re.fullmatch(r"(mrt|pos|param)(\d+)", text)
        named = {"mrtz": 8, "null": 9}
        if text not in named and found is None:
            raise Mistake(f"{text!r} is no target of exp", text)
        self.fields["target"] = named[text] if found is None else {"mrt": 0, "pos": 12, "param": 32}[found[1]] + int(found[2])

    # -----------------------------------------------------------------------------------------------------
    # After the operands

    def _modifier(self, text: str) -> None:
        if text in _FLAGS and text in self._allowed():
            self.fields[text] = 1
        elif (found := _SIGNED_OFFSET.fullmatch(text)) is not None and self.row.format in ("DS", "MUBUF", *SEGMENTS):
            self._access_offset(found[1])
        elif text.startswith("offset:swizzle") and self.row.format == "DS":
            number = swizzle_number(text.removeprefix("offset:"))
            if number is None:
                raise Mistake(f"{text!r} is no pattern", text, 'write offset:swizzle(BITMASK_PERM,"00p11")')
            self.fields |= {"offset0": number & 255, "offset1": number >> 8}
        elif (pair := re.fullmatch(r"(offset[01]):(\w+)", text)) is not None and self.row.two_offsets:
            self.fields[pair[1]] = whole(pair[2], pair[1], 0, 255)
        elif text in RESULTS[1:] and self.kind in (E64, SDWA_KIND) and self.row.floats:
            self.fields["omod"] = RESULTS.index(text)
        elif (
            (self.kind == SDWA_KIND and self._selection(text))
            or (self.kind == DPP_KIND and self._movement(text))
            or (self.row.format == "VOP3P" and self._packed(text))
        ):
            pass
        elif (chosen := re.fullmatch(r"op_sel:\[([01](?:,[01])*)\]", text)) is not None and self.kind == E64 and self.row.chosen_halves:
            bits = _bits(chosen[1], text, (self.row.sources, self.row.sources + 1))  # the last one is the result's
            self.fields["op_sel"] = sum(bit << place for place, bit in zip((*range(self.row.sources), 3), bits, strict=False))
        else:
            raise Mistake(f"{self.row.mnemonic} takes no {text!r}", text)

    def _allowed(self) -> Mapping[str, tuple[int, int]]:
        return FORMATS[self.row.format_name(self.kind)].fields

    def _access_offset(self, text: str) -> None:
        form = self.row.format
        if form == "DS":
            value = whole(text, "offset", 0, 65535)
            self.fields |= {"offset0": value & 255, "offset1": value >> 8}
        elif form in ("MUBUF", "FLAT"):
            self.fields["offset"] = whole(text, "offset", 0, 4095)
        else:
            self.fields["offset"] = whole(text, "offset", -4096, 4095) & 0x1FFF

    def _selection(self, text: str) -> bool:
        name, _, value = text.partition(":")
        if name in ("dst_sel", "src0_sel", "src1_sel") and value in SELECTED:
            self.fields[name] = SELECTED.index(value)
        elif name == "dst_unused" and value in UNUSED:
            self.fields[name] = UNUSED.index(value)
        else:
            return False
        return True

    def _movement(self, text: str) -> bool:
        number = dpp_number(text)
        name, _, value = text.partition(":")
        if number is not None:
            self.fields["ctrl"] = number
        elif name in ("row_mask", "bank_mask"):
            self.fields[name] = whole(value, name, 0, 15)
        elif text in ("bound_ctrl:0", "bound_ctrl:1"):
            self.fields["bound_ctrl"] = 1
        else:
            return False
        return True

    def _packed(self, text: str) -> bool:
        found = re.fullmatch(r"(op_sel|op_sel_hi|neg_lo|neg_hi):\[([01](?:,[01])*)\]", text)
        if found is None:
            return False
        value = sum(bit << n for n, bit in enumerate(_bits(found[2], text, (self.row.sources,))))
        if found[1] == "op_sel_hi":
            self.fields |= {"hi_low": value & 3, "hi_top": value >> 2 & 1 if self.row.sources == 3 else 1}
        else:
            self.fields[{"neg_lo": "neg"}.get(found[1], found[1])] = value
        return True


def _bits(text: str, modifier: str, counts: tuple[int, ...]) -> list[int]:
    """The bits of such a list. counts: how many there may be. Raises Mistake."""
    bits = [int(bit) for bit in text.split(",")]
    if len(bits) not in counts:
        raise Mistake(f"it takes {' or '.join(map(str, counts))} bits, not {len(bits)}", modifier)
    return bits
