"""The kernels of tests/golden/h100/words: put together word by word, run, and their clock stamps compared with an H100's.

`python -m tests.h100_words --only bank. --step 8` prints the rows that differ and the share that is exact and within 5 %.
"""

from __future__ import annotations

import argparse
import csv
import io
import struct
import sys
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer
from warploom.isa.program import Program
from warploom.isa.sass import front_end

FOLDER = Path(__file__).parent / "golden" / "h100" / "words"
NOP = 0x000FC000000000000000000000007918.to_bytes(16, "little")
EXIT = 0x000FEA0003800000000000000000794D.to_bytes(16, "little")
BRANCH, OPCODE_BITS = 0x147, 0x1FF
LENGTHS = (1736, 37784)  # instructions of the templates
PRESET = "h100-sxm"


class Row(NamedTuple):
    """A row of times.csv."""

    kernel: int
    name: str
    params: str
    threads: int
    turns: int
    count: int
    cycles: int


@cache
def _archive() -> tuple[tuple[bytes, bytes], list[tuple[int, list[tuple[int, bytes]]]]]:
    """(the templates, of each kernel its template and the words that it has in it)."""
    with zipfile.ZipFile(FOLDER / "words.zip") as archive:
        templates = archive.read("small.cubin"), archive.read("big.cubin")
        data = io.BytesIO(archive.read("words.bin"))
    (count,) = struct.unpack("<I", data.read(4))
    kernels = []
    for _ in range(count):
        template, words = struct.unpack("<II", data.read(8))
        kernels.append((template, [(struct.unpack("<II", data.read(8))[0], data.read(16)) for _ in range(words)]))
    return templates, kernels


def rows(only: Iterable[str] = (), threads: Iterable[int] = (32,)) -> list[Row]:
    """The rows of times.csv whose name begins with one of some words, of blocks of some sizes."""
    wanted, sizes = tuple(only), set(threads)
    with (FOLDER / "times.csv").open() as file:
        found = [
            Row(int(row["kernel"]), row["name"], row["params"], *(int(row[name]) for name in ("threads", "turns", "count", "cycles")))
            for row in csv.DictReader(file)
        ]
    return [row for row in found if row.threads in sizes and (not wanted or row.name.startswith(wanted))]


def cubin(kernel: int) -> bytes:
    """A kernel's file. What lies behind its end is made NOPs, which need not be read."""
    templates, kernels = _archive()
    template, words = kernels[kernel]
    data = bytearray(templates[template])
    for offset, word in words:
        data[offset : offset + 16] = word
    first, last = words[0][0], max(offset for offset, _ in words)
    if int.from_bytes(data[last : last + 2], "little") & OPCODE_BITS == BRANCH:  # to the template's end
        data[last : last + 16] = EXIT
        for offset in range(last + 16, first + 16 * LENGTHS[template], 16):
            data[offset : offset + 16] = NOP
    return bytes(data)


def program(kernel: int, threads: int = 32, turns: int = 3) -> Program:
    """A kernel with its launch."""
    buffers = {"p0": np.zeros(1 << 14, np.uint32), "p1": np.zeros(1 << 14, np.float32)}
    arguments: Mapping[str, Any] = {"p2": turns, "p3": 0}
    options = Options(f"kernel {kernel}", grid=1, block=threads, buffers=buffers, arguments=arguments)
    found = front_end.load(cubin(kernel), options).program
    assert isinstance(found, Program)
    return found


def cycles(row: Row, engine: str = "python", **settings: Any) -> int:
    """What a row's kernel takes here."""
    made = program(row.kernel, row.threads, row.turns)
    result = GPU(PRESET, engine=engine, set={"gpu.cores": 1, **settings}).run(made, max_cycles=400_000)
    assert result.status == "done", (row, result.fault)
    stamps = read_buffer(made, result.memory, "p0").view(np.uint64)[: 2 * row.threads].reshape(-1, 2).astype(np.int64)
    return int(stamps[:, 1].max() - stamps[:, 0].min())


def compared(wanted: Iterable[Row], engine: str, **settings: Any) -> Iterator[tuple[Row, int]]:
    """Each row with the cycles that it takes here."""
    for row in wanted:
        yield row, cycles(row, engine, **settings)


def main() -> None:
    """Print the rows that differ, and shares by name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names begin with one of these, with commas between them")
    parser.add_argument("--threads", default="32", help="sizes of blocks")
    parser.add_argument("--step", type=int, default=1, help="every so many rows")
    parser.add_argument("--engine", default="native")
    asked = parser.parse_args()
    found: dict[str, list[float]] = {}
    begin = time.process_time()
    chosen = rows([name for name in asked.only.split(",") if name], map(int, asked.threads.split(",")))[:: asked.step]
    for row, taken in compared(chosen, asked.engine):
        error = abs(taken - row.cycles) / row.cycles
        found.setdefault(row.name, []).append(error)
        if error:
            print(
                f"{row.kernel:5} {row.name:24} {row.params:60} {row.threads:4} H100 {row.cycles:6} here {taken:6} {error:7.1%}", flush=True
            )
    errors = np.array([error for each in found.values() for error in each])
    for name, each in found.items():
        shares = ", ".join(f"{(np.array(each) <= limit).mean():.0%} within {limit:.0%}" for limit in (0, 0.05, 0.1))
        print(f"{name:24} {len(each):5} rows: {shares}")
    exact, near, far = (f"{(errors <= limit).mean():.1%}" for limit in (0, 0.05, 0.1))
    print(f"{len(errors)} rows: {exact} exact, {near} within 5 %, {far} within 10 %")
    print(f"{time.process_time() - begin:.0f} CPU s", file=sys.stderr)


if __name__ == "__main__":
    main()
