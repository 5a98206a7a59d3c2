"""What a kernel cannot call, and what is written in its place.

Debuggers, generators of random numbers, launches, functions of the host, and NumPy's functions of whole arrays.
"""

from __future__ import annotations

import ast
import sys
from typing import Any, NoReturn

import numpy as np

from warploom.kernel.syntax.known_names import Dotted
from warploom.kernel.syntax.translator import Translator

DEBUGGERS = ("pdb", "ipdb", "pudb", "bdb", "debugpy")
RANDOM = ("random.", "np.random.", "numpy.random.")
# Functions of numba.cuda for the host, and what a kernel has instead.
INSTEAD = {"cuda.synchronize": "cuda.syncthreads() waits for the threads of a block; a kernel's end is waited for by the host"}

# NumPy's functions of a whole array, and what its threads do together. {name}: of the array.
TOGETHER = {
    **dict.fromkeys(("sum", "nansum", "mean", "average", "nanmean", "count_nonzero"), "cuda.atomic.add(result, 0, {name}[i])"),
    **dict.fromkeys(("max", "amax", "nanmax"), "cuda.atomic.max(result, 0, {name}[i])"),
    **dict.fromkeys(("min", "amin", "nanmin"), "cuda.atomic.min(result, 0, {name}[i])"),
}
WHOLE = (
    *TOGETHER, "all", "any", "argmax", "argmin", "argsort", "cumprod", "cumsum", "diff", "dot", "inner", "linalg", "matmul", "median",
    "norm", "prod", "ptp", "sort", "std", "trace", "var", "vdot",
)  # fmt: skip


def of_whole_arrays(name: str, array: str) -> str:
    """What a kernel has in place of a function or method of whole arrays; "" for another name. array: its text in the kernel."""
    if name in TOGETHER:
        text = TOGETHER[name].format(name=array if array.isidentifier() else "array")
        return f"a loop in one thread; or one item a thread, {text}; or cuda.reduce, from the host"
    return "it works on whole arrays: in a kernel write the loop over the items, or call it on the host" if name in WHOLE else ""


def stops_for_a_debugger(function: Any) -> bool:
    """Whether a function of the host stops a program for a debugger."""
    module = str(getattr(function, "__module__", None) or "").partition(".")[0]
    return module in DEBUGGERS or function is breakpoint or getattr(function, "__name__", "") == "set_trace"


def refuse_call(t: Translator, node: ast.Call, function: Any, *, known: bool) -> NoReturn:
    """Say that a kernel cannot call this. known: its name is one of NumPy's or of Python's modules. Raises Problem."""
    name = ast.unparse(node.func)
    if stops_for_a_debugger(function):
        t.error(node.func, f"a kernel cannot stop for a debugger: {name}", "take it out, and use `warploom debug FILE`")
    if name.startswith(RANDOM):
        t.error(node.func, f"a kernel cannot call {name}", "numba.cuda.random has generators: xoroshiro128p_uniform_float32(states, i)")
    module = str(getattr(function, "__module__", None) or "").partition(".")[0]
    if known or module in sys.stdlib_module_names or module == "numpy":
        whole = of_whole_arrays(name.rpartition(".")[2], ast.unparse(node.args[0]) if node.args else "array") if module == "numpy" else ""
        fix = "cuda.local.array(shape, dtype)" if function in (np.zeros, np.empty) else whole
        t.error(node.func, f"a kernel cannot call {name}", fix)
    t.error(node.func, f"a kernel cannot call {name}", "make it a function with @cuda.jit(device=True)")


def refuse_launch(t: Translator, node: ast.AST, name: str) -> NoReturn:
    """Say that a kernel launches nothing. name: of the kernel between whose brackets a grid stands. Raises Problem."""
    t.error(
        node, f"a kernel cannot launch a kernel: {name}[...]",
        f"launch {name} from the host after this one; or make it a function with @cuda.jit(device=True), and call it without brackets",
    )  # fmt: skip


def refuse_of_the_host(t: Translator, node: ast.AST, path: str) -> NoReturn:
    """Say that a function of numba.cuda is for the host. Raises Problem."""
    t.error(node, f"{path} is for the host, and a kernel cannot use it", INSTEAD.get(path, ""))


def warn_of_no_call(t: Translator, node: ast.expr, value: Any) -> None:
    """A function that is named and not called does nothing."""
    if isinstance(node, ast.Name | ast.Attribute) and (isinstance(value, Dotted) or callable(value)):
        name = ast.unparse(node)
        t.warn(node, f"{name} without brackets does nothing: it is not called", f"{name}()")
