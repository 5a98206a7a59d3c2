"""The Kanata log: the lines of the format, whatever is written into them."""

from __future__ import annotations

from typing import IO

STAGES, STALLS = 0, 1  # lanes
RETIRED, FLUSHED = 0, 1


class Log:
    """Writes commands in the order of time; an operation's number is the one that `begin` gave it."""

    def __init__(self, file: IO[str]) -> None:
        self._file, self._now, self._count, self._ended = file, 0, 0, 0
        file.write("Kanata\t0004\nC=\t0\n")

    def go_to(self, cycle: int) -> None:
        """What follows happens in this cycle."""
        if cycle > self._now:
            self._file.write(f"C\t{cycle - self._now}\n")
            self._now = cycle

    def begin(self, thread: int) -> int:
        """A new operation; returns its number."""
        number = self._count
        self._count += 1
        self._file.write(f"I\t{number}\t{number}\t{thread}\n")
        return number

    def label(self, number: int, label: str, detail: str) -> None:
        """What is shown of an operation. label: at the left. detail: when the mouse is over it."""
        self._file.write(f"L\t{number}\t0\t{_plain(label)}\nL\t{number}\t1\t{_plain(detail)}\n")

    def stage(self, number: int, lane: int, name: str) -> None:
        """A stage begins; the one before it in its lane ends."""
        self._file.write(f"S\t{number}\t{lane}\t{name}\n")

    def end_stage(self, number: int, lane: int, name: str) -> None:
        """A stage ends."""
        self._file.write(f"E\t{number}\t{lane}\t{name}\n")

    def arrow(self, consumer: int, producer: int) -> None:
        """One operation has waited for the result of a second one."""
        self._file.write(f"W\t{consumer}\t{producer}\t0\n")

    def end(self, number: int, how: int) -> None:
        """The operation has ended: RETIRED or FLUSHED."""
        self._file.write(f"R\t{number}\t{self._ended}\t{how}\n")
        self._ended += 1


def _plain(text: str) -> str:
    r"""A text without tabs, and with `\n` for a new line, as the format has it."""
    return text.replace("\t", " ").replace("\n", "\\n")
