"""Mistakes in kernels: file, line, column, what was found, what to write; all of a kernel at once."""

import linecache
import re
import warnings

import numpy as np
import pytest

from warploom import SourceError, cuda
from warploom.kernel.launch.launch import KernelWarning
from warploom.kernel.syntax.tree import NoSource, _text, text_of

SIZE = 8


def refused(kernel, *args):
    """(line in the kernel, text at the caret, message, fix) of everything that is said."""
    with pytest.raises(SourceError) as caught:
        cuda.jit(kernel)[1, 32](*args)
    first = kernel.__code__.co_firstlineno
    found = []
    for one in caught.value.diagnostics:
        line = caught.value.sources[one.position.file].lines[one.position.line - 1]
        text = line[one.position.column - 1 : one.position.column - 1 + one.length]
        found.append((one.position.line - first, text, one.message, one.fix))
    return found


def test_all_mistakes_of_a_kernel_at_once():
    def k(a, out):
        i = cuda.grid(1)
        out[i / 2] = a[i]
        out[i, 0] = a[j]  # noqa: F821
        for x in range(3):
            total = sum([a[x]])
        out[i] = total + 1
        out[i] = len(i)

    assert refused(k, np.zeros(8), np.zeros(8)) == [
        (2, "i / 2", "an index is a whole number, and this is a float64", "use // for whole division, or int(...)"),
        (3, "j", "there is no 'j'", ""),
        (5, "[a[x]]", "a kernel cannot have a list", "use a tuple, or cuda.local.array"),
        (7, "len(i)", "an int64 has no length", ""),
    ]


@pytest.mark.parametrize(
    "statement",
    """out[one] = two; out[one] += two; one, two; a, b = one, two; out[one, two] = 1; out[0] = a[one, two]; out[0] = one < two
       out[0] = one + two; out[0] = max(one, two); cuda.atomic.add(out, one, two); out[one] = out[two] = 1""".replace("\n", ";").split(";"),
)
def test_a_statement_with_two_mistakes_names_both(statement):
    space = {"cuda": cuda}
    text = f"def k(a, out):\n    {statement.strip()}\n"
    name = f"{statement}.py"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)
    said = [one[2] for one in refused(space["k"], np.zeros(8), np.zeros(8))]
    assert said == ["there is no 'one'", "there is no 'two'"]


def test_dimensions_are_counted():
    def k(a):
        a[0, 1] = 2

    assert refused(k, np.zeros(8))[0][1:3] == ("a[0, 1]", "a has 1 dimension, 2 indices are given")


def test_the_size_of_a_shared_array_is_known_before():
    def k(a, n):
        s = cuda.shared.array(n, np.float32)
        s[0] = a[0]

    assert refused(k, np.zeros(8), 8) == [
        (
            1,
            "n",
            "the size of a shared array must be known when the kernel is compiled",
            "use a constant of the module, or shape 0 and the launch's fourth number",
        )
    ]


def test_recursion_is_refused_with_its_circle():
    @cuda.jit(device=True)
    def even(n):
        return True if n == 0 else odd(n - 1)

    @cuda.jit(device=True)
    def odd(n):
        return False if n == 0 else even(n - 1)

    def k(a):
        a[0] = even(a[1])

    assert refused(k, np.zeros(8, np.int64))[0][2:] == (
        "a kernel cannot have recursion whose depth is not known: even calls odd calls even",
        "write it as a loop, or let an argument that is known when the kernel is compiled count down",
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("a[0] = {}", "a kernel cannot have a dictionary"),
        ("a[0] = [x for x in a]", "a kernel cannot have a list comprehension"),
        ("return 5", "a kernel returns nothing"),
        ("a[0] = 'x'", "a float64 is stored here, and the value is a string"),
        ("a[0] = a + 1", "+ needs two numbers, and this is an array of float64 and an int64"),
        ("cuda.grdi(1)", "kernels have no cuda.grdi, did you mean 'grid'?"),
        ("a[0] = a.shpae[0]", "an array in a kernel has no 'shpae', did you mean 'shape'?"),
        ("a[0] = open('x')", "a kernel cannot call open"),
        ("cuda.atomic.add(a, 0)", "cuda.atomic.add(array, index, value) is called with 2 arguments"),
        ("cuda.atomic.inc(a, 0, 1)", "there is no such operation on float64"),
        ("for x in 5: pass", "a kernel's for runs over range(...), a tuple or an array, and this is an int64"),
        ("x, y = (1, 2, 3)", "2 variables are to be given 3 values"),
        ("a[0] = 1.5 & 2", "& needs whole numbers, and this is a float64 and an int64"),
        ("with a: pass", "a kernel cannot have with"),
        ("cuda.grid(4)", "the number of dimensions is 1, 2 or 3, and known when the kernel is compiled"),
    ],
)
def test_what_kernels_cannot_have(body, message):
    import linecache

    path = f"<{body}>"
    text = f"def k(a):\n    {body}\n"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    names = {"cuda": cuda}
    exec(compile(text, path, "exec"), names)
    assert message in [said for _, _, said, _ in refused(names["k"], np.zeros(8))]


def test_a_double_literal_in_single_code_is_a_warning():
    @cuda.jit
    def k(a):
        a[0] = a[1] * 0.5

    with pytest.warns(KernelWarning, match=r"0.5 is a float64, and makes this a float64 too(.|\n)*fix: write float32\(0.5\)"):
        k[1, 1](np.ones(2, np.float32))


def test_a_variable_without_a_value_on_some_path_is_a_warning():
    @cuda.jit
    def k(a):
        if a[0] > 0:
            x = 3
        a[1] = x

    with pytest.warns(KernelWarning, match="'x' has no value on some path that leads here"):
        k[1, 1](np.ones(2, np.float32))


def test_a_kernel_without_text_says_where_to_keep_it():
    names = {}
    exec("def k(a):\n    a[0] = 1\n", names)
    with pytest.raises(ValueError, match=r"the text of 'k' is not known \(<string>\): write it into a file, or keep the text in linecache"):
        cuda.jit(names["k"])[1, 1](np.zeros(1))


def test_names_outside_of_a_kernel_say_so():
    with pytest.raises(RuntimeError, match=r"cuda.syncthreads works in a kernel only"):
        cuda.syncthreads()
    with pytest.raises(TypeError, match="jit\\(\\) has no option 'fastmth'"):
        cuda.jit(fastmth=True)


def test_a_condition_on_what_a_function_is_handed_keeps_its_index_from_wrapping():
    @cuda.jit(device=True)
    def slope(x, k):
        return x[k + 1] - x[k - 1]

    @cuda.jit
    def guarded(x, out):
        i = cuda.grid(1)
        if 0 < i < x.size - 1:
            out[i] = slope(x, i)

    @cuda.jit
    def bare(x, out):
        i = cuda.grid(1)
        if x[0] > 0:
            out[i] = slope(x, i)

    x = np.arange(8.0) ** 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        guarded[1, 8](x, out := np.zeros(8))
    assert out[1:-1].tolist() == (x[2:] - x[:-2]).tolist()
    with pytest.warns(KernelWarning, match="this index may be -1"):
        bare[1, 4](x, out)


def test_of_two_files_that_say_the_same_each_is_named(tmp_path):
    for name in ("first.py", "second.py"):
        path = tmp_path / name
        path.write_text("def kernel(x):\n    x[0] = lost\n")
        module = {}
        exec(compile(path.read_text(), str(path), "exec"), module)
        with pytest.raises(SourceError, match=f"^{re.escape(str(path))}:2:12: error: there is no 'lost'"):
            cuda.jit(module["kernel"])[1, 1](np.zeros(1))


def test_an_index_that_may_wrap_is_a_warning():
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        out[i] = x[i - 1]

    with pytest.warns(KernelWarning, match=r"this index may be -1, and an index below zero counts(.|\n)*x\[i - 1\](.|\n)*fix: put a"):
        k[1, 4](np.zeros(4), np.zeros(4))


def test_an_index_that_a_condition_looks_at_is_none():
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        j = i - 1
        if j >= 0:
            out[i] = x[i - 1] + x[j]
        out[i] += x[cuda.blockDim.x - 1 - i] + x[max(i - 1, 0)] + x[(i - 1) % x.size] + x[-1]
        for m in range(1, 3):
            out[i] += x[m - 1]

    with warnings.catch_warnings():
        warnings.simplefilter("error", KernelWarning)
        k[1, 4](np.zeros(4), np.zeros(4))


def test_several_lambdas_in_a_line():
    first, second = cuda.jit(lambda x: x[0] + 1, device=True), cuda.jit(lambda x: x[0] + 2, device=True)

    @cuda.jit
    def k(x):
        x[1], x[2] = first(x), second(x)
        x[3] = (lambda v: v * 3)(x[1]) + (lambda v: v * 4)(x[2])

    x = np.array([1, 0, 0, 0])
    k[1, 1](x)
    assert x.tolist() == [1, 2, 3, 18]


def test_a_chain_of_comparisons_ends_with_the_first_that_is_false():
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        if 0 <= i < x.size > x[i] <= x[0]:
            out[i] = 1

    out = np.zeros(8, np.int64)
    k[1, 8](np.array([2, 1, 2, 4]), out)  # x[4] is outside
    assert out.tolist() == [1, 1, 1, 0, 0, 0, 0, 0]


def test_a_chain_whose_first_comparison_is_false_reads_nothing_more():
    @cuda.jit
    def k(x, out):
        i, v = cuda.grid(1), -1
        if x[0] + 6 < i < 20 > (v := x[i]):
            pass
        out[i] = v

    out = np.zeros(8, np.int64)
    k[1, 8](np.array([2, 1, 2, 4]), out)  # x[4] is outside
    assert out.tolist() == [-1] * 8


def test_what_a_condition_has_assigned_has_a_value_on_its_side():
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        if i < x.size and (a := x[i]) > 1 and a < 4:
            out[i] = a
        elif not (i >= x.size or (b := x[i]) > 1):
            out[i] = -b
        out[i] += c if i > 1 and (c := x[i] * 10) > 0 else 0
        if i >= x.size or (d := x[i]) > 3:
            return
        out[i] += d * 100

    out = np.zeros(4, np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        k[1, 4](np.array([1, 2, 3, 4]), out)
    assert out.tolist() == [99, 202, 333, 40]


@pytest.mark.parametrize(
    "test", ["i < 2 or (v := x[i]) > 1", "not (i < 2 and (v := x[i]) > 1)", "i < 2 < (v := x[i]) or i < 3", "not i < 2 < (v := x[i])"]
)
def test_what_a_condition_may_not_have_assigned_is_a_warning(test):
    source = f"def k(x, out):\n    i = cuda.grid(1)\n    if {test}:\n        out[i] = v\n"
    linecache.cache[f"<{test}>"] = (len(source), None, source.splitlines(keepends=True), f"<{test}>")
    names = {"cuda": cuda}
    exec(compile(source, f"<{test}>", "exec"), names)
    with pytest.warns(KernelWarning, match="'v' has no value on some path"):
        cuda.jit(names["k"])[1, 4](np.array([1, 2, 3, 4]), np.zeros(4, np.int64))


def test_assignments_in_expressions():
    @cuda.jit
    def k(x, out):
        i = 0
        while (v := x[i]) > 0 and v < 6:
            out[0] += (w := v // 2) + w - w
            i += 1
        out[1] = v
        if i > 1 or (v := 100) > i:
            out[2] = v
        out[3] = (v := 5) + v

    out = np.zeros(4, np.int64)
    k[1, 1](np.array([1, 2, 5, 9, 0]), out)
    assert out.tolist() == [3, 9, 9, 10]


Q = 5


PAIR = (lambda x: x[0] + 1,
        lambda x: x[0] + 2)  # fmt: skip


def test_functions_whose_lines_are_no_python_by_themselves():
    first, second = PAIR

    @cuda.jit
    def k(x):
        """A text
        that is not indented"""
        x[1], x[2] = first(x), second(x)

    x = np.array([1, 0, 0])
    k[1, 1](x)
    assert x.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "later", "said"),
    [
        ("async def k(x):\n    pass\n", None, "'k' is not a function that a kernel can be made of (<moved>:1)"),
        ("\n\ndef k(x): pass\n", "1\n", "the text of 'k' cannot be found in <moved>: its file has no line 3 any more"),
        (
            "def k(x):\n    pass\n",
            "def k(x)\n    pass\n",
            "the text of 'k' cannot be read (<moved>:1): what stands there is no Python, or a",
        ),
        (
            "k = lambda x: x + 1\n",
            "k = lambda x:\n",
            "the text of '<lambda>' cannot be read (<moved>:1): what stands there is no Python, or",
        ),
        ("k = lambda x: x + 1\n", "k = lambda y: y\n", "the text of '<lambda>' cannot be read (<moved>:1): what stands there is no"),
    ],
)
def test_a_function_whose_text_is_not_there(text, later, said):
    space = {}
    exec(compile(text, "<moved>", "exec"), space)
    kept = later or text
    linecache.cache["<moved>"] = (len(kept), None, kept.splitlines(keepends=True), "<moved>")
    _text.cache_clear()
    with pytest.raises(NoSource) as caught:
        text_of(space["k"])
    assert str(caught.value).startswith(said)


def test_what_a_lambda_assigns_is_its_own():
    @cuda.jit
    def k(out):
        f = lambda a: (Q := a * 2) + Q  # noqa: E731
        out[0] = f(out[1]) + Q

    out = np.array([0, 3])
    k[1, 1](out)
    assert out.tolist() == [17, 3]


def test_what_the_condition_of_a_loop_assigns_has_a_value_in_it():
    @cuda.jit
    def k(x, out):
        i = 0
        while i < x.size and (v := x[i]) < 6:
            out[i] = v
            i += 1

    out = np.zeros(4, np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        k[1, 1](np.array([1, 2, 9, 3]), out)
    assert out.tolist() == [1, 2, 0, 0]


def test_a_mistake_in_the_condition_of_a_loop_is_said_once():
    def k(out, n):
        while (q := q + 1) < n:  # noqa: F821
            out[0] = q

    assert [one[2] for one in refused(k, np.zeros(1, np.int64), 3)] == ["'q' has no value here"]


def test_after_a_loop_what_its_condition_assigns_may_have_no_value():
    @cuda.jit
    def k(x, out):
        i = 0
        while i < x.size and (v := x[i]) < 6:
            i += 1
        out[0] = v

    with pytest.warns(KernelWarning, match="'v' has no value on some path"):
        k[1, 1](np.array([1, 2, 9, 3]), np.zeros(1, np.int64))


@cuda.jit
def never_back(a):
    while True:
        cuda.atomic.add(a, 0, 1)


@cuda.jit
def none_or_never(a, i):
    if i > 1000:
        return never_back(a)


@pytest.mark.parametrize(
    "body",
    [
        "y = none_or_never(out, x[i]), 5\nout[i] = y[1]",
        "out[i] = 5 if none_or_never(out, x[i]) is None else 6",
        "if none_or_never(out, x[i]) is None:\n    out[i] = 5",
        "out[i] = 4 + (never_back(out) if x[i] > 1000 else 1)",
        "out[i] = 5\nif x[i] > 1000 and never_back(out):\n    out[i] = 6",
        "out[i] = 5\nif x[i] > 1000:\n    if never_back(out):\n        out[i] = 6",
        "out[i] = 5\nif x[i] > 1000:\n    for j in never_back(out):\n        out[i] = 6",
        "out[i] = 5\nif x[i] > 1000:\n    out[never_back(out)] = out[i + 1]",
        "out[i] = 5\nj = 0\nwhile j == 0 or never_back(out):\n    j = 1\n    if x[i] < 1000:\n        break",
    ],
)
def test_what_never_returns_is_reached_by_no_thread_here(body):
    text = "def k(x, out):\n    i = cuda.grid(1)\n" + "".join(f"    {line}\n" for line in body.splitlines())
    linecache.cache[f"<{body}>"] = (len(text), None, text.splitlines(keepends=True), f"<{body}>")
    names = {"cuda": cuda, "none_or_never": none_or_never, "never_back": never_back}
    exec(compile(text, f"<{body}>", "exec"), names)
    out = np.zeros(4, np.int64)
    cuda.jit(names["k"])[1, 4](np.arange(1, 5), out)
    assert out.tolist() == [5] * 4


def test_a_result_that_nobody_reads_may_be_none_on_some_paths():
    @cuda.jit
    def push(a, i, value):
        if i >= a.size:
            return
        a[i] = value
        return True

    @cuda.jit
    def pushed(a, i, value):
        return push(a, i, value)

    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        for _ in range(x[0]):
            push(out, x[i], i)
            where = push(out, x[i] + 4, i)  # noqa: F841
            pushed(out, x[i] + 8, i)

    out = np.zeros(10, np.int64)
    k[1, 4](np.arange(1, 5), out)
    assert out.tolist() == [0, 0, 1, 2, 3, 0, 1, 2, 3, 0]


def test_a_conversion_where_paths_meet_is_known_on_its_path_alone():
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        d = x[i]
        if d > 2:
            a = 0.5
        else:
            a = d
        b = 1.0
        if x[0] > 0:
            b = d
        out[i] = a + b * 10

    out = np.zeros(4)
    k[1, 4](np.array([1, 2, 3, 4]), out)
    assert out.tolist() == [11, 22, 30.5, 40.5]


@cuda.jit(device=True)
def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * x if n % 2 else half * half


@cuda.jit(device=True)
def added(x, first, count):
    return x[first] if count == 1 else added(x, first, count // 2) + added(x, first + count // 2, count - count // 2)


@cuda.jit(device=True)
def endless(x, n):
    return endless(x, n + 1) + x


def test_recursion_whose_depth_is_known():
    def k(x, out):
        out[0] = power(x[1], 13)
        out[1] = added(x, 0, 8)

    x, out = np.arange(8.0) / 2, np.zeros(2)
    cuda.jit(k)[1, 1](x, out)
    assert out.tolist() == [0.5**13, x.sum()]


def test_recursion_that_never_ends_is_refused():
    def k(x):
        x[0] = endless(x[0], 0)

    with pytest.raises(SourceError, match=r"functions call functions to a depth of more than|nested too deep"):
        cuda.jit(k)[1, 1](np.zeros(1))
