"""Random kernels whose loops hand values on, with conditions that are known when the kernel is compiled: of types, kinds and lengths.

The sides that they leave out have the only floats. So what comes out is compared with what
Python itself computes.
"""

import linecache
import random

VARIABLES = "abcd"
KNOWN = ["last.ndim == 2", "len(p) == 2", "p[0] is None", "x.ndim == 1", "FLAG", "not FLAG"]
FALSE = ["last.ndim == 2", "p[0] is None", "not FLAG"]
FUNCTIONS = """\
FLAG = True
@jit
def of_array(u, v):
    if u.ndim == 2:
        return 0.5
    return v
@jit
def of_tuple(p, v):
    if len(p) == 2:
        return p[1]
    else:
        return v * 1.5
@jit
def less_of_larger(u, v):
    if u > v:
        return u - 1
    return v
@jit
def k(x, out, n):
"""


def made(text, name, jit):
    """The function `k` of a text, whose functions are decorated with `jit`."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"jit": jit}
    exec(compile(text, name, "exec"), space)
    return space["k"]


def random_kernel(seed):
    """The text of a kernel of an array, another one for its results, and a number of rounds."""
    r = random.Random(seed)
    lines = [f"    {name} = {r.choice(['0', '3', 'x[0]', '2', 'True'])}" for name in VARIABLES]
    lines += [
        "    for i in range(n):",
        "        if i > 0:",
        *_statements(r, 3, " " * 12),
        "        last = x[i:]",
        "        p = (x[i], 2)",
    ]
    lines += [f"    out[{place}] = {name}" for place, name in enumerate(VARIABLES)]
    lines += ["    ends = (a, b, c, d)"]
    return FUNCTIONS + "\n".join([*lines, ""])


def decided(text):
    """The same kernel with the outcomes in the place of the conditions that are known."""
    for condition in [*KNOWN[:4], "u.ndim == 2"]:
        text = text.replace(condition, str(condition in ("len(p) == 2", "x.ndim == 1")))
    return text.replace("not FLAG", "False").replace("(FLAG and", "(True and").replace("if FLAG", "if True")


def _statements(r, depth, indent):
    lines = []
    for _ in range(r.randint(1, 3)):
        chosen = r.random() if depth else 0
        if chosen < 0.55:
            lines.append(f"{indent}{r.choice(VARIABLES)} = {_expression(r)}")
        elif chosen < 0.62:
            lines.append(f"{indent}p = ({_expression(r)}, {_expression(r)})")
        elif chosen < 0.85:
            lines += [f"{indent}if {_condition(r)}:", *_statements(r, depth - 1, indent + "    ")]
            if r.random() < 0.5:
                lines += [f"{indent}else:", *_statements(r, depth - 1, indent + "    ")]
        else:
            lines += [f"{indent}for j{depth} in range(3):", *_statements(r, depth - 1, indent + "    ")]
    return lines


def _expression(r):
    v, w = r.choice(VARIABLES), r.choice(VARIABLES)
    if r.random() < 0.4:
        known = r.choice(KNOWN)
        choices = [f"(0.5 if {r.choice(FALSE)} else {v})", f"({v} if {known} else {w})", f"of_array(last, {v})", f"of_tuple(p, {v})"]
        return r.choice([*choices, f"(FLAG and {v})", "len(p)", "last[0]"])
    choices = [v, w, f"{v} + {w}", f"{v} + 1", f"x[i] + {v}", "x[i]", "x[i] * 2", f"{v} if x[i] > 2 else {w}", f"max({v}, {w})"]
    return r.choice([*choices, f"less_of_larger({v}, {w})", "p[0]", f"p[1] + {v}", f"({v} > 1 and {w} < 4)"])


def _condition(r):
    v, w = r.choice(VARIABLES), r.choice(VARIABLES)
    if r.random() < 0.4:
        return r.choice(KNOWN)
    return r.choice(["i > 1", f"{v} > {w}", f"{v} > 1 and {w} < 5", "p[0] > 1", f"not ({v} < 2 or last.ndim == 2)"])
