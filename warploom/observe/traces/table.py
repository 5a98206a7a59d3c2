"""Tables of a run's events for spreadsheets, pandas, DuckDB ...: CSV, and Parquet with the columns' types.

A table grows as the run goes: what is held in memory are the rows that are written next, however long the run is.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from itertools import islice
from typing import IO, Any

import numpy as np

from warploom.isa.program import Program
from warploom.machine.config.schema import Config
from warploom.machine.run.result import RunResult
from warploom.observe.text.needs import needed
from warploom.observe.traces.rows import WARP_COLUMNS, Column, EventRows, columns, rows
from warploom.observe.traces.vocabulary import Percent, unheard

GROUP = 1 << 16  # rows that a Parquet file holds together, and that are in memory at a time


def write_csv(result: RunResult, file: IO[str], progress: Percent = unheard) -> None:
    """Write the events as comma-separated values: a heading, a line per event, nothing where a column says nothing about it."""
    _csv_writer(file, columns(result)).writerows(rows(result, progress))


def write_parquet(result: RunResult, file: IO[bytes], progress: Percent = unheard) -> None:
    """Write the events as Parquet; what a column means stands in its metadata. Raises MissingPackage without pyarrow."""
    with _Parquet(file, columns(result), result.program, result.config) as table:
        found = rows(result, progress)
        while group := list(islice(found, GROUP)):
            table.write(group)


class GrowingCsv:
    """The CSV file of a run on cores with warps that is under way."""

    def __init__(self, program: Program, config: Config, file: IO[str]) -> None:
        self._rows, self._writer = EventRows(program, config), _csv_writer(file, WARP_COLUMNS)

    def add(self, events: np.ndarray) -> None:
        """Write events: int64[n, EVENT_COLUMNS]."""
        self._writer.writerows(self._rows.of(events))

    def close(self) -> None:
        """The run has ended."""


class GrowingParquet:
    """The Parquet file of such a run. Raises MissingPackage without pyarrow."""

    def __init__(self, program: Program, config: Config, file: IO[bytes]) -> None:
        self._rows, self._table = EventRows(program, config), _Parquet(file, WARP_COLUMNS, program, config)
        self._waiting: list[list[Any]] = []

    def add(self, events: np.ndarray) -> None:
        """Write events: int64[n, EVENT_COLUMNS]."""
        self._waiting += self._rows.of(events)
        while len(self._waiting) >= GROUP:
            self._table.write(self._waiting[:GROUP])
            del self._waiting[:GROUP]

    def close(self) -> None:
        """The run has ended: write the last group and what the file holds."""
        if self._waiting:
            self._table.write(self._waiting)
        self._table.close()


def _csv_writer(file: IO[str], found: Sequence[Column]) -> Any:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(column.name for column in found)
    return writer


class _Parquet:
    """A Parquet file that takes groups of rows."""

    def __init__(self, file: IO[bytes], found: Sequence[Column], program: Program, config: Config) -> None:
        self._arrow, parquet = needed("pyarrow", "writing Parquet", "traces"), needed("pyarrow.parquet", "writing Parquet", "traces")
        kinds = {"int64": self._arrow.int64(), "uint64": self._arrow.uint64(), "string": self._arrow.string()}
        self._fields = [self._arrow.field(column.name, kinds[column.kind], metadata={"meaning": column.meaning}) for column in found]
        self._schema = self._arrow.schema(self._fields, metadata={"program": program.name, "machine": config.name})
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")

    def write(self, group: list[list[Any]]) -> None:
        """Write rows that are held together."""
        made = [self._arrow.array(values, field.type) for values, field in zip(zip(*group, strict=True), self._fields, strict=True)]
        self._writer.write_batch(self._arrow.record_batch(made, schema=self._schema))

    def close(self) -> None:
        """Write what the file holds."""
        self._writer.close()

    def __enter__(self) -> _Parquet:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
