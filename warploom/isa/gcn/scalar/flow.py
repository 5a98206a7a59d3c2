"""Branches, ends, barriers and what else a wave says to its compute unit: SOPP, and the jumps among SOP1, SOP2 and SOPK.

A branch looks at a bit of the wave's: SCC, or whether VCC or EXEC is 0. Lanes do not branch; a program narrows EXEC, and skips what no lane
would do. `s_cbranch_g_fork` does both: lanes of a mask are to go elsewhere. Where there are lanes of both kinds, the side with fewer lanes
runs first, and the mask and address of the other one go to scalar registers 4 * CSP to 4 * CSP + 3; CSP counts them. As each entry has at
most half the lanes of the one before it, six are enough for 64 lanes. `s_cbranch_join` takes the last entry, until CSP is what the program
kept of it before the fork.

Sources: AMD "Vega" Instruction Set Architecture, sections 4.1 to 4.3 and 4.6; for the fork also CLRX, "GCN ISA SOP2/SOP1 instructions".
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import ONES, Code, Number, Value
from warploom.isa.gcn.instruction import Row
from warploom.isa.gcn.modifiers import MEMORY_BASES, MODE
from warploom.isa.gcn.registers import APERTURES, CSP, EXEC, KEPT, M0, PRIVATE_BASE, SCC, SHARED_BASE, VCC
from warploom.isa.uop import NEGATE, scalar

Lower = Callable[[Code], None]
USUAL_MODE = 0x2F0  # denormals kept, clamping, IEEE: what kernels of AMD's runtime begin with
HEIGHT_BIT = 29  # CSP in MODE
NOWHERE = 138  # scalar registers that no instruction names, for the entry of lanes that agree


def _target(code: Code) -> int:
    """Address that a jump's 16 bits lead to."""
    distance = code.field("simm16")
    return (code.following + 4 * (distance - (distance >> 15 << 16))) & ONES


def _jump(code: Code) -> None:
    code.add("jump", target=code.instruction_at(_target(code)))


def _branch(bit: Callable[[Code], int], where_zero: bool) -> Lower:
    def lower(code: Code) -> None:
        flags = NEGATE if where_zero else 0
        code.add("branch_scalar", a=bit(code), imm=-1, target=code.instruction_at(_target(code)), flags=flags)

    return lower


def _scc(_: Code) -> int:
    return SCC


def _any(pair: int) -> Callable[[Code], int]:
    return lambda code: code.scalar("or", scalar(pair), scalar(pair + 1))


def _plain(name: str, **more: int) -> Lower:
    def lower(code: Code) -> None:
        code.add(name, **more)

    return lower


def _nothing(code: Code) -> None:
    """What the instruction buffer does by itself: it takes an issue, and no unit."""
    code.add("await")


def _trap(code: Code) -> None:
    code.add("trap", imm=code.field("simm16") & 255)


def _program_counter(code: Code) -> None:
    code.put_scalar(Number(code.following), Number(0))


def _jump_to(code: Code) -> None:
    code.add("jump_register", a=scalar(code.place("a")))


def _swap(code: Code) -> None:
    to = code.scalar("mov", scalar(code.place("a")))
    code.add("mov", code.target(1), Number(0))
    code.add("mov", code.target(), Number(code.following))
    code.add("jump_register", a=to)


def _call(code: Code) -> None:
    code.put_scalar(Number(code.following), Number(0))
    code.add("jump", target=code.instruction_at(_target(code)))


def _fork(code: Code, mask: int, to: Value) -> None:
    """The lanes of a mask go to an address: see the head of this file."""
    zero, following = Number(0), Number(code.following)
    going, staying, both, goes, address = (KEPT, KEPT + 1), (KEPT + 2, KEPT + 3), KEPT + 4, KEPT + 5, KEPT + 6
    for part in range(2):
        code.add("and", going[part], scalar(mask + part), scalar(EXEC + part))
        code.add("xor", staying[part], going[part], scalar(EXEC + part))
    count_going = code.scalar("add", *[code.scalar("popc", one) for one in going])
    count_staying = code.scalar("add", *[code.scalar("popc", one) for one in staying])
    code.add("minu", both, code.scalar("minu", count_going, count_staying), Number(1))
    # The side that runs: the one with lanes where only one has any; else the one with fewer, and that which goes where both have as many.
    fewer = code.scalar("sltu", count_staying, count_going)
    code.add("sel", goes, code.scalar("xor", fewer, Number(1)), code.scalar("sne", count_going, zero), both)
    code.add("mov", address, to)
    place = code.scalar("sel", code.scalar("shl", CSP, Number(2)), Number(NOWHERE), both)
    entry = [code.scalar("sel", staying[part], going[part], goes) for part in range(2)]
    entry += [code.scalar("sel", following, address, goes), code.scalar("mov", zero)]
    for part, word in enumerate(entry):
        code.add("put_scalar", a=place, b=word, imm=part)
    for part in range(2):
        code.add("sel", scalar(EXEC + part), going[part], staying[part], goes)
    code.add("add", CSP, CSP, both)
    code.add("jump_register", a=code.scalar("sel", address, following, goes))


def _fork_to_register(code: Code) -> None:
    _fork(code, code.place("a"), scalar(code.place("b")))


def _fork_to_target(code: Code) -> None:
    _fork(code, code.place("d"), Number(_target(code)))


def _join(code: Code) -> None:
    below = scalar(code.place("a"))
    some = code.scalar("sne", CSP, below)
    code.add("sub", CSP, CSP, some)
    place = code.scalar("shl", CSP, Number(2))
    words = [code.scalar("get_scalar", place, imm=part) for part in range(3)]
    for part in range(2):
        code.add("sel", scalar(EXEC + part), words[part], scalar(EXEC + part), some)
    code.add("jump_register", a=code.scalar("sel", words[2], Number(code.following), some))


def _move_from_indexed(words: int) -> Lower:
    def lower(code: Code) -> None:
        found = [code.scalar("get_scalar", scalar(M0), imm=code.place("a") + part) for part in range(words)]
        code.put_scalar(*found)

    return lower


def _move_to_indexed(words: int) -> Lower:
    def lower(code: Code) -> None:
        values = [code.of_code(code.place("a"), part) for part in range(words)]
        for part, value in enumerate(values):
            held = code.scalar("mov", value)
            code.add("put_scalar", a=scalar(M0), b=held, imm=code.place("d") + part)

    return lower


def _part(code: Code) -> tuple[int, int]:
    """(first bit, bits) of the part of a hardware register that an instruction names."""
    number = code.field("simm16")
    return number >> 6 & 31, (number >> 11 & 31) + 1


def _get_register(code: Code) -> None:
    first, bits = _part(code)
    register = code.field("simm16") & 63
    if register == MODE:
        value: Value = code.scalar("or", code.scalar("shl", CSP, Number(HEIGHT_BIT)), Number(USUAL_MODE))
    elif register == MEMORY_BASES:  # the upper half of each high word
        value = Number(APERTURES[SHARED_BASE][1] | APERTURES[PRIVATE_BASE][1] >> 16)
    else:
        code.refuse("of the hardware's registers this machine has MODE and SH_MEM_BASES alone")
    value = code.scalar("shr", value, Number(first))
    code.put_scalar(code.scalar("and", value, Number((1 << bits) - 1)))


def _set_register(constant: bool) -> Lower:
    """Denormal floats are kept whatever MODE says of them; CSP can be set. Rounding is to nearest, ties to even."""

    def lower(code: Code) -> None:
        first, bits = _part(code)
        if code.field("simm16") & 63 != MODE:
            code.refuse("of the hardware's registers a program can set MODE alone")
        value: Value = Number(code.written.literal or 0) if constant else code.target()
        rounds = first < 4 and not (isinstance(value, Number) and value.value & ((1 << min(bits, 4 - first)) - 1) == 0)
        if rounds:
            code.refuse("floats are rounded to nearest, ties to even: MODE cannot be set to a different way")
        if first <= HEIGHT_BIT and first + bits == 32:
            up = code.scalar("shr", value, Number(HEIGHT_BIT - first))
            code.add("and", CSP, up, Number(7))
        if not code.uops:
            _nothing(code)

    return lower


def _rows() -> list[Row]:
    def one(name: str, opcode: int, operands: str, lower: Lower, meaning: str) -> Row:
        return Row("s_" + name, "SOPP", opcode, operands, lower, meaning)

    nothing = _nothing
    rows = [
        one("nop", 0, "imm", nothing, "nothing, for number + 1 wait states"),
        one("endpgm", 1, "", _plain("exit_warp"), "the wave ends"),
        one("branch", 2, "target", _jump, "jump"),
        one("wakeup", 3, "", nothing, "wakes the waves of its block that sleep"),
        one("cbranch_scc0", 4, "target", _branch(_scc, True), "jump where SCC is 0"),
        one("cbranch_scc1", 5, "target", _branch(_scc, False), "jump where SCC is 1"),
        one("cbranch_vccz", 6, "target", _branch(_any(VCC), True), "jump where VCC is 0"),
        one("cbranch_vccnz", 7, "target", _branch(_any(VCC), False), "jump where VCC is not 0"),
        one("cbranch_execz", 8, "target", _branch(_any(EXEC), True), "jump where no lane is active"),
        one("cbranch_execnz", 9, "target", _branch(_any(EXEC), False), "jump where some lane is active"),
        one("barrier", 10, "", _plain("barrier"), "waits until all waves of the block have arrived"),
        one("waitcnt", 12, "waitcnt", nothing, "waits until at most so many accesses are in flight"),
        one("sethalt", 13, "imm", nothing, "stops the wave for a debugger: nothing here"),
        one("sleep", 14, "imm", nothing, "a pause of about 64 * number cycles"),
        one("setprio", 15, "imm", nothing, "the wave's priority: nothing here"),
        one("sendmsg", 16, "message", nothing, "a message to the host: nothing here"),
        one("sendmsghalt", 17, "message", nothing, "a message to the host: nothing here"),
        one("trap", 18, "imm", _trap, "stops the kernel"),
        one("icache_inv", 19, "", nothing, "empties the instruction cache"),
        one("incperflevel", 20, "imm", nothing, "counts for a profiler: nothing here"),
        one("decperflevel", 21, "imm", nothing, "counts for a profiler: nothing here"),
        one("ttracedata", 22, "", nothing, "a mark for a profiler: nothing here"),
        Row("s_cbranch_g_fork", "SOP2", 41, "a2 b2", _fork_to_register, "lanes of mask a go to address b; of two sides the smaller first"),
        Row("s_cbranch_i_fork", "SOPK", 16, "d2 target", _fork_to_target, "lanes of mask d go to target; of two sides the smaller first"),
        Row("s_cbranch_join", "SOP1", 46, "a", _join, "the side that waits, until the stack has a entries"),
        Row("s_getpc_b64", "SOP1", 28, "d2", _program_counter, "d = address of the next instruction"),
        Row("s_setpc_b64", "SOP1", 29, "a2", _jump_to, "jump to address a"),
        Row("s_swappc_b64", "SOP1", 30, "d2 a2", _swap, "d = address of the next instruction; jump to address a"),
        Row("s_call_b64", "SOPK", 21, "d2 target", _call, "d = address of the next instruction; jump"),
        Row("s_movrels_b32", "SOP1", 42, "d a", _move_from_indexed(1), "d = the scalar register M0 after a"),
        Row("s_movrels_b64", "SOP1", 43, "d2 a2", _move_from_indexed(2), "d = the scalar registers M0 after a"),
        Row("s_movreld_b32", "SOP1", 44, "d a", _move_to_indexed(1), "the scalar register M0 after d = a"),
        Row("s_movreld_b64", "SOP1", 45, "d2 a2", _move_to_indexed(2), "the scalar registers M0 after d = a"),
        Row("s_getreg_b32", "SOPK", 17, "d hwreg", _get_register, "d = bits of a hardware register"),
        Row("s_setreg_b32", "SOPK", 18, "hwreg d", _set_register(False), "bits of a hardware register = d"),
        Row("s_setreg_imm32_b32", "SOPK", 20, "hwreg literal", _set_register(True), "bits of a hardware register = a number"),
    ]
    return rows


ROWS = tuple(_rows())
