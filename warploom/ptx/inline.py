"""Functions that kernels call, written in the place of their calls: a GPU's compilers do the same with all that they can.

A function's parameters and results are variables of the space `.param`, whose bytes become registers here: `st.param` of the caller and
`ld.param` of the function are copies. A call through an address becomes comparisons with the addresses of all functions that it may be
of. What calls itself is written once for each call that enters it, with frames on a stack (recursion.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from warploom.ptx.debug.marks import MARK, marked
from warploom.ptx.module import Function, Instruction, Label, Memory, Module, Name, Number, Operand, Vector, shown_name
from warploom.ptx.recursion import POINTER, STACK_BYTES, Circle, Steps, accesses, begin, circles, frame_of, in_frame, live_after

FUNCTIONS = 0x3000_0000_0000  # from here on there are addresses of functions
SEPARATOR = "::"  # in names of what comes from another text (linking.py): after its number

MOST_INSTRUCTIONS = 200_000  # of a kernel with all that it calls


class Refused(Exception):
    """An instruction that cannot be translated. instruction: which."""

    def __init__(self, instruction: Instruction, message: str) -> None:
        super().__init__(message)
        self.instruction, self.message = instruction, message


def function_address(name: str) -> int:
    """The address of a function: a number by its name, the same in every text."""
    plain = name.partition(SEPARATOR)[2] or name
    return FUNCTIONS + int.from_bytes(hashlib.sha256(plain.encode()).digest()[:5], "little")


def called(one: Instruction) -> tuple[tuple[Name, ...], Name, tuple[Name, ...]]:
    """Of a `call`: variables of the results, the function, variables of the arguments."""
    first = one.operands[0] if one.operands else None
    rest = one.operands[1:] if isinstance(first, Vector) else one.operands
    if not rest or not isinstance(rest[0], Name):
        raise Refused(one, "a call names a function")
    results = first.items if isinstance(first, Vector) else ()
    given = rest[1].items if len(rest) > 1 and isinstance(rest[1], Vector) else ()
    return tuple(x for x in results if isinstance(x, Name)), rest[0], tuple(x for x in given if isinstance(x, Name))


def inlined(module: Module, kernel: Function, own: frozenset[str], stack_bytes: int = STACK_BYTES) -> Function:
    """A kernel with the functions that it calls. own: names of functions that stay calls. stack_bytes: of a thread, for those that call
    themselves. Raises Refused.
    """
    made = replace(kernel, registers=dict(kernel.registers), variables=dict(kernel.variables), targets=dict(kernel.targets), body=[])
    writer = _Writer(module, made, own)
    writer.circles = circles(module, writer.callees, kernel.name)
    if writer.circles:
        begin(made, stack_bytes)
    writer.write(kernel, "", {}, Around(), None)
    return made


class Around(NamedTuple):
    """What a call stands in. frame: bytes of the frame that the stack pointer is at. circle: the copy of a circle that is being written."""

    frame: int = 0
    circle: Circle | None = None


class Site(NamedTuple):
    """A call as the text has it. function: whose instruction it is. prefix: of that function's names in the kernel."""

    function: Function
    written: Instruction
    prefix: str


class _Writer:
    """Writes functions into one. Each copy has names of its own, which begin with its number."""

    def __init__(self, module: Module, made: Function, own: frozenset[str]) -> None:
        self.module, self.made, self.own = module, made, own
        self.copies = 0
        self.circles: dict[str, frozenset[str]] = {}

    def write(self, function: Function, prefix: str, passed: dict[str, str], around: Around, call: Instruction | None) -> None:
        """Append a function's body. passed: for its parameters and results the variables that stand for them."""
        frame = around.circle.frames[function.name] if around.circle is not None else None
        local = {
            *function.registers,
            *function.variables,
            *(one.name for one in function.body if isinstance(one, Label)),
            *function.targets,
        }

        def name(text: str) -> str:
            return passed.get(text) or (prefix + text if text in local else text)

        if prefix:
            self.made.registers.update({prefix + one: kind for one, kind in function.registers.items()})
            self.made.variables.update({prefix + key: replace(one, name=prefix + key) for key, one in function.variables.items()})
            self.made.targets.update({prefix + key: tuple(map(name, rows)) for key, rows in function.targets.items()})
        end = f"{prefix}end"
        for one in marked(function, f"{shown_name(function.said_as or function.name)}." if call is not None else ""):
            if isinstance(one, Label):
                self.made.body.append(Label(name(one.name)))
                continue
            guard = None if one.guard is None else one.guard._replace(name=name(one.guard.name))
            moved = one if frame is None or one.op in ("call", MARK) else in_frame(one, frame)
            copy = replace(moved, guard=guard, operands=tuple(renamed(x, name) for x in moved.operands))
            if call is not None:
                copy = replace(copy, place=copy.place if copy.place.line else call.place)
            if one.op == "call":
                self._call(copy, Site(function, one, prefix), around)
            elif one.op == "ret" and call is not None:
                self.made.body.append(replace(copy, op="bra", modifiers=(), operands=(Name(end),)))
            else:
                self.made.body.append(copy)
            if len(self.made.body) > MOST_INSTRUCTIONS:
                raise Refused(one, f"with all functions that it calls the kernel has more than {MOST_INSTRUCTIONS} instructions")
        if call is not None:
            self.made.body.append(Label(end))

    def _call(self, one: Instruction, site: Site, around: Around) -> None:
        """A call, with names of the kernel's."""
        results, target, given = called(one)
        function = self.module.functions.get(target.name)
        if target.name in self.own:
            self.made.body.append(one)
            return
        if function is None and target.name in self.made.registers:
            self._call_by_address(one, site, around)
            return
        if function is None or function.external:
            raise Refused(one, f"the function {target.name} is not in this text")
        with self._guarded(one):
            self._copy(function, (*results, *given), one, site, around)

    def _copy(self, function: Function, passed: Sequence[Name], one: Instruction, site: Site, around: Around) -> None:
        """A function in the place of its call."""
        if function.name in self.circles:
            self._push(function, passed, one, site, around)
            return
        prefix = f"call{self.copies}."
        self.copies += 1
        names = {inner.name: outer.name for inner, outer in zip((*function.results, *function.parameters), passed, strict=False)}
        self.write(function, prefix, names, Around(around.frame), one)

    def _push(self, function: Function, passed: Sequence[Name], one: Instruction, site: Site, around: Around) -> None:
        """A call of a function that calls itself: of one in the same copy of its circle, or into a copy of its own."""
        steps, circle, caller = Steps(self.made, one.place), around.circle, site.function
        inner = circle is not None and function.name in circle.prefixes
        if circle is None or not inner:
            circle = self._circle(self.circles[function.name])
        callee, number = circle.frames[function.name], len(circle.returns[function.name])
        label = f"call{self.copies}.back"
        self.copies += 1
        circle.returns[function.name].append(label)
        results, _, given = called(site.written)
        names = [each.name for each in (*results, *given)]
        formals = [*function.results, *function.parameters]
        rows = [(formal.name, name, outer) for formal, name, outer in zip(formals, names, passed, strict=False)]
        steps.room(around.frame, callee)
        for formal, name, outer in rows[len(results) :]:
            for offset, kind in accesses(caller, "st", name):
                to = Memory(Name(POINTER), around.frame + callee.places[formal] + offset)
                steps.copy(kind, Memory(outer, offset), "param", to, "local")
        live = next(found for each, found in live_after(caller) if each is site.written) if inner else set()
        if inner:
            steps.keep(circle.frames[caller.name], live, site.prefix, caller.registers, back=False)
        steps.push(around.frame, number)
        steps.add("bra", "", Name(circle.prefixes[function.name] + "entry"))
        if not inner:
            self._write_circle(circle, function.name, one)
        self.made.body.append(Label(label))
        steps.pop(around.frame)
        if inner:
            steps.keep(circle.frames[caller.name], live, site.prefix, caller.registers, back=True)
        for formal, name, outer in rows[: len(results)]:
            for offset, kind in accesses(caller, "ld", name):
                source = Memory(Name(POINTER), around.frame + callee.places[formal] + offset)
                steps.copy(kind, source, "local", Memory(outer, offset), "param")

    def _circle(self, members: frozenset[str]) -> Circle:
        """A copy of a circle's functions, which are not written yet."""
        circle = Circle({}, {})
        for name in sorted(members):
            circle.prefixes[name] = f"call{self.copies}."
            self.copies += 1
            function = self.module.functions[name]
            circle.frames[name] = frame_of(function, lambda one, function=function: bool(members & set(self._may_call(function, one))))  # type: ignore[misc]
            circle.returns[name] = []
        return circle

    def _write_circle(self, circle: Circle, first: str, call: Instruction) -> None:
        """The functions of a circle, the one that is entered first in front."""
        for name in sorted(circle.prefixes, key=lambda one: one != first):
            function, prefix = self.module.functions[name], circle.prefixes[name]
            self.made.body.append(Label(prefix + "entry"))
            self.write(function, prefix, {}, Around(circle.frames[name].size, circle), call)
            Steps(self.made, call.place).dispatch(prefix + "returns")
        for name, prefix in circle.prefixes.items():
            self.made.targets[prefix + "returns"] = tuple(circle.returns[name])

    @contextmanager
    def _guarded(self, one: Instruction) -> Iterator[None]:
        """What is written is jumped over where the call's predicate does not hold."""
        skip = f"call{self.copies}.skip"
        if one.guard is not None:
            self.made.body.append(Instruction("bra", (), (Name(skip),), one.guard._replace(negated=not one.guard.negated), one.place))
        yield
        if one.guard is not None:
            self.made.body.append(Label(skip))

    def callees(self, function: Function) -> list[str]:
        """The functions that one may call, in the order of its text."""
        return [name for one in function.instructions() if one.op == "call" for name in self._may_call(function, one)]

    def _may_call(self, function: Function, one: Instruction) -> list[str]:
        """The functions that a call of a function's text may be of."""
        _, target, _ = called(one)
        if target.name in self.own:
            return []
        return [target.name] if target.name not in function.registers else [each.name for each in self._fitting(function, one)]

    def _fitting(self, function: Function, one: Instruction) -> list[Function]:
        """The functions that a call through an address may be of: their address is taken, and they have such parameters."""
        results, _, given = called(one)
        sizes = [function.variables[each.name].size for each in (*results, *given) if each.name in function.variables]
        return [
            each
            for each in self.pointed
            if [formal.size for formal in (*each.results, *each.parameters)] == sizes and len(each.results) == len(results)
        ]

    def _call_by_address(self, one: Instruction, site: Site, around: Around) -> None:
        """A call of a register, which is compared with the address of each function that it may be."""
        results, target, given = called(one)
        passed = (*results, *given)
        fitting = self._fitting(site.function, site.written)
        if not fitting:
            raise Refused(one, "a call through an address: no function of this program whose address is taken has such parameters")
        with self._guarded(one):
            number = self.copies
            self.copies += 1
            done, holds = f"call{number}.done", f"call{number}.other"
            self.made.registers[holds] = "pred"
            for place, function in enumerate(fitting):
                following = f"call{number}.next{place}"
                address = Number(function_address(function.name))
                self.made.body.append(Instruction("setp", ("ne", "b64"), (Name(holds), Name(target.name), address), None, one.place))
                self.made.body.append(Instruction("bra", (), (Name(following),), Name(holds), one.place))
                self._copy(function, passed, replace(one, guard=None), site, around)
                self.made.body.append(Instruction("bra", (), (Name(done),), None, one.place))
                self.made.body.append(Label(following))
            self.made.body.append(Instruction("trap", (), (), None, one.place))
            self.made.body.append(Label(done))

    @cached_property
    def pointed(self) -> list[Function]:
        """Functions whose address is taken: in an instruction that is not a call, or in a variable's first bytes."""
        names: dict[str, None] = {}
        for function in self.module.functions.values():
            for one in function.instructions():
                if one.op != "call":
                    names.update((name, None) for operand in one.operands for name in names_in(operand))
        for variable in self.module.variables.values():
            names.update((other, None) for _, other, _ in variable.addresses)
        found = (self.module.functions.get(name) for name in names)
        return [one for one in found if one is not None and not one.external and not one.kernel]


def renamed(operand: Operand, name: object) -> Operand:
    """An operand with other names. name: gives the new one of each."""
    assert callable(name)
    if isinstance(operand, Name):
        return operand._replace(name=name(operand.name), second=name(operand.second) if operand.second else "")
    if isinstance(operand, Memory):
        base = operand.base
        return operand._replace(
            base=base._replace(name=name(base.name)) if isinstance(base, Name) else base,
            more=tuple(renamed(x, name) for x in operand.more),
        )
    if isinstance(operand, Vector):
        return Vector(tuple(renamed(x, name) for x in operand.items))
    return operand


def names_in(operand: Operand) -> Iterator[str]:
    """All names in an operand."""
    if isinstance(operand, Name):
        yield operand.name
        if operand.second:
            yield operand.second
    elif isinstance(operand, Memory):
        if isinstance(operand.base, Name):
            yield operand.base.name
        for one in operand.more:
            yield from names_in(one)
    elif isinstance(operand, Vector):
        for one in operand.items:
            yield from names_in(one)
