"""Kernels as plain data: how a guest hands over what a submission has made, and how the judge makes it anew.

A description never holds code. A function is the number of a code object in the submission's own text, which the judge has read before
the guest was started and compiles itself; beside it stand the values of the names that the function uses: numbers, texts, tuples,
arrays, types, names of `numba.cuda`, `math` and NumPy, and more functions. So a guest that has changed whatever it could reach in its own
process can only say that a constant has a different value.
"""

from __future__ import annotations

import ast
import base64
import builtins
import cmath
import dis
import linecache
import math
import operator
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numba.core.types
import numpy as np

from warploom.kernel import cuda
from warploom.kernel.launch.launch import Kernel
from warploom.kernel.library import random
from warploom.kernel.syntax.known_names import path_of, starts
from warploom.kernel.types import types as ty

MOST_BYTES = 4 << 20  # of a description
MOST_FUNCTIONS = 200
OPTIONS = ("debug", "max_registers", "fma", "error_model", "boundscheck")
MODULES: dict[str, ModuleType] = {
    "numba": numba, "numba.cuda": cuda, "warploom.kernel.cuda": cuda, "numpy": np, "math": math, "operator": operator, "cmath": cmath,
    "numba.core.types": numba.core.types, "warploom.kernel.library.random": random,
}  # fmt: skip
ROOTS: dict[str, ModuleType] = {"cuda": cuda, "math": math, "numpy": np, "operator": operator, "cmath": cmath, "builtins": builtins}
IMPORTED = ("numba", "numpy", "math", "operator", "cmath", "warploom.cuda")  # what a kernel may import inside


class NotPlain(ValueError):
    """Something that cannot be handed over, or a description that says what cannot be. One sentence."""


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside it, in the order of the text: the same in every process that compiles it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes(inner)


def used_names(code: CodeType) -> set[str]:
    """The names of the module that a function and those inside it read."""
    found = {one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*(used_names(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


# ---------------------------------------------------------------------------------------------------------
# In the guest


class Describer:
    """Describes functions of a module whose code is known. whole: of the module."""

    def __init__(self, whole: CodeType) -> None:
        self.numbers = {id(one): number for number, one in enumerate(codes(whole))}
        self.functions: list[dict[str, Any]] = []
        self._known: dict[int, int] = {}
        self._kept: list[Any] = []

    def function(self, given: Any) -> int:
        """The number of a kernel or a function in `functions`. Raises NotPlain."""
        plain = given.py_func if isinstance(given, Kernel) else given
        if id(given) in self._known:
            return self._known[id(given)]
        number = self.numbers.get(id(plain.__code__))
        if number is None:
            raise NotPlain(f"{plain.__name__} does not stand in the file that was handed in: put its text there")
        place = self._known[id(given)] = len(self.functions)
        self._kept.append(given)
        row: dict[str, Any] = {"code": number, "name": plain.__name__}
        self.functions.append(row)
        if isinstance(given, Kernel):
            options = {
                name: value for name, value in given.options.items() if name in OPTIONS and isinstance(value, int | float | str | None)
            }
            signature = given.options.get("signature")
            if signature is not None:
                args = getattr(signature, "args", signature)
                options["signature"] = signature if isinstance(signature, str) else f"({', '.join(str(one) for one in args)})"
            row["kernel"] = {"device": bool(given.device), "options": options}
        names = {name: plain.__globals__[name] for name in sorted(used_names(plain.__code__)) if name in plain.__globals__}
        row["globals"] = {name: self.value(value, name, plain) for name, value in names.items()}
        cells = zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True)
        row["cells"] = [self.value(cell.cell_contents, name, plain) for name, cell in cells]
        row["defaults"] = [self.value(value, "a default", plain) for value in plain.__defaults__ or ()]
        row["keywords"] = {name: self.value(value, name, plain) for name, value in (plain.__kwdefaults__ or {}).items()}
        return place

    def value(self, value: Any, name: str, user: Any) -> Any:
        """A value that a function uses."""
        if value is None or isinstance(value, bool | str) or type(value) in (int, float):
            return {"is": value}
        if isinstance(value, np.generic) and value.dtype.names is None:
            return {"scalar": value.dtype.str, "bytes": value.tobytes().hex()}
        if isinstance(value, np.ndarray) and value.dtype.names is None and not value.dtype.hasobject:
            data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
            return {"array": value.dtype.str, "shape": list(value.shape), "data": data}
        if type(value) is tuple:
            return {"tuple": [self.value(one, name, user) for one in value]}
        if isinstance(value, Kernel | FunctionType):
            if (path := path_of(value)) is not None:
                return {"name": path}
            return {"function": self.function(value)}
        if isinstance(value, ModuleType) and value.__name__ in MODULES:
            return {"module": value.__name__}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"dtype": np.dtype(value).name}
        if type(value).__module__.startswith("numba.") and hasattr(value, "bitwidth") and str(value) in ty.BY_NAME:
            return {"type": str(value)}
        if (
            (isinstance(value, type) and value in (int, float, bool, complex))
            or isinstance(value, BuiltinFunctionType)
            or hasattr(value, "kernel_name")
        ):
            if (path := path_of(value)) is not None:
                return {"name": path}
            if isinstance(value, type):
                return {"name": f"builtins.{value.__name__}"}
        if (path := path_of(value)) is not None:
            return {"name": path}
        raise NotPlain(
            f"{user.__name__} uses {name}, a value of type {type(value).__name__}: graded kernels may use numbers, texts, tuples, arrays, "
            "types and functions of their file"
        )


# ---------------------------------------------------------------------------------------------------------
# In the judge


class Maker:
    """Makes described functions anew from the text of a submission. Nothing of the submission's is executed."""

    def __init__(self, source: str, path: str, described: Any) -> None:
        if not isinstance(described, list) or not 1 <= len(described) <= MOST_FUNCTIONS:
            raise NotPlain("what was handed over does not describe functions")
        self.codes = list(codes(compile(source, path, "exec", dont_inherit=True)))
        linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
        self.path, self.described = path, described
        self._made: dict[int, Any] = {}
        _check_imports(source)

    def function(self, place: Any, context: Any = None, kept: Mapping[str, Any] | None = None) -> Any:
        """A function, or the Kernel that was made of it. context, kept: as of Kernel. Raises NotPlain."""
        if type(place) is not int or not 0 <= place < len(self.described):
            raise NotPlain("what was handed over names a function that is not there")
        if place in self._made:
            return self._made[place]
        row = self.described[place]
        try:
            code = self.codes[row["code"]] if type(row["code"]) is int and row["code"] > 0 else None
            if code is None or code.co_name != row["name"]:
                raise NotPlain("what was handed over names a function that is not in the file")
            names: dict[str, Any] = {"__name__": "submission", "__builtins__": {}}
            cells = tuple(CellType() for _ in code.co_freevars)
            made = FunctionType(code, names, code.co_name, None, cells or None)
            made.__module__ = "submission"
            found: Any = made
            if "kernel" in row:
                given = row["kernel"]["options"]
                options = {name: given[name] for name in (*OPTIONS, "signature") if name in given}
                found = Kernel(made, device=bool(row["kernel"]["device"]), context=context, kept=kept, **options)
            self._made[place] = found
            names.update({str(name): self.value(value) for name, value in row["globals"].items()})
            for cell, value in zip(cells, row["cells"], strict=True):
                cell.cell_contents = self.value(value)
            made.__defaults__ = tuple(self.value(one) for one in row["defaults"]) or None
            made.__kwdefaults__ = {str(name): self.value(one) for name, one in row["keywords"].items()} or None
        except NotPlain:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
            raise NotPlain(f"what was handed over cannot be read: {type(error).__name__}") from None
        return found

    def value(self, given: dict[str, Any]) -> Any:
        """A value that was described."""
        kind = next(iter(given))
        if kind == "is" and (given["is"] is None or isinstance(given["is"], bool | int | float | str)):
            return given["is"]
        if kind == "scalar":
            return np.frombuffer(bytes.fromhex(given["bytes"]), _plain_dtype(given["scalar"]))[0]
        if kind == "array":
            data = base64.b64decode(given["data"])
            return np.frombuffer(data, _plain_dtype(given["array"])).reshape([int(one) for one in given["shape"]]).copy()
        if kind == "tuple":
            return tuple(self.value(one) for one in given["tuple"])
        if kind == "function":
            return self.function(given["function"])
        if kind == "module":
            return MODULES[given["module"]]
        if kind == "dtype":
            return _plain_dtype(given["dtype"]).type
        if kind == "type":
            return getattr(numba.core.types, given["type"] if given["type"] in ty.BY_NAME else "")
        if kind == "name":
            return _named(given["name"])
        raise NotPlain(f"what was handed over has a value of an unknown kind, {kind!r}")


def _plain_dtype(text: Any) -> np.dtype[Any]:
    found = np.dtype(str(text))
    if found.hasobject or found.names is not None:
        raise NotPlain(f"{text!r} is not a type of numbers")
    return found


TYPES = ("builtins.int", "builtins.float", "builtins.bool", "builtins.complex")


def _named(path: Any) -> Any:
    """An object of the table of names: nothing else can be named."""
    root, _, rest = str(path).partition(".")
    if root not in ROOTS or not (starts(str(path)) or path in TYPES):
        raise NotPlain(f"{path!r} is not a name that kernels have")
    found: Any = ROOTS[root]
    for name in filter(None, rest.split(".")):
        found = getattr(found, name)
    return found


def _check_imports(source: str) -> None:
    """Raise NotPlain for an import inside a function that would load a module into the judge."""
    functions = [one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.FunctionDef)]
    for function in functions:
        for node in ast.walk(function):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            modules = [one.name for one in node.names] if isinstance(node, ast.Import) else [node.module or "."]
            for module in modules:
                if module.partition(".")[0] not in IMPORTED and module not in IMPORTED:
                    raise NotPlain(f"line {node.lineno}: {function.name} imports {module}: import it at the head of the file")
