"""From words back to text that assembles to the same words.

Every 16-bit word has a text. A word that no instruction is written for, because bits are set that its opcode has
no use for, or because a BR asks for no condition, becomes `.word 0x....`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from warploom.isa.tiny.table import FIELDS, REGISTER_NAMES, condition_suffix, row_of

VALUES_A_LINE = 16  # of .data
SHORTEST_RUN = 8  # equal values of .data that are written as a repeat


def disassemble_word(word: int, labels: Mapping[int, str] | None = None) -> str:
    """One word as text: `ADD R1, R2, R3`. labels: names of addresses; a target without one is written as a number."""
    row = row_of(word)
    if row is None or not row.matches(word):
        return f".word 0x{word:04x}"
    operands = [_operand(FIELDS[letter].kind, FIELDS[letter].get(word), labels or {}) for letter in row.written]
    suffix = condition_suffix(FIELDS["c"].get(word)) if "c" in row.operands else ""
    return f"{row.mnemonic}{suffix} {', '.join(operands)}".rstrip()


def _operand(kind: str, value: int, labels: Mapping[int, str]) -> str:
    if kind == "register":
        return REGISTER_NAMES[value]
    return f"#{value}" if kind == "immediate" else labels.get(value, str(value))


def branch_target(word: int) -> int | None:
    """The address that a word branches to; None when it is not a BR."""
    row = row_of(word)
    return FIELDS["a"].get(word) if row is not None and "a" in row.operands else None


def disassemble(words: Sequence[int], threads: int = 1, data: Sequence[int] = (), block: int = 0) -> str:
    """A program as source text. words: 0 to 65535 each. data: bytes. Raises ValueError for anything else."""
    for word in words:
        if not 0 <= word <= 0xFFFF:
            raise ValueError(f"{word} is not an instruction word: a word has 16 bits, 0 to 65535")
    written = {branch_target(word) for word in words if not disassemble_word(word).startswith(".word")}
    labels = {address: f"L{address}" for address in range(len(words)) if address in written}
    lines = [f".threads {threads}", *([f".block {block}"] if block else [])]
    values = _data_values(data)
    for start in range(0, len(values), VALUES_A_LINE):
        lines.append(".data " + " ".join(values[start : start + VALUES_A_LINE]))
    lines.append("")
    for address, word in enumerate(words):
        if address in labels:
            lines.append(f"{labels[address]}:")
        lines.append(f"    {disassemble_word(word, labels)}")
    return "\n".join(lines) + "\n"


def _data_values(data: Sequence[int]) -> list[str]:
    """Bytes as `.data` takes them: a long run of equal ones as `0*240`."""
    values: list[str] = []
    for value, run in groupby(data):
        length = len(list(run))
        values += [f"{value}*{length}"] if length >= SHORTEST_RUN else [str(value)] * length
    return values
