"""Warps and blocks: barriers, shuffles, votes, matches, reductions. PTX ISA 9.7.9 (shfl) and 9.7.13 (bar, vote, match, redux)."""

from __future__ import annotations

from warploom.checks.bounds import LANES as LANES_THERE
from warploom.checks.bounds import QUESTIONS
from warploom.compiler.ssa import Value
from warploom.ptx.integers import Rule, negated
from warploom.ptx.module import Instruction, Name
from warploom.ptx.notes import Stopped
from warploom.ptx.recursion import STACK
from warploom.ptx.translation import WORD, Translation

NAMES = {"up": "__shfl_up_sync", "down": "__shfl_down_sync", "bfly": "__shfl_xor_sync", "idx": "__shfl_sync"}
SHUFFLES = {"up": "shuffle_up", "down": "shuffle_down", "bfly": "shuffle_xor", "idx": "shuffle"}
LANES = 32


def _mask(t: Translation, one: Instruction, place: int) -> Value:
    return t.exact(one.operands[place], "u32") if "sync" in one.modifiers and place < len(one.operands) else t.whole(WORD)


def _ask(t: Translation, name: str, mask: Value) -> None:
    """A kernel that is checked asks whether the lanes are there that a mask names. name: the function's, in CUDA C++."""
    if t.checked:
        t.b.effect("ask", mask, imm=-1 - LANES_THERE - QUESTIONS * len(t.questions))
        t.questions.append((LANES_THERE, name))


def ballot(t: Translation, truth: Value) -> Value:
    """A bit a lane: those that are here and for which something is true."""
    found = t.b.effect("ballot", truth, type="u64")
    found.lo, found.hi = 0, WORD
    return found


def barrier(t: Translation, one: Instruction) -> None:
    """`bar`, `barrier`."""
    words = one.modifiers
    if "cluster" in words or (one.op == "barrier" and "arrive" in words and "cluster" in words):
        raise t.refuse(f"{one}: clusters of blocks are not there yet")
    if "warp" in words:
        t.b.effect("syncwarp", t.exact(one.operands[0], "u32") if one.operands else t.whole(WORD))
        return
    if "red" in words:
        _counted(t, one)
        return
    number = t.exact(one.operands[0], "u32") if one.operands else t.whole(0)
    if len(one.operands) > 1:
        threads = t.exact(one.operands[1], "u32")
        t.b.effect("barrier", number, t.pure("shr", threads, t.whole(5), type="u64"), imm="arrive" if "arrive" in words else 0)
    elif number.op == "const" and number.imm == 0:
        t.b.effect("barrier")
    else:
        t.b.effect("barrier", number)


def _counted(t: Translation, one: Instruction) -> None:
    """`bar.red`: how many threads' predicates hold, whether all, whether some. Between the number and the predicate may stand a count."""
    name = {"popc": "count", "and": "and", "or": "or"}[next(word for word in one.modifiers if word in ("popc", "and", "or"))]
    if len(one.operands) > 3:
        raise t.refuse(f"{one}: a count over some threads of a block is not there yet")
    number = t.exact(one.operands[1], "u32")
    more = () if number.op == "const" and number.imm == 0 else (number,)
    found = t.b.effect("barrier_count", t.use(one.operands[-1], "pred"), *more, type="i64", imm=name)
    found.lo, found.hi = 0, 1024 if name == "count" else 1
    t.set(found if name == "count" else t.as_type(found, "i1"))


def shuffle(t: Translation, one: Instruction) -> None:
    """`shfl`: in segments of a power of two lanes, as `width` makes them; the second destination says whether the lane is inside.

    Other limits than those are computed with: which lane is meant, and whether it is within them.
    """
    how = next(word for word in one.modifiers if word in SHUFFLES)
    if "sync" in one.modifiers:
        _ask(t, NAMES[how], _mask(t, one, 4))
    item, lane, limits = (t.use(operand, "b32") for operand in one.operands[1:4])
    limits = t.fit(limits, "u32")
    lane = t.pure("and", lane, t.whole(LANES - 1), type="u64")
    if limits.op != "const" or limits.imm & LANES - 1 != (0 if how == "up" else LANES - 1):
        _shuffle_within(t, one, how, item, lane, limits)
        return
    segment = t.pure("sub", t.whole(LANES), t.pure("and", t.pure("shr", limits, t.whole(8), type="u64"), t.whole(LANES - 1), type="u64"))
    found = t.b.effect("shuffle", item, lane, segment, type="u64", imm=SHUFFLES[how])
    found.lo, found.hi = 0, WORD
    t.set(found)
    target = one.operands[0]
    if isinstance(target, Name) and target.second and target.second != "_":
        t.put(target.second, _in_segment(t, how, lane, segment))


def _shuffle_within(t: Translation, one: Instruction, how: str, item: Value, lane: Value, limits: Value) -> None:
    """`shfl` with any limits: bits 8 to 12 are of the lane's number, and stay; bits 0 to 4 end the others. PTX ISA, 9.7.9, `shfl.sync`."""
    own = t.pure("special", imm="lane")
    kept = t.pure("and", t.pure("shr", limits, t.whole(8), type="u64"), t.whole(LANES - 1), type="u64")
    free = t.pure("xor", kept, t.whole(LANES - 1), type="u64")
    begin = t.pure("and", own, kept, type="u64")
    last = t.pure("or", begin, t.pure("and", limits, free, type="u64"), type="u64")
    meant = {
        "up": lambda: t.pure("sub", own, lane, type="i64"), "down": lambda: t.pure("add", own, lane, type="i64"),
        "bfly": lambda: t.pure("xor", own, lane, type="u64"),
        "idx": lambda: t.pure("or", begin, t.pure("and", lane, free, type="u64"), type="u64"),
    }[how]()  # fmt: skip
    inside = negated(t, t.pure("lt", *((meant, last) if how == "up" else (last, meant)), type="i1"))
    found = t.b.effect("shuffle", item, t.pure("sel", inside, meant, own, type="i64"), t.whole(LANES), type="u64", imm=SHUFFLES["idx"])
    found.lo, found.hi = 0, WORD
    t.set(found)
    target = one.operands[0]
    if isinstance(target, Name) and target.second and target.second != "_":
        t.put(target.second, inside)


def _in_segment(t: Translation, how: str, lane: Value, segment: Value) -> Value:
    own = t.pure("and", t.pure("special", imm="lane"), t.pure("sub", segment, t.whole(1)))
    if how == "up":
        return negated(t, t.pure("lt", own, lane, type="i1"))
    if how == "down":
        return t.pure("lt", t.pure("add", own, lane), segment, type="i1")
    if how == "bfly":
        return t.pure("lt", t.pure("xor", own, lane), segment, type="i1")
    return t.b.truth(True)


def vote(t: Translation, one: Instruction) -> None:
    """`vote`: any, all, uni, ballot."""
    mask = _mask(t, one, 2)
    if "sync" in one.modifiers:
        _ask(t, next((f"__{word}_sync" for word in ("any", "all", "ballot") if word in one.modifiers), "vote.sync"), mask)
    truth = t.use(one.operands[1], "pred")
    votes = t.pure("and", ballot(t, truth), mask, type="u64")
    if "ballot" in one.modifiers:
        t.set(votes)
        return
    if "any" in one.modifiers:
        t.set(t.pure("ne", votes, t.whole(0), type="i1"))
        return
    here = t.pure("and", ballot(t, t.b.truth(True)), mask, type="u64")
    every = t.pure("eq", votes, here, type="i1")
    t.set(every if "all" in one.modifiers else t.pure("or", every, t.pure("eq", votes, t.whole(0), type="i1"), type="i1"))


def active(t: Translation, one: Instruction) -> None:
    """`activemask`."""
    t.set(ballot(t, t.b.truth(True)))


def match(t: Translation, one: Instruction) -> None:
    """`match.any`, `match.all`."""
    kind = one.type
    value = t.use(one.operands[1], kind)
    value = t.exact(one.operands[1], "u32") if kind == "b32" else value
    mask = _mask(t, one, 2)
    _ask(t, f"__match_{'any' if 'any' in one.modifiers else 'all'}_sync", mask)
    found = t.b.effect("match", value, type="u64")
    found.lo, found.hi = 0, WORD
    same = t.pure("and", found, mask, type="u64")
    if "any" in one.modifiers:
        t.set(same)
        return
    here = t.pure("and", ballot(t, t.b.truth(True)), mask, type="u64")
    every = t.pure("eq", same, here, type="i1")
    t.set(t.pure("sel", every, here, t.whole(0)))
    target = one.operands[0]
    if isinstance(target, Name) and target.second and target.second != "_":
        t.put(target.second, every)


def reduce(t: Translation, one: Instruction) -> None:
    """`redux`: five exchanges for a whole warp; else every lane of the mask is asked for its number."""
    kind = one.type
    op = next(word for word in one.modifiers if word in ("add", "min", "max", "and", "or", "xor"))
    mask = t.exact(one.operands[2], "u32")
    _ask(t, f"__reduce_{op}_sync", mask)
    value = t.exact(one.operands[1], kind.replace("b", "u"))

    def asked(how: str, other: Value, lane: int) -> Value:
        found = t.b.effect("shuffle", other, t.whole(lane), t.whole(LANES), type="u64", imm=how)
        found.lo, found.hi = 0, WORD
        return t.fit(found, kind.replace("b", "u"))

    if mask.op == "const" and mask.imm == WORD:
        for distance in (16, 8, 4, 2, 1):
            value = t.fit(t.pure(op, value, asked("shuffle_xor", value, distance)), kind.replace("b", "u"))
        t.set(value)
        return
    neutral = {
        "add": 0,
        "or": 0,
        "xor": 0,
        "and": -1,
        "min": (1 << 31) - 1 if kind[0] == "s" else WORD,
        "max": -(1 << 31) if kind[0] == "s" else 0,
    }[op]
    made = t.whole(neutral)
    for lane in range(LANES):
        there = t.pure("ne", t.pure("and", t.pure("shr", mask, t.whole(lane), type="u64"), t.whole(1), type="u64"), t.whole(0), type="i1")
        made = t.pure(op, made, t.pure("sel", there, asked("shuffle", value, lane), t.whole(neutral)))
    t.set(made)


def elect(t: Translation, one: Instruction) -> None:
    """`elect.sync d|p, mask`: the lowest lane of the mask."""
    here = t.pure("and", ballot(t, t.b.truth(True)), t.exact(one.operands[1], "u32"), type="u64")
    lowest = t.pure("ctz", here, imm=32)
    t.set(lowest)
    target = one.operands[0]
    if isinstance(target, Name) and target.second and target.second != "_":
        t.put(target.second, t.pure("eq", t.pure("special", imm="lane"), lowest, type="i1"))


def trap(t: Translation, one: Instruction) -> None:
    """`trap`: the run stops; `trap.stack` of ours says that a thread's stack is full."""
    if one.modifiers == ("stack",):
        t.b.effect("note", imm=len(t.notes))
        size = t.kernel.variables[STACK].size
        t.notes.append(
            Stopped(f"a thread's stack of {size} bytes is full (cudaDeviceSetLimit with cudaLimitStackSize gives more)", stack=True)
        )
    t.b.effect("trap", imm=1)


RULES: dict[str, Rule] = {
    **dict.fromkeys(("bar", "barrier"), barrier), "shfl": shuffle, "vote": vote, "activemask": active, "match": match, "redux": reduce,
    "elect": elect, "trap": trap,
}  # fmt: skip
