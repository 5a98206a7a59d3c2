"""Several texts as one program: what a text declares (`.extern`) and another one defines.

A function of another text is copied under a name of its own, with all that it calls and names, so that what two texts call the same
without making it visible stays apart. nvcc does this with `-rdc=true`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from warploom.ptx.inline import SEPARATOR, renamed
from warploom.ptx.module import Function, Instruction, Label, Module, Place, Variable


class Linked(NamedTuple):
    """A module with what it has from others. elsewhere: of its variables the ones of others, by the other's number and the name there."""

    module: Module
    elsewhere: dict[str, tuple[int, str]]


def link(modules: Sequence[Module], number: int) -> Linked:
    """One of several modules, with all that it declares and another one defines."""
    first = modules[number]
    wanted = [name for name, one in first.functions.items() if one.external]
    wanted += [name for name, one in first.variables.items() if _is_declared(one)]
    if not wanted or len(modules) == 1:
        return Linked(first, {})
    return _Linker(modules, number).link(wanted)


def _is_declared(one: Function | Variable) -> bool:
    return one.external and not (isinstance(one, Variable) and one.dynamic)


class _Linker:
    def __init__(self, modules: Sequence[Module], number: int) -> None:
        self.modules, self.number = modules, number
        first = modules[number]
        self.made = replace(first, functions=dict(first.functions), variables=dict(first.variables))
        self.elsewhere: dict[str, tuple[int, str]] = {}

    def link(self, wanted: list[str]) -> Linked:
        for name in wanted:
            owner = self._owner(name)
            if owner is not None:
                self._bring(owner, name, name)
        return Linked(self.made, self.elsewhere)

    def _owner(self, name: str) -> int | None:
        """The module that defines a name for all."""
        for number, one in enumerate(self.modules):
            found = one.functions.get(name) or one.variables.get(name)
            if found is not None and not found.external:
                return number
        return None

    def _name(self, owner: int, name: str) -> str:
        """What a module's name is called in the linked one; brings it along."""
        there = self.modules[owner]
        found = there.functions.get(name) or there.variables.get(name)
        if found is None:
            return name
        if _is_declared(found):
            other = self._owner(name)
            if other is None:  # of the device library, or missing
                if isinstance(found, Function):
                    self.made.functions.setdefault(name, found)
                return name
            owner = other
        elif found.external:
            return name  # shared memory of a size that the launch gives
        if owner == self.number:
            return name
        new = f"{owner}{SEPARATOR}{name}"
        if new not in self.made.functions and new not in self.made.variables:
            self._bring(owner, name, new)
        return new

    def _bring(self, owner: int, name: str, new: str) -> None:
        there = self.modules[owner]
        variable = there.variables.get(name)
        if variable is not None:
            self.made.variables[new] = replace(variable, name=new)
            if variable.space in ("global", "const"):
                self.elsewhere[new] = (owner, name)
            for _, other, _ in variable.addresses:  # functions that it points to can be called
                if other in there.functions:
                    self._name(owner, other)
            return
        function = there.functions[name]
        self.made.functions[new] = function  # before its body, which may call it
        local = {*function.registers, *function.variables, *function.targets, *(one.name for one in function.parameters)}
        local |= {one.name for one in function.results} | {one.name for one in function.body if isinstance(one, Label)}

        def called(text: str) -> str:
            return text if text in local else self._name(owner, text)

        body = [one if isinstance(one, Label) else self._instruction(one, owner, called) for one in function.body]
        self.made.functions[new] = replace(function, name=new, body=body, place=self._place(function.place, owner))

    def _instruction(self, one: Instruction, owner: int, called: object) -> Instruction:
        return replace(one, operands=tuple(renamed(x, called) for x in one.operands), place=self._place(one.place, owner))

    def _place(self, place: Place, owner: int) -> Place:
        """A place with its file's path: numbers of files are a text's own."""
        return place if isinstance(place.file, str) else place._replace(file=self.modules[owner].files.get(place.file, ""))
