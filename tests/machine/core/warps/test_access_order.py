"""The access order against a list: which of a warp's accesses are answered, in both engines."""

import numpy as np

from tests.machine.two_engines import both
from warploom.machine.core.warps.access_order import AccessOrder, all_but_last, answer_access, count_access, forget_accesses
from warploom.machine.engine.unit import unit

LEAVES, ANSWERED_AT_ONCE, IS_ANSWERED, BEGINS_ANEW, ASKED = range(5)


@unit
def drive(order, happens, seen):
    """Rows of `happens`: what, warp, and of which access or of how many last ones. `seen`: the access's number, or the answer."""
    for row in range(happens.shape[0]):
        what, warp, number = happens[row, 0], happens[row, 1], happens[row, 2]
        if what <= ANSWERED_AT_ONCE:
            seen[row] = count_access(order[0], warp, what)
        elif what == IS_ANSWERED:
            answer_access(order[0], warp, number)
        elif what == BEGINS_ANEW:
            forget_accesses(order[0], warp)
        else:
            seen[row] = 1 if all_but_last(order[0], warp, number) else 0
    return 0


def test_it_knows_what_a_list_of_open_accesses_knows():
    """Accesses leave, and are answered in any order; more than the 64 that have a bit are on their way at times."""
    random = np.random.default_rng(7)
    rows, expected = [], []
    left, open_ones = {3: 0, 63: 0}, {3: set(), 63: set()}
    for step in range(1200):
        warp = int(random.choice([3, 63]))
        if random.random() < (0.7 if step < 600 else 0.4):
            at_once = int(random.random() < 0.2)
            left[warp] += 1
            open_ones[warp] |= set() if at_once else {left[warp]}
            rows.append((at_once, warp, 0))
            expected.append(left[warp])
        elif open_ones[warp]:
            number = int(random.choice(sorted(open_ones[warp])))
            open_ones[warp].remove(number)
            rows.append((IS_ANSWERED, warp, number))
            expected.append(0)
        rows.append((IS_ANSWERED, warp, 0))  # one that does not count
        expected.append(0)
        if step % 500 == 499:
            rows.append((BEGINS_ANEW, warp, 0))
            expected.append(0)
            open_ones[warp] = set()
        for last in (0, 1, 5, 63):
            rows.append((ASKED, warp, last))
            expected.append(int(not any(number <= left[warp] - last for number in open_ones[warp])))
    _, after = both(drive, np.zeros(1, AccessOrder), np.array(rows, np.int64), np.zeros(len(rows), np.int64))
    assert after[2].tolist() == expected
    assert {0, 1} <= {said for said, row in zip(expected, rows, strict=True) if row[0] == ASKED and row[2] == 63}
