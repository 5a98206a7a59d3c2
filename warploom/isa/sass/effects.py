"""What each opcode does, by its name, or by its number where a name has several."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from warploom.isa.sass import floats, flow, halves, host, integers, memory
from warploom.isa.sass.code import Code
from warploom.isa.sass.instruction import Row

Meaning = Callable[[Code], None]
BY_CODE: Mapping[int, Meaning] = {
    0x025: integers.imad_wide, 0x0A5: integers.imad_wide, 0x027: integers.imad_high, 0x0A7: integers.imad_high,
    0x143: host.call, 0x144: flow.call,
}  # fmt: skip
LANES: Mapping[str, Meaning] = {
    "MOV": integers.mov, "SEL": integers.sel, "IADD3": integers.iadd3, "IMAD": integers.imad, "LEA": integers.lea, "LOP3": integers.lop3,
    "PRMT": integers.prmt, "SHF": integers.shf, "SGXT": integers.sgxt, "BMSK": integers.bmsk, "ISETP": integers.isetp,
    "PLOP3": integers.plop3, "FLO": integers.flo, "BREV": integers.brev, "POPC": integers.popc,
}  # fmt: skip
BY_NAME: Mapping[str, Meaning] = {
    **LANES, **{f"U{name}": meaning for name, meaning in LANES.items()},
    "IABS": integers.iabs, "IMNMX": integers.imnmx, "VIADD": integers.add2, "VIMNMX": integers.vimnmx, "VIMNMX3": integers.vimnmx3,
    "VIADDMNMX": integers.viaddmnmx, "VABSDIFF": integers.absolute_difference,
    "VABSDIFF4": integers.absolute_differences, "IDP": integers.dot, "S2R": integers.special,
    "S2UR": integers.special, "CS2R": integers.special, "P2R": integers.p2r, "R2P": integers.r2p, "R2UR": integers.from_lane,
    "FADD": floats.fadd, "FMUL": floats.fmul, "FFMA": floats.ffma, "FSEL": floats.fsel, "FMNMX": floats.fmnmx, "FSETP": floats.fsetp,
    "FSET": floats.fset, "MUFU": floats.mufu, "FCHK": floats.fchk, "DADD": floats.dadd, "DMUL": floats.dmul, "DFMA": floats.dfma,
    "DSETP": floats.dsetp, "I2F": floats.i2f, "I2FP": floats.i2f, "F2I": floats.f2i, "F2F": floats.f2f, "FRND": floats.frnd,
    "F2FP": floats.f2fp,
    "F2IP": floats.f2ip, "I2I": floats.i2i, "HMNMX2": halves.hmnmx2, "HSET2": halves.hset2, "HSETP2": halves.hsetp2,
    "HADD2": halves.hadd2, "HMUL2": halves.hmul2, "HFMA2": halves.hfma2,
    "LD": memory.load, "LDG": memory.load, "LDS": memory.load, "LDL": memory.load, "ST": memory.store, "STG": memory.store,
    "STS": memory.store, "STL": memory.store, "LDC": memory.load_constant, "ULDC": memory.load_constant, "ATOM": memory.atomic,
    "ATOMG": memory.atomic, "ATOMS": memory.atomic, "RED": memory.atomic, "MEMBAR": memory.fence, "LDGSTS": memory.copy,
    "ERRBAR": flow.nothing, "CGAERRBAR": flow.nothing, "CCTL": flow.nothing, "LDGDEPBAR": flow.nothing, "DEPBAR": flow.nothing,
    "NOP": flow.nothing, "BSSY": flow.converge, "BSYNC": flow.await_lanes, "BREAK": flow.leave_lanes, "BMOV": flow.move_barrier,
    "ENDCOLLECTIVE": flow.nothing, "EXIT": flow.leave, "KILL": flow.leave, "BRA": flow.branch, "RET": flow.comes_back,
    "BRX": flow.indirect, "LEPC": host.address_of, "QSPC": memory.ask_window,
    "WARPSYNC": flow.sync_warp, "YIELD": flow.hint, "NANOSLEEP": flow.sleep, "BPT": flow.trap, "BAR": flow.barrier,
    "B2R": flow.barrier_result, "SHFL": flow.shuffle, "VOTE": flow.vote, "VOTEU": flow.vote, "MATCH": flow.match, "REDUX": flow.reduce,
}  # fmt: skip
UNGUARDED = ("BRA",)  # whose guard is one of its conditions


def meaning_of(row: Row) -> Meaning | None:
    """What an opcode does; None where it has no meaning here."""
    return BY_CODE.get(row.code) or BY_NAME.get(row.name)
