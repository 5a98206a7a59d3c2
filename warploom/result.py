"""Result: what a run gave, with its views. It prints itself in a terminal and in a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from warploom.machine.run.result import MOST_ROWS, RunResult


class Result(RunResult):
    """One run: the plain data of `machine.run.result.RunResult`, and the views of it."""

    @classmethod
    def of(cls, run: RunResult) -> Result:
        """The same run with its views."""
        return cls(**vars(run))

    def picture(self, kind: str = "masks", **options: Any) -> Any:
        """A picture of the run that shows itself in a notebook and has `save(path)`: of `observe.pictures.KINDS`, as "masks" or "timeline".

        options: cycles=(first, last), both included; cores=[...], warps=[...]; width in points; dark=True. It needs a run with
        `tracing=True` on cores with warps. Raises DrawingError (a ValueError) for what there is not.
        """
        from warploom.observe.pictures import picture

        return picture(self, kind, **options)

    def write_trace(self, path: str | Path) -> None:
        """Write the run as a trace for a viewer; the ending of the name says for which.

        .pftrace or .perfetto-trace for Perfetto, .konata or .kanata for Konata, .vcd for GTKWave and Surfer (with a .gtkw save
        file beside it), .csv and .parquet for tables.

        Cores with warps must have run with `tracing=True`. A name that ends in .gz too is compressed.
        Raises ValueError for any other ending and for a run without events, OSError when the file cannot be written.
        """
        from warploom.observe.traces import write_trace

        write_trace(self, path)

    def explorer(self, *, against: Result | None = None, height: int = 760) -> Any:
        """The run as a page to walk through, cycle by cycle; in a notebook it shows itself in a frame of `height` pixels.

        against: another run of the same program, shown beside this one. Its `save(path)` writes the page into a file. Raises ValueError
        for cores with warps unless the run has written down its events: run it with tracing=True, recording=True.
        """
        from warploom.observe.explorer.page import Explorer, page

        return Explorer(page(self, *(() if against is None else (against,))), height)

    def profile(self) -> Any:
        """What each line of the source cost and why, as an `observe.profile.Profile` that prints itself. It needs neither events nor a
        recording."""
        from warploom.observe.profile import profile
        from warploom.observe.profile_report.shown import shown

        return shown(profile(self))

    def _repr_html_(self) -> str:
        from html import escape

        from warploom.observe.pictures.small import small_picture

        parts = [f"<p><b>{escape(self.summary())}</b></p>"]
        parts += [f"<p>{escape(line)}</p>" for line in self.messages]
        parts += self._limits_html()
        body = ""
        for counter_cells in self._rows():
            body += "<tr>" + "".join(f"<td style='text-align:right'>{escape(cell)}</td>" for cell in counter_cells) + "</tr>"
        parts.append(f"<table>{body}</table>")
        parts += self._memory_html() if len(self.memory) else []
        parts.append(small_picture(self))
        return "".join(parts)

    def _limits_html(self) -> list[str]:
        """What limits the run, as the explorer's first screen says it; [] where that would take a second run."""
        if self.detail.profile is None or not self.cycles:
            return []
        from html import escape

        from warploom.observe.diagnosis.diagnosis import diagnose
        from warploom.observe.diagnosis.light import occupancy_text, speed_of_light
        from warploom.observe.profile import profile

        found = profile(self, addresses=False)
        said = [f"<li>{escape(one.what)}<br><small>Try: {escape(one.advice)}</small></li>" for one in diagnose(found)]
        parts = [f"<ol>{''.join(said)}</ol>"] if said else []
        rates = ", ".join(f"{rate.name} {rate.share:.0%}".replace("%", " %") for rate in speed_of_light(found))
        room = occupancy_text(found)
        return [*parts, f"<p><small>of what is possible: {escape(rates)}{f'; {escape(room)}' if room else ''}</small></p>"]

    def _memory_html(self) -> list[str]:
        body = ""
        for row in self._changed_rows()[:MOST_ROWS]:
            cells = "".join(f"<td>{f'<b>{value}</b>' if changed else value}</td>" for value, changed in self._cells(row))
            body += f"<tr><th>{self._label(row)}</th>{cells}</tr>"
        return [f"<p>{len(self.changed)} of {len(self.memory)} bytes of memory changed</p><table>{body}</table>"]
