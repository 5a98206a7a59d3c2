"""Tables of a run's events for spreadsheets, pandas, DuckDB ...: CSV, and Parquet with the columns' types."""

from __future__ import annotations

import csv
from itertools import islice
from typing import IO

from warploom.machine.run.result import RunResult
from warploom.observe.text.needs import needed
from warploom.observe.traces.rows import columns, rows
from warploom.observe.traces.vocabulary import Percent, unheard

GROUP = 1 << 16  # rows that a Parquet file holds together, and that are in memory at a time


def write_csv(result: RunResult, file: IO[str], progress: Percent = unheard) -> None:
    """Write the events as comma-separated values: a heading, a line an event, nothing where a column says nothing about it."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(column.name for column in columns(result))
    writer.writerows(rows(result, progress))


def write_parquet(result: RunResult, file: IO[bytes], progress: Percent = unheard) -> None:
    """Write the events as Parquet; what a column means stands in its metadata. Raises MissingPackage without pyarrow."""
    arrow, parquet = needed("pyarrow", "writing Parquet", "traces"), needed("pyarrow.parquet", "writing Parquet", "traces")
    kinds = {"int64": arrow.int64(), "uint64": arrow.uint64(), "string": arrow.string()}
    fields = [arrow.field(column.name, kinds[column.kind], metadata={"meaning": column.meaning}) for column in columns(result)]
    schema = arrow.schema(fields, metadata={"program": result.program.name, "machine": result.config.name})
    found = rows(result, progress)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := list(islice(found, GROUP)):
            cells = [arrow.array(values, field.type) for values, field in zip(zip(*group, strict=True), fields, strict=True)]
            writer.write_batch(arrow.record_batch(cells, schema=schema))
