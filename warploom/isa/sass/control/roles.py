"""The role of each opcode in time (`isa/schedule.py`), and the schedule of a kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from warploom.isa.sass.instruction import Instruction
from warploom.isa.sass.operands import CONSTANT, IMMEDIATE, PREDICATE, REGISTER
from warploom.isa.sass.places import A
from warploom.isa.sass.word import ALWAYS, ZERO
from warploom.isa.schedule import CONTROL_BITS, LINE, LINE_BITS, LINE_BYTES, NO_SOURCE, ROLE_NUMBER, Schedule

FIRST_BIT = 105  # of the word: where the control word begins
_NAMES = {
    "nothing": "NOP ENDCOLLECTIVE CCTL LDGDEPBAR DEPBAR KILL BPT LEPC",
    "add": "VIADD",
    "compare": "ISETP FSETP PLOP3 R2P",
    "multiply": "IDP",
    "high": "",
    "float": "FADD FMUL FFMA FSWZADD",
    "half": "HADD2 HMUL2 HFMA2 HSET2 HSETP2 HMNMX2",
    "half_matrix": "",
    "double": "DADD DMUL DFMA",
    "double_compare": "DSETP",
    "special": "MUFU FCHK",
    "bits": "POPC FLO BREV",
    "convert": "F2I F2F I2F FRND",
    "uniform_move": "UMOV",
    "uniform_load": "ULDC",
    "lane_to_uniform": "R2UR",
    "special_to_uniform": "S2UR",
    "clock": "CS2R",
    "shuffle": "SHFL",
    "vote": "VOTE VOTEU",
    "match": "MATCH",
    "match_all": "",
    "reduce": "REDUX",
    "shared_load": "LDS LDSM ATOMS",
    "shared_store": "STS",
    "load": "LD LDG LDL LDGSTS",
    "store": "ST STG STL RED REDG",
    "atomic": "ATOM ATOMG",
    "texture": "TEX TLD TLD4 TXQ TMML",
    "matrix": "HMMA IMMA DMMA BMMA HGMMA",
    "branch": "BRA",
    "jump_register": "BRX RET JMX",
    "call": "CALL",
    "converge": "BSSY",
    "join": "BSYNC",
    "leave": "BREAK",
    "yield": "YIELD",
    "sleep": "NANOSLEEP",
    "barrier": "BAR",
    "fence": "MEMBAR ERRBAR CGAERRBAR",
    "exit": "EXIT",
}
ROLE_OF: Mapping[str, str] = {name: role for role, names in _NAMES.items() for name in names.split()}
LANE_SPECIALS = (0x00, 0x20, 0x21, 0x22, 0x23, 0x38, 0x39, 0x3A, 0x3B, 0x3C)  # lane, thread and lane masks
_SOURCES = (("a", "address"), ("b", "data"), ("c", "data2"))


def role_of(one: Instruction) -> str:
    """The role of an instruction: one of ROLES."""
    name = one.name
    if name == "IMAD":
        return {0x25: "wide", 0x27: "high"}.get(one.word & 0x1FF, "multiply")
    if name == "HFMA2" and one.word & 0x1FF == 0x35:
        return "half_matrix"
    if name == "S2R":
        return "lane_special" if one.at(72, 8) in LANE_SPECIALS else "warp_special"
    if name == "MATCH":
        return "match" if one.at(79, 1) else "match_all"
    if name == "LDC":
        return "constant" if one.at(A, 8) == ZERO else "constant_at"
    if name == "BRA" and one.guard.true and one.values["p"].true:
        return "jump"
    if name == "WARPSYNC":
        mask = one.values.get("b")
        return "sync_warp" if mask is None or mask.kind == IMMEDIATE else "sync_lanes"
    if name in ROLE_OF:
        return ROLE_OF[name]
    return "uniform" if name.startswith("U") and one.row is not None and one.row.uniform_guard else "integer"


def schedule_of(instructions: Sequence[Instruction]) -> Schedule:
    """The schedule of a kernel's instructions."""
    words = [one.word >> FIRST_BIT & CONTROL_BITS | _line(one) << LINE for one in instructions]
    roles = [ROLE_NUMBER[role_of(one)] for one in instructions]
    sources = [[_register(one, names) for names in _SOURCES] for one in instructions]
    guards = [one.guard.number if one.guard.number != ALWAYS and one.guard.kind == PREDICATE else NO_SOURCE for one in instructions]
    found = (np.array(column, np.int32) for column in (words, roles, sources, guards))
    words_of, roles_of, sources_of, guards_of = found
    return Schedule(words_of, roles_of, sources_of.reshape(-1, 3), guards_of)


def _line(one: Instruction) -> int:
    """1 + the line of constant bank 0 that an operand lies in; 0 where none does."""
    offsets = [value.number for value in one.values.values() if value.kind == CONSTANT and value.bank == 0]
    return min(1 + offsets[0] // LINE_BYTES, LINE_BITS) if offsets else 0


def _register(one: Instruction, names: tuple[str, ...]) -> int:
    """The register of an operand, by whichever of its names the opcode has; NO_SOURCE where it is none or the one that is 0."""
    value = next((one.values[name] for name in names if name in one.values), None)
    return NO_SOURCE if value is None or value.kind != REGISTER or value.zero else value.number
