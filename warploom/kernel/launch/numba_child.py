"""A process of its own that has numba-cuda compile a kernel to PTX: a request on its input, an answer on its output.

So NVIDIA's package and the user's own `numba.cuda`, in whose place warploom stands, never meet. Nothing of warploom is imported here:
what a kernel names of it comes as paths in `numba.cuda`.
"""

from __future__ import annotations

import os
import pickle
import re
import sys
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

PLACE = re.compile(r'File "([^"]+)", line (\d+)')


def cuda_name(path: str) -> Any:
    """A name of `numba.cuda` by its path, as "shared.array"."""
    from numba import cuda

    found = cuda
    for name in filter(None, path.split(".")):
        found = getattr(found, name)
    return found


def device_function(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """A function for kernels."""
    from numba import cuda

    return cuda.jit(device=True, **options)(function)


def compiled(request: dict[str, Any]) -> tuple[Any, ...]:
    """("ptx", the text, version) or ("error", message, path, line)."""
    import numba_cuda
    from numba import cuda
    from numba.cuda import dispatcher

    sys.path[:] = request["path"]
    # Functions that kernels call are compiled for "the current device", and there is none.
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=request["architecture"])
    function, types = pickle.loads(request["function"])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text, _ = cuda.compile_ptx(function, types, cc=request["architecture"], lineinfo=True, **request["options"])
    except Exception as failure:  # whatever numba-cuda raises about a kernel
        places = PLACE.findall(str(failure))
        path, line = places[-1] if places else (function.__code__.co_filename, function.__code__.co_firstlineno)
        return "error", first_sentence(str(failure)), path, int(line)
    return "ptx", text, numba_cuda.__version__


def first_sentence(text: str) -> str:
    """The line of one of Numba's errors that says what is wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    plain = [line for line in lines if not line.startswith(("Failed in", "File ", "[1]", "<source", "During:", "- "))]
    return re.sub(r"\x1b\[[0-9;]*m", "", plain[0] if plain else "it does not say what is wrong")


if __name__ == "__main__":
    sys.modules["warploom.kernel.launch.numba_child"] = sys.modules["__main__"]
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # modules that the function needs may print
    with out:
        out.write(pickle.dumps(compiled(pickle.load(sys.stdin.buffer))))
