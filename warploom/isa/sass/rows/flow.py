"""Rows of control flow, convergence, barriers, and what lanes of a warp do together."""

from __future__ import annotations

from warploom.isa.sass.instruction import Instruction, Modifier, Row, choice, flag
from warploom.isa.sass.operands import Spec, Value, hexadecimal, written
from warploom.isa.sass.places import A, B, C, D, Sources, Target, barrier, number, predicate, register, uniform
from warploom.isa.sass.word import Coded, Field, bits, signed

MODES = ("IDX", "UP", "DOWN", "BFLY")
VOTES = ("ALL", "ANY", "EQ")
REDUCTIONS = ("", "OR", "XOR", "SUM", "MIN", "MAX")
BRANCHES = ("", "U", "DIV", "CONV")
_D = register("d", D)
_ON = predicate("p", 87, 90, optional=True)


class _BranchSource(Spec):
    """What a branch asks besides its guard: a predicate, a uniform one, or of BRA.DIV the mask that the warp has to have."""

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return {"p": bits(87, 3), "p_not": bits(90), "mask": bits(24, 8), "uniform": bits(91)}

    def value(self, one: Coded) -> Value:
        """The predicate."""
        found = super().value(one)
        return found._replace(kind="UP" if one.at(32, 2) == 1 else "P")

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        if one.at(32, 2) >= 2:
            return "~" * one.at(30, 1) + written(Value("UR", one.at(24, 6)))
        value = self.value(one)
        return None if value.number == 7 and not value.inverted else written(value)


class _Base(Spec):
    """The register that is added to a target: written before it, without a comma."""

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        return None if one.form == 4 and one.name == "CALL" else written(self.value(one))


class _Absolute(Target):
    """An address, in the form that has one in place of a register."""

    def value(self, one: Coded) -> Value:
        """The address."""
        return Value("target", one.at(32, 32) if one.form == 4 else -1)

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        return f"{one.at(32, 32):#x}" if one.form == 4 else None


class _Lane(Spec):
    """The lane, or the mask, of SHFL: an immediate in some forms."""

    def value(self, one: Coded) -> Value:
        """What it is in an instruction."""
        if self.role == "lane":
            return Spec("lane", "imm", 53, width=5).value(one) if one.form in (4, 7) else register("lane", B).value(one)
        return Spec("mask", "imm", 40, width=13).value(one) if one.form in (2, 7) else register("mask", C).value(one)

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        if self.role == "lane":
            return {"lane": bits(53, 5) if form in (4, 7) else bits(B, 8)}
        return {"mask": bits(40, 13) if form in (2, 7) else bits(C, 8)}

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        value = self.value(one)
        return written(value, reused=value.kind == "R" and one.reused("b" if self.role == "lane" else "c"))


class _Number(Spec):
    """BAR: the barrier's number, or the threads that it waits for: numbers or registers."""

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        if self.role == "barrier":
            return {"barrier": bits(54, 4) if form in (4, 5) else bits(B, 8)}
        return {"threads": bits(42, 12) if form in (2, 4, 5) else bits(C, 8)}

    def value(self, one: Coded) -> Value:
        """What it is in an instruction."""
        if self.role == "barrier":
            return Spec("barrier", "imm", 54, width=4).value(one) if one.form in (4, 5) else register("barrier", B).value(one)
        return Spec("threads", "imm", 42, width=12).value(one) if one.form in (2, 4, 5) else register("threads", C).value(one)

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        if self.role == "threads" and one.form == 1 and one.architecture >= 90:
            return written(register("barrier", B).value(one))
        if self.role == "threads" and one.form == 6:
            return None
        if self.role == "threads" and not self.value(one).number:
            return None
        return written(self.value(one))


class _Unless(Spec):
    """A destination that is left out where it is the register that is 0."""

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        return None if self.value(one).zero else super().text(one)


class _Lanes(Spec):
    """The lanes that WARPSYNC waits for: a register, whose place has moved on sm_90, or a number that sm_90 has no more."""

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return {"lanes": bits(B, 32), "lanes_register": bits(A, 8)}

    def value(self, one: Coded) -> Value:
        """What it is in an instruction."""
        if _waits_for_all(one):
            return Value("imm", 0xFFFFFFFF)
        if one.form == 4:
            return Value("imm", one.at(B, 32))
        return Value("R", one.at(A if one.architecture >= 90 else B, 8))

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        return None if _waits_for_all(one) else written(self.value(one))


def _waits_for_all(one: Coded) -> bool:
    return one.form == 4 and one.architecture >= 90


def is_collective(one: Coded) -> bool:
    """Whether a WARPSYNC begins a collective piece."""
    return one.at(85, 2) == 2 and one.architecture >= 90


def takes_turns(one: Coded) -> bool:
    """Whether the parts of a warp go on one after the other from a WARPSYNC on."""
    return one.at(85, 2) == (1 if one.architecture >= 90 else 2)


class _Kind(Modifier):
    """How WARPSYNC waits: sm_90 has moved EXCLUSIVE."""

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        return (("", "", "EXCLUSIVE", "") if one.architecture < 90 else ("", "EXCLUSIVE", "COLLECTIVE", ""))[one.at(85, 2)]


class _Distance(Target):
    """Where an indirect branch goes when its register is 0: written as a distance."""

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        distance = self.value(one).number - one.address - 16
        return f"{distance:#x}" if distance >= 0 else f"-{-distance:#x}"


class _Here(Spec):
    """The address that LEPC gives: its own, or since sm_90 that of a target, counted in bytes from the next instruction on."""

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return {"distance": bits(A, 58)}

    def value(self, one: Coded) -> Value:
        """The address."""
        return Value("target", one.address + (16 + signed(one.at(A, 58), 58) if one.architecture >= 90 else 0))

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        return hexadecimal(self.value(one).number) if one.architecture >= 90 else None


def _reduces(one: Instruction) -> bool:
    return one.at(77, 3) == 2


_BAR_MODIFIERS = (
    choice("operation", 77, 3, ("SYNC", "ARV", "RED", "SCAN", "SYNCALL")),
    choice("reduction", 74, 2, ("POPC", "AND", "OR"), _reduces),
    flag(80, "DEFER_BLOCKING"),
)
ROWS: tuple[Row, ...] = (
    Row(0x118, "NOP", (), (), "nothing"),
    Row(0x14D, "EXIT", (_ON,), (choice("kind", 84, 2, ("", "KEEPREFCOUNT", "PREEMPTED")),), "lanes end"),
    Row(
        0x147,
        "BRA",
        (_BranchSource("p", "P", 87, inverted=90), Target("target", "", 34)),
        (choice("kind", 32, 2, BRANCHES), flag(84, "ANY")),
        "lanes jump",
    ),
    Row(0x145, "BSSY", (_ON, barrier("barrier", D), Target("target", "", 34, count=30, more=False)), (), "barrier = active lanes"),
    Row(0x141, "BSYNC", (_ON, barrier("barrier", D)), (), "waits for the lanes of barrier"),
    Row(0x142, "BREAK", (_ON, barrier("barrier", D)), (), "active lanes leave barrier"),
    Row(
        0x143,
        "CALL",
        (_ON, _Base("a", "R", A), _Absolute("target", "", 34)),
        (choice("kind", 105, 0, {0: "ABS"}), choice("count", 86, 1, ("", "NOINC"))),
        "lanes jump to an address",
    ),
    Row(
        0x144,
        "CALL",
        (_ON, _Base("a", "R", A), Target("target", "", 34)),
        (choice("kind", 105, 0, {0: "REL"}), choice("count", 86, 1, ("", "NOINC"))),
        "lanes jump",
        joined=True,
    ),
    Row(
        0x150,
        "RET",
        (_ON, _Base("a", "R", A), Target("target", "", 34)),
        (choice("kind", 105, 0, {0: "REL"}), choice("count", 86, 1, ("", "NODEC"))),
        "lanes jump to target + a",
        joined=True,
    ),
    Row(
        0x149,
        "BRX",
        (_ON, _Base("a", "R", A), _Distance("target", "", 34)),
        (choice("kind", 32, 2, BRANCHES),),
        "lanes jump to target + a",
        joined=True,
    ),
    Row(0x146, "YIELD", (_ON,), (), "a hint: others may run"),
    Row(
        0x148,
        "WARPSYNC",
        (_ON, _Lanes("b", "R", B), Target("target", "", 34, when=is_collective)),
        (_Kind("kind", bits(85, 2), {}), choice("all", 105, 0, {0: "ALL"}, _waits_for_all)),
        "waits for the lanes in b",
    ),
    Row(0x11B, "ENDCOLLECTIVE", (_ON,), (), "ends a collective piece"),
    Row(0x155, "BMOV", (_D, barrier("barrier", A)), (choice("kind", 105, 0, {0: "32"}), flag(84, "CLEAR")), "d = barrier"),
    Row(0x156, "BMOV", (barrier("barrier", A + 0), register("b", B)), (choice("kind", 105, 0, {0: "32"}),), "barrier = b"),
    Row(0x14E, "LEPC", (_D, _Here("target", "", A)), (), "d = its own address; of a target since sm_90"),
    Row(0x15C, "BPT", (number("code", 34, 10),), (choice("kind", 84, 3, ("DRAIN", "CAL", "PAUSE", "TRAP", "INT", "", "", "")),), "stops"),
    Row(0x15B, "KILL", (_ON,), (), "lanes end"),
    Row(0x15D, "NANOSLEEP", (_ON, Sources("b", "", B)), (flag(85, "WARP"),), "a hint: waits"),
    Row(
        0x11D,
        "BAR",
        (_Number("barrier", "", 54), _Number("threads", "", 42), predicate("p", 87, 90, when=_reduces)),
        _BAR_MODIFIERS,
        "waits for the block",
    ),
    Row(
        0x11C,
        "B2R",
        (_D, predicate("p", 81, when=lambda one: one.at(81, 3) != 7)),
        (choice("kind", 105, 0, {0: "RESULT"}),),
        "d = the result of BAR.RED, p = it is not 0",
    ),
    Row(
        0x189,
        "SHFL",
        (predicate("p", 81), _D, register("a", A), _Lane("lane", "", 53), _Lane("mask", "", 40)),
        (choice("mode", 58, 2, MODES),),
        "d = a of another lane",
    ),
    Row(
        0x006,
        "VOTE",
        (_Unless("d", "R", D), predicate("q", 81), predicate("p", 87, 90)),
        (choice("vote", 72, 2, VOTES),),
        "d = the lanes in which p holds",
    ),
    Row(
        0x086,
        "VOTEU",
        (_Unless("d", "UR", D), predicate("q", 81, uniform=True), predicate("p", 87, 90)),
        (choice("vote", 72, 2, VOTES),),
        "d = the lanes in which p holds",
    ),
    Row(
        0x1A1,
        "MATCH",
        (predicate("p", 81, when=lambda one: not one.at(79, 1)), _D, register("a", A)),
        (flag(79, "ANY", "ALL", "any"), flag(73, "U64")),
        "lanes with the same a",
    ),
    Row(
        0x1C4,
        "REDUX",
        (uniform("d", D), register("a", A)),
        (choice("operation", 78, 3, REDUCTIONS), flag(73, "S32")),
        "d = a of all lanes, combined",
    ),
    Row(0x02F, "ELECT", (predicate("p", 81), uniform("d", D), predicate("q", 87, 90)), (), "p = in one lane of the warp"),
)
