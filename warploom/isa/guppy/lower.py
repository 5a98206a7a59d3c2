"""From statements to micro-ops: one bundle an instruction.

Component c of register N is lane register 4 * N + c. A bundle computes the components that its write swizzle names,
one after the other, and no others. All sources of an instruction are read before anything is written: a component that a
later one still reads goes to a hidden register first and is moved at the end (`mov r0.xy, r0.yx`). Values that are the
same for several components (a length, a built-in) are computed once.

A source is a register code, or a `Constant`; a micro-op has room for one immediate, so a second constant is moved to a
hidden register. Hidden registers are never locked: the scoreboard sees an instruction's own registers only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from warploom.isa import uop as u
from warploom.isa.guppy.operands import Builtin, Immediate, Label, Register, Sampler, View, float_bits
from warploom.isa.guppy.parser import Statement
from warploom.isa.guppy.table import BUILTINS
from warploom.isa.uop import Uop


class Constant(NamedTuple):
    """A source that is known: 32 bits."""

    word: int


class Place(NamedTuple):
    """What an instruction has to know of a view: its row in Program.views and its first byte."""

    row: int
    base: int
    image: bool


class Names(NamedTuple):
    """What the names in an instruction stand for."""

    labels: Mapping[str, int]  # number of an instruction
    views: Mapping[str, Place]
    samplers: Mapping[str, int]  # row of Program.samplers


Value = int | Constant

ZERO = Constant(0)
ONE = Constant(float_bits("1.0"))
LARGE = Constant(float_bits("1.0e23"))  # what div.f32 gives for a division by zero
BYTE = Constant(float_bits("255.0"))
MAGNITUDE = Constant(0x7FFFFFFF)


def lower(statement: Statement, names: Names) -> list[Uop]:
    """The micro-ops of one instruction. Every name in it must be in `names`."""
    bundle = Bundle()
    recipe = statement.row.recipe
    if recipe in WHOLE:
        WHOLE[recipe](bundle, statement, names)
    else:
        _by_component(bundle, statement, RECIPES.get(recipe) or _plain(recipe))
    return bundle.uops


class Bundle:
    """The micro-ops of one instruction as they are collected."""

    def __init__(self) -> None:
        self.uops: list[Uop] = []
        self._hidden = u.HIDDEN
        self._known: dict[Constant | str, int] = {}

    def fresh(self, count: int = 1) -> int:
        """The first of `count` hidden registers that nothing else in this bundle uses."""
        self._hidden += count
        return self._hidden - count

    def emit(self, name: str, *sources: Value, dst: int | None = None) -> int:
        """Add `name` with these sources; returns the register that it writes (a hidden one unless `dst` is given)."""
        codes, immediate = [], None
        for source in sources:
            if isinstance(source, Constant) and immediate in (None, source.word):
                immediate = source.word
                codes.append(u.IMMEDIATE)
            else:
                codes.append(self.register(source))
        codes += [u.NONE] * (3 - len(codes))
        target = self.fresh() if dst is None else dst
        self.uops.append(Uop(name, target, codes[0], codes[1], codes[2], imm=immediate or 0))
        return target

    def register(self, value: Value) -> int:
        """A register that holds a value: a constant is moved to a hidden one, once."""
        if not isinstance(value, Constant):
            return value
        if value not in self._known:
            self._known[value] = self.emit("mov", value)
        return self._known[value]

    def source(self, operand: object, position: int) -> Value:
        """Component `position` of a source operand as its read swizzle gives it: 0 where there is none."""
        if isinstance(operand, Builtin):
            if operand.name not in self._known:
                self._known[operand.name] = self.special(operand, self.fresh())
            return self._known[operand.name]
        if isinstance(operand, Immediate):
            return Constant(operand.words[position]) if position < len(operand.words) else ZERO
        assert isinstance(operand, Register)
        return 4 * operand.number + operand.swizzle[position] if position < len(operand.swizzle) else ZERO

    def special(self, operand: Builtin, dst: int) -> int:
        """Read a built-in into `dst`."""
        self.uops.append(Uop("special", dst, imm=u.SPECIAL_NUMBER[BUILTINS[operand.name]]))
        return dst


def written(operand: object) -> list[tuple[int, int]]:
    """(lane register, position) pairs that a destination's swizzle writes; of a repeated letter the last one."""
    assert isinstance(operand, Register)
    last = {letter: position for position, letter in enumerate(operand.swizzle)}
    return [(4 * operand.number + letter, position) for letter, position in last.items()]


# ---------------------------------------------------------------------------------------------------------
# Arithmetic: a recipe computes one component of the result into `dst`.

Recipe = Callable[[Bundle, int, list[Value]], object]


def _by_component(bundle: Bundle, statement: Statement, recipe: Recipe) -> None:
    targets = written(statement.operands[0])
    sources = statement.operands[1:]
    if statement.row.recipe == "mov" and isinstance(sources[0], Builtin):
        first = bundle.special(sources[0], targets[0][0])
        for register, _ in targets[1:]:
            bundle.emit("mov", first, dst=register)
        return
    values = [[bundle.source(operand, position) for operand in sources] for _, position in targets]
    delayed = []
    for index, (register, _) in enumerate(targets):
        needed_later = any(register in later for later in values[index + 1 :])
        target = bundle.fresh() if needed_later else register
        recipe(bundle, target, values[index])
        if needed_later:
            delayed.append((register, target))
    for register, target in delayed:
        bundle.emit("mov", target, dst=register)


def _plain(name: str) -> Recipe:
    def emit(bundle: Bundle, dst: int, values: list[Value]) -> None:
        bundle.emit(name, *values, dst=dst)

    return emit


def _greater(bundle: Bundle, dst: int, values: list[Value]) -> None:
    bundle.emit("sltu", values[1], values[0], dst=dst)


def _greater_float(bundle: Bundle, dst: int, values: list[Value]) -> None:
    bundle.emit("flt", values[1], values[0], dst=dst)


def _absolute(bundle: Bundle, dst: int, values: list[Value]) -> None:
    bundle.emit("and", values[0], MAGNITUDE, dst=dst)


def _clamp(bundle: Bundle, dst: int | None, values: list[Value]) -> int:
    """Two comparisons and two selections: fmin and fmax would lose a NaN, which has to stay."""
    value = values[0]
    above_zero = bundle.emit("sel", ZERO, value, bundle.emit("flt", value, ZERO))
    return bundle.emit("sel", ONE, above_zero, bundle.emit("flt", ONE, value), dst=dst)


def _divide(bundle: Bundle, dst: int, values: list[Value]) -> None:
    numerator, divisor = values
    if isinstance(divisor, Constant) and divisor.word & MAGNITUDE.word:
        bundle.emit("fdiv", numerator, divisor, dst=dst)
        return
    not_zero = bundle.emit("and", divisor, MAGNITUDE)
    bundle.emit("sel", bundle.emit("fdiv", numerator, divisor), LARGE, not_zero, dst=dst)


def _blend(bundle: Bundle, dst: int, values: list[Value]) -> None:
    a, b, weight = values
    weight = _clamp(bundle, None, [weight])
    first = bundle.emit("fmul", a, weight)
    second = bundle.emit("fmul", b, bundle.emit("fsub", ONE, weight))
    bundle.emit("fadd", first, second, dst=dst)


RECIPES: dict[str, Recipe] = {
    "greater": _greater,
    "greater_float": _greater_float,
    "absolute": _absolute,
    "clamp": _clamp,
    "divide": _divide,
    "blend": _blend,
}


# ---------------------------------------------------------------------------------------------------------
# Instructions that look at all components at once.


def _sum_of_squares_root(bundle: Bundle, statement: Statement, dst: int | None = None) -> int:
    values = [value for position in range(4) if (value := bundle.source(statement.operands[1], position)) != ZERO]
    squares = [bundle.emit("fmul", value, value) for value in values] or [bundle.register(ZERO)]
    total = squares[0]
    for square in squares[1:]:
        total = bundle.emit("fadd", total, square)
    return bundle.emit("fsqrt", total, dst=dst)


def _length(bundle: Bundle, statement: Statement, names: Names) -> None:
    targets = written(statement.operands[0])
    root = _sum_of_squares_root(bundle, statement, targets[0][0])
    for register, _ in targets[1:]:
        bundle.emit("mov", root, dst=register)


def _normalise(bundle: Bundle, statement: Statement, names: Names) -> None:
    root = _sum_of_squares_root(bundle, statement)

    def component(bundle: Bundle, dst: int, values: list[Value]) -> None:
        bundle.emit("sel", bundle.emit("fdiv", values[0], root), ZERO, root, dst=dst)

    _by_component(bundle, statement, component)


# ---------------------------------------------------------------------------------------------------------
# Memory and textures


def _load(bundle: Bundle, statement: Statement, names: Names) -> None:
    destination, view, _ = statement.operands
    assert isinstance(destination, Register) and isinstance(view, View)
    place = names.views[view.name]
    targets = [4 * destination.number + letter for letter in destination.swizzle]
    address = bundle.register(bundle.source(statement.operands[2], 0))
    if address in targets[:-1]:
        address = bundle.emit("mov", address)
    for position, register in enumerate(targets):
        if position < len(view.swizzle):
            offset = place.base + 4 * view.swizzle[position]
            bundle.uops.append(Uop("load", register, address, imm=offset, view=place.row))
        else:
            bundle.emit("mov", ZERO, dst=register)


def _store(bundle: Bundle, statement: Statement, names: Names) -> None:
    view, address, values = statement.operands
    assert isinstance(view, View)
    place = names.views[view.name]
    if place.image:
        _store_texel(bundle, place, address, values)
        return
    start = bundle.register(bundle.source(address, 0))
    for position, letter in enumerate(view.swizzle):
        value = bundle.register(bundle.source(values, letter))
        bundle.uops.append(Uop("store", a=start, b=value, imm=place.base + 4 * position, view=place.row))


def _store_texel(bundle: Bundle, place: Place, address: object, values: object) -> None:
    """Pack red, green, blue and alpha, eight bits each; fmax first, so that NaN becomes 0."""
    packed: Value = ZERO
    for position, shift in enumerate((24, 16, 8, 0)):
        limited = bundle.emit("fmin", bundle.emit("fmax", bundle.source(values, position), ZERO), ONE)
        level: Value = bundle.emit("f2u", bundle.emit("fmul", limited, BYTE))
        level = bundle.emit("shl", level, Constant(shift)) if shift else level
        packed = level if packed == ZERO else bundle.emit("or", packed, level)
    x, y = (bundle.register(bundle.source(address, position)) for position in (0, 1))
    bundle.uops.append(Uop("store_image", a=x, b=y, c=bundle.register(packed), view=place.row))


def _sample(bundle: Bundle, statement: Statement, names: Names) -> None:
    destination, view, sampler, coordinates = statement.operands
    assert isinstance(view, View) and isinstance(sampler, Sampler)
    x, y = (bundle.register(bundle.source(coordinates, position)) for position in (0, 1))
    texel = bundle.fresh(4)
    bundle.uops.append(Uop("sample", texel, x, y, imm=names.samplers[sampler.name], view=names.views[view.name].row))
    for register, position in written(destination):
        bundle.emit("mov", texel + view.swizzle[position] if position < len(view.swizzle) else ZERO, dst=register)


# ---------------------------------------------------------------------------------------------------------
# Control


def _control(bundle: Bundle, statement: Statement, names: Names) -> None:
    condition, targets = u.NONE, []
    for operand in statement.operands:
        if isinstance(operand, Label):
            targets.append(names.labels[operand.name])
        else:
            condition = bundle.register(bundle.source(operand, 0))
    targets += [u.NONE] * (2 - len(targets))
    bundle.uops.append(Uop(statement.row.recipe, a=condition, target=targets[0], reconverge=targets[1]))


WHOLE: dict[str, Callable[[Bundle, Statement, Names], None]] = {
    "length": _length,
    "normalise": _normalise,
    "load": _load,
    "store": _store,
    "sample": _sample,
    **dict.fromkeys(("push_mask", "pop_mask", "mask_nonzero", "branch_push", "jump", "exit_warp"), _control),
}
