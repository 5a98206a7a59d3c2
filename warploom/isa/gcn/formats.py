"""Formats of GCN's instruction words: which bits are fixed, and where each field lies.

An instruction has 32 or 64 bits; bits 32 to 63 are the second word's. A format of 32 bits may be followed by a literal of 32. What an
operation is says the field `op`; the formats differ in their highest bits, longest first. In hardware: a decoder that looks at the first
nine bits knows which unit an instruction is for, so that it can hand five instructions of five waves to five units in one cycle.

Source: AMD "Vega" Instruction Set Architecture, chapter 13, "Microcode Formats".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """name. top: the fixed bits, from bit 31 down. fields: (lowest bit, bits) by name. words: of 32 bits."""

    name: str
    top: str
    fields: Mapping[str, tuple[int, int]]
    words: int = 1

    def matches(self, word: int) -> bool:
        """Whether a first word has the fixed bits."""
        return (word & 0xFFFFFFFF) >> 32 - len(self.top) == int(self.top, 2)

    def decode(self, word: int) -> dict[str, int]:
        """The fields' values in 32 or 64 bits."""
        return {name: word >> low & (1 << bits) - 1 for name, (low, bits) in self.fields.items()}

    def encode(self, values: Mapping[str, int]) -> int:
        """The bits of an instruction. A field that is not given is 0."""
        word = int(self.top, 2) << 32 - len(self.top)
        for name, (low, bits) in self.fields.items():
            word |= (values.get(name, 0) & (1 << bits) - 1) << low
        return word


_SOURCES = {"src0": (32, 9), "src1": (41, 9), "src2": (50, 9)}
_FLAT = {"op": (18, 7), "slc": (17, 1), "glc": (16, 1), "lds": (13, 1), "addr": (32, 8), "data": (40, 8), "saddr": (48, 7), "vdst": (56, 8)}
_SDWA = {
    "vsrc0": (32, 8), "src0_sel": (48, 3), "sext0": (51, 1), "neg0": (52, 1), "abs0": (53, 1), "s0": (55, 1),
    "src1_sel": (56, 3), "sext1": (59, 1), "neg1": (60, 1), "abs1": (61, 1), "s1": (63, 1),
}  # fmt: skip
_SDWA_RESULT = {"dst_sel": (40, 3), "dst_unused": (43, 2), "clamp": (45, 1), "omod": (46, 2)}
_DPP = {"vsrc0": (32, 8), "ctrl": (40, 9), "bound_ctrl": (51, 1), "neg0": (52, 1), "abs0": (53, 1), "neg1": (54, 1), "abs1": (55, 1),
        "bank_mask": (56, 4), "row_mask": (60, 4)}  # fmt: skip
_VOP1 = {"vdst": (17, 8), "op": (9, 8), "src0": (0, 9)}
_VOP2 = {"op": (25, 6), "vdst": (17, 8), "vsrc1": (9, 8), "src0": (0, 9)}
_VOPC = {"op": (17, 8), "vsrc1": (9, 8), "src0": (0, 9)}

FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format("SOPP", "101111111", {"op": (16, 7), "simm16": (0, 16)}),
        Format("SOPC", "101111110", {"op": (16, 7), "ssrc1": (8, 8), "ssrc0": (0, 8)}),
        Format("SOP1", "101111101", {"sdst": (16, 7), "op": (8, 8), "ssrc0": (0, 8)}),
        Format("SOPK", "1011", {"op": (23, 5), "sdst": (16, 7), "simm16": (0, 16)}),
        Format("SOP2", "10", {"op": (23, 7), "sdst": (16, 7), "ssrc1": (8, 8), "ssrc0": (0, 8)}),
        Format("SMEM", "110000", {"op": (18, 8), "imm": (17, 1), "glc": (16, 1), "nv": (15, 1), "soffset_en": (14, 1), "sdata": (6, 7),
                                  "sbase": (0, 6), "offset": (32, 21), "soffset": (57, 7)}, 2),
        Format("VOP3P", "110100111", {"op": (16, 7), "clamp": (15, 1), "op_sel": (11, 3), "neg_hi": (8, 3), "vdst": (0, 8), **_SOURCES,
                                      "neg": (61, 3), "hi_low": (59, 2), "hi_top": (14, 1)}, 2),
        Format("VOP3", "110100", {"op": (16, 10), "clamp": (15, 1), "op_sel": (11, 4), "abs": (8, 3), "vdst": (0, 8), **_SOURCES,
                                  "omod": (59, 2), "neg": (61, 3)}, 2),
        Format("VOP3B", "110100", {"op": (16, 10), "clamp": (15, 1), "sdst": (8, 7), "vdst": (0, 8), **_SOURCES, "omod": (59, 2),
                                   "neg": (61, 3)}, 2),
        Format("DS", "110110", {"op": (17, 8), "gds": (16, 1), "offset1": (8, 8), "offset0": (0, 8), "addr": (32, 8), "data0": (40, 8),
                                "data1": (48, 8), "vdst": (56, 8)}, 2),
        Format("FLAT", "110111", {**_FLAT, "seg": (14, 2), "offset": (0, 12)}, 2),
        Format("GLOBAL", "110111", {**_FLAT, "seg": (14, 2), "offset": (0, 13)}, 2),
        Format("SCRATCH", "110111", {**_FLAT, "seg": (14, 2), "offset": (0, 13)}, 2),
        Format("MUBUF", "111000", {"op": (18, 7), "slc": (17, 1), "lds": (16, 1), "glc": (14, 1), "idxen": (13, 1), "offen": (12, 1),
                                   "offset": (0, 12), "vaddr": (32, 8), "vdata": (40, 8), "srsrc": (48, 5), "tfe": (55, 1),
                                   "soffset": (56, 8)}, 2),
        Format("EXP", "110001", {"en": (0, 4), "target": (4, 6), "compr": (10, 1), "done": (11, 1), "vm": (12, 1), "vsrc0": (32, 8),
                                 "vsrc1": (40, 8), "vsrc2": (48, 8), "vsrc3": (56, 8)}, 2),
        Format("VOPC", "0111110", _VOPC),
        Format("VOP1", "0111111", _VOP1),
        Format("VOP2", "0", _VOP2),
        Format("VOP1_sdwa", "0111111", {**_VOP1, **_SDWA, **_SDWA_RESULT}, 2),
        Format("VOP2_sdwa", "0", {**_VOP2, **_SDWA, **_SDWA_RESULT}, 2),
        Format("VOPC_sdwa", "0111110", {**_VOPC, **_SDWA, "sdst": (40, 7), "sd": (47, 1)}, 2),
        Format("VOP1_dpp", "0111111", {**_VOP1, **_DPP}, 2),
        Format("VOP2_dpp", "0", {**_VOP2, **_DPP}, 2),
        Format("VOPC_dpp", "0111110", {**_VOPC, **_DPP}, 2),
    )
}  # fmt: skip
SEGMENTS = {"FLAT": 0, "SCRATCH": 1, "GLOBAL": 2}
VOP3_OPCODES = {"VOPC": 0, "VOP2": 256, "VOP1": 320}  # added to an operation's number where it is written in VOP3


def format_of(word: int) -> str:
    """The name of the format of a first word; `` for none. (VOP3B is VOP3 here, as which of them it is depends on the operation.)"""
    name = next((one.name for one in FORMATS.values() if "_" not in one.name and one.matches(word)), "")
    if name == "FLAT":
        segment = word >> 14 & 3
        return next((name for name, number in SEGMENTS.items() if number == segment), "")
    return name
