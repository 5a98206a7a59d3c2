"""The types of operations and of variables are Numba's, for all pairs of types."""

import operator

import pytest
from numba import types as numba_types
from numba.core.registry import cpu_target

from warploom.kernel.types import types as ty

CONTEXT = cpu_target.typing_context
CONTEXT.refresh()
KINDS = [kind for kind in ty.ALL if kind != ty.FLOAT16]
WHOLE = [kind for kind in KINDS if kind.whole]


def theirs(kind):
    return numba_types.boolean if kind == ty.BOOL else getattr(numba_types, kind.name)


def resolved(op, *kinds):
    found = CONTEXT.resolve_function_type(op, tuple(map(theirs, kinds)), {})
    return str(found.return_type)


@pytest.mark.parametrize("x", KINDS, ids=str)
def test_sums_have_numbas_types(x):
    assert {str(y): str(ty.arithmetic(x, y)) for y in KINDS} == {str(y): resolved(operator.add, x, y) for y in KINDS}


@pytest.mark.parametrize("x", WHOLE, ids=str)
def test_operators_on_bits_have_numbas_types(x):
    assert [str(ty.bitwise(x, y)) for y in WHOLE] == [resolved(operator.and_, x, y) for y in WHOLE]
    assert [str(ty.shifted(x)) for y in WHOLE] == [resolved(operator.lshift, x, y) for y in WHOLE]


@pytest.mark.parametrize("x", KINDS, ids=str)
def test_negated_numbers_have_numbas_types(x):
    assert str(ty.signed(x)) == resolved(operator.neg, x)


@pytest.mark.parametrize("x", KINDS, ids=str)
def test_variables_of_two_types_have_numbas_type(x):
    # A truth value and a number: Numba's answer depends on the order; a number of the other type holds both.
    others = [y for y in KINDS if y != ty.BOOL] if x != ty.BOOL else [ty.BOOL]
    assert [str(ty.unified(x, y)) for y in others] == [str(CONTEXT.unify_types(theirs(x), theirs(y))) for y in others]
