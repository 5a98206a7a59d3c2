"""What Numba finds out about the types of a function, without compiling it; and programs whose loops hand variables from round to round."""

import linecache
import random

import numba
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags, compile_extra
from numba.core.compiler_machinery import PassManager
from numba.core.registry import cpu_target
from numba.core.typed_passes import NopythonTypeInference
from numba.core.types import unliteral

VARIABLES = "abcd"


class Found(Exception):
    """Ends Numba's compiler after its type inference."""


class _UntilTypes(CompilerBase):
    def define_pipelines(self):
        passes = PassManager("until types")
        for one in DefaultPassBuilder.define_untyped_pipeline(self.state).passes:
            passes.add_pass(*one)
        passes.add_pass(NopythonTypeInference, "types")
        passes.finalize()
        return [passes]

    def compile_extra(self, func):
        try:
            super().compile_extra(func)
        finally:
            if self.state.return_type is not None:
                raise Found(self.state.return_type)


def types_of_result(function, arguments):
    """The names of the types in the tuple that a function returns; None where Numba refuses it."""
    cpu_target.typing_context.refresh()
    kinds = tuple(numba.typeof(one) for one in arguments)
    try:
        compile_extra(cpu_target.typing_context, cpu_target.target_context, function, kinds, None, Flags(), {}, pipeline_class=_UntilTypes)
    except Found as found:
        return [str(unliteral(one)) for one in found.args[0]]
    except numba.core.errors.NumbaError:
        return None


def made(text, name):
    """The function `k` of a text that stands in no file."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    return space["k"]


def random_loops(seed):
    """The text of a function of two arrays and a number, without its end: a loop in which four variables are made from each other."""
    r = random.Random(seed)
    lines = ["def k(x, y, n):"]
    lines += [f"    {name} = {r.choice(['0', '1.0', 'x[0]', 'y[0]'])}" for name in VARIABLES if r.random() < 0.6]
    body = ["    for i in range(n):", *_statements(r, 2, " " * 8)]
    body += [f"        {name} = {_expression(r)}" for name in VARIABLES if not any(one.startswith(f"    {name} =") for one in lines)]
    return "\n".join([*lines, *body, ""])


def _statements(r, depth, indent):
    lines = []
    for _ in range(r.randint(1, 4)):
        chosen = r.random() if depth else 0
        if chosen < 0.62:
            lines.append(f"{indent}{r.choice(VARIABLES)} = {_expression(r)}")
        elif chosen < 0.8:
            lines += [f"{indent}if {r.choice(['i > 1', 'x[i] > 3', 'n > 2'])}:", *_statements(r, depth - 1, indent + "    ")]
            if r.random() < 0.5:
                lines += [f"{indent}else:", *_statements(r, depth - 1, indent + "    ")]
        else:
            lines += [f"{indent}for j{depth} in range(n):", *_statements(r, depth - 1, indent + "    ")]
    return lines


def _expression(r):
    v, w = r.choice(VARIABLES), r.choice(VARIABLES)
    return r.choice(
        [v, w, f"{v} + {w}", f"{v} * {w}", f"{v} + 1", f"{v} - 1.5", f"x[i] + {v}", f"y[i] * {v}", "x[i]", "y[i]", f"{v} if i > 2 else {w}"]
        + [f"{v} + 2j"] * (r.random() < 0.15)
    )
