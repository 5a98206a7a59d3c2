"""Locks of files. That one ends with its holder is tested where processes share work, in machine/run/test_helpers.py."""

from warploom.isa.host.lock import lock


def test_a_lock_is_given_back_and_one_that_cannot_be_had_stops_nobody(tmp_path):
    for _ in range(2):
        with lock(tmp_path / "new" / "a") as mine:
            assert mine
    (tmp_path / "file").write_text("")
    with lock(tmp_path / "file" / "a") as mine:
        assert mine
