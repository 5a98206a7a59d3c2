"""Functions that kernels call, written in the place of their calls: a GPU's compilers do the same with all that they can.

A function's parameters and results are variables of the space `.param`, whose bytes become registers here: `st.param` of the caller and
`ld.param` of the function are copies. What calls itself cannot be written out, and is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from warploom.ptx.module import Function, Instruction, Label, Memory, Module, Name, Operand, Vector

MOST_INSTRUCTIONS = 200_000  # of a kernel with all that it calls


class Refused(Exception):
    """An instruction that cannot be translated. instruction: which."""

    def __init__(self, instruction: Instruction, message: str) -> None:
        super().__init__(message)
        self.instruction, self.message = instruction, message


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
            renamed = replace(one, guard=guard, operands=tuple(_renamed(x, name) for x in one.operands))
            if call is not None:
                renamed = replace(renamed, place=renamed.place if renamed.place.line else call.place)
            if one.op == "call":
                self._call(renamed, (*around, function.name))
            elif one.op == "ret" and call is not None:
                self.made.body.append(replace(renamed, op="bra", modifiers=(), operands=(Name(end),)))
            else:
                self.made.body.append(renamed)
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
            raise Refused(one, "a call through a function's address is not there yet")
        if function is None or function.external:
            raise Refused(one, f"the function {target.name} is not in this text")
        if target.name in around:
            circle = " calls ".join([*around[around.index(target.name) :], target.name])
            raise Refused(one, f"recursion is not there yet: {circle}")
        skip = f"call{self.copies}.skip"
        if one.guard is not None:
            self.made.body.append(Instruction("bra", (), (Name(skip),), one.guard._replace(negated=not one.guard.negated), one.place))
        prefix = f"call{self.copies}."
        self.copies += 1
        passed = {
            inner.name: outer.name for inner, outer in zip((*function.results, *function.parameters), (*results, *given), strict=False)
        }
        self.write(function, prefix, passed, around, one)
        if one.guard is not None:
            self.made.body.append(Label(skip))


def _renamed(operand: Operand, name: object) -> Operand:
    assert callable(name)
    if isinstance(operand, Name):
        return operand._replace(name=name(operand.name), second=name(operand.second) if operand.second else "")
    if isinstance(operand, Memory):
        base = operand.base
        return operand._replace(
            base=base._replace(name=name(base.name)) if isinstance(base, Name) else base,
            more=tuple(_renamed(x, name) for x in operand.more),
        )
    if isinstance(operand, Vector):
        return Vector(tuple(_renamed(x, name) for x in operand.items))
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
