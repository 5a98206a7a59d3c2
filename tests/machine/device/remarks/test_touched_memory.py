"""Pages that appear between a program's regions: what is there, how many there are, and what a run says of them."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.core.load_store.test_address_space import MAP, A, B, C, D, at
from tests.machine.programs import GLOBAL, LANE, Assembly, run
from warploom.isa.regions import PAGE_BYTES, SPACE_BYTES, Region
from warploom.isa.uop import NONE, Uop, scalar
from warploom.machine.device.remarks.touched_memory import _cause

LAST = SPACE_BYTES - 4096  # what small negative numbers reach
ROOM = {"memory.bytes": 1 << 24}


@pytest.mark.parametrize("engine", ["python", "native"])
def test_pages_appear_between_regions_and_leave_those_their_place(engine):
    code = Assembly()
    at(code, D, 0x30000000, shift=5)
    code.store(D, LANE)  # a page that lies elsewhere than the next two
    at(code, A, 0x200FFFF8)
    code.store(A, GLOBAL)  # a run of words over the end of a page
    code.load(B, A)
    at(code, C, 0x80000FF8)
    code.load(D, C)  # from the end of a region into a page beside it
    at(code, C, 0xFFFFFF00)
    code.store(C, B)
    code.load(D, C, offset=-32)  # a page before the window, up to it
    code.load(B, C)
    code.store(C, B, offset=16)
    code("exit")
    made = replace(code.program(regions=MAP), spare_pages=5)
    result = run(made, engine=engine, **ROOM)
    assert result.status == "done", result.fault
    (said,) = [remark for remark in result.remarks if "0x30000000" in remark]
    assert "accesses address 0x30000000, where the program declares nothing, nor at addresses in 4 more pages of 1 MiB" in said
    assert result.read(0xFFFFFF00, 32).view(np.uint32).tolist() == 2 * [0, 1, 2, 3]
    fault = run(replace(made, spare_pages=4), engine=engine, **ROOM).fault
    assert "lane 0 accesses address 0xfffffee0, where there is no memory" in fault


@pytest.mark.parametrize(
    ("register", "address", "frame"),
    [
        (0, 0, True),
        (1, 0, False),
        (2, 0, True),
        (3, 0, False),
        (NONE, 0, False),
        (scalar(0), 0, False),
        (1, LAST, True),
        (1, LAST - 1, False),
    ],
)
def test_an_access_through_a_frame_register_or_below_address_0_is_of_a_lane_without_a_frame(register, address, frame):
    program = SimpleNamespace(uops=np.array([Uop("load", a=register).row()]), register_names=("sp", "a0", "s0"))
    assert ("has no frame" in _cause(program, 0, address)) == frame


@pytest.mark.parametrize(("beyond", "told"), [(0, False), (PAGE_BYTES - 4, False), (PAGE_BYTES, True), (-PAGE_BYTES, True)])
def test_what_lies_right_behind_the_image_is_its_own(beyond, told):
    """Thread-local variables begin at the image's end in the original's start-up code."""
    end = 0x80003000
    code = Assembly()
    at(code, A, end + beyond)
    code.store(A, LANE)
    code("exit")
    image = Region("program", 0x80000000, 0x1000), Region("program-1", 0x80002000, 0x1000)
    result = run(replace(code.program(regions=image), spare_pages=5), **ROOM)
    assert result.status == "done", result.fault
    assert any("where the program declares nothing" in remark for remark in result.remarks) == told
