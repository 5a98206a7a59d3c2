"""From the text of one instruction to its fields.

An instruction without `_e32`, `_e64`, `_sdwa` or `_dpp` takes the shortest form that can hold its operands: VOP3 where there are signs or
modifiers, a scalar or number as the second source, or a mask other than VCC. A vector instruction reads at most one scalar register, or one
literal, and VOP3 has no literals. Operands of other kinds are in `special_operands.py`, modifiers in `modifier_fields.py`.

Source: AMD "Vega" Instruction Set Architecture, section 6.2, and LLVM, "Syntax of gfx900 Instructions".
"""

from __future__ import annotations

from warploom.isa.gcn.formats import SEGMENTS
from warploom.isa.gcn.instruction import DPP_KIND, E32, E64, KINDS, SDWA_KIND, SOURCE, VECTOR, Row, Written
from warploom.isa.gcn.registers import DPP, FIRST_VECTOR, LITERAL, OFF, SDWA, SHARED_BASE, VCC
from warploom.isa.gcn.table import BY_MNEMONIC
from warploom.isa.gcn.text.encoding import Encoding
from warploom.isa.gcn.text.modifier_fields import modify
from warploom.isa.gcn.text.parser import Mistake, Operand, Piece, Resolve, inline, operand
from warploom.isa.gcn.text.special_operands import SPECIAL


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
            return _encoded(Encoding(row, one, address, resolve), operands, after)
        except Mistake as mistake:
            failure = mistake
    raise failure


def _encoded(encoding: Encoding, operands: list[Piece], after: list[Piece]) -> Written:
    """One form of it. Raises Mistake where it has no room for the operands."""
    words = list(encoding.row.words)
    if "returned" in words and not any(piece.text == "glc" for piece in after):
        words.remove("returned")
    if len(operands) != len(words):
        raise Mistake(f"{encoding.row.mnemonic} takes {len(words)} operands, not {len(operands)}", "", f"write {encoding.row.syntax}")
    encoding.fields |= _defaults(encoding.row, encoding.kind)
    for word, piece in zip(words, operands, strict=True):
        _operand(encoding, word, piece.text)
    for piece in after:
        modify(encoding, piece.text)
    _check(encoding)
    return encoding.written()


def _defaults(row: Row, kind: str) -> dict[str, int]:
    """Fields that are not 0 where nothing is written."""
    fields: dict[str, int] = {}
    if row.format in SEGMENTS:
        fields |= {"seg": SEGMENTS[row.format], "saddr": OFF if row.format != "FLAT" else 0}
    if row.format == "SMEM":
        fields["imm"] = 1 if "offset" in row.words else 0
    if row.format == "EXP":
        fields["en"] = 15
    if row.format == "VOP3P" and not row.mnemonic.startswith("v_mad_mix"):
        fields |= {"hi_low": 3, "hi_top": 1}
    if kind == SDWA_KIND:
        fields |= {"src0": SDWA, "dst_sel": 6, "src0_sel": 6, "src1_sel": 6}
    if kind == DPP_KIND:
        fields |= {"src0": DPP, "ctrl": 0xE4, "row_mask": 15, "bank_mask": 15}
    return fields


def _operand(encoding: Encoding, word: str, text: str) -> None:
    if word in SPECIAL:
        SPECIAL[word](encoding, text)
        return
    found = operand(text)
    place = encoding.row.place(word, encoding.kind)
    assert place is not None
    if encoding.row.format == "SMEM" and word.startswith("a"):
        if found.code < 0 or found.count != place.count or found.code % 2:
            raise Mistake(f"{text!r} is not {place.count} scalar registers from an even one on", text)
        encoding.fields["sbase"] = found.code // 2
        return
    _signs(encoding, place.letter, found, text)
    code = _code(encoding, found, text, place.count, place.holds == SOURCE or place.letter in "abc")
    if not place.field or (place.field == "sdst" and encoding.kind == SDWA_KIND):
        _mask(encoding, place.field, code, text)
        return
    if place.holds == VECTOR:
        _vector(encoding, place.letter, place.field, code, text)
        return
    if place.holds != SOURCE and code >= FIRST_VECTOR:
        raise Mistake(f"{text!r} is not a scalar register", text)
    if place.letter in "de" and code > 127:
        raise Mistake(f"{text!r} is nothing that an instruction can write", text)
    if code == LITERAL and encoding.kind != E32:
        raise Mistake(f"{text!r} needs 32 bits of its own, which this form has no room for", text, "move it into a register first")
    encoding.fields[place.field] = code
    if place.letter in "abc":
        encoding.count(code)


def _mask(encoding: Encoding, field: str, code: int, text: str) -> None:
    """The mask of a form that has no field for it, or of SDWA, where VCC needs none."""
    if field:
        encoding.fields |= {"sd": int(code != VCC), "sdst": code if code != VCC else 0}
    elif code != VCC:
        raise Mistake(f"{text!r}: in this form the mask is vcc", text)


def _vector(encoding: Encoding, letter: str, field: str, code: int, text: str) -> None:
    if code < FIRST_VECTOR:
        choice = {"a": "s0", "b": "s1"}.get(letter, "")
        if encoding.kind != SDWA_KIND or not choice or code > 127:
            raise Mistake(f"{text!r} is not a vector register", text)
        encoding.fields |= {field: code, choice: 1}
        encoding.count(code)
        return
    encoding.fields[field] = code - FIRST_VECTOR


def _code(encoding: Encoding, found: Operand, text: str, count: int, is_source: bool) -> int:
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
        raise Mistake(f"{text!r} is not a register", text)
    value = encoding.total(found)
    if not -(1 << 31) <= value < 1 << 32:
        raise Mistake(f"{text!r} has more than 32 bits", text)
    code = None if found.terms else inline(value)
    if code is not None and (count == 1 or -16 <= value <= 64):
        return code
    encoding.set_literal(value, text)
    return LITERAL


def _signs(encoding: Encoding, letter: str, found: Operand, text: str) -> None:
    if not (found.minus or found.positive or found.extended):
        return
    number = "abc".find(letter)
    if encoding.row.mixes and not found.extended:
        encoding.fields["neg"] = encoding.fields.get("neg", 0) | found.minus << number
        encoding.fields["neg_hi"] = encoding.fields.get("neg_hi", 0) | found.positive << number
        return
    if encoding.kind == E32 or number < 0 or (found.extended and encoding.kind != SDWA_KIND) or not (encoding.row.floats or found.extended):
        raise Mistake(f"{text!r}: signs are for sources that are floats", text)
    if encoding.kind == E64:
        encoding.fields["neg"] = encoding.fields.get("neg", 0) | found.minus << number
        encoding.fields["abs"] = encoding.fields.get("abs", 0) | found.positive << number
    else:
        encoding.fields |= {f"neg{number}": int(found.minus), f"abs{number}": int(found.positive), f"sext{number}": int(found.extended)}


def _check(encoding: Encoding) -> None:
    if not encoding.row.format.startswith("V") or encoding.row.mnemonic in ("v_readlane_b32", "v_writelane_b32"):
        return
    implied = {VCC} if encoding.kind != E64 and "cm" in encoding.row.words else set()
    read = len(encoding.scalars | implied)
    if read > 1:
        said = f"{encoding.row.mnemonic} can read one scalar register or literal, not {read}"
        raise Mistake(said, "", "move one into a vector register first")
