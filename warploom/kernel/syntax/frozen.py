"""What names meant where a kernel with a signature was decorated: such a kernel is compiled there, and a later launch finds the same.

A kernel is compiled for more than its signature says (whether a number is small, with checks or without), so a compilation at a launch
asks here what a name meant. A function for kernels with a signature is compiled with the kernel that calls it, so its names, and those
of the functions that it calls, are looked up beforehand.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.kernel.syntax.tree import NoSource, assigned, outer_names, plain, text_of


class Frozen:
    """Values by function and name, and of attributes by owner and name; arrays are kept as they were."""

    def __init__(self) -> None:
        self._names: dict[tuple[Any, str], Any] = {}
        self._attributes: dict[tuple[int, str], tuple[Any, Any]] = {}  # the owner lives as long as its number is a key

    def names_of(self, function: Any) -> Callable[[str], Any]:
        """As `outer_names`, with the first answer for each name."""
        find = outer_names(function)

        def find_first(name: str) -> Any:
            if (function, name) not in self._names:
                self._names[function, name] = _kept(find(name))
            return self._names[function, name]

        return find_first

    def attribute(self, owner: Any, name: str) -> Any:
        """`owner.name`, with the first answer. Raises AttributeError."""
        key = id(owner), name
        if key not in self._attributes:
            self._attributes[key] = owner, _kept(getattr(owner, name))
        return self._attributes[key][1]

    def look_up(self, function: Any) -> None:
        """Everything that a function names outside of itself, and that the functions do which it names."""
        self._look_up(plain(function), set())

    def _look_up(self, function: Any, seen: set[Any]) -> None:
        seen.add(function)
        try:
            text = text_of(function)
        except NoSource:
            return
        inside = assigned(text.body) | set(inspect.signature(function).parameters)
        find = self.names_of(function)
        for node in (node for statement in text.body for node in ast.walk(statement)):
            try:
                thing = plain(self._value(node, find, inside))
            except (KeyError, AttributeError, NameError, ValueError):  # a cell that is still empty is a ValueError
                continue
            if inspect.isfunction(thing) and thing not in seen and thing.__module__ == function.__module__:
                self._look_up(thing, seen)

    def _value(self, node: ast.AST, find: Callable[[str], Any], inside: set[str]) -> Any:
        """What a name, or a name with attributes, means outside. Raises KeyError, AttributeError."""
        if isinstance(node, ast.Name) and node.id not in inside:
            return find(node.id)
        if isinstance(node, ast.Attribute):
            return self.attribute(self._value(node.value, find, inside), node.attr)
        raise KeyError


def _kept(thing: Any) -> Any:
    return thing.copy(order="K") if isinstance(thing, np.ndarray) else thing
