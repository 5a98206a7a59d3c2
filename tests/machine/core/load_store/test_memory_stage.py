"""What the memory stage leaves behind of an access, in cycles: who waits for a scratchpad that lies among other addresses."""

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, LANE, Assembly, issues, run
from warploom.isa.regions import Region

A, B, C = range(FREE, FREE + 3)
PAD = Region("pad", 0x1000, 0x80, kind="scratchpad")


def issued(*accesses, latency):
    """The cycles in which these accesses of the scratchpad issue, each followed by an instruction that reads register B."""
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.op("add", A, A, imm=0x1000)
    code.mov(B, 5)
    for access in accesses:
        if access == "store":
            code.store(A, LANE)
        elif access == "load":
            code.load(B, A)
        else:
            code(access, dst=B, a=A, b=LANE)
        code.op("add", C, B, imm=1)
    code("exit")
    result = run(code.program(regions=(PAD, Region("after", 0x1080, 0x1000))), tracing=True, shared__latency=latency)
    assert result.status == "done", result.fault
    return np.diff([time for time, _, pc, _ in issues(result) if pc >= 3][: 2 * len(accesses)]).tolist()


@pytest.mark.parametrize("latency", [7, 20])
def test_who_reads_what_comes_from_a_scratchpad_waits_for_it_and_a_store_holds_up_nobody(latency):
    assert issued("load", latency=latency) == [latency]
    assert issued("atomic_add", latency=latency) == [latency]
    assert issued("store", latency=latency)[0] < 7
    assert issued("store", latency=7) == issued("store", latency=latency)
