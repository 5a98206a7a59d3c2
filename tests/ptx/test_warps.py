"""Masks of warp operations: what a kernel that is checked asks."""

import numpy as np
import pytest

from tests.ptx.conftest import HEADER
from warploom.checks.check import run_checked
from warploom.ptx import DEVICE_WINDOW, read

MASKED = """
.visible .entry k(.param .u64 out)
{{
    .reg .b32 t, v; .reg .b64 o, s; .reg .pred p, q;
    ld.param.u64 o, [out]; mov.u32 t, %tid.x; mul.wide.u32 s, t, 4; add.u64 o, o, s; mov.u32 v, t;
    setp.ge.u32 p, t, {lanes}; @p bra Done;
    {operation}
Done:
    st.global.b32 [o], v;
    ret;
}}"""
OPERATIONS = {
    "__shfl_down_sync": "shfl.sync.down.b32 v, v, 1, 31, {mask};",
    "__ballot_sync": "vote.sync.ballot.b32 v, p, {mask};",
    "__any_sync": "vote.sync.any.pred q, p, {mask}; selp.b32 v, 1, 0, q;",
    "__match_any_sync": "match.any.sync.b32 v, t, {mask};",
    "__reduce_add_sync": "redux.sync.add.s32 v, t, {mask};",
}


def findings(bench, lanes, mask, operation, block=32):
    text = MASKED.format(lanes=lanes, operation=operation.format(mask=mask))
    built = read(HEADER + text, "test.ptx").compile("k", {}, checked=True)
    address = bench.device.allocate(128)
    bench.device.write(address, np.zeros(32, np.int32))
    program = built.launch((1,), (block,), (DEVICE_WINDOW + address).to_bytes(8, "little"))
    report = run_checked(bench.device.config, program, engine="python", held=bench.device.held, schedule=False)
    return [one.message for one in report.findings if one.kind == "mask"]


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_mask_that_names_lanes_which_do_not_come(bench, name):
    (said,) = findings(bench, 8, "0xffffffff", OPERATIONS[name])
    assert said == f"the mask 0xffffffff of {name} names thread 8 of block 0, which does not come here"


@pytest.mark.parametrize(("lanes", "mask", "block"), [(8, "0xff", 32), (32, "-1", 32), (16, "-1", 16)])
def test_masks_of_lanes_that_come_are_right(bench, lanes, mask, block):
    assert findings(bench, lanes, mask, OPERATIONS["__ballot_sync"], block) == []


def test_a_mask_that_does_not_name_its_own_lane(bench):
    (said,) = findings(bench, 32, "0x7fffffff", OPERATIONS["__match_any_sync"])
    assert said == "thread 31 of block 0 executes __match_any_sync, but the mask 0x7fffffff does not name its lane"
