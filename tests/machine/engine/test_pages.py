"""The pages of an array: restored to what was remembered, wherever the array begins and ends; and moved to huge ones."""

import mmap

import numpy as np
import pytest

from warploom.machine.engine import pages
from warploom.machine.engine.layout import _PRIVATE
from warploom.machine.engine.pages import HUGE, PAGE, Pages, contents, gather, repeat_first
from warploom.machine.engine.unit import zeros


@pytest.mark.parametrize("asks", [True, False])
@pytest.mark.parametrize("size", [10, PAGE, 3 * PAGE + 100, 40 * PAGE, (1 << 22) + 24])
def test_an_array_is_as_it_was(size, asks, monkeypatch, tmp_path):
    if not asks:
        monkeypatch.setattr(pages, "PAGEMAP", tmp_path / "none")
    array = zeros(size, np.uint8)
    random = np.random.default_rng(size)
    before = random.integers(0, size, 5)
    array[before] = 7
    remembered, copy = Pages(array), array.copy()
    for _ in range(3):
        array[random.integers(0, size, 20)] = 9
        array[before[:2]] = 0
        remembered.restore()
        assert (array == copy).all()


def test_only_pages_that_were_touched_are_looked_at():
    array = zeros(1 << 24, np.uint8)
    Pages(array).restore()
    assert len(pages._touched(array[: 1 << 20].reshape(-1, PAGE))) < 256 or not pages.PAGEMAP.exists()


@pytest.mark.parametrize("asks", [True, False])
@pytest.mark.parametrize("size", [0, 1, 10, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE + 100, 40 * PAGE, (1 << 22) + 24])
def test_contents_are_equal_where_arrays_are_wherever_they_lie(size, asks, monkeypatch, tmp_path):
    if not asks:
        monkeypatch.setattr(pages, "PAGEMAP", tmp_path / "none")
    one, room = zeros(size, np.uint8), zeros(size + 777, np.uint8)
    other = room[777:]  # does not begin where a page does
    random = np.random.default_rng(size)
    assert contents(one) == contents(other)
    for place in {0, size - 1, size // 2, *random.integers(0, max(size, 1), 20).tolist()} if size else ():
        one[place] += 1
        assert contents(one) != contents(other)
        other[place] += 1
        assert contents(one) == contents(other)
    assert contents(one) != contents(zeros(size + 1, np.uint8))


@pytest.mark.parametrize("lead", [0, 1, 64, PAGE // 2, PAGE - 64, PAGE - 1])
def test_each_byte_that_holds_something_is_told_wherever_the_pages_of_the_host_begin(lead):
    """lead: bytes before the first of them. Nothing else of the array has been touched, and it is asked once."""
    for size, rest in ((9 * PAGE, 5), (9 * PAGE + lead, 0), (9 * PAGE + lead // 2, 0)):
        for place in (0, max(lead - 1, 0), lead, PAGE - 1, 4 * PAGE - 1, 4 * PAGE, 4 * PAGE + lead - 1, 4 * PAGE + lead, 9 * PAGE - 1):
            room = zeros((1 << 20) + 16 * PAGE, np.uint8)
            start = -lead % PAGE
            array = room[start : start + size + rest]
            array[place] = 3
            part = np.zeros(PAGE, np.uint8)
            part[place % PAGE] = 3
            tail = bytes(len(array) % PAGE)
            told = contents(array)
            assert told[8:] == np.int64(place // PAGE).tobytes() + part.tobytes() + tail


def test_a_page_that_is_swapped_out_counts_as_touched(monkeypatch):
    monkeypatch.setattr(pages, "_entries", lambda first, count: np.array([0, 1 << 62, 1 << 55, 1 << 63], np.uint64))
    assert pages._touched(zeros(4 * PAGE, np.uint8).reshape(-1, PAGE)).tolist() == [1, 3]


def test_contents_of_what_is_nearly_empty_are_short():
    array = zeros(1 << 24, np.uint8)
    array[12345] = 1
    assert len(contents(array)) < 4 * PAGE


def test_a_number_in_a_different_place_is_not_the_same():
    one, other = (zeros(1 << 20, np.int64) for _ in range(2))
    one[5 * PAGE // 8], other[6 * PAGE // 8] = 1, 1
    assert contents(one) != contents(other)


class Host(mmap.mmap):
    """A piece of memory that writes down what it is asked for; `says_no`: it has no huge pages."""

    says_no = False

    def madvise(self, *asked):
        self.__dict__.setdefault("asked", []).append(asked)
        if self.says_no:
            raise OSError


def mapped(size):
    host = Host(-1, size, **_PRIVATE)
    array = np.frombuffer(host, np.uint8)
    return host, array, -array.ctypes.data % HUGE


def asked_of(host):
    return vars(host).get("asked", [])


@pytest.mark.skipif(not pages.PAGEMAP.exists(), reason="hosts that do not say which pages they have given out keep small ones")
def test_the_busy_parts_of_an_array_move_to_huge_pages(monkeypatch):
    monkeypatch.setattr(pages, "WORTH_GATHERING", 2 * pages.WORTH_A_HUGE_PAGE)
    host, array, lead = mapped(5 * HUGE)
    for busy in (0, 2):
        array[lead + busy * HUGE :][: pages.WORTH_A_HUGE_PAGE * PAGE : PAGE] = 7
    array[lead + HUGE :: PAGE][: pages.WORTH_A_HUGE_PAGE - 1] = 7
    steps = gather(array.view(np.int64).reshape(-1, 8))
    assert next(steps) == lead and asked_of(host) == []
    assert list(steps) == [lead + 2 * HUGE]
    assert asked_of(host) == [(pages.MADV_COLLAPSE, lead + place * HUGE, HUGE) for place in (0, 2)]


@pytest.mark.skipif(not pages.PAGEMAP.exists(), reason="hosts that do not say which pages they have given out keep small ones")
def test_a_host_that_says_no_is_asked_once(monkeypatch):
    monkeypatch.setattr(pages, "WORTH_GATHERING", 1)
    monkeypatch.setattr(Host, "says_no", True)
    host, array, _ = mapped(5 * HUGE)
    array[:] = 1
    assert len(list(gather(array))) == 1 and len(asked_of(host)) == 1


@pytest.mark.skipif(not pages.PAGEMAP.exists(), reason="hosts that do not say which pages they have given out keep small ones")
def test_the_busiest_parts_come_first_and_take_a_share_of_what_nobody_uses(monkeypatch, tmp_path):
    host, array, lead = mapped(6 * HUGE)
    for place, busy in enumerate((100, 512, 500, 300, 20)):
        array[lead + place * HUGE :][: busy * PAGE : PAGE] = 1
    monkeypatch.setattr(pages, "_unused_memory", lambda: (3 * pages.SHARE + 1) * HUGE)
    assert [(place - lead) // HUGE for place in gather(array)] == [1, 2, 3] and len(asked_of(host)) == 3


@pytest.mark.parametrize(
    ("limit", "used", "found"),
    [("max", 5, 2000 << 10), ("1000", 300, 700), ("1000", 3000, 0), (None, None, 2000 << 10), ("99999999", 0, 2000 << 10)],
)
def test_memory_that_nobody_uses_is_what_the_host_and_the_container_leave(limit, used, found, monkeypatch, tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal:        9000 kB\nMemAvailable:    2000 kB\nHugePages_Total:       0\n")
    for name, value in (("memory.max", limit), ("memory.current", used)):
        if value is not None:
            (tmp_path / name).write_text(f"{value}\n")
    monkeypatch.setattr(pages, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(pages, "GROUP", tmp_path)
    assert pages._unused_memory() == found
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\n")
    assert pages._unused_memory() == 0
    monkeypatch.setattr(pages, "MEMINFO", tmp_path / "none")
    assert pages._unused_memory() == 0


def test_an_array_of_few_pages_or_of_no_mapping_of_its_own_stays_where_it_is(monkeypatch, tmp_path):
    host, array, _ = mapped(5 * HUGE)
    array[: (pages.WORTH_GATHERING - 1) * PAGE : PAGE] = 1
    assert list(gather(array)) == [] and list(gather(np.ones(HUGE, np.uint8))) == [] and list(gather(zeros(100, np.uint8))) == []
    array[:] = 1
    monkeypatch.setattr(pages, "PAGEMAP", tmp_path / "none")
    assert list(gather(array)) == [] and asked_of(host) == []


@pytest.mark.parametrize("worth", [1, 1 << 30])
def test_what_is_moved_or_given_back_holds_what_it_has_to(worth, monkeypatch):
    monkeypatch.setattr(pages, "WORTH_GATHERING", 1)
    monkeypatch.setattr(pages, "WORTH_GIVING_BACK", worth)
    array = zeros(6 * HUGE + 1000, np.uint8)
    array[:: 3 * PAGE] = 5
    remembered, copy = Pages(array), array.copy()
    for value in (1, 2):
        array[PAGE :: 2 * PAGE] = value
        expected = array.copy()
        for _ in gather(array):
            assert (array == expected).all()
        assert (array == expected).all()
        remembered.restore()
        assert (array == copy).all()


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("size", [64, 4096, 64 * 999, 1 << 20, (1 << 20) + 64])
@pytest.mark.parametrize("asks", [True, False])
def test_all_records_become_what_the_first_is(count, size, asks, monkeypatch, tmp_path):
    if not asks:
        monkeypatch.setattr(pages, "PAGEMAP", tmp_path / "none")
    records = zeros(count, np.dtype([("at", "u1", (size,))]))
    held = records.view(np.uint8).reshape(count, size)
    source = np.random.default_rng(size)
    places = source.integers(0, size, 40, dtype=np.int64)
    held[0, places] = source.integers(1, 256, 40, dtype=np.uint8)
    held[0, [0, -1]] = 7, 9
    first = held[0].copy()
    repeat_first(records)
    assert (held == first).all()
