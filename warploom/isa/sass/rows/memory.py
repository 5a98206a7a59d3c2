"""Rows of memory: loads, stores, atomic operations, fences."""

from __future__ import annotations

from typing import Any

from warploom.isa.sass.instruction import Instruction, Modifier, Row, choice, flag
from warploom.isa.sass.operands import Spec
from warploom.isa.sass.places import A, Address, B, BankAddress, C, D, is_set, number, predicate, register, uniform
from warploom.isa.sass.word import Coded, Field, bits, get, signed

TYPES = ("U8", "S8", "U16", "S16", "", "64", "128", "U.128")
SIZES = (1, 1, 2, 2, 4, 8, 16, 16)
EVICTIONS = ("EF", "", "EL", "LU", "EU", "NA")
ORDERS = (
    "", "CONSTANT.PRIVATE", "CONSTANT.CTA", "CONSTANT.CTA.PRIVATE", "CONSTANT", "STRONG.SM", "STRONG.GPU.PRIVATE", "STRONG.GPU", "MMIO.GPU",
    "CONSTANT.SM", "STRONG.SYS", "CONSTANT.SM.PRIVATE", "MMIO.SYS", "CONSTANT.VC", "CONSTANT.VC.PRIVATE", "CONSTANT.GPU",
)  # fmt: skip
OPERATIONS = ("ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "SAFEADD")
ATOMIC_TYPES = ("", "S32", "64", "F32.FTZ.RN", "F16x2.RN", "S64", "F64.RN")
COPY_TARGET = bits(44, 20)
FLOAT_TYPES = {0: "F16x2.RN", 1: "F16x2.RN", 3: "BF16x2.RN", 9: "F32.FTZ.RN", 10: "F32.FTZ.RN", 15: "F64.RN"}
WIDE, TYPE = flag(72, "E", role="wide_address"), choice("type", 73, 3, TYPES)


class _Order(Modifier):
    """What an access is ordered with, and by whom it is seen; before sm_80 two fields of two bits."""

    def text(self, one: Instruction) -> str:
        """How a listing writes it."""
        number = get(one.word, self.field)
        if one.architecture >= 80:
            return self.names.get(number, f"INVALID{number}")
        how = ("CONSTANT", "", "STRONG", "MMIO")[number >> 2]
        return ".".join(filter(None, (how, ("CTA", "SM", "GPU", "SYS")[number & 3])))


ORDER, EVICTION = _Order("order", bits(77, 4), dict(enumerate(ORDERS))), choice("eviction", 84, 3, EVICTIONS)
PREFETCH = choice("prefetch", 68, 2, ("", "LTC64B", "LTC128B", "LTC256B"))
_D, _DATA = register("d", D), register("data", B)
_LOADED_BY = predicate("p", 81, optional=True)


def _global(at: int = 32) -> Spec:
    return Address("address", "", A, uniform_at=at)


def _shared_by_all() -> Spec:
    """The address of atomic operations, whose operation has the bits that the others have for the address."""
    return Address("address", "", A, uniform_at=C, descriptor_at=71, pair_at=72)


def _compared() -> Spec:
    return Address("address", "", A, uniform_at=C, pair_at=90, always_descriptor=True)


class _Scoreboards(Spec):
    """Scoreboards that are waited for too: `{1,0}`."""

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        found = [str(bit) for bit in range(self.width - 1, -1, -1) if one.at(self.at, self.width) >> bit & 1]
        return f"{{{','.join(found)}}}" if found else None


class _Target(Spec):
    """Where in shared memory a copy goes: a register and an offset of 20 bits."""

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return super().fields(form) | {"target_offset": COPY_TARGET}

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        offset = target_offset(one)
        added = f"+{offset:#x}" if offset > 0 else f"+-{-offset:#x}" if offset < 0 else ""
        return f"[{super().text(one)}{added}]"


def target_offset(one: Coded) -> int:
    """The offset of a copy's place in shared memory, in bytes."""
    return signed(get(one.word, COPY_TARGET), 20)


def _own(at: int = 32) -> Spec:
    return Address("address", "", A, uniform_at=at, own=True)


def _atomic(code: int, name: str, operands: tuple[Spec, ...], *modifiers: Modifier, **more: Any) -> Row:
    more.setdefault("others", {"bit70": bits(70)})
    return Row(code, name, operands, modifiers, "memory = an operation of memory and data; d = the old value", **more)


def _reduced(one: Instruction) -> str:
    """RED has a longer name since sm_90."""
    return "REDG" if one.architecture >= 90 else "RED"


_OPERATION = choice("operation", 87, 4, OPERATIONS)
_REDUCTION = choice("operation", 87, 3, OPERATIONS[:8])
_ATOMIC_TYPE = choice("type", 73, 3, ATOMIC_TYPES)


class _Compares(Modifier):
    """Whether the old value is told, or (CAST) whether it has been exchanged; before sm_80 always the old value where both bits are 0."""

    def text(self, one: Instruction) -> str:
        """How a listing writes it."""
        return "CAS" if tells_the_old(one) else self.names.get(get(one.word, self.field), "")


def tells_the_old(one: Instruction) -> bool:
    """Whether an ATOMS that compares gives the old value."""
    return one.at(87, 2) == (1 if one.architecture >= 80 else 0)


_CAS = _Compares("kind", bits(87, 2), {0: "CAST", 1: "CAS", 2: "CAST", 3: "CAST.SPIN"})
_INCREMENT = flag(88, "POPC.INC.32", "ARRIVE.64", "counts")
_FLOAT_TYPE = choice("type", 73, 4, FLOAT_TYPES)
ROWS: tuple[Row, ...] = (
    Row(0x180, "LD", (_D, _global()), (WIDE, EVICTION, TYPE, ORDER), "d = generic memory"),
    Row(0x181, "LDG", (_LOADED_BY, _D, _global()), (WIDE, EVICTION, PREFETCH, TYPE, ORDER), "d = global memory"),
    Row(0x183, "LDL", (_D, _own()), (EVICTION, TYPE), "d = local memory"),
    Row(0x184, "LDS", (_D, _own()), (flag(90, "", role="hint"), flag(76, "U", role="uncached"), TYPE), "d = shared memory"),
    Row(0x185, "ST", (_global(C), _DATA), (WIDE, EVICTION, TYPE, ORDER), "generic memory = data"),
    Row(0x186, "STG", (_global(C), _DATA), (WIDE, EVICTION, TYPE, ORDER), "global memory = data"),
    Row(0x187, "STL", (_own(C), _DATA), (EVICTION, TYPE), "local memory = data"),
    Row(0x188, "STS", (_own(C), _DATA), (TYPE,), "shared memory = data"),
    Row(
        0x03B,
        "LDSM",
        (_D, _own()),
        (
            choice("kind", 105, 0, {0: "16"}),
            choice("layout", 78, 2, ("M88", "MT88", "M816", "M832")),
            choice("count", 72, 2, ("", "2", "4")),
        ),
        "d = matrices of shared memory, spread over the warp",
        others={"scale": bits(78, 2)},
    ),
    Row(0x182, "LDC", (_D, BankAddress("address", "", A)), (TYPE,), "d = a constant"),
    Row(0x0B9, "ULDC", (uniform("d", D), BankAddress("address", "", A, register_kind="")), (TYPE,), "d = a constant", uniform_guard=True),
    Row(
        0x0BB,
        "ULDC",
        (uniform("d", D), BankAddress("address", "", A, register_kind="UR")),
        (TYPE,),
        "d = a constant",
        uniform_guard=True,
    ),
    _atomic(0x18A, "ATOM", (predicate("p", 81), _D, _shared_by_all(), _DATA), WIDE, _OPERATION, _ATOMIC_TYPE, ORDER),
    _atomic(
        0x18B,
        "ATOM",
        (predicate("p", 81), _D, _compared(), _DATA, register("data2", C)),
        WIDE,
        choice("kind", 105, 0, {0: "CAS"}),
        _ATOMIC_TYPE,
        ORDER,
    ),
    _atomic(0x1A8, "ATOMG", (predicate("p", 81), _D, _shared_by_all(), _DATA), WIDE, _OPERATION, EVICTION, _ATOMIC_TYPE, ORDER),
    _atomic(
        0x1A9,
        "ATOMG",
        (predicate("p", 81), _D, _compared(), _DATA, register("data2", C)),
        WIDE,
        choice("kind", 105, 0, {0: "CAS"}),
        EVICTION,
        _ATOMIC_TYPE,
        ORDER,
    ),
    _atomic(0x1A2, "ATOM", (predicate("p", 81), _D, _shared_by_all(), _DATA), WIDE, _OPERATION, EVICTION, _FLOAT_TYPE, ORDER),
    Row(
        0x1AA,
        "QSPC",
        (predicate("p", 81), _D, _global()),
        (WIDE, choice("window", 73, 2, ("G", "L", "S", ""))),
        "p = the address is in a window of shared memory",
        forms=(1, 4),
    ),
    _atomic(0x1A3, "ATOMG", (predicate("p", 81), _D, _shared_by_all(), _DATA), WIDE, _OPERATION, EVICTION, _FLOAT_TYPE, ORDER),
    _atomic(0x18E, "RED", (_shared_by_all(), _DATA), WIDE, _REDUCTION, EVICTION, _ATOMIC_TYPE, ORDER, shown_name=_reduced),
    _atomic(0x1A6, "RED", (_shared_by_all(), _DATA), WIDE, _REDUCTION, EVICTION, _FLOAT_TYPE, ORDER, shown_name=_reduced),
    _atomic(0x18C, "ATOMS", (_D, _own(C), _DATA), _OPERATION, _ATOMIC_TYPE, forms=(1, 2, 3, 4, 5, 6)),
    _atomic(0x18C, "ATOMS", (_D, _own(C)), _INCREMENT, forms=(7,), others={"operation": bits(87, 4)}),
    _atomic(0x18D, "ATOMS", (_D, _own(C), _DATA, register("data2", C)), _CAS, _ATOMIC_TYPE),
    Row(
        0x192,
        "MEMBAR",
        (),
        (choice("kind", 79, 2, ("SC", "ALL", "MMIO", "")), choice("scope", 76, 3, ("CTA", "SM", "GPU", "SYS", "", "VC"))),
        "waits for earlier accesses",
    ),
    Row(0x1AB, "ERRBAR", (), (), "waits for errors of earlier accesses", forms=(0, 1, 3, 4, 5, 6, 7)),
    Row(0x1AB, "CGAERRBAR", (), (), "waits for errors of earlier accesses of the cluster", forms=(2,)),
    Row(
        0x18F,
        "CCTL",
        (),
        (choice("kind", 87, 4, ("PF1", "PF2", "WB", "IV", "IVALL", "RS", "IVALLP", "WBALL", "WBALLP")),),
        "drops lines of the first-level cache",
    ),
    Row(
        0x1AE,
        "LDGSTS",
        (
            _Target("d", "R", D),
            Address("address", "", A, uniform_at=C, pair_at=-1, mode_at=-1, offset=bits(32, 12)),
            predicate("p", 87, 90, optional=True),
        ),
        (
            choice("kind", 105, 0, {0: "E"}),
            flag(81, "", "BYPASS", "cached"),
            EVICTION,
            choice("prefetch", 71, 2, ("", "LTC64B", "LTC128B", "LTC256B")),
            TYPE,
            ORDER,
            flag(82, "ZFILL"),
        ),
        "shared memory = global memory, asynchronously",
        others={"bit70": bits(70), "shown_descriptor": bits(101)},
    ),
    Row(0x1AF, "LDGDEPBAR", (), (), "a group of copies ends"),
    Row(
        0x11A,
        "DEPBAR",
        (
            Spec("scoreboard", "SB", 44, width=3, when=is_set(47)),
            number("count", 38, 6, when=is_set(47)),
            _Scoreboards("scoreboards", "imm", 32, width=6),
        ),
        (flag(47, "LE"),),
        "waits until at most so many groups are open",
    ),
)


def size_of(one: Instruction) -> int:
    """The bytes of a load's or store's access."""
    return SIZES[one.at(73, 3)]


def is_signed(one: Instruction) -> bool:
    """Whether a load extends a sign."""
    return one.at(73, 3) in (1, 3)


__all__ = ["ROWS", "bits", "flag", "is_signed", "size_of"]
