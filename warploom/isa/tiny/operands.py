"""Operands of tiny-gpu's instructions and values of its directives: from a word of the source to a number.

Each function gives the number, or None after it has reported what is wrong.
"""

from __future__ import annotations

from warploom.isa.diagnostics import Diagnostics, nearest
from warploom.isa.program import Position
from warploom.isa.tiny.syntax import Token, is_name, number
from warploom.isa.tiny.table import BYTE, DATA_ROWS, ENCODED_REGISTERS, REGISTER_NAMES, WORD_MASK, WRITABLE

_SPECIAL_NAMES = REGISTER_NAMES[WRITABLE:ENCODED_REGISTERS]
_REGISTERS = {name.lower(): value for value, name in enumerate(REGISTER_NAMES[:ENCODED_REGISTERS])}
_REGISTERS |= {f"r{value}": value for value in range(ENCODED_REGISTERS)}
Labels = dict[str, tuple[int, Position]]


def register(token: Token, role: str, diagnostics: Diagnostics, free: str = "") -> int | None:
    """`R5`, `%blockIdx`: a register's number, 0 to 15. free: a register that the program does not use, for a fix."""
    text = token.text
    if text.lower() in _REGISTERS:
        return _REGISTERS[text.lower()]
    if number(text.removeprefix("#")) is not None:
        fix = f"put the number into a register first: CONST {free or 'Rd'}, #{text.removeprefix('#')}"
        fix += "" if free else ", where Rd holds nothing that is read later"
        diagnostics.error(token.position, f"{text!r} is a number, and the {role} must be a register", token.length, fix)
    elif text[0] in "rR" and text[1:].isdigit():
        message = f"there is no register {text!r}: registers are R0 to R12, and R13 to R15 are {', '.join(_SPECIAL_NAMES)}"
        diagnostics.error(token.position, message, token.length)
    else:
        near = nearest(text, _SPECIAL_NAMES) if text.startswith("%") else ""
        message = f"{text!r} is not a register{near}" if near else f"{text!r} is not a register, and the {role} must be one"
        diagnostics.error(token.position, message, token.length, f"registers are R0 to R12, {', '.join(_SPECIAL_NAMES)}")
    return None


def immediate(token: Token, diagnostics: Diagnostics) -> int | None:
    """`#5`, `#0x1f`, `#0b101`, `#'A'`: 0 to 255."""
    value = number(token.text.removeprefix("#"))
    if value is None:
        message = f"{token.text!r} is not a number, and CONST takes one: #5, #0x1f, #0b101 or #'A'"
        fix = "to copy a register, add a register that holds 0: ADD Rd, Rs, Rt" if token.text.lower() in _REGISTERS else ""
        diagnostics.error(token.position, message, token.length, fix)
        return None
    if not token.text.startswith("#"):
        diagnostics.error(
            token.position, f"a number in an instruction begins with #, {token.text!r} does not", token.length, f"write #{token.text}"
        )
        return None
    return _in_byte(value, token, "an immediate", diagnostics)


def _in_byte(value: int, token: Token, what: str, diagnostics: Diagnostics) -> int | None:
    if 0 <= value <= BYTE:
        return value
    fix = f"write {value % (BYTE + 1)} if {value} modulo 256 is meant"
    diagnostics.error(token.position, f"{token.text!r} is outside 0..255, and {what} is one byte", token.length, fix)
    return None


def target(token: Token, labels: Labels, diagnostics: Diagnostics) -> int | None:
    """A label, or an instruction's address as a number: 0 to 255."""
    if token.text in labels:
        return labels[token.text][0]
    value = number(token.text.removeprefix("#"))
    if value is not None:
        if 0 <= value <= BYTE:
            return value
        diagnostics.error(token.position, f"{token.text!r} is outside 0..255, the addresses of program memory", token.length)
    elif is_name(token.text):
        near = nearest(token.text, labels)
        fix = f"put `{token.text}:` before the instruction that is meant"
        diagnostics.error(token.position, f"there is no label {token.text!r}{near}", token.length, "" if near else fix)
    else:
        message = f"{token.text!r} is no place to branch to: it takes a label, or an instruction's address from 0 to 255"
        diagnostics.error(token.position, message, token.length)
    return None


def values(token: Token, diagnostics: Diagnostics) -> list[int]:
    """The bytes that one word of `.data` stands for: `5`, `0x1f`, `'A'`, `0..15` (both ends), `7*16` (sixteen sevens)."""
    text = token.text.removeprefix("#")
    first, dots, last = text.partition("..")
    if dots:
        low, high = number(first), number(last)
        if low is None or high is None:
            return _no_value(token, diagnostics)
        if _in_byte(low, token, "a value of data memory", diagnostics) is None:
            return []
        if _in_byte(high, token, "a value of data memory", diagnostics) is None:
            return []
        return list(range(low, high + 1)) if low <= high else list(range(low, high - 1, -1))
    repeated, star, times = text.rpartition("*") if number(text) is None and "*" in text else (text, "", "")
    value, count = number(repeated), number(times) if star else 1
    if value is None or count is None:
        return _no_value(token, diagnostics)
    if not 1 <= count <= DATA_ROWS:
        diagnostics.error(token.position, f"{token.text!r} repeats its value {count} times: 1 to {DATA_ROWS} is possible", token.length)
        return []
    byte = _in_byte(value, token, "a value of data memory", diagnostics)
    return [] if byte is None else [byte] * count


def _no_value(token: Token, diagnostics: Diagnostics) -> list[int]:
    fix = "write 5, 0x1f, 0b101, 'A', a range 0..15, or a value repeated: 7*16"
    diagnostics.error(token.position, f"{token.text!r} is not a value for data memory", token.length, fix)
    return []


def threads(token: Token, diagnostics: Diagnostics) -> int | None:
    """The number of threads of `.threads`: 0 to 255."""
    value = number(token.text.removeprefix("#"))
    if value is None:
        diagnostics.error(token.position, f"{token.text!r} is not a number of threads", token.length, "write .threads 8")
    elif not 0 <= value <= BYTE:
        diagnostics.error(
            token.position, f"{token.text!r} threads are outside 0..255, what the device control register holds", token.length
        )
    else:
        return value
    return None


def block(token: Token, diagnostics: Diagnostics) -> int | None:
    """The threads of a block of `.block`: 1 to 255."""
    value = number(token.text.removeprefix("#"))
    if value is None or not 1 <= value <= BYTE:
        diagnostics.error(
            token.position, f"{token.text!r} is not a number of threads of a block: 1 to {BYTE}", token.length, "write .block 32"
        )
        return None
    return value


def raw_word(token: Token, diagnostics: Diagnostics) -> int | None:
    """An instruction word as a number: 0 to 0xffff."""
    value = number(token.text.removeprefix("#"))
    if value is None:
        diagnostics.error(token.position, f"{token.text!r} is not an instruction word", token.length, "write .word 0x3012")
    elif not 0 <= value <= WORD_MASK:
        diagnostics.error(token.position, f"{token.text!r} is outside 0..0xffff, and an instruction word has 16 bits", token.length)
    else:
        return value
    return None
