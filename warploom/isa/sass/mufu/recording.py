"""A data file of MUFU's functions, made of a recording: `python -m warploom.isa.sass.mufu.recording mufu.zip [OUT]`.

A recording is a zip of what an H100 gave for all arguments of a range: NAME.RANGE.xz and NAME.RANGE.far.xz, as `tables.py` says, and
`index.json` with the SHA-256 of the results, `out`. Without OUT the file goes to where a run finds it by itself.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path

from warploom.isa.host.user_cache import keep, user_cache
from warploom.isa.sass.mufu.tables import FILE_NAME, FUNCTIONS, INDEX, MufuError, digest, results, written


def made(path: Path) -> bytes:
    """The data file. Raises MufuError."""
    tables = []
    try:
        with zipfile.ZipFile(path) as file:
            index, names = json.loads(file.read(INDEX)), set(file.namelist())
            for one in (one for ranges in FUNCTIONS.values() for one in ranges):
                far = f"{one.recorded}.far.xz"
                steps, others = file.read(f"{one.recorded}.xz"), file.read(far) if far in names else b""
                if digest(results(one, steps, others)) != index[one.recorded]["out"]:
                    raise MufuError(f"{path}: what {one.recorded} gives is not what it says was recorded")
                tables.append((one, steps, others))
    except OSError as failure:
        raise MufuError(f"{path}: {(failure.strerror or str(failure)).lower()}") from None
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError) as failure:
        if isinstance(failure, MufuError):
            raise
        raise MufuError(f"{path} is not a recording of MUFU's functions") from None
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as out:
        for name, data in written(tables).items():
            out.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def main(arguments: list[str]) -> int:
    """The exit status."""
    if not 1 <= len(arguments) <= 2:
        print("usage: python -m warploom.isa.sass.mufu.recording RECORDING [OUT]", file=sys.stderr)
        return 2
    try:
        data = made(Path(arguments[0]))
        out = Path(arguments[1]) if len(arguments) == 2 else user_cache() / FILE_NAME
        if len(arguments) == 2:
            out.write_bytes(data)
        else:
            keep(out, data)
    except (MufuError, OSError, RuntimeError) as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    print(f"{out}: {len(data) / 1e6:.1f} MB, {sum(map(len, FUNCTIONS.values()))} tables of 2^23 arguments")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
