"""Kernels in Python by NVIDIA's compiler: numba-cuda makes PTX, nvJitLink a cubin, whose machine code runs.

numba-cuda works in a process of its own (`numba_child.py`), which gets the function by value: its code, the values that it names, and the
functions that it calls. What it names of `cuda` is numba-cuda's there.
"""

from __future__ import annotations

import importlib.util
import inspect
import io
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from warploom.compiler.compiler import Compiled
from warploom.isa.diagnostics import Diagnostics, SourceError
from warploom.isa.launch import Launch
from warploom.isa.program import Position, Program, Source
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.reading import error, read_text
from warploom.isa.sass.cubin import read
from warploom.isa.sass.nvidia.toolkit import from_ptx, needed
from warploom.isa.sass.products import ARCHITECTURES
from warploom.isa.sass.resident import Resident
from warploom.kernel.launch.arguments import Prepared
from warploom.kernel.launch.compile import Built
from warploom.kernel.launch.numba_child import cuda_name, device_function
from warploom.kernel.launch.signature import ArgumentError
from warploom.kernel.syntax.translator import Resources
from warploom.result import Result

CHILD = Path(__file__).with_name("numba_child.py")
USUAL = 90  # the architecture for a machine that takes any code
MOST_SECONDS = 600  # for one kernel
WORD = 8  # bytes of what an array's pointers and extents are


def architecture_of(product: str) -> int:
    """For which architecture a kernel is compiled that runs on a preset."""
    return ARCHITECTURES.get(product, USUAL)


@dataclass(frozen=True, kw_only=True)
class MachineBuilt(Built):
    """A kernel as machine code."""

    resident: Resident

    def launched(self, prepared: Prepared, grid: tuple[int, ...], block: tuple[int, ...], shared: int, name: str) -> Program:
        """The program with its arguments and its grid."""
        kernel = self.resident.kernel
        device = prepared.device
        self.resident.place(device, device.allocate, lambda at, data: device.write(at, np.frombuffer(data, np.uint8)))
        values = [part for one, kind in zip(prepared.args, prepared.kinds, strict=True) for part in _parts(one, kind, prepared)]
        told = kernel.attributes.parameters
        assert len(values) == len(told)
        data = bytearray(kernel.attributes.size)
        for place, value in zip(told, values, strict=True):
            data[place.offset : place.offset + place.size] = value.ljust(place.size, b"\0")[: place.size]
        launch = Launch(
            block=block if len(block) > 1 else block[0], grid=grid if len(grid) > 1 else grid[0],
            shared_bytes=kernel.shared_bytes + shared, local_bytes=kernel.stack_bytes, name=name,
        )  # fmt: skip
        return replace(self.resident.launched(launch, bytes(data)), name=name, **prepared.views(self.views))

    def delivered(self, result: Result) -> None:
        """Print what a launch has printed; such a kernel raises no errors."""
        for line in result.console:
            print(line)


def views_of(function: Any, kinds: Sequence[Any]) -> Iterator[str]:
    """The names of a kernel's arrays, in the order of its arguments."""
    names = list(inspect.signature(function).parameters)
    for place, kind in enumerate(kinds):
        yield from _arrays(names[min(place, len(names) - 1)], kind)


def _arrays(name: str, kind: Any) -> Iterator[str]:
    if kind[0] in ("array", "record"):
        yield name
    for place, inner in enumerate(kind[2] if kind[0] == "tuple" else ()):
        yield from _arrays(f"{name}[{place}]", inner)


def build_machine_code(function: Any, types: Sequence[Any], names: tuple[str, ...], options: dict[str, Any], product: str) -> MachineBuilt:
    """Compile a kernel for arguments of Numba's types. names: of its arrays. product: the preset. Raises SourceError."""
    path = function.__code__.co_filename
    needed(path)
    needed(path, "numba_cuda")
    architecture = architecture_of(product)
    told = {name: options[name] for name in ("fastmath",) if name in options}
    request = {
        "path": sys.path,
        "function": pickled((function, tuple(types))),
        "architecture": divmod(architecture, 10),
        "options": told,
    }
    try:
        ran = subprocess.run(
            [sys.executable, str(CHILD)], input=pickle.dumps(request), capture_output=True, check=False, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise error(
            path, f"numba-cuda has not compiled {function.__name__}() in {MOST_SECONDS} seconds", "write a smaller kernel"
        ) from None
    if ran.returncode:
        last = ran.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["it does not say why"]
        raise error(path, f"numba-cuda has failed: {last[0]}", "")
    kind, text, *more = pickle.loads(ran.stdout)
    if kind == "error":
        raise _refused(text, *more)
    words = [f"-maxrregcount={options['max_registers']}"] if options.get("max_registers") else []
    words += [] if options.get("fma", True) else ["-fma=0"]
    made = from_ptx(text, path, architecture, words)
    found = read(made.cubin, path)
    kernel = next(iter(found.kernels.values()))
    remark = f"compiled by numba-cuda {more[0]} and {made.maker} for sm_{architecture}"
    resident = Resident(found, kernel, (remark,))
    program = resident.launched(Launch(block=1, grid=1), bytes(kernel.attributes.size))
    nothing = Compiled(ProgramBuilder(), kernel.registers, 0, kernel.stack_bytes, 0, "", "")
    resources = Resources(shared_bytes=kernel.shared_bytes)
    return MachineBuilt(program, names, resources, tuple(resident.warnings(program)), nothing, resident=resident)


def _refused(message: str, path: str, line: int) -> SourceError:
    """A mistake that numba-cuda has found, at its line."""
    try:
        source = Source(read_text(path), path)
    except SourceError:
        source = Source("", path)
    written = source.lines[line - 1] if 0 < line <= len(source.lines) else ""
    said = Diagnostics(source)
    said.error(Position(line, len(written) - len(written.lstrip()) + 1), f"numba-cuda: {message}", max(len(written.strip()), 1))
    return SourceError(said.items, source)


def _parts(argument: Any, kind: Any, prepared: Prepared) -> list[bytes]:
    """An argument as the parameters that numba-cuda makes of it, each as bytes."""
    if kind[0] == "tuple":
        return [part for one, inner in zip(argument, kind[2], strict=True) for part in _parts(one, inner, prepared)]
    if kind[0] == "array":
        placed = prepared.placed[id(argument)]
        array = placed.array
        count = int(np.prod(array.shape, dtype=np.int64))
        words = [0, 0, count, kind[1].itemsize, placed.base, *array.shape, *array.strides]
        return [int(word).to_bytes(WORD, "little", signed=True) for word in words]
    if kind[0] == "record":
        return [int(prepared.placed[id(argument)].base).to_bytes(WORD, "little")]
    if kind[0] == "number":
        value = np.array(argument)
        value = value.view(np.int64) if value.dtype.kind in "mM" else value.astype(np.dtype(kind[1]))
        if value.dtype.kind == "c":
            return [value.real.tobytes(), value.imag.tobytes()]
        return [value.tobytes()]
    return [bytes(WORD)]


def pickled(value: Any) -> bytes:
    """What a child can load without warploom: functions by value, names of `cuda` as paths."""
    from numba.cloudpickle import cloudpickle

    class Pickler(cloudpickle.Pickler):
        def reducer_override(self, one: Any) -> Any:
            name = vars(one).get("kernel_name") if hasattr(one, "__dict__") else None
            if isinstance(name, str) and name.partition(".")[0] == "cuda":  # the module, and names of kernels in it
                return cuda_name, (name.partition(".")[2],)
            if hasattr(one, "py_func") and hasattr(one, "device"):
                return device_function, (one.py_func, {})
            if type(one).__name__ == "DeviceArray":
                raise ArgumentError("a kernel that names an array of the device is not compiled by numba-cuda: hand it over as an argument")
            if isinstance(one, FunctionType) and _is_the_users(one):
                return self._dynamic_function_reduce(one)
            return super().reducer_override(one)

    target = io.BytesIO()
    Pickler(target).dump(value)
    return target.getvalue()


def _is_the_users(function: FunctionType) -> bool:
    """Whether a function is of a program, and not of Python or a package."""
    home = str(getattr(importlib.util.find_spec("numpy"), "origin", "")).rsplit("/numpy/", 1)[0]
    path = function.__code__.co_filename
    return not path.startswith((home, str(Path(io.__file__).parent)))
