"""Control words and roles."""

from warploom.isa.schedule import NO_COUNTER, PLAIN, ROLES, packed, stall_of


def test_a_word_from_its_parts():
    assert packed(1) == PLAIN
    assert packed(4, False, write=2, read=1, wait=0b101, reuse=0b10) == 4 | 2 << 5 | 1 << 8 | 5 << 11 | 2 << 17
    assert packed(0) == 1 << 4 | NO_COUNTER << 5 | NO_COUNTER << 8


def test_cycles_of_a_stall_count():
    assert [stall_of(packed(stall)) for stall in (0, 1, 2, 11, 12, 15)] == [2, 1, 2, 11, 1, 1]
    assert [stall_of(packed(stall, runs_on=False)) for stall in (0, 1, 2, 12, 15)] == [2, 2, 2, 12, 15]


def test_roles_are_told_in_a_sentence():
    assert all(meaning and not meaning.endswith(".") for meaning in ROLES.values())
