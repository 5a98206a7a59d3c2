"""Changes of an input: the bytes and words at which readers of numbers, brackets, lines and tables have stumbled."""

from __future__ import annotations

import random
from collections.abc import Sequence

WORDS = (
    b"0", b"-1", b"255", b"256", b"4294967295", b"4294967296", b"1e999", b"nan", b"0x", b"9" * 60, b"9" * 4400, b"'", b'"', b"[",
    b"[" * 3000,
    b"]", b"{", b"}", b"(", b")", b"=", b",", b":", b";", b"#", b".", b"\\", b"\\u0061", b"\0", b"\t", b"\r", b"\n", b"\f", b"\x1b[31m",
    b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80", b"%", b"%s", b"{}", b"null", b"true", b"[[]]", b'"data"', b"inf",
)  # fmt: skip
MOST_CHANGES = 6
MOST_BYTES = 1 << 16


def mutated(seeds: Sequence[bytes], chance: random.Random) -> bytes:
    """One of the seeds, changed in a few places; now and then nothing of it is left."""
    data = bytearray(chance.choice(seeds) if seeds else b"")
    for _ in range(chance.randint(0, MOST_CHANGES)):
        place, kind = chance.randint(0, len(data)), chance.randrange(8)
        end = min(len(data), place + chance.choice((1, 1, 2, 8, 64)))
        if kind == 0:
            data[place:end] = chance.randbytes(chance.randint(0, 4))
        elif kind == 1:
            del data[place:end]
        elif kind == 2:
            data[place:place] = data[place:end] * chance.choice((1, 2, 50))
        elif kind == 3 and data:
            data[place % len(data)] ^= 1 << chance.randrange(8)
        elif kind == 4:
            other = chance.choice(seeds) if seeds else b""
            start = chance.randint(0, len(other))
            data[place:end] = other[start : start + chance.randint(0, 200)]
        elif kind == 5:
            del data[place:]
        else:
            data[place : end if kind == 6 else place] = chance.choice(WORDS)
    return bytes(data[:MOST_BYTES])
