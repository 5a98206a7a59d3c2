"""Functions that kernels call, written in the place of their calls: a GPU's compilers do the same with all that they can.

A function's parameters and results are variables of the space `.param`, whose bytes become registers here: `st.param` of the caller and
`ld.param` of the function are copies. A call through an address becomes comparisons with the addresses of all functions that it may be
of. What calls itself cannot be written out, and is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property

from warploom.ptx.module import Function, Instruction, Label, Memory, Module, Name, Number, Operand, Vector

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


def inlined(module: Module, kernel: Function, own: frozenset[str]) -> Function:
    """A kernel with the functions that it calls. own: names of functions that stay calls. Raises Refused."""
    made = replace(kernel, registers=dict(kernel.registers), variables=dict(kernel.variables), targets=dict(kernel.targets), body=[])
    _Writer(module, made, own).write(kernel, "", {}, (), None)
    return made


class _Writer:
    """Writes functions into one. Each copy has names of its own, which begin with its number."""

    def __init__(self, module: Module, made: Function, own: frozenset[str]) -> None:
        self.module, self.made, self.own = module, made, own
        self.copies = 0

    def write(self, function: Function, prefix: str, passed: dict[str, str], around: tuple[str, ...], call: Instruction | None) -> None:
        """Append a function's body. passed: for its parameters and results the variables that stand for them."""
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
        for one in function.body:
            if isinstance(one, Label):
                self.made.body.append(Label(name(one.name)))
                continue
            guard = None if one.guard is None else one.guard._replace(name=name(one.guard.name))
            copy = replace(one, guard=guard, operands=tuple(renamed(x, name) for x in one.operands))
            if call is not None:
                copy = replace(copy, place=copy.place if copy.place.line else call.place)
            if one.op == "call":
                self._call(copy, (*around, function.name))
            elif one.op == "ret" and call is not None:
                self.made.body.append(replace(copy, op="bra", modifiers=(), operands=(Name(end),)))
            else:
                self.made.body.append(copy)
            if len(self.made.body) > MOST_INSTRUCTIONS:
                raise Refused(one, f"with all functions that it calls the kernel has more than {MOST_INSTRUCTIONS} instructions")
        if call is not None:
            self.made.body.append(Label(end))

    def _call(self, one: Instruction, around: tuple[str, ...]) -> None:
        results, target, given = called(one)
        function = self.module.functions.get(target.name)
        if target.name in self.own:
            self.made.body.append(one)
            return
        if function is None and target.name in self.made.registers:
            self._call_by_address(one, around)
            return
        if function is None or function.external:
            raise Refused(one, f"the function {target.name} is not in this text")
        if target.name in around:
            circle = " calls ".join([*around[around.index(target.name) :], target.name])
            raise Refused(one, f"recursion is not there yet: {circle}")
        with self._guarded(one):
            self._copy(function, (*results, *given), around, one)

    def _copy(self, function: Function, passed: Sequence[Name], around: tuple[str, ...], one: Instruction) -> None:
        """A function in the place of its call."""
        prefix = f"call{self.copies}."
        self.copies += 1
        names = {inner.name: outer.name for inner, outer in zip((*function.results, *function.parameters), passed, strict=False)}
        self.write(function, prefix, names, around, one)

    @contextmanager
    def _guarded(self, one: Instruction) -> Iterator[None]:
        """What is written is jumped over where the call's predicate does not hold."""
        skip = f"call{self.copies}.skip"
        if one.guard is not None:
            self.made.body.append(Instruction("bra", (), (Name(skip),), one.guard._replace(negated=not one.guard.negated), one.place))
        yield
        if one.guard is not None:
            self.made.body.append(Label(skip))

    def _call_by_address(self, one: Instruction, around: tuple[str, ...]) -> None:
        """A call of a register: each function whose address is taken, and that has such parameters, is compared and written out."""
        results, target, given = called(one)
        passed = (*results, *given)
        sizes = [self.made.variables[each.name].size for each in passed if each.name in self.made.variables]
        fitting = [
            function
            for function in self.pointed
            if [each.size for each in (*function.results, *function.parameters)] == sizes and len(function.results) == len(results)
        ]
        if not fitting:
            raise Refused(one, "a call through an address: no function of this program whose address is taken has such parameters")
        with self._guarded(one):
            number = self.copies
            self.copies += 1
            done, holds = f"call{number}.done", f"call{number}.other"
            self.made.registers[holds] = "pred"
            for place, function in enumerate(fitting):
                if function.name in around:
                    raise Refused(one, f"recursion is not there yet: {around[-1]} may call {function.name} through its address")
                following = f"call{number}.next{place}"
                address = Number(function_address(function.name))
                self.made.body.append(Instruction("setp", ("ne", "b64"), (Name(holds), Name(target.name), address), None, one.place))
                self.made.body.append(Instruction("bra", (), (Name(following),), Name(holds), one.place))
                self._copy(function, passed, around, replace(one, guard=None))
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
