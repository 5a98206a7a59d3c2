"""Waveforms of a few cycles: as text to look at, and as a value change dump for a viewer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warploom.observe.text.needs import needed

LOW, HIGH = "▁", "▔"


@dataclass(frozen=True)
class Waveform:
    """signals: the values of each by its name, one a cycle; widths: their bits."""

    signals: dict[str, tuple[int, ...]]
    widths: dict[str, int]

    @classmethod
    def of(cls, body: Any) -> Waveform:
        """From a WaveJSON object, as Yosys' `sat -dump_json` writes it: its first column, what the registers are reset to, is left out.

        The values are in binary. `.` goes on as before, `0` and `1` are themselves, `=` and `4` take the next of the data;
        a bit that is 4 has none: it is not known there.
        """
        signals, widths = {}, {}
        for row in body["signal"]:
            data, values, value = iter(row.get("data", ())), [], ""
            for mark in row["wave"]:
                if mark in "=4":
                    value = next(data, "")
                elif mark in "01":
                    value = mark
                values.append(value)
            widths[row["name"]] = max(map(len, values))
            signals[row["name"]] = tuple(int(value or "0", 2) for value in values[1:])
        return cls(signals, widths)

    def __len__(self) -> int:
        return max(map(len, self.signals.values()), default=0)

    def __str__(self) -> str:
        """A row a signal, a column per cycle; lines of one bit are drawn, numbers are decimal, a dot where one stays."""
        order = sorted(name for name in self.signals if name not in ("clk", "rst"))
        left = max(map(len, ["cycle", *order]))
        size = 1 + max([2, *(len(str(value)) for name in order for value in self.signals[name])])
        lines = ["cycle".ljust(left) + "  " + "".join(str(cycle).ljust(size) for cycle in range(len(self)))]
        for name in order:
            values = self.signals[name]
            if self.widths[name] == 1:
                cells = [(HIGH if value else LOW) * size for value in values]
            else:
                stays = [cycle > 0 and values[cycle - 1] == value for cycle, value in enumerate(values)]
                cells = [("." if same else str(value)).ljust(size) for value, same in zip(values, stays, strict=True)]
            lines.append(f"{name.ljust(left)}  {''.join(cells)}")
        return "\n".join(line.rstrip() for line in lines)

    def write_vcd(self, path: str | Path) -> None:
        """Write it for GTKWave or Surfer, 10 ns a cycle."""
        vcd = needed("vcd", "a value change dump", "rtl")
        with Path(path).open("w") as file, vcd.VCDWriter(file, timescale="1 ns", date="") as writer:
            signals = {name: writer.register_var("property", name, "wire", size=self.widths[name]) for name in self.signals}
            for cycle in range(len(self)):
                for name, signal in signals.items():
                    writer.change(signal, 10 * cycle, self.signals[name][cycle])
            writer.close(10 * len(self))
