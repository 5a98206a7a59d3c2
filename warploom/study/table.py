"""A table of results: a row a run, columns with headings and units, and the ways out of it: text, CSV, JSON, Parquet, pandas.

It needs no package of its own, so that a comparison starts fast and works everywhere; what it can be turned into may need one.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from warploom.isa.numbers import grouped, percentage
from warploom.observe.text.styled import in_lines
from warploom.study.needs import needed


@dataclass(frozen=True)
class Column:
    """A column. heading: what a person sees, with the unit. digits: decimals of a number; percent: a fraction shown as percent.

    spare: may be left out where there is no room.
    """

    name: str
    heading: str
    digits: int = 0
    percent: bool = False
    spare: bool = False

    def text(self, value: Any) -> str:
        """A cell: `-` where there is nothing, whole numbers in groups of three digits."""
        if value is None:
            return "-"
        if isinstance(value, bool) or not isinstance(value, int | float):
            return str(value).lower() if isinstance(value, bool) else str(value)
        if self.percent:
            return percentage(value, self.digits)
        return grouped(float(value), self.digits) if self.digits or abs(value) >= 1000 else f"{value:g}"


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of values by name.

    rows: one dict a row, all with the same names; None where there is no value. columns: those that are shown, in order; the rows may
    hold more. notes: sentences below the table.
    """

    rows: list[dict[str, Any]]
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    names: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not self.names:
            object.__setattr__(self, "names", tuple(self.rows[0]) if self.rows else tuple(column.name for column in self.columns))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> list[Any]:
        """A column's values, in the order of the rows. Raises KeyError."""
        if name not in self.names:
            raise KeyError(name)
        return [row[name] for row in self.rows]

    # ---- for a person

    def shown(self) -> tuple[Column, ...]:
        """The columns that have a value in at least one row."""
        return tuple(column for column in self.columns if any(row.get(column.name) is not None for row in self.rows))

    def lines(self, width: int | None = None) -> list[str]:
        """The table as text: headings, a row a line, the notes. Numbers stand at the right, words at the left.

        width: characters that a line has at most; None: any number. Spare columns are left out for it, the last ones first, and named
        below; where the others alone are too wide, the table comes in parts, each with the first column.
        """
        columns = self.shown()
        while not self._fits(columns, width) and any(column.spare for column in columns):
            last = max(k for k, column in enumerate(columns) if column.spare)
            columns = columns[:last] + columns[last + 1 :]
        found = self._grid(columns) if width is None or self._fits(columns, width) else self._in_parts(columns, width)
        missing = [column.heading for column in self.shown() if column not in columns]
        below = [f"not shown: {', '.join(missing)}; --wide"] if missing else []
        texts = [*below, *self.notes]
        return [*found, *([""] if texts else []), *(line for text in texts for line in _folded(text, width))]

    def _fits(self, columns: tuple[Column, ...], width: int | None) -> bool:
        return width is None or max(map(len, self._grid(columns))) <= width

    def _in_parts(self, columns: tuple[Column, ...], width: int) -> list[str]:
        """Several tables below each other, each with the first column and as many others as fit."""
        first, *others = columns
        parts: list[tuple[Column, ...]] = [(first,)]
        for column in others:
            if len(parts[-1]) > 1 and not self._fits((*parts[-1], column), width):
                parts.append((first,))
            parts[-1] = (*parts[-1], column)
        return [line for number, part in enumerate(parts) for line in ([""] if number else []) + self._grid(part)]

    def _grid(self, columns: tuple[Column, ...]) -> list[str]:
        cells = [[column.text(row.get(column.name)) for column in columns] for row in self.rows]
        widths = [max(len(text) for text in (column.heading, *(row[k] for row in cells))) for k, column in enumerate(columns)]
        right = [all(isinstance(row.get(column.name), int | float | None) for row in self.rows) for column in columns]
        return [_line([column.heading for column in columns], widths, right), *(_line(row, widths, right) for row in cells)]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        columns = self.shown()
        head = "".join(f"<th>{escape(column.heading)}</th>" for column in columns)
        rows = ("".join(f"<td>{escape(column.text(row.get(column.name)))}</td>" for column in columns) for row in self.rows)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><tr>{head}</tr>{body}</table>" + "".join(f"<p>{escape(note)}</p>" for note in self.notes)

    # ---- for other programs

    def to_csv(self) -> str:
        """Everything as CSV, with the names in the first line; an empty cell where there is no value."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.names)
        writer.writerows(["" if row[name] is None else row[name] for name in self.names] for row in self.rows)
        return out.getvalue()

    def to_json(self) -> str:
        """Everything as a JSON list of objects."""
        return json.dumps(self.rows)

    def to_parquet(self) -> bytes:
        """Everything as a Parquet file. Raises StudyError where pyarrow is not installed."""
        arrow = needed("pyarrow", "writing Parquet")
        parquet = needed("pyarrow.parquet", "writing Parquet")
        out = io.BytesIO()
        parquet.write_table(arrow.table({name: _one_kind(self[name]) for name in self.names}), out)
        return out.getvalue()

    def to_frame(self) -> Any:
        """Everything as a pandas DataFrame. Raises StudyError where pandas is not installed."""
        frame = needed("pandas", "a data frame").DataFrame(self.rows, columns=list(self.names))
        frame.attrs["notes"] = list(self.notes)
        return frame


def _folded(text: str, width: int | None) -> list[str]:
    return [text] if width is None else in_lines(text, width)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = (f"{cell:>{width}}" if to_right else f"{cell:<{width}}" for cell, width, to_right in zip(cells, widths, right, strict=True))
    return "  ".join(padded).rstrip()


def _one_kind(values: Sequence[Any]) -> Sequence[Any]:
    """Values as a typed column takes them: text where they are of several kinds, as those of a setting can be."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1 or kinds == {int, float}:
        return values
    return [None if value is None else str(value) for value in values]
