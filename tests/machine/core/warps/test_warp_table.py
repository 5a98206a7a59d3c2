"""The warps' alarms against a dictionary."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.core.rung import rung
from tests.machine.two_engines import both
from warploom.machine.core.warps.alarms import SLOTS, next_ringing
from warploom.machine.core.warps.warp_table import Warps, set_alarm
from warploom.machine.engine.unit import FOREVER, unit, zeros


@unit
def drive(tables, asked, seen):
    """Rows of `asked`: cycle, warp, cycles until its alarm. Rows of `seen`: cycle, the warps that rang. Returns how many rows."""
    warps = tables[0]
    rows = asked.shape[0]
    row = 0
    count = 0
    now = np.int64(0)
    while now < FOREVER:
        seen[count, 0] = now
        seen[count, 1] = np.int64(rung(warps, now))
        count += 1
        while row < rows and asked[row, 0] == now:
            time = np.int64(FOREVER) if asked[row, 2] < 0 else np.int64(now + asked[row, 2])
            set_alarm(warps, asked[row, 1], time, now)
            row += 1
        soonest = next_ringing(warps.alarms.ringing, now)
        if row < rows:
            soonest = min(soonest, np.int64(asked[row, 0]))
        now = soonest
    return count


waits = st.one_of(st.just(-1), st.integers(1, 5), st.integers(SLOTS - 2, SLOTS + 2), st.integers(1, 400))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 150), st.sampled_from([0, 1, 5, 62, 63]), waits), max_size=25))
def test_alarms_agree_with_a_dictionary(rows):
    rows = sorted(rows, key=lambda row: row[0])
    tables = zeros(1, Warps)
    tables["wake"][:] = FOREVER
    visited, after = both(drive, tables, np.array(rows, np.int64).reshape(-1, 3), np.zeros((2000, 2), np.int64))
    seen = {cycle: mask % (1 << 64) for cycle, mask in after[2][:visited].tolist() if mask}

    wake, expected, row = {}, {}, 0
    for now in range(1000):
        due = sum(1 << warp for warp, time in wake.items() if time == now)
        if due:
            expected[now] = due
        while row < len(rows) and rows[row][0] == now:
            _, warp, wait = rows[row]
            wake[warp] = now + wait if wait >= 0 else None  # a later alarm of a warp replaces the earlier one
            row += 1
    rings = {now: mask for now, mask in seen.items() if mask}
    # An alarm that was moved forward may ring once more where it stood, and finds a warp that is awake already.
    for now, mask in expected.items():
        assert rings.get(now, 0) & mask == mask
    for now, mask in rings.items():
        for warp in (warp for warp in range(64) if mask >> warp & 1):
            assert any(start < now and start + wait <= now for start, who, wait in rows if who == warp and wait >= 0)


def test_no_alarm_rings_while_its_warp_waits_for_longer():
    rows = [(0, 3, 10), (1, 3, 100)]
    tables = zeros(1, Warps)
    visited, after = both(drive, tables, np.array(rows, np.int64), np.zeros((50, 2), np.int64))
    assert [row for row in after[2][:visited].tolist() if row[1]] == [[101, 1 << 3]]


def test_a_warp_without_an_alarm_is_never_looked_at():
    visited, after = both(drive, zeros(1, Warps), np.array([(0, 3, -1)], np.int64), np.zeros((50, 2), np.int64))
    assert visited == 1
    assert after[0][0]["wake"][3] == FOREVER
