"""What stands after the operands, as fields: flags, offsets, selected and moved parts of sources, what is done with a result.

Source: AMD "Vega" Instruction Set Architecture, sections 6.2 to 6.5 and chapters 8 to 10; spelling as in LLVM,
"Syntax of gfx900 Instructions".
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from warploom.isa.gcn.formats import FORMATS, SEGMENTS
from warploom.isa.gcn.instruction import DPP_KIND, E64, SDWA_KIND
from warploom.isa.gcn.modifiers import RESULTS, SELECTED, UNUSED, dpp_number, swizzle_number
from warploom.isa.gcn.text.encoding import Encoding
from warploom.isa.gcn.text.parser import Mistake, whole

_FLAGS = ("glc", "slc", "lds", "tfe", "gds", "idxen", "offen", "clamp", "done", "compr", "vm")
_SIGNED_OFFSET = re.compile(r"offset:(-?\w+)")


def modify(encoding: Encoding, text: str) -> None:
    """Write the fields of a modifier. Raises Mistake."""
    if text in _FLAGS and text in _allowed(encoding):
        encoding.fields[text] = 1
    elif (found := _SIGNED_OFFSET.fullmatch(text)) is not None and encoding.row.format in ("DS", "MUBUF", *SEGMENTS):
        _access_offset(encoding, found[1])
    elif text.startswith("offset:swizzle") and encoding.row.format == "DS":
        number = swizzle_number(text.removeprefix("offset:"))
        if number is None:
            raise Mistake(f"{text!r} is not a pattern", text, 'write offset:swizzle(BITMASK_PERM,"00p11")')
        encoding.fields |= {"offset0": number & 255, "offset1": number >> 8}
    elif (pair := re.fullmatch(r"(offset[01]):(\w+)", text)) is not None and encoding.row.two_offsets:
        encoding.fields[pair[1]] = whole(pair[2], pair[1], 0, 255)
    elif text in RESULTS[1:] and encoding.kind in (E64, SDWA_KIND) and encoding.row.floats:
        encoding.fields["omod"] = RESULTS.index(text)
    elif (
        (encoding.kind == SDWA_KIND and _selection(encoding, text))
        or (encoding.kind == DPP_KIND and _movement(encoding, text))
        or (encoding.row.format == "VOP3P" and _packed(encoding, text))
    ):
        pass
    elif (chosen := re.fullmatch(r"op_sel:\[([01](?:,[01])*)\]", text)) is not None and encoding.kind == E64 and encoding.row.chosen_halves:
        bits = _bits(chosen[1], text, (encoding.row.sources, encoding.row.sources + 1))  # the last one is the result's
        encoding.fields["op_sel"] = sum(bit << place for place, bit in zip((*range(encoding.row.sources), 3), bits, strict=False))
    else:
        raise Mistake(f"{encoding.row.mnemonic} takes no {text!r}", text)


def _allowed(encoding: Encoding) -> Mapping[str, tuple[int, int]]:
    return FORMATS[encoding.row.format_name(encoding.kind)].fields


def _access_offset(encoding: Encoding, text: str) -> None:
    form = encoding.row.format
    if form == "DS":
        value = whole(text, "offset", 0, 65535)
        encoding.fields |= {"offset0": value & 255, "offset1": value >> 8}
    elif form in ("MUBUF", "FLAT"):
        encoding.fields["offset"] = whole(text, "offset", 0, 4095)
    else:
        encoding.fields["offset"] = whole(text, "offset", -4096, 4095) & 0x1FFF


def _selection(encoding: Encoding, text: str) -> bool:
    name, _, value = text.partition(":")
    if name in ("dst_sel", "src0_sel", "src1_sel") and value in SELECTED:
        encoding.fields[name] = SELECTED.index(value)
    elif name == "dst_unused" and value in UNUSED:
        encoding.fields[name] = UNUSED.index(value)
    else:
        return False
    return True


def _movement(encoding: Encoding, text: str) -> bool:
    number = dpp_number(text)
    name, _, value = text.partition(":")
    if number is not None:
        encoding.fields["ctrl"] = number
    elif name in ("row_mask", "bank_mask"):
        encoding.fields[name] = whole(value, name, 0, 15)
    elif text in ("bound_ctrl:0", "bound_ctrl:1"):
        encoding.fields["bound_ctrl"] = 1
    else:
        return False
    return True


def _packed(encoding: Encoding, text: str) -> bool:
    found = re.fullmatch(r"(op_sel|op_sel_hi|neg_lo|neg_hi):\[([01](?:,[01])*)\]", text)
    if found is None:
        return False
    value = sum(bit << n for n, bit in enumerate(_bits(found[2], text, (encoding.row.sources,))))
    if found[1] == "op_sel_hi":
        encoding.fields |= {"hi_low": value & 3, "hi_top": value >> 2 & 1 if encoding.row.sources == 3 else 1}
    else:
        encoding.fields[{"neg_lo": "neg"}.get(found[1], found[1])] = value
    return True


def _bits(text: str, modifier: str, counts: tuple[int, ...]) -> list[int]:
    """The bits of such a list. counts: how many there may be. Raises Mistake."""
    bits = [int(bit) for bit in text.split(",")]
    if len(bits) not in counts:
        raise Mistake(f"it takes {' or '.join(map(str, counts))} bits, not {len(bits)}", modifier)
    return bits
