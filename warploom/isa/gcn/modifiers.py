"""Names of what stands after the operands: selected parts of registers (SDWA), lanes that are moved (DPP), counters, hardware registers.

Source: AMD "Vega" Instruction Set Architecture, sections 4.4, 6.3 to 6.5 and 13.3; spelling as in LLVM's assembler.
"""

from __future__ import annotations

import re

SELECTED = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
WHOLE = 6  # a number of SELECTED
UNUSED = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")
PRESERVED = 2  # a number of UNUSED
RESULTS = ("", "mul:2", "mul:4", "div:2")  # omod
_DPP = {
    **{0x100 + n: f"row_shl:{n}" for n in range(1, 16)},
    **{0x110 + n: f"row_shr:{n}" for n in range(1, 16)},
    **{0x120 + n: f"row_ror:{n}" for n in range(1, 16)},
    0x130: "wave_shl:1", 0x134: "wave_rol:1", 0x138: "wave_shr:1", 0x13C: "wave_ror:1", 0x140: "row_mirror", 0x141: "row_half_mirror",
    0x142: "row_bcast:15", 0x143: "row_bcast:31",
}  # fmt: skip
_DPP_NUMBER = {name: number for number, name in _DPP.items()}
HARDWARE = {1: "HW_REG_MODE", 2: "HW_REG_STATUS", 3: "HW_REG_TRAPSTS", 4: "HW_REG_HW_ID", 5: "HW_REG_GPR_ALLOC", 6: "HW_REG_LDS_ALLOC",
            7: "HW_REG_IB_STS", 15: "HW_REG_SH_MEM_BASES"}  # fmt: skip
MODE, MEMORY_BASES = 1, 15
MESSAGES = {1: "MSG_INTERRUPT", 2: "MSG_GS", 3: "MSG_GS_DONE", 4: "MSG_SAVEWAVE", 9: "MSG_GS_ALLOC_REQ", 10: "MSG_GET_DOORBELL"}
MOST_VM, MOST_EXP, MOST_LGKM = 63, 7, 15
BITMASK = re.compile(r'swizzle\(\s*BITMASK_PERM\s*,\s*"([01pi]{5})"\s*\)')


def dpp_text(control: int) -> str:
    """How lanes are moved: `row_shr:1`, `quad_perm:[1,0,3,2]`."""
    if control < 0x100:
        return f"quad_perm:[{','.join(str(control >> 2 * n & 3) for n in range(4))}]"
    return _DPP.get(control, f"dpp_ctrl:{control:#x}")


def dpp_number(text: str) -> int | None:
    """The number of such a text, or None."""
    found = re.fullmatch(r"quad_perm:\[\s*([0-3])\s*,\s*([0-3])\s*,\s*([0-3])\s*,\s*([0-3])\s*\]", text)
    if found is not None:
        return sum(int(part) << 2 * n for n, part in enumerate(found.groups()))
    raw = re.fullmatch(r"dpp_ctrl:(0x[0-9a-f]+)", text)
    return int(raw[1], 16) & 0x1FF if raw else _DPP_NUMBER.get(text)


def counters(number: int) -> tuple[int, int, int]:
    """(vmcnt, expcnt, lgkmcnt) up to which s_waitcnt waits."""
    return number & 15 | number >> 10 & 48, number >> 4 & 7, number >> 8 & 15


def waitcnt_number(vm: int = MOST_VM, exp: int = MOST_EXP, lgkm: int = MOST_LGKM) -> int:
    """The number that says so. (What is not named is as large as it can be: nobody waits for it.)"""
    return vm & 15 | exp << 4 | lgkm << 8 | vm >> 4 << 14


def waitcnt_text(number: int) -> str:
    """`vmcnt(0) lgkmcnt(0)`."""
    if number >> 12 & 3:
        return f"{number:#x}"
    parts = zip(("vmcnt", "expcnt", "lgkmcnt"), counters(number), (MOST_VM, MOST_EXP, MOST_LGKM), strict=True)
    shown = list(parts)
    if all(value == most for _, value, most in shown):
        return " ".join(f"{name}({value})" for name, value, _ in shown)
    return " ".join(f"{name}({value})" for name, value, most in shown if value != most)


def hwreg_text(number: int) -> str:
    """`hwreg(HW_REG_MODE, 29, 3)`: register, first bit, bits."""
    name, first, bits = HARDWARE.get(number & 63, str(number & 63)), number >> 6 & 31, (number >> 11 & 31) + 1
    return f"hwreg({name})" if (first, bits) == (0, 32) else f"hwreg({name}, {first}, {bits})"


INDEXED = ("SRC0", "SRC1", "SRC2", "DST")  # operands of s_set_gpr_idx_on, by bit


def index_text(number: int) -> str:
    """`gpr_idx(SRC0,DST)`."""
    return f"gpr_idx({','.join(name for bit, name in enumerate(INDEXED) if number >> bit & 1)})"


def index_number(text: str) -> int | None:
    """The number of such a text, or None."""
    found = re.fullmatch(r"gpr_idx\(([\w\s,]*)\)", text)
    names = [name.strip() for name in found[1].split(",")] if found and found[1].strip() else [] if found else [""]
    return sum(1 << INDEXED.index(name) for name in set(names)) if all(name in INDEXED for name in names) else None


def message_text(number: int) -> str:
    """`sendmsg(MSG_INTERRUPT)`."""
    return f"sendmsg({MESSAGES.get(number & 15, str(number & 15))})" if number < 16 else f"{number:#x}"


def swizzle_text(offset: int) -> str:
    """What the offset of ds_swizzle_b32 says: of five bits of a lane's number which are 0, 1, kept (p) or turned over (i)."""
    if offset >> 15:
        return f"swizzle(QUAD_PERM,{','.join(str(offset >> 2 * n & 3) for n in range(4))})"
    keep, one, turn = offset & 31, offset >> 5 & 31, offset >> 10 & 31
    letters = []
    for bit in reversed(range(5)):
        a, o, x = keep >> bit & 1, one >> bit & 1, turn >> bit & 1
        letters.append(("i" if x else "p") if a and not o else str(o ^ x))
    return f'swizzle(BITMASK_PERM,"{"".join(letters)}")'


def swizzle_number(text: str) -> int | None:
    """The offset of such a text, or None."""
    quad = re.fullmatch(r"swizzle\(\s*QUAD_PERM\s*,\s*([0-3])\s*,\s*([0-3])\s*,\s*([0-3])\s*,\s*([0-3])\s*\)", text)
    if quad is not None:
        return 0x8000 | sum(int(part) << 2 * n for n, part in enumerate(quad.groups()))
    found = BITMASK.fullmatch(text)
    if found is None:
        return None
    number = 0
    for place, letter in enumerate(found[1]):
        bit = 4 - place
        keep, one, turn = {"0": (0, 0, 0), "1": (0, 1, 0), "p": (1, 0, 0), "i": (1, 0, 1)}[letter]
        number |= keep << bit | one << bit + 5 | turn << bit + 10
    return number
