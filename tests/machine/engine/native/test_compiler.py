"""Native forms: which unit stands for another one, and that callers cannot tell."""

import importlib
import inspect
from pathlib import Path

import numpy as np

import warploom
from tests.machine.two_engines import both
from warploom.machine.engine.native.compiler import native_form
from warploom.machine.engine.unit import native_form_of, unit

MACHINE = Path(warploom.__file__).parent / "machine"


@unit
def total(row):
    """The sum of a row."""
    found = np.int64(0)
    for k in range(row.shape[0]):
        found += row[k]
    return found


@native_form_of(total)
@unit
def total_from_the_end(row):
    found = np.int64(1000)  # so that it shows which one has run
    for k in range(row.shape[0]):
        found += row[row.shape[0] - 1 - k]
    return found


@unit
def twice(row, results):
    results[0] = total(row)
    results[1] = total(row)


def test_the_native_form_runs_natively_and_the_plain_one_in_python():
    from warploom.machine.engine.native.loader import native

    row, results = np.arange(5), np.zeros(2, np.int64)
    twice(row, results)
    assert results.tolist() == [10, 10]
    native().entry(twice, (row, results))(row, results)
    assert results.tolist() == [1010, 1010]
    assert native_form(total) is total_from_the_end
    assert native_form(twice) is twice


def native_forms():
    """All units of the machine that have a native form."""
    for path in MACHINE.glob("**/*.py"):
        module = importlib.import_module(".".join(path.relative_to(MACHINE.parents[1]).with_suffix("").parts))
        for value in vars(module).values():
            if inspect.isfunction(value) and value.__module__ == module.__name__ and native_form(value) is not value:
                yield value


def test_a_native_form_takes_what_its_plain_form_takes():
    forms = list(native_forms())
    assert {form.__name__ for form in forms} >= {"compare_tags", "coalesce", "is_run", "address_range"}
    for form in forms:
        assert inspect.signature(form) == inspect.signature(native_form(form)), form


def test_an_entry_may_have_a_native_form():
    from warploom.machine.core.load_store.address_pattern import is_run

    row = np.arange(0, 64, 4, dtype=np.uint32)
    assert both(is_run, row, np.ones(16, np.uint32), 4, 16)[0] is True
