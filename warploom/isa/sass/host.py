"""Functions that code calls and the host supplies: printf and assert.

Their code follows that of the file: an instruction that puts the arguments on the log of the run, and one that comes back, as the calling
convention says: arguments from R4 on, the address to come back to in R20.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from warploom.isa.c.printf import FORMAT, bytes_of, written
from warploom.isa.sass.code import ZERO, Bank, Code, Number
from warploom.isa.sass.word import COMMON, NO_SCOREBOARD, put
from warploom.isa.uop import LOCAL_SPACE, NONE

FUNCTIONS = ("vprintf", "__assertfail")
STEPS = 2  # instructions of each
WAITS_FOR_ALL = (
    put(COMMON["stall"], 15) | put(COMMON["write"], NO_SCOREBOARD) | put(COMMON["read"], NO_SCOREBOARD) | put(COMMON["wait"], 63)
)
PRINTED, FAILED = range(2)  # numbers of notes
FIRST_ARGUMENT, COMES_BACK = 4, 20  # registers
STACK_TOP = Bank(0, 0x28)
MOST_WORDS = 32  # of what one printf prints
LARGEST_TEXT = 4096


def call(code: Code) -> None:
    """CALL.ABS: to a function of the file, or of the host."""
    if code.one.form != 1:
        called = code.kernel.number_of.get(code.value("target").number, NONE)
        if called == NONE:
            code.refuse("it calls a function that neither the file nor this machine has")
        code.put("call", code.temporary(), target=called)
        return
    code.put("jump_register", NONE, code.value("a").number, imm=0)


def body(name: str, step: int, code: Code) -> None:
    """A function of the host: an instruction that puts its arguments on the log, and one that comes back, or stops the run."""
    if name == "__assertfail":
        message, file, line, function = FIRST_ARGUMENT, FIRST_ARGUMENT + 2, FIRST_ARGUMENT + 4, FIRST_ARGUMENT + 6
        if step:
            code.add("trap", imm=1)
        else:
            _note(code, FAILED, [message, file, line, function])
    elif step:
        code.add("jump_register", NONE, COMES_BACK, imm=0)
    else:
        _print(code)


def _print(code: Code) -> None:
    """Note the format and the words of the buffer, as far as the thread's stack goes."""
    form, buffer = FIRST_ARGUMENT, FIRST_ARGUMENT + 2
    last = code.new("sub", STACK_TOP, Number(4))
    words: list[int] = [form, buffer]
    for word in range(min(code.kernel.stack_bytes // 4, MOST_WORDS)):
        at = code.new("minu", code.new("add", buffer, Number(4 * word)), last)
        words.append(code.add("load", code.temporary(), at, imm=0, size=4, space=LOCAL_SPACE))
    _note(code, PRINTED, words)


def _note(code: Code, number: int, words: list[int]) -> None:
    for place in range(0, len(words), 3):
        code.add("note", NONE, *[*words[place : place + 3], NONE, NONE][:3], imm=number)


def address_of(code: Code) -> None:
    """LEPC."""
    target = code.target("d", 2)
    code.put("mov", target, Number(code.value("target").number))
    code.put("mov", target + 1, ZERO)


@dataclass(frozen=True)
class Printing:
    """Notes of a run as lines. texts: bytes of the file's variables, by the address at which they begin."""

    texts: Mapping[int, bytes]

    def __call__(self, program: Any, notes: Sequence[Any]) -> tuple[str, ...]:
        """The lines that printf and assert have made, in the order of cycles."""
        text = "".join(self._printed(note.values) if note.number == PRINTED else self._failed(program, note) for note in notes)
        return tuple(text.splitlines())

    def _text(self, address: int) -> str:
        for begin, data in self.texts.items():
            if begin <= address < begin + len(data):
                return data[address - begin : address - begin + LARGEST_TEXT].split(b"\0")[0].decode("utf-8", "replace")
        return f"<no text at {address:#x}>"

    def _printed(self, words: Sequence[int]) -> str:
        form, _, *buffer = words
        text = self._text(form)
        data = struct.pack(f"<{len(buffer)}I", *buffer)
        values: list[Any] = []
        at = 0
        for spec in FORMAT.finditer(text):
            for star in (spec["width"], spec["precision"]):
                if star == "*":
                    return text
            if spec["kind"] == "%":
                continue
            size = bytes_of(spec)
            at = -(-at // size) * size
            if at + size > len(data):
                return text
            layout = "<d" if spec["kind"] in "fFeEgGaA" else "<q" if size == 8 else "<i"
            (value,) = struct.unpack_from(layout, data, at)
            values.append(self._text(value & 0xFFFFFFFF) if spec["kind"] == "s" else value)
            at += size
        return written(text, iter(values))

    def _failed(self, program: Any, note: Any) -> str:
        message, file, line, function = note.values
        launch = program.launch
        where = []
        for number, extents in ((note.block, launch.grid_dims), (note.thread, launch.block_dims)):
            x, rest = number % extents[0], number // extents[0]
            where.append(f"[{x},{rest % extents[1]},{rest // extents[1]}]")
        said = f"{self._text(file)}:{line}: {self._text(function)}: block: {where[0]}, thread: {where[1]}"
        return f"{said} Assertion `{self._text(message)}` failed.\n"
