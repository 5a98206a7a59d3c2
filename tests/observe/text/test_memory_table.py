import numpy as np

from warploom.observe.text.memory_table import memory_table
from warploom.observe.text.styled import CHANGED, plain


def table(before, after, **options):
    return [plain(line) for line in memory_table(np.array(before, np.uint8), np.array(after, np.uint8), **options)]


def test_changed_bytes_have_a_star_and_stand_below_what_they_were():
    after = np.zeros(64, np.uint8)
    before = after.copy()
    before[16:20] = [1, 2, 3, 4]
    after[16:20] = [1, 2, 255, 0]
    assert table(before, after) == [
        "data memory: 2 of 64 bytes changed, marked *",
        "               0   1   2   3    4   5   6   7    8   9  10  11   12  13  14  15",
        "    0 to 15: zero",
        "   16 before   1   2   3   4    0   0   0   0    0   0   0   0    0   0   0   0",
        "      after    1   2 255*  0*   0   0   0   0    0   0   0   0    0   0   0   0",
        "   32 to 63: zero",
    ]


def test_a_row_that_stayed_takes_one_line():
    assert table([5] * 16, [5] * 16)[2:] == ["    0          5   5   5   5    5   5   5   5    5   5   5   5    5   5   5   5"]


def test_memory_without_anything_in_it():
    assert table([0] * 256, [0] * 256) == ["data memory: 0 of 256 bytes changed", "    0 to 255: zero"]


def test_a_last_row_that_is_short():
    assert table([0] * 18, [0] * 17 + [9])[-1] == "      after    0   9*"


def test_one_state_is_not_compared():
    memory = np.ones(16, np.uint8)
    assert next(plain(line) for line in memory_table(memory, memory)) == "data memory"


def test_a_narrow_terminal_has_rows_of_eight():
    lines = table(range(16), range(16), width=60)
    assert [line.split()[0] for line in lines[2:]] == ["0", "8"]
    assert max(len(line) for line in lines) <= 60


def test_of_a_large_memory_the_changed_rows_are_shown():
    before = np.ones(100_000, np.uint8)
    after = before.copy()
    after[50_000] = 7
    lines = table(before, after)
    assert len(lines) == 6
    assert lines[2] == "      0 to 49999: not shown, nothing changed"
    assert "7*" in lines[4]
    assert lines[5] == "  50016 to 99999: not shown, nothing changed"


def test_of_very_many_changes_the_first_rows_are_shown():
    lines = table(np.zeros(4096), np.ones(4096), most_rows=3)
    assert len(lines) == 2 + 2 * 3 + 1
    assert lines[-1] == "  ... and 253 more rows with changes"


def test_changed_bytes_have_a_style_of_their_own():
    lines = list(memory_table(np.zeros(4, np.uint8), np.array([0, 1, 0, 0], np.uint8)))
    assert [text for line in lines for text, style in line if style == CHANGED] == ["  1*"]


def test_rows_with_long_addresses_fit_a_terminal():
    memory = np.arange(64, dtype=np.uint8)
    assert max(map(len, table(memory, memory[::-1], base=0x10000000))) <= 80
    assert max(map(len, table(memory, memory[::-1], base=0x10000000, width=100))) > 80
