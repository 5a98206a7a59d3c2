"""Bundles that a run is handed."""

from warploom.machine.engine.native.piece import Bundle
from warploom.machine.run.tables import Units, units_with


def test_a_table_of_units_may_name_further_members():
    more = units_with(["raster", "copies"])
    made = more(execute=1, copies=2)
    assert list(made.members()) == [*Units._fields, "raster", "copies"]
    assert (made.execute, made.raster, made.copies, made.step) == (1, None, 2, None)
    assert isinstance(made, Bundle) and not made.layout
    assert made._replace(raster=3).raster == 3
