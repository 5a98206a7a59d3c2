"""The locked process of a program with its own host code.

A Python program runs here, with warploom in the place of numba.cuda: arrays of the device lie in this process, and a launch is sent to the
judge as a described kernel with all bytes that it gets; the bytes that come back are written to the arrays. A CUDA program takes the
place of this process.
"""

from __future__ import annotations

import base64
import linecache
import os
import socket
import sys
import traceback
import weakref
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from warploom.gpu import GPU
from warploom.grade.described import Describer, NotPlain
from warploom.grade.host.wire import receive, send
from warploom.grade.lock import lock
from warploom.kernel.cuda import Kernel
from warploom.kernel.device.arrays import DeviceArray
from warploom.kernel.device.context import CURRENT
from warploom.kernel.place import in_numbas_place

PACKAGE = Path(__file__).parents[2]
MEMORY_BYTES = 1 << 27  # of the device, in this process
WINDOW = 4096  # MiB of addresses that the runtime of CUDA programs sets aside for the device's


def become(number: int) -> None:
    """Lock this process, and become a CUDA program."""
    wire = socket.socket(fileno=number)
    order = receive(wire)
    program = Path(order["program"])
    locked = lock(order["seconds"], order["memory"] + WINDOW, [Path(one) for one in order["hidden"]], program)
    send(wire, {"locked": locked})
    os.execve(program, [order["name"], *order["arguments"]], dict(os.environ) | {order["variable"]: str(wire.detach())})


def main(number: int) -> None:
    """Run a Python program."""
    wire = socket.socket(fileno=number)
    order = receive(wire)
    with in_numbas_place():
        CURRENT.use(GPU(order["gpu"], set=order["set"]), MEMORY_BYTES)
        locked = lock(order["seconds"], order["memory"], [Path(one) for one in order["hidden"]])
        send(wire, {"locked": locked})
        send(wire, run(order["source"], order["path"], order["arguments"], wire))
    sys.stdout.flush()
    os._exit(0)


def run(source: str, path: str, arguments: Sequence[str], wire: socket.socket) -> dict[str, Any]:
    """Run the program to its end: {"end": its exit status} or {"error"}."""
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    module = ModuleType("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    sys.argv = [path, *arguments]
    try:
        whole = compile(source, path, "exec", dont_inherit=True)
        Kernel.launch = sent_to(wire, whole)  # type: ignore[method-assign]
        exec(whole, module.__dict__)
    except SystemExit as leaving:
        if leaving.code not in (None, 0):
            return {"error": f"it ended with exit status {leaving.code}" if isinstance(leaving.code, int) else str(leaving.code)[:2000]}
    except SyntaxError as error:
        return {"error": f"line {error.lineno}: this is not Python: {error.msg}"}
    except BaseException as error:  # the file is a stranger's
        lines = [step.lineno for step in traceback.extract_tb(error.__traceback__) if step.filename == path]
        place = f"line {lines[-1]}: " if lines else ""
        kind = "" if isinstance(error, NotPlain) else f"{type(error).__name__}: "
        return {"error": f"{place}{kind}{error}".rstrip(": ")[:2000]}
    return {"end": 0}


def sent_to(wire: socket.socket, whole: CodeType) -> Any:
    """What launches do in this process. whole: the program's code, in which kernels are numbered."""
    names = Numbers()

    def launch(self: Kernel, grid: tuple[int, ...], block: tuple[int, ...], shared: int, args: Sequence[Any]) -> None:
        taken = self._taken(args)
        if self.py_func.__code__.co_filename.startswith(str(PACKAGE)):
            raise NotPlain(f"{self.py_func.__name__} is a kernel of the library: a graded program launches kernels of its own file")
        describer = Describer(whole)
        first = describer.function(self)
        given, arrays = _described(self, taken, describer, names)
        launched = {"grid": list(grid), "block": list(block), "shared": shared, "arguments": given}
        send(wire, {"functions": describer.functions, "first": first, **launched})
        answer = receive(wire)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        for array, data in zip(arrays, answer["arrays"], strict=True):
            _put(array, base64.b64decode(data))

    return launch


class Numbers:
    """A number for each object, which none gets that is made in its place later."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._made = 0

    def of(self, one: Any) -> int:
        """Its number."""
        known = self._known.get(id(one))
        if known is None or known[0]() is not one:
            known = self._known[id(one)] = weakref.ref(one), self._made
            self._made += 1
        return known[1]


def _described(kernel: Kernel, taken: Sequence[Any], describer: Describer, names: Numbers) -> tuple[list[Any], list[Any]]:
    """Arguments as data: an array once, by its number where it is given twice; and the arrays in that order. Raises NotPlain."""
    given: list[Any] = []
    arrays: list[Any] = []
    for one in taken:
        if not isinstance(one, DeviceArray | np.ndarray):
            given.append(describer.value(one, "an argument", kernel.py_func))
            continue
        place = next((place for place, other in enumerate(arrays) if _same(one, other)), len(arrays))
        if place < len(arrays):
            given.append({"again": place})
            continue
        if any(_overlap(one, other) for other in arrays):
            raise NotPlain(f"two arguments of {kernel.__name__} lie in the same array: hand over the whole array once, and offsets")
        host = one.copy_to_host() if isinstance(one, DeviceArray) else one
        if host.dtype.names is not None or host.dtype.hasobject:
            raise NotPlain(f"{kernel.__name__} gets an array of {host.dtype}: a graded program hands over arrays of numbers")
        arrays.append(one)
        data = base64.b64encode(np.ascontiguousarray(host).tobytes()).decode()
        given.append(
            {
                "array": host.dtype.str,
                "shape": list(host.shape),
                "data": data,
                "name": names.of(one.allocation if isinstance(one, DeviceArray) else one),
            }
        )
    return given, arrays


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, DeviceArray) and isinstance(other, DeviceArray):
        return bool(one.address == other.address and (one.shape, one.strides, one.dtype) == (other.shape, other.strides, other.dtype))
    return False


def _overlap(one: Any, other: Any) -> bool:
    if isinstance(one, DeviceArray) != isinstance(other, DeviceArray):
        return False
    if isinstance(one, DeviceArray):
        return bool(np.shares_memory(one.host_view, other.host_view, max_work=0))
    return bool(np.may_share_memory(one, other))


def _put(array: Any, data: bytes) -> None:
    """The bytes that a launch has left, into an array."""
    host = np.frombuffer(data, array.dtype).reshape(array.shape)
    if isinstance(array, DeviceArray):
        array.copy_to_device(host)
    elif array.flags.writeable:
        array[...] = host
