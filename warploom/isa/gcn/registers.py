"""GCN's registers, as the machine's: a warp is a wave of 64 lanes.

v0 to v255 are lane registers. What a wave has once is scalar: s0 to s101, VCC, M0, EXEC and a few more, each under the number by which
instructions name it. After those come the bits of the wave's status that an instruction can read: SCC, and CSP, the height of the stack of
`s_cbranch_g_fork`. EXEC is not a mask of the machine's: every instruction of the vector unit has it as its predicate, so that the
scalar unit
runs on where no lane does.

Source: AMD "Vega" Instruction Set Architecture, chapter 3, "Kernel State", and table 6.1, "Scalar operands".
"""

from __future__ import annotations

import struct

from warploom.isa.uop import HIDDEN, HIDDEN_SCALARS, scalar

LANES = 64
VECTORS, SCALAR_REGISTERS = 256, 102
FLAT_SCRATCH, XNACK_MASK, VCC, TRAP_TEMPORARIES, M0, EXEC = 102, 104, 106, 108, 124, 126
INLINE_ZERO, INLINE_MOST, INLINE_LEAST = 128, 192, 208  # 0, then 1 to 64, then -1 to -16
FLOATS = {240: "0.5", 241: "-0.5", 242: "1.0", 243: "-1.0", 244: "2.0", 245: "-2.0", 246: "4.0", 247: "-4.0", 248: "0.15915494"}
TURN = 248  # 1 / (2 pi), what v_sin_f32 and v_cos_f32 want an angle multiplied by
VCCZ, EXECZ, SCC_SOURCE = 251, 252, 253
SHARED_BASE, SHARED_LIMIT, PRIVATE_BASE, PRIVATE_LIMIT = 235, 236, 237, 238
# Apertures: an address of FLAT whose high word is this one lies in the group's LDS, or in the thread's private memory.
# As in SH_MEM_BASES, only the upper half of that word may be there.
_SHARED, _PRIVATE = 0x10000, 0x20000
APERTURES = {  # low and high word
    SHARED_BASE: (0, _SHARED), SHARED_LIMIT: (0xFFFFFFFF, _SHARED), PRIVATE_BASE: (0, _PRIVATE), PRIVATE_LIMIT: (0xFFFFFFFF, _PRIVATE),
}  # fmt: skip
SDWA, DPP, LITERAL, FIRST_VECTOR = 249, 250, 255, 256
OFF = 127  # in the field saddr: no scalar address

_SCC, _CSP, _KEPT = 128, 129, 130
SCALARS = 142
SCC, CSP, KEPT = scalar(_SCC), scalar(_CSP), scalar(_KEPT)  # KEPT: twelve more temporaries, for what needs many
PAIRS = {FLAT_SCRATCH: "flat_scratch", XNACK_MASK: "xnack_mask", VCC: "vcc", EXEC: "exec"}
_SINGLE = {
    **{first + half: f"{name}_{'lo' if half == 0 else 'hi'}" for first, name in PAIRS.items() for half in range(2)},
    **{TRAP_TEMPORARIES + n: f"ttmp{n}" for n in range(16)},
    SHARED_BASE: "src_shared_base", SHARED_LIMIT: "src_shared_limit", PRIVATE_BASE: "src_private_base", PRIVATE_LIMIT: "src_private_limit",
    M0: "m0", VCCZ: "src_vccz", EXECZ: "src_execz", SCC_SOURCE: "src_scc",
}  # fmt: skip
NAMED = {name: code for code, name in _SINGLE.items()}
REGISTER_NAMES = tuple(f"v{n}" for n in range(VECTORS))
SCALAR_NAMES = (
    *(f"s{n}" for n in range(SCALAR_REGISTERS)), *(_SINGLE.get(n, "") for n in range(SCALAR_REGISTERS, 128)), "scc", "csp",
    *("" for _ in range(SCALARS - 130)),
)  # fmt: skip


def lane_temporary(number: int) -> int:
    """A lane register inside an instruction."""
    return HIDDEN + number


def scalar_temporary(number: int) -> int:
    """A scalar register inside an instruction."""
    return scalar(HIDDEN_SCALARS + number)


def register_text(code: int, count: int = 1) -> str:
    """How so many registers from an operand code on are written: `s5`, `s[4:7]`, `vcc`, `v[2:3]`."""
    if code >= FIRST_VECTOR:
        return _span("v", code - FIRST_VECTOR, count)
    if code < SCALAR_REGISTERS:
        return _span("s", code, count)
    if count == 2 and code in PAIRS:
        return PAIRS[code]
    if count > 1 and TRAP_TEMPORARIES <= code < TRAP_TEMPORARIES + 16:
        return _span("ttmp", code - TRAP_TEMPORARIES, count)
    return _SINGLE.get(code, f"<{code}>")


def _span(letter: str, number: int, count: int) -> str:
    return f"{letter}{number}" if count == 1 else f"{letter}[{number}:{number + count - 1}]"


def constant(code: int, wide_float: bool = False) -> int:
    """The value of an inline constant. wide_float: as a 64-bit float, where it is a float."""
    if INLINE_ZERO <= code <= INLINE_MOST:
        return code - INLINE_ZERO
    if code <= INLINE_LEAST:
        return INLINE_MOST - code
    value = constant_float(code)
    if wide_float:
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def constant_float(code: int) -> float:
    """The value of an inline constant that is a float."""
    return 0.15915494309189532 if code == TURN else float(FLOATS[code])


def is_constant(code: int) -> bool:
    """Whether an operand code stands for an inline constant."""
    return INLINE_ZERO <= code <= INLINE_LEAST or code in FLOATS


def code_of(value: int, wide_float: bool = False) -> int | None:
    """The operand code of an inline constant of 32 bits (wide_float: 64), or None where there is none."""
    if 0 <= value <= 64:
        return INLINE_ZERO + value
    if -16 <= value < 0:
        return INLINE_MOST - value
    return next((code for code in FLOATS if constant(code, wide_float) == value & (-1 if wide_float else 0xFFFFFFFF)), None)
