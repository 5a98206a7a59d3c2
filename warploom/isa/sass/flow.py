"""What control flow, barriers and instructions of a whole warp do.

Convergence barriers (BSSY, BSYNC, BREAK) say where lanes that part come together. Where every lane has a PC of its own (its) they do; other
mechanisms of divergence find that out themselves, so that the same code runs under all of them.
"""

from __future__ import annotations

from warploom.isa import uop as u
from warploom.isa.sass.code import ONE, ONES, RESULT, ZERO, Bank, Code, Number, Operand
from warploom.isa.sass.integers import bit
from warploom.isa.sass.operands import IMMEDIATE
from warploom.isa.sass.word import ALWAYS
from warploom.isa.uop import EMPTIES, NEGATE, NONE, SPECIAL_NUMBER, scalar


def nothing(code: Code) -> None:
    """What means nothing here."""
    code.add("nop")


def _where(code: Code) -> int:
    target = code.one.target
    found = code.kernel.number_of.get(target if target is not None else -1)
    if found is None:
        code.refuse(f"there is no instruction at {target:#x}" if target is not None and target >= 0 else "its target is outside the kernel")
    return found or 0


def _where_it_is(code: Code) -> int:
    return code.kernel.number_of[code.one.address]


def branch(code: Code) -> None:
    """BRA: by its guard and by a predicate. DIV and CONV ask whether the warp is whole: it always is to them."""
    kind = code.one.at(32, 2)
    if kind == 2:
        code.add("nop")
        return
    target = _where(code)
    if kind == 1 and bit(code, 84):
        holds = code.add("sne", code.scalar_temporary(), code.mask_of(code.one.guard._replace(inverted=False)), ZERO)
        if code.one.guard.inverted:
            code.refuse("a branch by any lane without a predicate is something that this machine does not have")
        code.add("branch", NONE, _lane(code, holds), imm=1, target=target)
        return
    conditions = [one for one in (code.one.guard, *([code.value("p")] if kind != 3 else [])) if not one.true]
    if not conditions:
        code.add("jump", target=target)
        return
    if len(conditions) == 1 and conditions[0].number != ALWAYS:
        truth = code.truth(conditions[0]._replace(inverted=False))
        code.add("branch", NONE, _lane(code, truth), imm=1, target=target, flags=NEGATE if conditions[0].inverted else 0)
        return
    first, *rest = [code.truth(one) for one in conditions]
    holds = code.add("and", code.temporary(), first, rest[0] if rest else ONE)
    code.add("branch", NONE, holds, imm=1, target=target)


def _lane(code: Code, truth: Operand) -> int:
    """A truth as a lane register."""
    return truth if isinstance(truth, int) and truth < u.SCALAR else code.add("mov", code.temporary(), truth)


def leave(code: Code) -> None:
    """EXIT, KILL."""
    value = code.value("p")
    if not value.true:
        if code.predicate != NONE:
            holds = code.new("lane_bit", code.predicate)
            holds = code.new("xor", holds, ONE) if code.flags else holds
            mask = code.mask_temporary()
            code.add("ballot", mask, code.new("and", holds, code.truth(value)))
        else:
            mask = code.mask_of(value._replace(inverted=False)) if value.number != ALWAYS else code.mask_temporary()
            if value.number == ALWAYS:
                code.add("ballot", mask, ZERO)
            elif value.inverted:
                code.add("exit", predicate=mask, flags=u.NEGATE_PREDICATE)
                return
        code.add("exit", predicate=mask)
        return
    code.put("exit")


def call(code: Code) -> None:
    """CALL.REL: a jump, to an address or to what a register holds from there on; where to come back to is in a register already."""
    if code.one.form == 1 and code.value("a").number != 255:
        code.put("jump_register", NONE, code.value("a").number, imm=(code.one.target or 0) & ONES)
        return
    code.put("call", code.temporary(), target=_where(code))


def comes_back(code: Code) -> None:
    """RET.REL: to what a register holds, from the target on."""
    target = code.one.target or 0
    if target < 0:
        code.refuse("its target is outside the kernel")
    code.put("jump_register", NONE, code.value("a").number, imm=target)


def indirect(code: Code) -> None:
    """BRX: to an offset in a register, from the next instruction and an offset on."""
    code.put("jump_register", NONE, code.value("a").number, imm=(code.one.target or 0) & ONES)


def converge(code: Code) -> None:
    """BSSY: the lanes that will wait for each other."""
    _named(code, "converge")


def await_lanes(code: Code) -> None:
    """BSYNC."""
    _named(code, "await_lanes")


def leave_lanes(code: Code) -> None:
    """BREAK."""
    _named(code, "leave_lanes")


def _named(code: Code, name: str) -> None:
    on = code.one.values.get("p")
    if on is not None and not on.true:
        code.refuse("a convergence barrier under a predicate beside its guard is something that this machine does not have")
    code.put(name, imm=code.value("barrier").number)


def move_barrier(code: Code) -> None:
    """BMOV: a convergence barrier into a register, and back."""
    number = code.value("barrier").number
    if "b" in code.one.values:
        code.put("write_converging", NONE, code.plain(code.value("b")), imm=number)
    else:
        code.put("read_converging", code.target(), imm=number + (EMPTIES if bit(code, 84) else 0))


def sync_warp(code: Code) -> None:
    """WARPSYNC. EXCLUSIVE: lanes that name the same lanes go on together to the next BSYNC, then those that name others."""
    if code.one.values.get("b") is None:
        code.add("sync_warp")
        return
    mask = code.plain(code.value("b"))
    meets = code.kernel.meets.get(code.one.address)
    if meets is not None and code.predicate == NONE and isinstance(mask, int):
        code.add("ballot", active := code.mask_temporary(), ONE)
        code.add("ctz", leader := code.scalar_temporary(), active)
        code.add("shuffle", leader, mask, leader)
        other = code.add("sne", code.temporary(), mask, leader)
        code.add("branch", NONE, other, imm=1, target=_where_it_is(code), reconverge=meets)
        return
    code.add("sync_warp", NONE, mask, ZERO)


def hint(code: Code) -> None:
    """YIELD."""
    code.add("yield")


def sleep(code: Code) -> None:
    """NANOSLEEP: the lanes rest."""
    code.add("sleep", NONE, code.plain(code.value("b")))


def trap(code: Code) -> None:
    """BPT."""
    code.put("trap", imm=1)


def barrier(code: Code) -> None:
    """BAR: SYNC waits, ARV only counts, RED waits and counts a predicate."""
    operation, how = code.one.at(77, 3), code.one.at(74, 2)
    number, threads = code.value("barrier"), code.value("threads")
    place: Operand = number.number if number.kind != IMMEDIATE else NONE
    more = {"imm": number.number} if number.kind == IMMEDIATE else {}
    count: Operand = NONE
    if code.one.form == 1 and code.one.architecture >= 90:
        packed = number.number  # the barrier's number below, and from bit 16 on the threads that it waits for; 0: those of the block
        place = code.new("and", packed, Number(15))
        block = code.new("mul", code.new("mul", Bank(0, 0), Bank(0, 4)), Bank(0, 8))
        told = code.new("shr", packed, Number(16))
        threads_there = code.new("sel", told, block, told)
        count = code.new("shr", code.new("add", threads_there, Number(31)), Number(5))
        threads = threads._replace(kind=IMMEDIATE, number=0)
    counted = code.one.form != 6 and not (threads.kind == IMMEDIATE and threads.number == 0) and not threads.zero
    if counted:
        if threads.kind == IMMEDIATE:
            count = code.add("mov", code.scalar_temporary(), Number(threads.number // 32))
        else:
            count = code.new("shr", threads.number, Number(5))
    if operation == 2:
        name = ("barrier_count", "barrier_and", "barrier_or")[how if how < 3 else 0]
        if counted:
            code.refuse("a count over some threads of a block is something that this machine does not have")
        code.add(name, code.kernel.registers + RESULT, place, NONE, _lane(code, code.predicate_of("p")), **more)
    elif operation in (0, 1):
        code.add("barrier" if operation == 0 else "barrier_arrive", NONE, place, count, **more)
    else:
        code.refuse("this kind of barrier is something that this machine does not have")


def barrier_result(code: Code) -> None:
    """B2R.RESULT: what BAR.RED has counted, and whether that is not 0."""
    if not code.value("d").zero:
        code.put("mov", code.target(), code.kernel.registers + RESULT)
    place = code.flag("p")
    if place is not None:
        code.put("sne", place, code.kernel.registers + RESULT, ZERO)


def shuffle(code: Code) -> None:
    """SHFL: a of another lane of the segment, if that is in its bounds."""
    mode, a = code.one.at(58, 2), code.plain(code.value("a"))
    lane, mask = code.plain(code.value("lane")), code.plain(code.value("mask"))
    code.latency = u.L_SHUFFLE
    if a == ZERO:
        a = code.new("mov", ZERO)
    quick = {0: "shuffle", 1: "shuffle_up", 2: "shuffle_down", 3: "shuffle_xor"}[mode]
    whole = mask == Number(0 if mode == 1 else 31)
    if whole and code.flag("p") is None and not (mode == 0 and not isinstance(lane, Number)):
        code.put(quick, code.target(), a, lane)
        return
    own = code.new("special", imm=SPECIAL_NUMBER["lane"])
    segment = code.new("and", code.new("shr", mask, Number(8)), Number(31))
    first = code.new("and", own, segment)
    last = code.new("or", first, code.new("and", code.new("and", mask, Number(31)), code.new("xor", segment, Number(31))))
    lane = code.made("and", lane, 31)
    if mode == 1:
        other = code.new("sub", own, lane)
        inside = code.new("xor", code.new("slt", other, last), ONE)
    else:
        if mode == 0:
            other = code.new("or", first, code.new("and", lane, code.new("xor", segment, Number(31))))
        else:
            other = code.new("add" if mode == 2 else "xor", own, lane)
        inside = code.new("xor", code.new("slt", last, other), ONE)
    code.put("shuffle", code.target(), a, code.new("sel", other, own, inside))
    code.set_flag("p", inside)


def _voters(code: Code, truth: Operand) -> int:
    """The active lanes in which something holds, as a pair of scalar registers."""
    mask = code.mask_temporary()
    code.put("ballot", mask, truth)
    return mask


def vote(code: Code) -> None:
    """VOTE, VOTEU: which active lanes have a predicate, and whether all, any or equally many do."""
    kind = code.one.at(72, 2)
    mask = _voters(code, code.predicate_of("p"))
    if not code.value("d").zero:
        code.put("mov", code.target(), mask)
    place = code.flag("q")
    if place is None:
        return
    if kind == 1:
        code.put("sne", place, mask, ZERO)
        return
    everyone = _voters(code, ONE)
    whole = code.add("seq", code.scalar_temporary(), mask, everyone)
    if kind == 2:
        none = code.add("seq", code.scalar_temporary(), mask, ZERO)
        whole = code.add("or", code.scalar_temporary(), whole, none)
    code.put("mov", place, whole)


def match(code: Code) -> None:
    """MATCH: the lanes with the same value; ALL: those of the warp, if all have."""
    found = code.put("match_any", code.temporary(), _lane(code, code.plain(code.value("a"))), imm=0)
    if bit(code, 73):
        high = code.put("match_any", code.temporary(), _lane(code, code.plain(code.value("a"), 1)), imm=0)
        found = code.new("and", found, high)
    if bit(code, 79):
        code.put("mov", code.target(), found)
        return
    everyone = _voters(code, ONE)
    same = code.new("seq", found, everyone)
    code.put("sel", code.target(), found, ZERO, same)
    code.set_flag("p", same)


def reduce(code: Code) -> None:
    """REDUX: AND, OR, XOR, sum, minimum or maximum over the active lanes, a lane after another."""
    operation, sign = code.one.at(78, 3), bit(code, 73)
    names = ("and", "or", "xor", "add", "min" if sign else "minu", "max" if sign else "maxu")
    neutral = (ONES, 0, 0, 0, 0x7FFFFFFF if sign else ONES, 0x80000000 if sign else 0)
    if operation > 5:
        code.refuse("this reduction is something that this machine does not have")
    mask, total, other = _voters(code, ONE), scalar(u.HIDDEN_SCALARS + 12), scalar(u.HIDDEN_SCALARS + 13)
    value = code.plain(code.value("a"))
    own = value if isinstance(value, int) else code.new("mov", value)
    taken = scalar(u.HIDDEN_SCALARS + 14)
    code.add("mov", total, Number(neutral[operation]))
    for lane in range(32):
        code.add("shuffle", other, own, Number(lane))
        code.add("and", taken, mask, Number(1 << lane))
        if neutral[operation]:
            code.add("mov", scalar(u.HIDDEN_SCALARS + 15), Number(neutral[operation]))
            code.add("sel", other, other, scalar(u.HIDDEN_SCALARS + 15), taken)
        else:
            code.add("sel", other, other, ZERO, taken)
        code.add(names[operation], total, total, other)
    code.put("mov", code.target(), total)
    code.latency = u.L_SHUFFLE
