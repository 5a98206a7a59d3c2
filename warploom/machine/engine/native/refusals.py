"""Why a user's function cannot be native code, in one sentence: the file, the line, what stands there, and the reason in the user's words.

Not hardware. Numba's messages are pages that speak of its own insides; what they say of the function is kept.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from typing import Any

from warploom.machine.engine.users import MAY_USE, UnitError, hint_of_floats, line_of_construct, place, unit_name

REMEMBERS = "what a unit remembers is in its record"
OPCODES = {
    "STORE_GLOBAL": f"no variable outside of the function can be written; {REMEMBERS}",
    "IMPORT_NAME": "an import belongs at the head of the file",
}

# What Numba says, as a pattern, and the same in the user's words.
SAYINGS = (
    (r"Implementation function returned by", "it calls a function of Python's that has no native form"),
    (r"NRT required", "a list, a text or an array of its own would have to be made while it runs"),
    (r"Untyped global name '(\w+)':.*<class '(?:builtin_function_or_method|type|_sitebuiltins.*)'>", r"native code has no \1"),
    (r"Untyped global name '(\w+)':.*<class '(?!function'>)", rf"\1, outside of the function, is not a number; {REMEMBERS}"),
    (r"Unknown attribute '(\w+)' of type Module\(<module '(\w+)'", r"native code has no \2.\1"),
    (r"Unknown attribute '(\w+)' of type u?int\d+", r"a number has no \1 natively"),
    (r"Only accept returning of array", "it returns an array; the result is a whole number"),
    (r"Type of variable '\$.*cannot be determined", "what kind of number this is cannot be told; write it in two lines"),
    (r".*Variable '(\w+)' is not defined", r"\1 is used above its first value: give it one at the head of the function"),
    (r"Illegal IR, del found", "native code has no del"),
    (r"The use of yield in a closure", "native code has no generators: write a loop"),
    (
        r"Cannot capture the non-constant value associated with variable 'shift_\d+_*'",
        "a lambda that is handed on shifts by what is written there alone: write def, or call the lambda where it is",
    ),
    (
        r"Cannot capture the non-constant value associated with variable '(\w+)'",
        r"a function within another one that is handed on takes no variable from around it: make \1 an argument",
    ),
    (r".*exception_match", "native code catches no exceptions: ask before, with if"),
)
KINDS = (
    (r"Literal\[str\]\(.*?\)", "a text"),
    (r"Literal\[\w+\]\(.*?\)", "int64"),
    (r"nestedarray\(\w+, \(.*?\)\)|(?:readonly |unaligned )*array\(.*?\)", "an array"),
    (r"(?:reflected )?list\(\w+\)(?:<.*?>)?", "a list"),
    (r"\bnone\b", "None"),
)


def returned_kind(result: str) -> str:
    """What is said of a result that is not a whole number. result: Numba's name for its type."""
    known = {"none": "nothing", "unicode_type": "a text", "optionaltype": "nothing on one of its paths"}
    known |= dict.fromkeys(("unituple", "tuple"), "several values")
    kind = result.partition("(")[0].lower()
    return known.get(kind, kind)


def not_compiled(function: Callable[..., Any], error: Exception) -> UnitError:
    """The sentence for an error of Numba's about a user's function."""
    field = str(error.args[0]) if isinstance(error, KeyError) else ""
    lines = [said.strip() for said in re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()]
    opcode = re.search(r"opcode \((\w+)\) found\. Raised from .* \((\d+)\)", " ".join(lines))
    line = int(opcode[2]) if opcode else getattr(getattr(error, "loc", None), "line", None) or line_of_construct(function, field)
    linecache.checkcache(function.__code__.co_filename)  # the file may have been read before it was changed
    text = linecache.getline(function.__code__.co_filename, line).strip() if line else ""
    if opcode:
        reason = OPCODES.get(opcode[1], f"native code has nothing for it ({opcode[1]})")
    else:
        reason = f"the record has no field {field!r}" if field else _in_the_users_words(lines, text)
    shown = f": `{text}`" if text else ""
    said = f"{unit_name(function)} cannot become native code{shown}: {reason}{hint_of_floats(reason)}; {MAY_USE}"
    return UnitError(f"{place(function, line)}: {said}")


def _in_the_users_words(lines: list[str], text: str) -> str:
    """The first line that gives a reason; where it speaks of Numba's own parts, the same in the user's words. text: of the user's line."""
    reason = next((said for said in lines if said and not said.startswith("Failed in")), "").partition(" found for signature")[0]
    reason = reason.partition(". Raised from")[0]
    if unmarked := re.match(r"Untyped global name '(\w+)':.*<class 'function'>", reason):
        asked = re.search(rf"\b{unmarked[1]}\s*\.", text)
        return f"{unmarked[1]} is a function; {REMEMBERS}" if asked else f"{unmarked[1]} is not marked with `@unit`"
    for pattern, instead in SAYINGS:
        if found := re.match(pattern, reason):
            return found.expand(instead)
    if outside := re.search(r"The use of a .* type, assigned to variable '(\w+)' in globals", " ".join(lines)):
        return f"{outside[1]}, outside of the function, is not a number; {REMEMBERS}"
    call = next((said.removeprefix(">>> ") for said in lines if said.startswith(">>> ")), "")
    if reason.startswith("No implementation of function") and call:
        called, _, given = call.partition("(")
        if called == "setitem" and given.startswith("readonly"):
            return f"an array outside of the function is a table that is only read; {REMEMBERS}"
        kinds = given.removesuffix(")")
        for pattern, instead in KINDS:
            kinds = re.sub(pattern, instead, kinds)
        reason = f"there is no {called} of {kinds}"
    return re.sub(r"(Record|Array)\(.*", r"\1", reason).rstrip(".:")  # a type's name may be as long as a page
