"""Why a user's function cannot be native code, in one sentence: the file, the line, what stands there, and the reason in the user's words.

Not hardware. Numba's messages are pages that speak of its own insides; what they say of the function is kept.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from typing import Any

from warploom.machine.engine.users import MAY_USE, UnitError, hint_of_floats, line_of_construct, place, unit_name

OPCODES = {
    "STORE_GLOBAL": "no variable outside of the function can be written; what a unit remembers is in its record",
    "IMPORT_NAME": "an import belongs at the head of the file",
}


def not_compiled(function: Callable[..., Any], error: Exception) -> UnitError:
    """The sentence for an error of Numba's about a user's function."""
    field = str(error.args[0]) if isinstance(error, KeyError) else ""
    lines = [said.strip() for said in re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()]
    opcode = re.search(r"opcode \((\w+)\) found\. Raised from .* \((\d+)\)", " ".join(lines))
    line = int(opcode[2]) if opcode else getattr(getattr(error, "loc", None), "line", None) or line_of_construct(function, field)
    text = linecache.getline(function.__code__.co_filename, line).strip() if line else ""
    if opcode:
        reason = OPCODES.get(opcode[1], f"native code has nothing for it ({opcode[1]})")
    else:
        reason = f"the record has no field {field!r}" if field else _in_the_users_words(lines)
    shown = f": `{text}`" if text else ""
    said = f"{unit_name(function)} cannot become native code{shown}: {reason}{hint_of_floats(reason)}; {MAY_USE}"
    return UnitError(f"{place(function, line)}: {said}")


def _in_the_users_words(lines: list[str]) -> str:
    """The first line that gives a reason; where it speaks of Numba's own parts, the same in the user's words."""
    reason = next((said for said in lines if said and not said.startswith("Failed in")), "").partition(" found for signature")[0]
    reason = reason.partition(". Raised from")[0]
    if reason.startswith("Implementation function returned by"):
        return "it calls a function of Python's that has no native form"
    if reason.startswith("NRT required"):
        return "a list, a text or an array of its own would have to be made while it runs"
    if unmarked := re.match(r"Untyped global name '(\w+)':.*<class 'function'>", reason):
        return f"{unmarked[1]} is not marked with `@unit`"
    if outside := re.search(r"The use of a .* type, assigned to variable '(\w+)' in globals", " ".join(lines)):
        return f"{outside[1]}, outside of the function, is no number; {OPCODES['STORE_GLOBAL'].partition('; ')[2]}"
    call = next((said.removeprefix(">>> ") for said in lines if said.startswith(">>> ")), "")
    if reason.startswith("No implementation of function") and call:
        called, _, given = call.partition("(")
        kinds = re.sub(r"Literal\[\w+\]\(.*?\)", lambda found: "a text" if "str" in found[0] else "int64", given.removesuffix(")"))
        reason = f"there is no {called} of {kinds}"
    return re.sub(r"(Record|Array)\(.*", r"\1", reason).rstrip(".:")  # a type's name may be as long as a page
