"""Variables that one round of a loop leaves to the next."""
# ruff: noqa: F821, F841 - that is what these kernels are about

import runpy
import warnings

import numpy as np
import pytest

from tests.kernel import known_conditions, numba_types
from warploom import cuda
from warploom.isa.diagnostics import SourceError
from warploom.kernel.launch import compile
from warploom.kernel.launch.signature import kind_of

X = np.arange(1, 9)


def ran(kernel, out, *, warned):
    """What a kernel stores; the variables of which it is said that they have no value on some path."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel[1, 4](X, out)
    said = "".join(str(one.message) for one in caught)
    assert [
        name for name in ("before", "shape", "total", "piece") if f"{name!r} has no value on some path that leads here" in said
    ] == warned
    return out.tolist()


def test_the_item_before():
    @cuda.jit
    def k(x, out):
        s = 0
        for i in range(x.size):
            if i > 0:
                s += before
            before = x[i]
        out[cuda.threadIdx.x] = s + before

    assert ran(k, np.zeros(4, np.int64), warned=["before"]) == [36] * 4


def test_a_value_made_from_its_own_in_two_loops_becomes_a_float():
    @cuda.jit
    def k(x, out):
        i = 0
        while i < 2:
            for j in range(x.size):
                if i + j == 0:
                    total = x[j]
                else:
                    total = total + x[j] / 2
            i += 1
        out[cuda.threadIdx.x] = total

    assert ran(k, np.zeros(4), warned=["total"]) == [1 + 35 / 2 + 18] * 4


@pytest.mark.parametrize(("first", "found"), [(0, ["before"]), (1, [])])
def test_checks_find_what_is_read_without_a_value(first, found):
    @cuda.jit
    def k(x, out, first):
        for i in range(x.size):
            if i >= first:
                out[cuda.threadIdx.x] += x[i] - before
            before = x[i]

    with pytest.warns(cuda.KernelWarning, match="'before' has no value on some path"):
        report = k.check[1, 4](X, np.zeros(4, np.int64), first)
    assert [one.element for one in report.findings if one.kind == "uninitialised"] == found
    assert len(report.findings) == len(found)


def test_tuples_and_arrays():
    @cuda.jit
    def k(x, out):
        for i in range(x.size):
            if i > 0:
                out[i] = shape[0] - shape[1] + piece.size
            shape = (x[i], 1.5)
            piece = x[i:]

    assert ran(k, np.zeros(8), warned=["shape", "piece"]) == [0] + [7.5] * 7


FLAG = True


def test_a_side_that_is_left_out_leaves_no_type():
    """It becomes known when an earlier round's value has a type that the condition is a constant."""

    @cuda.jit
    def k(x, out):
        v = b = 0
        q = (0, 0)
        for i in range(x.size):
            if i > 0:
                v = 0.5 if piece.ndim == 2 else piece[0]
                b = 0.5 if i > 0 and len(shape) == 3 else b + 1
                both = i > 2 and piece.ndim == 2
                if both:
                    b = 0.5
                q = FLAG and shape
            out[b] = v + q[1]
            piece = x[i:]
            shape = (x[i], 2)

    big = np.array([2**60 + 1, 2**60 + 3, 5, 7])
    out = np.zeros(4, np.int64)
    with pytest.warns(cuda.KernelWarning, match="'piece' has no value on some path"):
        k[1, 1](big, out)
    assert out.tolist() == [0, 2**60 + 3, 2**60 + 5, 7]


def test_a_loop_that_is_unrolled_and_a_function():
    @cuda.jit
    def last_but_one(x, first):
        for i in range(3):
            if i > first:
                found = before
            before = x[i]
        return found

    @cuda.jit
    def k(x, out):
        out[cuda.threadIdx.x] = last_but_one(x, x[0] - 1)

    assert ran(k, np.zeros(4, np.int64), warned=["before"]) == [2] * 4


def test_a_path_that_assigns_nothing_keeps_what_an_earlier_round_gave():
    @cuda.jit
    def k(x, out):
        best = x[7]
        for i in range(x.size):
            if x[i] < best:
                best = x[i]
                piece = i + 10
        out[0] = piece
        for i in range(x.size):
            if i > 4:
                break
            shape = x[i]
        out[1] = shape
        for i in range(x.size):
            if i == 2:
                total = x[i] / 2
                continue
            out[2] = i
        out[2] += total
        for i in range(x[1]):
            for j in range(4 * x[2]):
                if i == 0 and j == 5:
                    before = x[j] + 20
        out[3] = before

    assert ran(k, np.zeros(4), warned=["before", "shape", "total", "piece"]) == [10, 5, 8.5, 26]


def test_what_nothing_assigns_stays_a_mistake():
    @cuda.jit
    def k(x, out):
        for i in range(x.size):
            out[i] = never
            never = never + 1
        for i in range(x.size):
            out[i] = later
        later = 1

    with pytest.raises(SourceError) as caught:
        k[1, 4](X, np.zeros(8))
    said = str(caught.value)
    assert said.count("'never' has no value here") == 1
    assert said.count("'later' has no value here") == 1


def test_a_loop_of_one_round_with_a_loop_inside():
    @cuda.jit
    def k(x, out):
        s = 0
        for _ in range(1):
            for i in range(x.size):
                s += x[i]
        out[cuda.threadIdx.x] = s

    assert ran(k, np.zeros(4, np.int64), warned=[]) == [36] * 4


@pytest.mark.parametrize(("loops", "start", "attempts"), [(70, "0", 2), (6, "int(s{})", 7)])
def test_loops_that_do_not_need_each_other_settle_at_once(loops, start, attempts, tmp_path, monkeypatch):
    lines = ["def k(x):", "    s0 = 0"]
    for number in range(1, loops + 1):
        lines += [f"    s{number} = {start.format(number - 1)}", "    for i in range(x[0]):", "        if i > 0:"]
        lines += [f"            s{number} += seen{number} / 2", f"        seen{number} = x[i]"]
    (tmp_path / "loops_in_a_row.py").write_text("\n".join([*lines, f"    last = s{loops}", ""]))
    k = runpy.run_path(str(tmp_path / "loops_in_a_row.py"))["k"]
    made, translate = [], compile._translate
    monkeypatch.setattr(compile, "_translate", lambda *args: (made.append(args), translate(*args))[1])
    assert compile.result_type(k, [kind_of(X)], "last") == np.float64
    assert len(made) == attempts + 1


def test_a_number_becomes_complex_in_the_outer_loop():
    @cuda.jit
    def k(x, out):
        s = 1
        for _ in range(x[2]):
            for _ in range(x[1]):
                s = s + 1.5
            s = s + 1j
        out[0] = s

    assert ran(k, np.zeros(4, np.complex128), warned=[])[0] == 1 + 3 * 2 * 1.5 + 3j


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("before = nowhere + i", ["there is no 'nowhere'"]),
        ("before = nothing\n        nothing = before", ["'before' has no value here", "'nothing' has no value here"]),
        ("pass\n    while later < 3:\n        later = 4\n    before = 0", ["'before' has no value here", "'later' has no value here"]),
    ],
)
def test_a_value_is_missed_where_nothing_gives_it(assignment, said, tmp_path):
    """What assigns a variable and has a mistake says so itself. A condition before any round knows no round, as in Numba."""
    path = tmp_path / "missed.py"
    path.write_text(f"def k(x, out):\n    for i in range(x.size):\n        out[i] = before\n        {assignment}\n")
    k = runpy.run_path(str(path))["k"]
    with pytest.raises(SourceError) as caught:
        compile.build(k, [kind_of(X), kind_of(np.zeros(8))], {})
    assert [one.message for one in caught.value.diagnostics] == said


def types_here(text, name, arguments):
    """The types of a tuple `last` at a function's end; None where it is refused."""
    try:
        _, _, variables = compile._settled(numba_types.made(text, name), [kind_of(one) for one in arguments], {})
    except SourceError:
        return None
    return [str(one.type) for one in variables["last"]]


SETTLING = {
    "feeds one whose type is known": ("s = 0", "prev = s", ["if i > 0:", "    s = s + prev", "prev = s", "prev = prev / 2"], "s, prev"),
    "three in a circle": ("a = y[0]", "c = a", ["if i > 0:", "    a = a + c", "b = a", "c = b"], "a, b, c"),
    "a number and a complex one": ("s = 1j", "", ["t = s.real", "s = t + x[i]"], "s, t"),
    "becomes real in an inner loop": ("s = 1", "", ["for j in range(n):", "    s = s * 1j", "s = s.real"], "s,"),
    "a choice of two": ("t = 0", "prev = t", ["t = prev if i > 2 else 0.5", "prev = t"], "t, prev"),
    "a branch on one": ("t = 0", "prev = t", ["if prev > 2:", "    t = t + 1.5", "else:", "    t = x[i]", "prev = t"], "t, prev"),
    "a condition of several": ("t = 0", "prev = t", ["if i > 0 and prev > 2:", "    t = t + prev", "prev = t + y[i]"], "t, prev"),
    "a loop on one": ("t = 0", "prev = 0.5", ["while t < prev:", "    t = t + prev", "prev = 2.5"], "t, prev"),
    "a tuple": ("p = (0, 1j)", "q = p[0]", ["if i > 0:", "    p = (p[1].real + q, p[1])", "q = p[0]"], "p[0], p[1], q"),
}


@pytest.mark.parametrize("name", SETTLING)
def test_types_settle_over_all_variables(name):
    """Numba wants an assignment somewhere above a read; here the rounds before are enough."""
    start, above, body, result = SETTLING[name]
    loop = ["    for i in range(n):", *(f"        {line}" for line in body)]
    arguments = X, np.ones(8, np.float32), 8
    text = "\n".join(["def k(x, y, n):", f"    {start}", *loop, f"    last = ({result})\n"])
    here = types_here(text, f"<here: {name}>", arguments)
    text = "\n".join(["def k(x, y, n):", f"    {start}", "    if n > 8:", f"        {above or 'pass'}", *loop, f"    return {result}\n"])
    assert here == numba_types.types_of_result(numba_types.made(text, f"<{name}>"), arguments)
    assert here is not None


# Numba refuses the others, which read a variable above all of its assignments.
TAKEN = [6, 7, 9, 10, 11, 15, 16, 17, 18, 19, 25, 28, 29, 32, 35, 37, 38, 39, 40, 43, 44, 45, 47, 48]


@pytest.mark.parametrize("seed", TAKEN)
def test_types_are_those_of_numba(seed):
    text = numba_types.random_loops(seed)
    arguments = X.astype([np.int32, np.int64, np.int8, np.uint32][seed % 4]), np.ones(8, [np.float32, np.complex64][seed // 4 % 2]), 8
    wanted = numba_types.types_of_result(numba_types.made(f"{text}    return a, b, c, d\n", f"<{seed}>"), arguments)
    assert wanted is not None
    assert types_here(f"{text}    last = (a, b, c, d)\n", f"<here: {seed}>", arguments) == wanted


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.filterwarnings("ignore::warploom.kernel.launch.launch.KernelWarning")
def test_conditions_that_are_known_leave_no_trace(seed):
    text = known_conditions.random_kernel(seed)
    x, out, wanted = np.array([1, 3, 2, 4]), np.zeros(4), np.zeros(4)
    known_conditions.made(text, f"<plain {seed}>", lambda function: function)(x, wanted, 4)
    known_conditions.made(text, f"<kernel {seed}>", cuda.jit)[1, 1](x, out, 4)
    assert out == pytest.approx(wanted)
    kinds = [kind_of(x), kind_of(out), kind_of(4)]
    known, decided = (
        compile._settled(known_conditions.made(one, f"<{name} {seed}>", lambda function: function), kinds, {})[2]["ends"]
        for name, one in (("known", text), ("decided", known_conditions.decided(text)))
    )
    assert [one.type for one in known] == [one.type for one in decided]


def test_variables_of_which_each_one_needs_the_other():
    @cuda.jit
    def last_of(a, b):
        if a > b:
            return a
        return b * 0.5

    @cuda.jit
    def k(x, out):
        i = 0
        while i < x.size:
            if i and total > 2:
                shape = last_of(total, x[i])
            else:
                shape = 0.25
            total = shape + x[i] * 1j if i == 3 else shape + x[i] / 2
            total = total.real
            i += 1
        out[0] = total

    expected = 0.0
    for i, one in enumerate(X):
        shape = (expected if expected > one else one * 0.5) if i and expected > 2 else 0.25
        expected = shape + (0 if i == 3 else one / 2)
    assert ran(k, np.zeros(4), warned=["total"]) == [expected, 0, 0, 0]


def test_a_variable_of_two_kinds_is_a_mistake_where_it_is_read():
    @cuda.jit
    def k(x, out):
        best = None
        pair = 1
        for i in range(x.size):
            pair = (x[i], 2)
            out[i % 4] = pair[0]
            if best is None:
                best = x[i]
        if x[0] > 2:
            if x[1] > 3:
                q = 1
            else:
                q = (1, 2)
        else:
            q = 3
        out[0] = q

    with pytest.raises(SourceError) as caught:
        k[1, 4](X, np.zeros(4))
    assert [(one.position.line - caught.value.diagnostics[0].position.line, one.message) for one in caught.value.diagnostics] == [
        (0, "'best' is of different kinds on different paths: None and an int64"),
        (9, "'q' is of different kinds on different paths: an int64 and a tuple of 2"),
    ]


def chosen(x, z, n):
    y = x if n > 1 else z
    y[0] = 5


def taken_instead(x, z, n):
    y = x
    if n > 1:
        y = z
    y[0] = 5


def taken_in_a_later_round(x, z, n):
    y = x
    for q in range(n):
        y[q] = q
        y = z


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("function", [chosen, taken_instead, taken_in_a_later_round])
def test_an_array_that_may_be_one_that_can_only_be_read_can_only_be_read(function, first):
    written, read = np.zeros(4), np.zeros(4)
    read.flags.writeable = False
    with pytest.raises(SourceError, match="can only be read"):
        cuda.jit(function)[1, 1](*((read, written) if first else (written, read)), 2)


@pytest.mark.parametrize("function", [chosen, taken_instead, taken_in_a_later_round])
def test_arrays_that_may_be_written_are_written_whichever_it_is(function):
    for n in (1, 2):
        arrays, wanted = np.zeros((2, 2, 4))
        cuda.jit(function)[1, 1](*arrays, n)
        function(*wanted, n)
        assert arrays.tolist() == wanted.tolist()
