"""Calls that stay calls in the text: printf, the device library, assertions, the ray unit."""

from __future__ import annotations

from warploom.compiler import ssa
from warploom.compiler.ssa import Value
from warploom.isa.c.printf import FORMAT, bytes_of
from warploom.kernel.names import device_library
from warploom.kernel.names.libdevice_names import WITH_A_COUNT
from warploom.ptx.inline import called
from warploom.ptx.integers import Rule
from warploom.ptx.memory import piece
from warploom.ptx.module import Instruction, Name
from warploom.ptx.notes import Printed, Stopped
from warploom.ptx.translation import LOCAL_WINDOW, Translation

OURS = ("vprintf", "__assertfail")
THROUGH_POINTERS = ("sincos", "modf", "frexp", "remquo")  # give results through pointers
NOT_THERE = {"malloc": "memory from a kernel's own malloc", "free": "memory from a kernel's own malloc"}


def stays(name: str) -> bool:
    """Whether calls of a function are translated here."""
    return name in OURS or name in OF_RAYS or name in NOT_THERE or device_library.signature(name) is not None


def call(t: Translation, one: Instruction) -> None:
    """`call`."""
    results, target, given = called(one)
    name = target.name
    if name in NOT_THERE:
        raise t.refuse(f"{NOT_THERE[name]} is not there yet")
    if name == "vprintf":
        count = _printed(t, *(t.env.get(piece(each.name, 0), t.whole(0)) for each in given))
        for each in results:
            t.put(piece(each.name, 0), t.whole(count))
        return
    if name == "__assertfail":
        texts = [_text(t, t.env.get(piece(each.name, 0))) for each in given[:2]]
        line = t.env.get(piece(given[2].name, 0)) if len(given) > 2 else None
        number = f":{line.imm}" if line is not None and line.op == "const" else ""
        t.b.effect("note", imm=len(t.notes))
        t.notes.append(Stopped(f"{texts[1] or ''}{number}: assertion `{texts[0] or ''}` failed"))
        t.b.effect("trap", imm=1)
        return
    if name in OF_RAYS:
        OF_RAYS[name](t, results, [t.env.get(piece(each.name, 0), t.whole(0)) for each in given])
        return
    found = device_library.signature(name)
    assert found is not None
    _from_library(t, name, found[1].ssa, results, [t.env.get(piece(each.name, 0), t.whole(0)) for each in given])


def _from_library(t: Translation, name: str, kind: str, results: tuple[Name, ...], values: list[Value]) -> None:
    inner = name.removeprefix(device_library.PREFIX).removesuffix("f")
    count = 1 if inner in THROUGH_POINTERS else len(values)
    arguments = [
        t.fit(t.as_type(value, "i64"), "s32") if place and inner in WITH_A_COUNT else t.as_type(value, kind)
        for place, value in enumerate(values[:count])
    ]
    made = device_library.translate(t.b, name, arguments)
    if made is None or t.b.block is None:
        raise t.refuse(f"{name} is not there yet")
    for where, value in zip(values[count:], made if not results else made[1:], strict=False):
        low, size = t.fit(t.as_type(where, "i64"), "u32"), 8 if value.type == "f64" else 4
        if not low.lo >= LOCAL_WINDOW:
            raise t.refuse(f"{name}: a result that goes to other memory than the thread's own is not there yet")
        t.b.effect("store", t.pure("sub", low, t.whole(LOCAL_WINDOW)), value, access=ssa.Access("local", -1, size))
    for each in results[:1]:
        t.put(piece(each.name, 0), t.as_type(made[0], "i64"))


def _text(t: Translation, address: Value | None) -> str | None:
    """A string of the module's, by its address; None where that is not known."""
    if address is None or address.op != "const":
        return None
    for name, one in t.module.variables.items():
        begin = t.addresses.get(name)
        if begin is not None and begin <= address.imm < begin + one.size:
            return one.data[int(address.imm) - begin :].split(b"\0")[0].decode("utf-8", "replace")
    return None


def _printed(t: Translation, form: Value, values: Value) -> int:
    """Note what a printf is given; gives the number of values."""
    text = _text(t, form)
    if text is None:
        raise t.refuse("printf: its format is a string literal")
    base = t.fit(t.as_type(values, "i64"), "u32")
    at = t.pure("sub", base, t.whole(LOCAL_WINDOW))
    numbers: list[Value] = []
    kinds: list[str] = []
    offset = 0
    for spec in FORMAT.finditer(text):
        for star in (spec["width"], spec["precision"]):
            if star == "*":
                raise t.refuse("printf: a width or precision that is a value (*) is not there yet")
        kind = spec["kind"]
        if kind == "%":
            continue
        size = bytes_of(spec)
        offset = -(-offset // size) * size
        type = "f64" if kind in "fFeEgGaA" else "i64"
        value = t.b.effect("load", t.pure("add", at, t.whole(offset)), type=type, access=ssa.Access("local", -1, size, kind in "di"))
        if size == 4:
            value.lo, value.hi = (-(1 << 31), (1 << 31) - 1) if kind in "di" else (0, (1 << 32) - 1)
        numbers.append(value)
        kinds.append("text" if kind == "s" else type)
        offset += size
    t.b.effect("note", *numbers, imm=len(t.notes))
    t.notes.append(Printed(text, tuple(kinds)))
    return len(kinds)


def _trace(t: Translation, results: tuple[Name, ...], given: list[Value]) -> None:
    """`warploom/rays.h`: a ray begins its way through a scene: (scene, x, y, z, dx, dy, dz, tmin, tmax, flags | mask << 16)."""
    scene, *floats, flags = given
    words = [t.fit(t.as_type(one, "i64"), "u32") for one in (scene, flags)]
    handle = t.b.effect("trace_ray", *(t.as_type(one, "f32") for one in floats), *words, type="i64")
    _give(t, results, [handle])


def _await(t: Translation, results: tuple[Name, ...], given: list[Value]) -> None:
    """... and the warp waits for it: status; t, u, v; triangle, instance, side by side."""
    status = t.b.effect("await_ray", t.fit(t.as_type(given[0], "i64"), "u32"), type="i64")
    kinds = ["f32"] * 3 + ["i64"] * 2
    _give(t, results, [status, *(t.b.effect("ray_answer", status, type=kind, imm=place) for place, kind in enumerate(kinds, 1))])


def _give(t: Translation, results: tuple[Name, ...], values: list[Value]) -> None:
    """Words of a result, each at its place."""
    for each in results[:1]:
        for place, value in enumerate(values):
            if value.type == "i64":
                value.lo, value.hi = 0, (1 << 32) - 1
            t.put(piece(each.name, 4 * place), t.as_type(value, "i64"))


OF_RAYS = {"__warploom_trace_ray": _trace, "__warploom_await_ray": _await}
RULES: dict[str, Rule] = {"call": call}
