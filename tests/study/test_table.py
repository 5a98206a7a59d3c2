"""Tables of results, and the ways out of them."""

import io

import pytest

from warploom.study.table import Column, Table

ROWS = [
    {"policy": "lru", "cycles": 12345, "rate": 0.5, "extra": 1},
    {"policy": "a, b", "cycles": None, "rate": 1.0, "extra": 2},
]
COLUMNS = (Column("policy", "policy"), Column("cycles", "cycles"), Column("rate", "hits", percent=True, spare=True), Column("none", "none"))


def test_text_has_numbers_at_the_right_and_leaves_out_empty_columns():
    table = Table(ROWS, COLUMNS, ("a note",))
    assert str(table).splitlines() == ["policy  cycles   hits", "lru     12 345   50 %", "a, b         -  100 %", "", "a note"]


def test_spare_columns_go_where_there_is_no_room_and_are_named():
    below = ["", "not shown: hits;", "--wide"]
    assert Table(ROWS, COLUMNS).lines(18) == ["policy  cycles", "lru     12 345", "a, b         -", *below]
    assert Table(ROWS, COLUMNS).lines(30) == [*Table(ROWS, COLUMNS).lines()]


def test_a_table_that_is_too_wide_without_them_comes_in_parts():
    columns = (COLUMNS[0], COLUMNS[1], Column("rate", "hits", percent=True), Column("extra", "extra", spare=True))
    assert Table(ROWS, columns).lines(15) == [
        "policy  cycles", "lru     12 345", "a, b         -", "", "policy   hits", "lru      50 %", "a, b    100 %",
        "", "not shown:", "extra; --wide",
    ]  # fmt: skip


def test_notes_are_folded():
    assert Table(ROWS, COLUMNS, ("a note that is longer than the table",)).lines(24)[-2:] == ["a note that is longer", "than the table"]


def test_csv_has_everything_and_quotes_what_needs_it():
    assert Table(ROWS, COLUMNS).to_csv() == 'policy,cycles,rate,extra\nlru,12345,0.5,1\n"a, b",,1.0,2\n'


def test_a_column_by_its_name():
    table = Table(ROWS, COLUMNS)
    assert (table["extra"], len(table), [row["policy"] for row in table]) == ([1, 2], 2, ["lru", "a, b"])
    with pytest.raises(KeyError):
        table["cycle"]


def test_parquet_keeps_numbers_and_makes_text_of_mixed_columns():
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [*ROWS, {"policy": 3, "cycles": 7, "rate": 0.0, "extra": 3}]
    read = parquet.read_table(io.BytesIO(Table(rows, COLUMNS).to_parquet())).to_pydict()
    assert read == {"policy": ["lru", "a, b", "3"], "cycles": [12345, None, 7], "rate": [0.5, 1.0, 0.0], "extra": [1, 2, 3]}


def test_a_data_frame_has_a_row_a_run():
    pytest.importorskip("pandas")
    frame = Table(ROWS, COLUMNS, ("a note",)).to_frame()
    assert (list(frame.columns), len(frame), frame.attrs["notes"]) == (["policy", "cycles", "rate", "extra"], 2, ["a note"])


def test_html_escapes_what_it_shows():
    assert "<td>a&lt;b</td>" in Table([{"name": "a<b"}], (Column("name", "name"),))._repr_html_()
