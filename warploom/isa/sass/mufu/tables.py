"""The data file of MUFU's functions: for each argument of a few ranges, how far the hardware's result is from the correctly rounded one.

A file is a zip of members NAME, each the LZMA-compressed bytes of int8[2^23], and NAME.far, uint32: where a byte does not hold the
difference, the arguments' numbers and then the results' bits. `index.json` has the SHA-256 of each table of results, so a host whose
library rounds a reference differently is found out, instead of giving other bits.

The range of argument k, 0 to 2^23 - 1: eN is the float of bits k + (N << 23), unit is k / 2^23. A difference is in steps of the order of
floats. The reference is the function of the argument in 64 bits, rounded to 32; of `sin`, that of 2 pi times the argument.
"""

from __future__ import annotations

import json
import lzma
import zipfile
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

COUNT = 1 << 23  # arguments of a range
INDEX = "index.json"
FILE_NAME = "mufu.zip"  # in the user's cache directory
SIGN = 1 << 31
MOST_BYTES = 8 << 20
MAKE = "`warploom docs machine-code` says how one is made"


class MufuError(ValueError):
    """A data file that cannot be read: one sentence."""


class Range(NamedTuple):
    """A range of a function. member: its name in a file. recorded: in a recording. exponent: of eN; -1: unit. reference: in 64 bits."""

    member: str
    recorded: str
    exponent: int
    reference: Callable[[Any], Any]


def _sine(turns: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.sin(2 * np.pi * turns)
    return found


FUNCTIONS: dict[str, tuple[Range, ...]] = {
    "rcp": (Range("rcp.e127", "rcp_ftz.e127", 127, np.reciprocal),),
    "rsq": tuple(Range(f"rsq.e{n}", f"rsq_ftz.e{n}", n, lambda x: 1 / np.sqrt(x)) for n in (127, 128)),
    "sqrt": tuple(Range(f"sqrt.e{n}", f"sqrt__ftz.e{n}", n, np.sqrt) for n in (127, 128)),
    "ex2": (Range("ex2.unit", "ex2_ftz.unit", -1, lambda x: 2.0**x),),
    "lg2": tuple(Range(f"lg2.e{n}", f"lg2_ftz.e{n}", n, np.log2) for n in (127, 126)),
    "sin": (Range("sin.unit", "sin__raw.unit", -1, _sine),),
    "tanh": tuple(Range(f"tanh.e{n}", f"tanh_.e{n}", n, np.tanh) for n in (125, 126, 127)),
}


def results(one: Range, steps: bytes, far: bytes) -> np.ndarray:
    """The bits of a range's results (uint32). Raises MufuError."""
    difference, others = np.frombuffer(_unpacked(steps), np.int8), np.frombuffer(_unpacked(far) if far else b"", "<u4")
    if len(difference) != COUNT or len(others) % 2 or (others[: len(others) // 2] >= COUNT).any():
        raise MufuError(f"its table {one.member!r} is damaged")
    numbers = np.arange(COUNT, dtype=np.uint32)
    if one.exponent < 0:
        arguments = numbers / np.float64(COUNT)
    else:
        arguments = (numbers + np.uint32(one.exponent << 23)).view(np.float32).astype(np.float64)
    bits = one.reference(arguments).astype(np.float32).view(np.uint32).astype(np.int64)
    place = np.where(bits >= SIGN, SIGN - bits, bits) + difference
    found = np.where(place < 0, SIGN - place, place).astype(np.uint32)
    found[others[: len(others) // 2]] = others[len(others) // 2 :]
    return found


def _unpacked(data: bytes) -> bytes:
    try:
        return lzma.LZMADecompressor(memlimit=1 << 28).decompress(data, max_length=2 * COUNT)
    except lzma.LZMAError:
        raise MufuError("a table in it is damaged") from None


def digest(table: np.ndarray) -> str:
    """What tells that a table is the recorded one."""
    return sha256(np.ascontiguousarray(table, "<u4").tobytes()).hexdigest()


class Recorded:
    """A data file. Raises MufuError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if path.stat().st_size > MOST_BYTES:
                raise MufuError(f"{path} has more than {MOST_BYTES >> 20} MiB: it is not a data file of MUFU's functions")
            with zipfile.ZipFile(path) as file:
                self._members = {one.filename: file.read(one) for one in file.infolist() if one.file_size <= MOST_BYTES}
            self._digests = json.loads(self._members[INDEX])
            assert all(isinstance(self._digests[one.member], str) for ranges in FUNCTIONS.values() for one in ranges)
        except OSError as failure:
            raise MufuError(f"{path}: {(failure.strerror or str(failure)).lower()}") from None
        except (zipfile.BadZipFile, KeyError, ValueError, AssertionError, TypeError, NotImplementedError, RecursionError) as failure:
            if isinstance(failure, MufuError):
                raise
            raise MufuError(f"{path} is not a data file of MUFU's functions: {MAKE}") from None

    def table(self, function: str) -> np.ndarray:
        """uint32: the results of a function's ranges, one after another. Raises MufuError."""
        return _table(self, function)

    def read(self, function: str) -> np.ndarray:
        """The same, read anew."""
        found = []
        for one in FUNCTIONS[function]:
            try:
                found.append(results(one, self._members[one.member], self._members.get(f"{one.member}.far", b"")))
            except KeyError:
                raise MufuError(f"{self.path}: there is no table {one.member!r} in it: {MAKE}") from None
            except MufuError as failure:
                raise MufuError(f"{self.path}: {failure}") from None
            if digest(found[-1]) != self._digests[one.member]:
                said = f"its table {one.member!r} does not give the recorded results on this computer"
                raise MufuError(f"{self.path}: {said}; leave --mufu out to run within the published errors")
        return _quarter(found[0]) if function == "sin" else np.concatenate(found)


@lru_cache(maxsize=len(FUNCTIONS))
def _table(recorded: Recorded, function: str) -> np.ndarray:
    return recorded.read(function)


def _quarter(whole: np.ndarray) -> np.ndarray:
    """The sine of a quarter of a turn in 2^23 steps, from that of a whole turn in as many.

    The unit takes 25 bits of the fraction of a turn, and in every other quarter their complement: so steps 0 modulo 4 were recorded in the
    first quarter, and 3 modulo 4 in the second. Between them lie two steps that no argument of the recording came to: interpolated.
    """
    step = COUNT // 4
    first, second = whole[:step], whole[2 * step - 1 : step - 1 : -1]
    found = np.empty(COUNT, np.uint32)
    found[0::4], found[3::4] = first, second
    near, far = (part.view(np.float32).astype(np.float64) for part in (first, np.ascontiguousarray(second)))
    for third in (1, 2):
        found[third::4] = (near + (far - near) * third / 3).astype(np.float32).view(np.uint32)
    return found


def written(tables: Sequence[tuple[Range, bytes, bytes]]) -> dict[str, bytes]:
    """The members of a data file."""
    members = {one.member: steps for one, steps, _ in tables} | {f"{one.member}.far": far for one, _, far in tables if far}
    digests = {one.member: digest(results(one, steps, far)) for one, steps, far in tables}
    return {INDEX: json.dumps(digests, indent=1).encode(), **members}
