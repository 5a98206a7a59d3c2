"""Rows of units that this machine does not have yet: textures and surfaces, barriers in memory, bulk copies, matrices.

They are decoded and listed, so that a listing is whole and a message names what it cannot run.
"""

from __future__ import annotations

from dataclasses import dataclass

from warploom.isa.sass.instruction import Modifier, Row, choice, flag
from warploom.isa.sass.operands import Spec, Value, written
from warploom.isa.sass.places import A, Address, B, C, D, is_set, number, predicate, register, uniform
from warploom.isa.sass.rows.memory import EVICTION, ORDER, TYPE
from warploom.isa.sass.word import ZERO, Coded, Field, Span, bits, get, signed

DIMENSIONS = ("1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", "INVALID6", "ARRAY_CUBE")
SURFACES = ("1D", "1D_BUFFER", "1D_ARRAY", "2D", "2D_ARRAY", "3D", "INVALID6", "INVALID7")
LEVELS = {0: "", 1: "LZ", 2: "LB", 3: "LL"}
ALL_PARTS = 15
TEXTURE, SURFACE, TENSOR = "textures are not there yet", "surfaces are not there yet", "tensor cores are not there yet"
BARRIERS, BULK = "barriers in memory are not there yet", "bulk copies are not there yet"
WITHOUT = {
    **dict.fromkeys(("TEX", "TLD", "TLD4", "TXD", "TXQ", "TMML"), TEXTURE),
    **dict.fromkeys(("SULD", "SUST", "SUATOM", "SURED"), SURFACE),
    **dict.fromkeys(("HMMA", "DMMA", "IMMA", "BMMA", "HGMMA", "IGMMA", "QGMMA", "LDSM", "MOVM", "WARPGROUP"), TENSOR),
    **dict.fromkeys(("SYNCS", "ARRIVES"), BARRIERS),
    **dict.fromkeys(("UBLKCP", "UTMALDG", "UTMASTG", "UTMAREDG", "UTMACMDFLUSH"), BULK),
    "ELECT": "clusters are not there yet",
    "FENCE": "fences between kinds of copies are not there yet",
}


class _Where(Spec):
    """Which texture or surface: numbers of it and of its bank, and since sm_90 a uniform register."""

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return {"texture": bits(40, 14), "texture_bank": bits(54, 5), "uniform": bits(91)}

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        if one.form == 1:
            return None
        if one.form == 7:
            return f"{written(Value('UR', one.at(40, 6)))}, {one.at(46, 8):#x}"
        return f"{one.at(54, 5):#x}, {one.at(40, 14):#x}"


class _Dimension(Spec):
    """The dimensions of a texture."""

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return {"dimension": bits(61, 3)}

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        return DIMENSIONS[one.at(61, 3)]


class _Query(Spec):
    """What TXQ asks for."""

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return {"query": bits(62, 2)}

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        return ("TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE", "TEX_HEADER_SAMPLER_POS", "???3")[one.at(62, 2)]


class _Unless(Spec):
    """A source that is left out where it is the register that is 0."""

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        return None if self.value(one).zero else super().text(one)


class _Bracketed(Spec):
    """A place in memory in a register."""

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        return f"[{super().text(one)}]"


class _Barrier(Address):
    """A barrier in shared memory: a lane register, a uniform one that is written even if it is 0, and an offset."""

    def text(self, one: Coded) -> str | None:  # type: ignore[override]
        """How a listing writes it."""
        if self.when is not None and not self.when(one):
            return None
        base, offset = one.at(A, 8), self.displacement(one)
        parts = [f"R{base}"] if base != ZERO else []
        inside = "+".join([*parts, written(Value("UR", one.at(self.uniform_at, 6)))])
        return f"[{inside}" + (f"+{offset:#x}" if offset > 0 else f"+-{-offset:#x}" if offset < 0 else "") + "]"


@dataclass(frozen=True)
class _UniformPlace(Spec):
    """A place in shared memory in a uniform register, with an offset."""

    offset: Field = (Span(40, 24),)

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return super().fields(form) | ({"offset": self.offset} if self.offset else {})

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        offset = signed(get(one.word, self.offset), 24) if self.offset else 0
        added = f"+{offset:#x}" if offset > 0 else f"+-{-offset:#x}" if offset < 0 else ""
        return f"[{super().text(one)}{added}]"


_D, _D2 = register("d", D), register("d2", C)
_OUT = predicate("p", 81, optional=True)
_ON = predicate("guarded", 87, 90, optional=True)
_PARTS = number("parts", 72, 4, when=lambda one: one.at(72, 4) != ALL_PARTS)
_SPARSE, _BINDLESS = flag(60, "SCR"), flag(59, "B")
_HALF = choice("half", 79, 2, ("", "F16.RN", "F16.RZ", "F16"))
_SOURCES = (_Where("texture", "", 40), _Dimension("dimension", "", 61), _PARTS)
_LEVEL = choice("level", 87, 3, LEVELS)
_OFFSETS, _LATE = flag(76, "AOFFI"), flag(90, "NODEP")
_SURFACE = (choice("dimension", 61, 3, SURFACES), TYPE, ORDER, choice("outside", 59, 2, ("IGN", "", "TRAP", "INVALID3")))
_RAW = choice("kind", 105, 0, {0: "D.BA"})


def _texture(code: int, name: str, *modifiers: Modifier) -> Row:
    operands = (_OUT, _D2, _D, register("coordinates", A), _Unless("b", "R", B), *_SOURCES)
    return Row(code, name, operands, modifiers, "d = parts of a texture's element", others={"evicts": bits(84, 3), "more": bits(76, 5)})


ROWS: tuple[Row, ...] = (
    *(
        _texture(
            code,
            "TEX",
            _SPARSE,
            _BINDLESS,
            _HALF,
            choice("level", 87, 3, LEVELS),
            _OFFSETS,
            flag(77, "NDV"),
            flag(78, "DC"),
            EVICTION,
            _LATE,
        )
        for code in (0x160, 0x161)
    ),
    *(
        _texture(
            code,
            "TLD",
            _SPARSE,
            _BINDLESS,
            _HALF,
            choice("level", 87, 3, LEVELS),
            _OFFSETS,
            flag(77, "CL"),
            flag(78, "MS"),
            EVICTION,
            _LATE,
        )
        for code in (0x166, 0x167)
    ),
    *(_texture(code, "TLD4", _SPARSE, choice("part", 87, 2, ("R", "G", "B", "A")), _OFFSETS, EVICTION, _LATE) for code in (0x163, 0x164)),
    *(_texture(code, "TXD", _SPARSE, _OFFSETS, EVICTION, _LATE) for code in (0x16C, 0x16D)),
    *(
        Row(
            code,
            "TXQ",
            (_D2, _D, register("coordinates", A), _Query("query", "", 0), _Where("texture", "", 40), _PARTS),
            (),
            "d = what a texture is",
        )
        for code in (0x16F, 0x170)
    ),
    Row(
        0x199,
        "SULD",
        (_OUT, _D, _Bracketed("a", "R", A), _Where("texture", "", 40)),
        (_RAW, *_SURFACE),
        "d = a surface's element",
        others={"data": bits(B, 8), "rest_of_order": bits(72), "evicts": bits(84, 3), "c": bits(C, 8)},
    ),
    Row(
        0x19D,
        "SUST",
        (_Bracketed("a", "R", A), register("data", B), _Where("texture", "", 40)),
        (_RAW, *_SURFACE),
        "a surface's element = data",
        others={"rest_of_order": bits(72), "evicts": bits(84, 3), "c": bits(C, 8)},
    ),
    Row(0x037, "IMMA", (_D, register("a", A), register("b", B), register("c", C)), (), "d = a * b + c, matrices of integers"),
    Row(0x03D, "BMMA", (_D, register("a", A), register("b", B), register("c", C)), (), "d = a * b + c, matrices of bits"),
    Row(
        0x03A, "MOVM", (_D, register("a", A)), (choice("kind", 105, 0, {0: "16"}), choice("layout", 78, 2, ("MT88",))), "d = a, transposed"
    ),
    Row(
        0x1A7,
        "SYNCS",
        (
            predicate("p", 81, when=is_set(70)),
            Spec("d", "R", D, when=lambda one: not one.at(70, 1)),
            _Barrier("barrier", "", A, uniform_at=C, own=True),
            register("data", B),
        ),
        (
            choice("kind", 70, 2, ("ARRIVE", "PHASECHK", "???2", "???3")),
            choice("size", 105, 0, {0: "TRANS64"}),
            choice("reduces", 73, 3, ("", "TMASK", "RED", "???3", "OPTOUT", "???5", "???6", "???7"), lambda one: not one.at(70, 1)),
            flag(72, "TRYWAIT", when=is_set(70)),
            choice("counts", 84, 3, ("", "A1T0", "A0T1", "A0TR", "???4", "ART0", "???6", "???7"), lambda one: not one.at(70, 1)),
        ),
        "arrives at a barrier in memory, or asks whether its phase has ended",
        others={"counted": bits(84, 3)},
    ),
    Row(
        0x1B0,
        "ARRIVES",
        (Address("barrier", "", A, uniform_at=C, own=True),),
        (choice("kind", 105, 0, {0: "LDGSTSBAR.64"}), flag(71, "TRANSCNT", role="transactions")),
        "arrives at a barrier in memory when earlier copies are done",
        others={"type": bits(73, 3)},
    ),
    Row(
        0x1B1,
        "SYNCS",
        (_Barrier("barrier", "", A, uniform_at=C, own=True, when=is_set(91)),),
        (
            choice("kind", 73, 1, ("CCTL", "???1")),
            choice("what", 72, 1, ("IV", "WB"), is_set(91)),
            choice("all", 72, 1, ("IVALL", "WBALL"), lambda one: not one.at(91, 1)),
        ),
        "ends a barrier in memory",
    ),
    Row(
        0x1B2,
        "SYNCS",
        (uniform("d", D), _UniformPlace("barrier", "UR", A), uniform("data", B)),
        (choice("kind", 72, 2, ("???0", "EXCH", "???2", "???3")), choice("size", 105, 0, {0: "64"})),
        "makes a barrier in memory",
        uniform_guard=True,
    ),
    Row(0x1C6, "FENCE", (), (choice("kind", 105, 0, {0: "VIEW.ASYNC.S"}),), "orders accesses of threads and of copies"),
    Row(
        0x1BA,
        "UBLKCP",
        (_UniformPlace("to", "UR", B, offset=()), _UniformPlace("of", "UR", A, offset=()), uniform("size", C)),
        (choice("kind", 105, 0, {0: "S.G"}),),
        "shared memory = a piece of global memory",
        uniform_guard=True,
    ),
)
