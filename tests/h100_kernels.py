"""The device's own machine code of an H100's kernels, run, and its cycles compared with what the card took.

`python -m tests.h100_kernels FOLDER` prints each launch of FOLDER/cubins.json: cycles of the card and here until the last warp has ended,
cold and warm (what the first launch has left in L2), and the mean error. The files are not kept here (tests/golden/h100/README.md).
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from warploom import load_config
from warploom.isa.frontend import Options
from warploom.isa.sass import front_end
from warploom.machine.device.held import Tags
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run.driver import drive

PRESET = "h100-sxm"


def _makers(folder: Path) -> dict[str, Any]:
    """The functions of kernels.py that make arguments, without its kernels."""
    tree = ast.parse((folder / "kernels.py").read_text())
    kept = [one for one in tree.body if isinstance(one, ast.FunctionDef) and not one.decorator_list and one.name not in ("main", "case")]
    names: dict[str, Any] = {"np": np, "F": np.float32}
    exec(compile(ast.Module(kept, []), "kernels.py", "exec"), names)
    return names


def _program(folder: Path, described: dict[str, Any], name: str, makers: dict[str, Any], settings: Any) -> Any:
    case = described["cases"][name]
    kernel = described["kernels"][case["kernel"]]
    made = eval(case["make"], dict(makers))
    values = made(np.random.default_rng(zlib.crc32(name.encode())))
    by_name = {one["name"]: value for one, value in zip(case["arguments"], values, strict=True)}
    buffers, arguments = {}, {}
    for number, (_offset, _size, kind, what) in enumerate(kernel["parameters"]):
        parameter, _, field = what.partition(".")
        array = by_name[parameter]
        if kind == "pointer":
            data = np.ascontiguousarray(array).reshape(-1)
            buffers[f"p{number}"] = data.view(np.uint32) if data.dtype.itemsize == 8 else data
        elif not field:
            arguments[f"p{number}"] = array
        elif field.startswith(("shape", "stride")):
            places = array.shape if field.startswith("shape") else array.strides
            arguments[f"p{number}"] = int(places[int(field[-1])])
        else:
            arguments[f"p{number}"] = {"nitems": array.size, "itemsize": array.itemsize}.get(field, 0)
    options = Options(name, grid=tuple(case["grid"]), block=tuple(case["block"]), buffers=buffers, arguments=arguments, machine=settings)
    return front_end.load((folder / kernel["file"]).read_bytes(), options).program


def launches(
    folder: Path, only: list[str], preset: str, settings: dict[str, Any], engine: str
) -> Iterator[tuple[dict[str, str], list[int]]]:
    """Each row of kernels.csv that has a cubin, with the cycles of a cold and of a warm launch here."""
    described, makers = json.loads((folder / "cubins.json").read_text()), _makers(folder)
    config = load_config(preset).with_settings(settings) if settings else load_config(preset)
    for row in csv.DictReader((folder / "kernels.csv").open()):
        name = row["case"]
        if name not in described["cases"] or (only and name not in only):
            continue
        try:
            program = _program(folder, described, name, makers, config)
        except Exception as error:
            print(f"{name}: {error!r}"[:200], file=sys.stderr)
            continue
        taken, tags = [], None
        for _ in range(2):
            machine = PipelineMachine(config, program)
            if tags is not None:
                tags.put_into(machine.gpu["l2"]["cache"])
            outcome = drive(machine, engine=engine, max_cycles=50_000_000, at_once=True)
            if outcome.status != "done":
                print(f"{name}: {outcome}"[:300], file=sys.stderr)
                break
            taken.append(int(machine.gpu["room_since"]))
            tags = Tags.of(machine.gpu["l2"]["cache"], machine.cycle)
        else:
            yield row, taken


def main() -> None:
    """Print the launches and the mean error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--gpu", default=PRESET)
    parser.add_argument("--engine", default="native")
    asked = parser.parse_args()
    errors: dict[str, list[float]] = {}
    begin = time.process_time()
    for row, (cold, warm) in launches(asked.folder, [one for one in asked.only.split(",") if one], asked.gpu, {}, asked.engine):
        ratio = warm / float(row["warm"]), cold / float(row["cold"])
        errors.setdefault(row["cause"], []).append(abs(ratio[0] - 1))
        shown = "   ".join(
            f"{when} {row[when]:>9} {here:9} {part:6.2f}" for when, here, part in zip(("warm", "cold"), (warm, cold), ratio, strict=True)
        )
        print(f"{row['case']:26} {row['cause']:12} {shown}", flush=True)
    for cause, each in errors.items():
        print(f"{cause:14} {len(each):3} {np.mean(each):6.1%}")
    every = [error for each in errors.values() for error in each]
    print(f"{len(every)} launches: warm mean {np.mean(every):.1%}, median {np.median(every):.1%}; {time.process_time() - begin:.0f} CPU s")


if __name__ == "__main__":
    main()
