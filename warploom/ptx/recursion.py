"""Functions that call themselves, by themselves or in a circle: a stack in the thread's own memory.

The functions of a circle are written once for each call that enters it, as a loop: a call puts what is live and where to return to in a
frame, moves the stack pointer and branches; `ret` branches to where the frame says. Lanes at different depths are then lanes in different
turns of the loop, which any mechanism of divergence runs.

A frame is what a compiler for hardware makes too (CUDA's application binary interface keeps frames in local memory), but holds every
register that is live across a call in eight bytes: the stack is larger than CUDA's 1,024 bytes for the same depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from warploom.ptx.module import (
    BYTES,
    WITHOUT_RESULT,
    Function,
    Instruction,
    Label,
    Memory,
    Module,
    Name,
    Number,
    Operand,
    Place,
    Variable,
    Vector,
)

STACK_BYTES = 8192  # of a thread, for the 1,024 bytes of CUDA that programs have unless they ask for more
STACK, POINTER = "warploom.stack", "%warploom.sp"
WORD = 8  # bytes of a place in a frame
ALIGN = 16
LEAVES = ("ret", "exit")


def circles(module: Module, callees: Callable[[Function], Iterable[str]], begin: str) -> dict[str, frozenset[str]]:
    """Of each function that can come to call itself, all functions of its circle. callees: the functions that one may call.

    Source: Tarjan, "Depth-first search and linear graph algorithms", 1972.
    """
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    calls: dict[str, list[str]] = {}
    found: dict[str, frozenset[str]] = {}
    work: list[tuple[str, Iterator[str]]] = []

    def enter(name: str) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        calls[name] = [one for one in callees(module.functions[name]) if one in module.functions]
        work.append((name, iter(calls[name])))

    enter(begin)
    while work:
        name, rest = work[-1]
        for one in rest:
            if one not in number:
                enter(one)
                break
            if one in stack:
                low[name] = min(low[name], number[one])
        else:
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[name])
            if low[name] == number[name]:
                at = stack.index(name)
                members = frozenset(stack[at:])
                del stack[at:]
                if len(members) > 1 or name in calls[name]:
                    found.update(dict.fromkeys(members, members))
    return found


@dataclass
class Frame:
    """Where a function's frame holds what, in bytes from the stack pointer on. The first word says where to return to.

    places: parameters, results, variables in memory. saved: registers that are live across a call of the circle.
    """

    places: dict[str, int]
    saved: dict[str, int]
    size: int


@dataclass
class Circle:
    """One copy of a circle's functions in a kernel: of each the prefix of its names, its frame, and the labels that it returns to."""

    prefixes: dict[str, str]
    frames: dict[str, Frame]
    returns: dict[str, list[str]] = field(default_factory=dict)


def frame_of(function: Function, inner: Callable[[Instruction], bool]) -> Frame:
    """A function's frame. inner: whether a call may be one of its circle."""
    size = ALIGN

    def take(bytes: int, align: int) -> int:
        nonlocal size
        begin = -(-size // align) * align
        size = begin + bytes
        return begin

    places = {one.name: take(one.size, max(one.align, WORD)) for one in (*function.parameters, *function.results)}
    for variable in function.variables.values():
        if variable.space == "local":
            places[variable.name] = take(variable.size, max(variable.align, WORD))
    live = set().union(*(live for one, live in live_after(function) if inner(one)))
    saved = {register: take(WORD, WORD) for register in sorted(live)}
    return Frame(places, saved, -(-size // ALIGN) * ALIGN)


def live_after(function: Function) -> list[tuple[Instruction, set[str]]]:
    """Of each call, the registers that are read after it before they are written."""
    body = function.body
    labels = {one.name: place for place, one in enumerate(body) if isinstance(one, Label)}
    live: list[set[str]] = [set() for _ in range(len(body) + 1)]
    changed = True
    while changed:
        changed = False
        for place in range(len(body) - 1, -1, -1):
            after = set().union(*(live[one] for one in _next(function, labels, place)))
            reads, writes = registers(body[place], function)
            found = reads | (after - writes)
            if found != live[place]:
                live[place], changed = found, True
    return [(one, live[place + 1]) for place, one in enumerate(body) if isinstance(one, Instruction) and one.op == "call"]


def _next(function: Function, labels: Mapping[str, int], place: int) -> list[int]:
    one = function.body[place]
    if isinstance(one, Label):
        return [place + 1]
    if one.op == "bra":
        target = one.operands[0]
        assert isinstance(target, Name)
        return [labels.get(target.name, place), *([place + 1] if one.guard else [])]
    if one.op == "brx":
        table = one.operands[1]
        assert isinstance(table, Name)
        return [labels.get(name, place) for name in function.targets.get(table.name, ())]
    return [place + 1] if one.op not in LEAVES or one.guard else []


def registers(one: Instruction | Label, function: Function) -> tuple[set[str], set[str]]:
    """The registers that an instruction reads, and those that it surely writes."""
    if isinstance(one, Label):
        return set(), set()
    operands = list(one.operands)
    writes: set[str] = set()
    if operands and one.op not in (*WITHOUT_RESULT, "bra", "brx", "ret", "exit", "bar", "barrier"):
        target = operands.pop(0)
        writes = set(_names(target))
    reads = {name for operand in operands for name in _names(operand)}
    if one.guard is not None:
        reads |= {one.guard.name}
        writes = set()
    return reads & function.registers.keys(), writes & function.registers.keys()


def _names(operand: Operand) -> Iterator[str]:
    if isinstance(operand, Name):
        yield operand.name
        yield operand.second
    elif isinstance(operand, Memory):
        yield from _names(operand.base)
        for more in operand.more:
            yield from _names(more)
    elif isinstance(operand, Vector):
        for item in operand.items:
            yield from _names(item)


def in_frame(one: Instruction, frame: Frame) -> Instruction:
    """An instruction of a circle's function, whose parameters, results and variables in memory lie in its frame."""
    operands = list(one.operands)
    for place, operand in enumerate(operands):
        if isinstance(operand, Memory) and isinstance(operand.base, Name) and operand.base.name in frame.places:
            operands[place] = Memory(Name(POINTER), operand.offset + frame.places[operand.base.name], operand.more)
            modifiers = tuple("local" if word.split("::")[0] == "param" else word for word in one.modifiers)
            return replace(one, modifiers=modifiers, operands=tuple(operands))
    source = operands[1] if one.op == "mov" else None
    if isinstance(source, Name) and source.name in frame.places:
        more = Number(frame.places[source.name] + source.offset)
        return replace(one, op="add", modifiers=("s64",), operands=(operands[0], Name(POINTER), more))
    return one


def accesses(function: Function, op: str, name: str) -> list[tuple[int, str]]:
    """Offsets and types with which a function stores the arguments of a call (`st`) or loads its results (`ld`)."""
    found: dict[tuple[int, str], None] = {}
    for one in function.instructions():
        memory = one.operands[0 if op == "st" else 1] if one.op == op and len(one.operands) > 1 else None
        if isinstance(memory, Memory) and isinstance(memory.base, Name) and memory.base.name == name:
            other = one.operands[1 if op == "st" else 0]
            count = len(other.items) if isinstance(other, Vector) else 1
            found.update(((memory.offset + place * BYTES[one.type], one.type), None) for place in range(count))
    return list(found)


class Steps:
    """Writes what a call does with the stack to a kernel's body, at the place of that call."""

    def __init__(self, made: Function, place: Place) -> None:
        self.made, self.place = made, place

    def add(self, op: str, modifiers: str, *operands: Operand, guard: Name | None = None) -> None:
        """An instruction."""
        self.made.body.append(Instruction(op, tuple(modifiers.split(".")) if modifiers else (), operands, guard, self.place))

    def register(self, kind: str) -> Name:
        """A register for one value."""
        name = f"{POINTER}{len(self.made.registers)}"
        self.made.registers[name] = kind
        return Name(name)

    def copy(self, kind: str, source: Memory, space: str, to: Memory, into: str) -> None:
        """A value from memory of a space to memory of another."""
        value = self.register(kind)
        self.add("ld", f"{space}.{kind}", value, source)
        self.add("st", f"{into}.{kind}", to, value)

    def room(self, frame: int, callee: Frame) -> None:
        """End the run where the stack has no room for a call's frame. frame: bytes of the caller's."""
        left, fits = self.register("pred"), f"{POINTER}.fits{len(self.made.body)}"
        # signed: a frame that is larger than the whole stack
        self.add("setp", "le.s64", left, Name(POINTER), Name(STACK, offset=self.made.variables[STACK].size - frame - callee.size))
        self.add("bra", "", Name(fits), guard=left)
        self.add("trap", "stack")
        self.made.body.append(Label(fits))

    def push(self, frame: int, number: int) -> None:
        """A frame for a call: where to return to, and the stack pointer. frame: bytes of the caller's."""
        self.add("st", "local.u32", Memory(Name(POINTER), frame), Number(number))
        self.add("add", "s64", Name(POINTER), Name(POINTER), Number(frame))

    def pop(self, frame: int) -> None:
        """Give the callee's frame back."""
        self.add("add", "s64", Name(POINTER), Name(POINTER), Number(-frame))

    def keep(self, frame: Frame, live: set[str], prefix: str, kinds: Mapping[str, str], *, back: bool) -> None:
        """Registers to their places in the frame, or back from there. prefix: of their names in the kernel."""
        for register in sorted(live):
            at, name = Memory(Name(POINTER), frame.saved[register]), Name(prefix + register)
            kind = kinds[register]
            if kind == "pred":
                value = self.register("b32")
                if back:
                    self.add("ld", "local.u32", value, at)
                    self.add("setp", "ne.u32", name, value, Number(0))
                else:
                    self.add("selp", "b32", value, Number(1), Number(0), name)
                    self.add("st", "local.u32", at, value)
            elif back:
                self.add("ld", f"local.{kind}", name, at)
            else:
                self.add("st", f"local.{kind}", at, name)

    def dispatch(self, table: str) -> None:
        """Go back to where the frame says."""
        where = self.register("u32")
        self.add("ld", "local.u32", where, Memory(Name(POINTER), 0))
        self.add("brx", "idx", where, Name(table))


def begin(made: Function, stack_bytes: int) -> None:
    """Give a kernel whose functions call themselves its stack."""
    made.registers[POINTER] = "b64"
    made.variables[STACK] = Variable(STACK, "local", stack_bytes, ALIGN)
    made.body.append(Instruction("mov", ("b64",), (Name(POINTER), Name(STACK))))
