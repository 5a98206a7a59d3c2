"""From an instruction back to text, spelled as LLVM's disassembler does."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.isa.gcn.formats import SEGMENTS
from warploom.isa.gcn.instruction import DPP_KIND, E32, E64, SDWA_KIND, Decoded, Written
from warploom.isa.gcn.modifiers import (
    RESULTS,
    SELECTED,
    UNUSED,
    dpp_text,
    hwreg_text,
    index_text,
    message_text,
    swizzle_text,
    waitcnt_text,
)
from warploom.isa.gcn.registers import FIRST_VECTOR, FLOATS, LITERAL, OFF, constant, is_constant, register_text

SUFFIXED = ("VOP1", "VOP2", "VOPC")


def disassemble(one: Decoded, labels: Mapping[int, str] | None = None) -> str:
    """One instruction as text. labels: names of addresses; a jump to one without a name is written as a distance in words."""
    if one.written is None:
        return f".long {one.word & 0xFFFFFFFF:#010x}"
    return text_of(one.written, one.address, labels or {})


def text_of(written: Written, address: int = 0, labels: Mapping[int, str] | None = None) -> str:
    """The text of an instruction at an address."""
    row = written.row
    name = row.mnemonic
    if row.format in SUFFIXED and not row.only_short and len(row.kinds) > 1:
        name += "_" + written.kind
    operands = [text for word in row.words if (text := _operand(written, word, address, labels or {}))]
    if row.format == "EXP":
        operands = [" ".join(operands[:2]), *operands[2:]]
    return " ".join([f"{name} {', '.join(operands)}".rstrip(), *_modifiers(written)])


def _operand(written: Written, word: str, address: int, labels: Mapping[int, str]) -> str:
    fields = written.fields
    if word in ("imm", "hex", "waitcnt", "hwreg", "message", "target"):
        number = fields["simm16"]
        if word == "target":
            distance = number - (number >> 15 << 16)
            return labels.get(address + 4 + 4 * distance, str(distance))
        if word == "imm":
            return str(number)
        return {"hex": hex, "waitcnt": waitcnt_text, "hwreg": hwreg_text, "message": message_text}[word](number)
    if word == "gpr_idx":
        return index_text(fields["simm16" if written.row.format == "SOPP" else "ssrc1"])
    if word == "literal":
        return _number(written.literal or 0) if written.row.format == "SOPK" else f"{written.literal or 0:#x}"
    if word == "offset":
        number = fields["offset"]
        return signed_hex(number - (number >> 20 << 21)) if fields["imm"] else register_text(number & 127)
    if word in ("address", "saddr", "returned", "vaddr", "srsrc", "soffset", "target_exp"):
        return _access(written, word)
    place = written.row.place(word, written.kind)
    assert place is not None
    if written.row.format == "SMEM" and word.startswith("a"):
        return register_text(2 * fields["sbase"], place.count)
    return _with_signs(written, word, place.letter, _value(written, word, place.count))


def _value(written: Written, word: str, count: int) -> str:
    code = written.code(word)
    if code == LITERAL:
        return f"{written.literal or 0:#x}"
    if is_constant(code):
        return FLOATS[code] if code in FLOATS else str(constant(code))
    return register_text(code, count)


def _with_signs(written: Written, word: str, letter: str, text: str) -> str:
    """The source with the bars of its absolute value and its minus."""
    if letter not in "abc" or (written.kind == E32 and not written.row.mixes):
        return text
    number, fields = "abc".index(letter), written.fields
    if written.row.mixes:
        positive, minus, extended = fields["neg_hi"] >> number & 1, fields["neg"] >> number & 1, 0
    elif written.kind == E64:
        positive, minus = fields.get("abs", 0) >> number & 1, fields["neg"] >> number & 1
        extended = 0
    else:
        positive, minus = fields.get(f"abs{number}", 0), fields.get(f"neg{number}", 0)
        extended = fields.get(f"sext{number}", 0)
    text = f"sext({text})" if extended else text
    text = f"|{text}|" if positive else text
    if not minus:
        return text
    return f"neg({text})" if text[0] in "-0123456789" else f"-{text}"  # -1 is a constant of its own


def _access(written: Written, word: str) -> str:
    fields = written.fields
    if word == "target_exp":
        number = fields["target"]
        return {8: "mrtz", 9: "null"}.get(number) or (f"mrt{number}" if number < 8 else f"pos{number - 12}" if 12 <= number < 16 else
                                                       f"param{number - 32}" if number >= 32 else f"invalid_target_{number}")  # fmt: skip
    if word == "returned":
        return register_text(FIRST_VECTOR + fields["vdst"], written.row.returned) if fields["glc"] else ""
    if word == "srsrc":
        return register_text(4 * fields["srsrc"], 4)
    if word == "soffset":
        code = fields["soffset"]
        return str(constant(code)) if is_constant(code) and code not in FLOATS else register_text(code)
    if word == "vaddr":
        if not fields["offen"] and not fields["idxen"]:
            return "off"
        return register_text(FIRST_VECTOR + fields["vaddr"], fields["offen"] + fields["idxen"])
    off = fields["saddr"] == OFF
    if word == "saddr":
        return "off" if off else register_text(fields["saddr"], 1 if written.row.format == "SCRATCH" else 2)
    if written.row.format == "SCRATCH":
        return register_text(FIRST_VECTOR + fields["addr"]) if off else "off"
    wide = written.row.format == "FLAT" or off
    return register_text(FIRST_VECTOR + fields["addr"], 2 if wide else 1)


def _modifiers(written: Written) -> list[str]:
    fields, row = written.fields, written.row
    found: list[str] = []
    if row.format == "DS":
        return _lds(written)
    if row.format in SEGMENTS:
        bits = 12 if row.format == "FLAT" else 13
        offset = fields["offset"] - (fields["offset"] >> 12 << 13 if bits == 13 else 0)
        found += [f"offset:{offset}"] if offset else []
        return found + [name for name in ("glc", "slc", "lds") if fields[name]]
    if row.format == "MUBUF":
        if not row.words:
            return found
        found += [name for name in ("idxen", "offen") if fields[name]]
        found += [f"offset:{fields['offset']}"] if fields["offset"] else []
        return found + [name for name in ("glc", "slc", "lds", "tfe") if fields[name]]
    if row.format == "SMEM":
        return ["glc"] if fields["glc"] else []
    if row.format == "EXP":
        return [name for name in ("done", "compr", "vm") if fields[name]]
    if row.format == "VOP3P":
        return _packed(written)
    if written.kind == E64:
        chosen = [str(fields["op_sel"] >> bit & 1) for bit in (*range(row.sources), 3)] if row.chosen_halves else []
        found += [f"op_sel:[{','.join(chosen)}]"] if "1" in chosen else []
        found += ["clamp"] if fields["clamp"] else []
        return found + ([RESULTS[fields["omod"]]] if fields["omod"] else [])
    if written.kind == SDWA_KIND:
        return _sdwa(written)
    if written.kind == DPP_KIND:
        found = [dpp_text(fields["ctrl"]), f"row_mask:{fields['row_mask']:#x}", f"bank_mask:{fields['bank_mask']:#x}"]
        return found + (["bound_ctrl:0"] if fields["bound_ctrl"] else [])
    return found


def _lds(written: Written) -> list[str]:
    fields, row = written.fields, written.row
    first, second = fields["offset0"], fields["offset1"]
    if row.two_offsets:
        found = [f"{name}:{value}" for name, value in (("offset0", first), ("offset1", second)) if value]
    elif row.mnemonic == "ds_swizzle_b32":
        found = [f"offset:{swizzle_text(first | second << 8)}"]
    else:
        found = [f"offset:{first | second << 8}"] if first or second else []
    return found + (["gds"] if fields["gds"] else [])


def _sdwa(written: Written) -> list[str]:
    fields = written.fields
    found = ["clamp"] if fields.get("clamp") else []
    found += [RESULTS[fields["omod"]]] if fields.get("omod") else []
    if written.row.format != "VOPC":
        unused = fields["dst_unused"]
        found += [f"dst_sel:{selected(fields['dst_sel'])}", f"dst_unused:{UNUSED[unused] if unused < len(UNUSED) else unused}"]
    found.append(f"src0_sel:{selected(fields['src0_sel'])}")
    return found + ([f"src1_sel:{selected(fields['src1_sel'])}"] if written.row.format != "VOP1" else [])


def _packed(written: Written) -> list[str]:
    fields, found = written.fields, []
    sources, mixes = written.row.sources, written.row.mixes
    high = fields["hi_low"] | fields["hi_top"] << 2
    every = (1 << sources) - 1
    signs = () if mixes else (("neg_lo", fields["neg"], 0), ("neg_hi", fields["neg_hi"], 0))
    for name, value, usual in (("op_sel", fields["op_sel"], 0), ("op_sel_hi", high & every, 0 if mixes else every), *signs):
        if value != usual:
            found.append(f"{name}:[{','.join(str(value >> n & 1) for n in range(sources))}]")
    return found + (["clamp"] if fields["clamp"] else [])


def selected(number: int) -> str:
    """A part of a register by its number."""
    return SELECTED[number] if number < len(SELECTED) else str(number)


def _number(value: int) -> str:
    return str(value) if value < 65 else hex(value)


def signed_hex(value: int) -> str:
    """A number in hexadecimal, with its minus before it."""
    return f"-{-value:#x}" if value < 0 else f"{value:#x}"
