"""Units of a user's own: what they raise or give back, said in one sentence with the file and the line.

Not hardware. A user's unit is a plain function. It is called as it is in plain Python, and compiled with Numba's own rules natively
(native/compiler.py); in both a mistake of the user's ends as a `UnitError`, which is a sentence and not a stack trace of the simulator.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

DIVISION = "ZeroDivisionError: division by zero"
MAY_USE = "a unit may use numbers, loops, branches, the fields of its record, and functions marked with `@unit`"

LOADED = "warploom_unit_"  # how the names of modules begin that are a user's files
WIDTH = "a number has 64 bits at most, as in hardware"

INSTEAD = (  # words of Python's, and what to say of a unit then
    ("there is no bit", "its bits are 0 to 63, and the lowest of an empty mask is 64: ask whether it is empty first"),
    ("out of bounds for uint64", "a mask has 64 bits and no sign: make it of EMPTY, bit(number) and ~mask"),
    ("out of bounds for int", "a field of a record has as many bits as hardware would give it"),
    ("out of bounds for uint", "a field of a record has as many bits as hardware would give it"),
    ("only integers, slices", "an index is a whole number: write // for /, or int(number)"),
    ("too large to convert to C long", f"{WIDTH}: -2**63 to 2**63 - 1, and a mask 0 to 2**64 - 1"),
    ("KeyError: ", "a unit has no dictionaries natively: what it looks up and remembers is in the fields of its record"),
    ("'numpy.ndarray' object has no attribute", "an array has a fixed size: write array[index] = value, and count yourself"),
    ("too many indices for array", "rows lie one after the other in an array with one index, as s.stamp[set * s.ways + way]"),
    ("ufunc '", "a unit works on numbers alone"),
    ("'NoneType'", "None is not a number: each path through a function needs a value"),
)


class UnitError(Exception):
    """A unit of a user's own does what it may not. The message is one sentence that names the file and the line."""


def in_words(error: BaseException) -> str:
    """An exception as Python shows it: its name, and what it says if it says something."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def guarded(function: Callable[..., Any], problem: Callable[..., str], begin: Callable[[], None] | None = None) -> Callable[..., Any]:
    """A user's unit for plain Python, whose exceptions and wrong results are UnitErrors.

    problem: called with the result and the arguments; says in half a sentence why that is not a result, "" where it is one. begin: called
    before the unit is.
    """

    @wraps(function)
    def checked(*arguments: Any) -> Any:
        if begin is not None:
            begin()
        try:
            with np.errstate(divide="raise", invalid="raise"):  # as of Python's own numbers
                result = function(*arguments)
        except UnitError:
            raise
        except FloatingPointError as error:
            raise UnitError(f"{_place_of(error, function)}: {DIVISION}") from error
        except ZeroDivisionError as error:  # Python has several texts for it, native code has one
            raise UnitError(f"{_place_of(error, function)}: {DIVISION}") from error
        except (Exception, SystemExit) as error:  # whatever a user's function raises is the user's mistake
            said = in_words(error).replace("'Mirror' object has no attribute", "the record has no field")
            said = said.replace("object of type 'Mirror'", "the record").replace("'Mirror'", "a record")
            raise UnitError(f"{_place_of(error, function)}: {said}{hint_of_floats(said)}{hint_of_hardware(said)}") from error
        if wrong := problem(result, *arguments):
            raise UnitError(f"{place(function)}: {unit_name(function)} {wrong}")
        return result

    return checked


def check_parameters(function: Callable[..., Any], given: int) -> None:
    """Raises UnitError for a function that cannot be called with so many arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of some of Python's own functions nothing is known
        return
    try:
        signature.bind(*range(given))
        takes_any = any(each.kind is each.VAR_POSITIONAL for each in signature.parameters.values())
        if len(signature.parameters) > given and not takes_any:  # one with a value of its own would be a memory that nobody knows of
            raise TypeError
    except TypeError:
        takes = f"{len(signature.parameters)} argument{'s' * (len(signature.parameters) != 1)}"
        raise UnitError(f"{place(function)}: {unit_name(function)} takes {takes}, and is called with {given}") from None


def check_settings(function: Callable[..., Any], settings: frozenset[str]) -> None:
    """Raises UnitError for a function that writes a field of one of these names."""

    def written(node: ast.expr) -> str:
        """The setting that is written here, as s.ways; "" for none."""
        target = node.value if isinstance(node, ast.Subscript) else node
        stores = isinstance(getattr(node, "ctx", None), ast.Store) and isinstance(target, ast.Attribute) and target.attr in settings
        return ast.unparse(target) if stores else ""

    tree = tree_of(function)
    found = [(node.lineno, name) for node in ast.walk(tree) if isinstance(node, ast.expr) and (name := written(node))] if tree else []
    if found:
        line, name = min(found, key=lambda each: each[0])
        said = f"writes {name}, a setting of the machine, which stays as it is once the machine runs"
        raise UnitError(f"{place(function, line)}: {unit_name(function)} {said}: a unit writes the other fields of its record")


def hint_of_floats(said: str) -> str:
    """What to write where a number has become a float by accident, as NumPy and Numba make it of signed and unsigned numbers of 64 bits."""
    return "; a mask and a signed number together give a float: write int(mask), or np.uint64(number)" if "float64" in said else ""


def hint_of_hardware(said: str) -> str:
    """What a unit has instead, where Python's own words speak of Python alone."""
    return next((f"; {instead}" for python, instead in INSTEAD if python in said), "")


class WrongResult(Exception):
    """Natively: a unit of a user's own has returned what is not a result."""


def unit_name(unit: Any) -> str:
    """What a user calls a unit: the name that its file gives it; else a function's own name, or that of the class of several verbs."""
    return _file_and_name(unit)[1]


def unit_in_its_file(unit: Any) -> str:
    """A unit as a user names it to have it again, as mine.py:choose; its name alone where it is in no file."""
    file, name = _file_and_name(unit)
    file = shown_file(file) if file else unit_place(unit).rpartition(":")[0]
    return f"{file}:{name}" if file else name


def _file_and_name(unit: Any) -> tuple[str, str]:
    """The file that gives a unit a name, "" for none, and that name. A function made by one of another file is named in the user's."""
    own = str(getattr(unit, "__name__", type(unit).__name__))
    verbs = unit if isinstance(unit, tuple) else (unit,)
    near = {str(getattr(verb, "__module__", "")) for verb in verbs}
    modules = [sys.modules[name] for name in sorted(near) if name in sys.modules]
    modules += [module for name, module in list(sys.modules.items()) if name.startswith(LOADED) and name not in near]
    these = (
        unit,
        vars(unit).get("__wrapped__", unit) if isinstance(unit, FunctionType) else unit,
    )  # as it was before its loops were counted
    found = [(home, name) for home in modules for name, value in list(vars(home).items()) if any(value is each for each in these)]
    names = [(str(getattr(home, "__file__", None) or ""), name) for home, name in found]
    return next((each for each in names if each[1] == own), names[0] if names else ("", own))


def unit_place(unit: Any) -> str:
    """Where a unit is written, as text; of one with several verbs where the first of them is."""
    return place(next(verb for verb in unit if verb is not None) if isinstance(unit, tuple) else unit)


def place(function: Callable[..., Any], line: int | None = None) -> str:
    """A function's file and line, as text; its name where it has none. line: another one of the same file."""
    code = getattr(function, "__code__", None)
    return f"{shown_file(code.co_filename)}:{line or code.co_firstlineno}" if code is not None else unit_name(function)


def shown_file(file: str) -> str:
    """A file as a user would write it: from the working directory where it lies in that."""
    path = Path(file)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


# What has no meaning for hardware. Numba says of some of it that it cannot be compiled, and not where it stands.
CONSTRUCTS = (
    *(ast.With, ast.Try, ast.Yield, ast.YieldFrom, ast.Await, ast.Lambda, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Delete),
    *(ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.JoinedStr),
)


def line_of_construct(function: Callable[..., Any], field: str = "") -> int | None:
    """The line of the first thing in a function that cannot be compiled whatever it works on; None where there is none.

    field: ... or that asks for a field of this name.
    """
    return first_line(function, lambda node: isinstance(node, CONSTRUCTS) or (isinstance(node, ast.Attribute) and node.attr == field))


def line_of_print(function: Callable[..., Any]) -> int | None:
    """The line of the first call of `print` in a function; None where there is none."""
    return first_line(function, lambda node: isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print")


def first_line(function: Callable[..., Any], wanted: Callable[[ast.AST], bool]) -> int | None:
    """The first line of a function that has something wanted; None where there is none."""
    tree = tree_of(function)
    lines = [node.lineno for node in ast.walk(tree) if wanted(node) and hasattr(node, "lineno")] if tree is not None else []
    return min(lines, default=None)


def tree_of(function: Callable[..., Any]) -> ast.AST | None:
    """What a function's source says, with the lines of its file; None where there is none."""
    try:
        lines, first = inspect.getsourcelines(function)
        module = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None
    ast.increment_lineno(module, first - 1)
    lambdas = [node for node in ast.walk(module) if isinstance(node, ast.Lambda)]
    return lambdas[0] if getattr(function, "__name__", "") == "<lambda>" and len(lambdas) == 1 else module


def _place_of(error: BaseException, function: Callable[..., Any]) -> str:
    """The last line of the user's own file that an exception came through."""
    code = getattr(function, "__code__", None)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if code is not None and frame.filename == code.co_filename]
    return f"{shown_file(own[-1].filename)}:{own[-1].lineno}" if own else place(function)
