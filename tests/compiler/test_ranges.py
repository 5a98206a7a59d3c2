"""Ranges: the search for bounds ends, whatever the types of a loop's variables are."""

from warploom.compiler.builder import Builder
from warploom.compiler.compiler import compile_function
from warploom.compiler.ssa import LIMITS, Access


def loop(first, kind, step):
    """A loop that stores `a`, of type `kind`, which begins as a value of type `first` and grows by `step`."""
    b = Builder()
    p, n = b.param(0, first, LIMITS[first], "p"), b.param(2, "i64", (0, 1000), "n")
    head, body, end = b.new_block(), b.new_block(), b.new_block()
    b.jump(head)
    b.block = head
    a, i = b.phi(head, kind, [p]), b.phi(head, "i64", [b.whole(0)])
    for phi in (a, i):
        phi.lo, phi.hi = LIMITS[phi.type]
    b.branch(b.pure("lt", i, n, type="i1"), body, end)
    b.block, b.scopes = body, [{}]
    b.effect("store", a, i, access=Access("global", -1, 4))
    a.args.append(b.pure("add", a, b.whole(step, kind), type=kind))
    i.args.append(b.pure("add", i, b.whole(1)))
    b.jump(head)
    b.block = end
    b.exit()
    return compile_function(b.blocks, scalars=3)


def test_the_search_ends_where_a_bound_lies_outside_of_a_variables_type():
    for first in ("u64", "i64"):
        for kind in ("u64", "i64"):
            for step in (0, 4):
                assert loop(first, kind, step).registers >= 1
