"""Regions: addresses and places, and what cannot be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warploom.isa.regions import SPACE_BYTES, AddressSpace, Region, RegionError, flat_memory


@st.composite
def maps(draw):
    """Regions that do not overlap, anywhere in the address space."""
    cuts = sorted(draw(st.lists(st.integers(0, SPACE_BYTES // 4), min_size=2, max_size=8, unique=True)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return [Region(f"r{number}", 4 * low, min(4 * (high - low), 4096)) for number, (low, high) in enumerate(pairs)]


@given(maps())
def test_places_and_addresses_are_inverse_and_regions_do_not_share_places(regions):
    space = AddressSpace(regions[::-1])
    seen = set()
    for region in regions:
        for address in {region.base, region.end - 4}:
            place = space.place(address, 4)
            assert space.address(place) == address
            assert place % 256 == address % 256
        part = space.slice_of(region)
        assert part.stop - part.start == region.bytes and not seen & {part.start, part.stop - 1}
        seen |= {part.start, part.stop - 1}
    assert space.bytes <= sum(region.bytes for region in regions) + 256 * len(regions)


@given(maps(), st.integers(0, SPACE_BYTES - 1))
def test_an_address_has_a_place_where_a_region_has_it(regions, address):
    space = AddressSpace(regions)
    if any(region.base <= address < region.end for region in regions):
        assert space.address(space.place(address)) == address
    else:
        with pytest.raises(RegionError, match="there is no memory at address"):
            space.place(address)


def test_one_memory_is_its_own_map():
    space = flat_memory(1001)
    assert (space.flat, space.bytes, space.place(1000), space.address(7)) == (True, 1001, 1000, 7)
    with pytest.raises(RegionError, match="there is no memory at address 1001: it has 1001 bytes"):
        space.place(1001)


def test_regions_that_touch_are_kept_without_a_gap():
    space = AddressSpace([Region("b", 0x208, 16), Region("a", 0x100, 0x108)])
    assert space.place(0x204, 4) + 4 == space.place(0x208, 4)
    with pytest.raises(RegionError):
        space.place(0x206, 4)


def test_a_gap_is_above_all_regions_or_between_them():
    assert AddressSpace([Region("a", 0, 100)]).gap(4096) == 1 << 16
    top = Region("top", SPACE_BYTES - 4096, 4096)
    assert AddressSpace([top]).gap(4096) == 0
    assert AddressSpace([Region("a", 0, 4), top]).gap(4096) == 1 << 16
    with pytest.raises(RegionError, match="no gap of 4294967296 bytes"):
        AddressSpace([top]).gap(SPACE_BYTES)


@pytest.mark.parametrize(
    ("regions", "said"),
    [
        ([Region("a", 2, 4)], "it begins at a multiple of 4"),
        ([Region("a", 0, 8), Region("b", 4, 8)], r"regions 'a' \(0x0 to 0x7\) and 'b' \(0x4 to 0xb\) overlap"),
        ([Region("a", 0, 8), Region("a", 16, 8)], "two regions are called 'a'"),
        ([Region("a", SPACE_BYTES - 4, 8)], "ends below 2\\^32"),
        ([Region("a", 4, 4, data=np.zeros(5, np.uint8))], "its data are uint8, at most its 4 bytes"),
    ],
)
def test_regions_that_cannot_be(regions, said):
    with pytest.raises(RegionError, match=said):
        AddressSpace(regions)


def test_pages_lie_where_they_are_said_to_and_are_found_by_address():
    regions = [Region("low", 0x1000, 0x200), Region("high", 0x9000, 0x100)]
    plain = AddressSpace(regions)
    upper, lower = Region("page 0x9100", 0x9100, 0xF00), Region("page 0x4000", 0x4000, 0x1000)
    space = AddressSpace(regions, {upper: 0x1100, lower: 0x2000})
    assert [space.place(one.base) for one in regions] == [plain.place(one.base) for one in regions]
    assert [region.name for region in space.regions] == ["low", "page 0x4000", "high", "page 0x9100"]
    assert (space.place(0x9104), space.place(0x4008), space.bytes) == (0x1104, 0x2008, 0x3000)
    for address in (0x1000, 0x11FC, 0x4000, 0x4FFC, 0x9000, 0x90FC, 0x9100, 0x9FFC):
        assert space.address(space.place(address)) == address
    with pytest.raises(RegionError):
        space.place(0x5000)
