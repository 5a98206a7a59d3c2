"""The end of a run in which no warp is left: counted, said, and found by the diagnosis where it is long."""

import pytest

import warploom
from warploom.machine.config.presets import load_config
from warploom.machine.run.store_tail import store_tail
from warploom.observe.diagnosis.diagnosis import diagnose
from warploom.observe.text.summary import summary
from warploom.study.bottleneck import held_up

FILL = """
.threads 16384
.group 256
.buffer u0 16384
    mul.u32 r0.x, thread_id, u(4)
    mov r1.x, u(7)
    st u0.x, r0.x, r1.x
    ret
"""


def filled(**changes):
    settings = {"gpu.cores": 4, "l2.write": "through", "dram.refresh_interval": 0} | changes
    return warploom.GPU("sm", set=settings).run(warploom.guppy.assemble(FILL))


def test_a_fill_that_memory_cannot_take_waits_for_its_stores_when_all_warps_have_ended():
    slow, fast = filled(**{"dram.bandwidth": 1, "dram.channels": 8}), filled()
    tail = slow.counters["store_tail_cycles"]
    assert slow.cycles - tail == pytest.approx(fast.cycles - fast.counters["store_tail_cycles"], rel=0.05)
    assert tail > 4 * fast.cycles
    assert store_tail(slow.counters, slow.config) == tail and store_tail(fast.counters, fast.config) == 0
    assert held_up(slow) == f"stores {round(100 * tail / slow.cycles)} %" and not held_up(fast).startswith("stores")


def test_the_diagnosis_says_so_first_and_once():
    first, *others = diagnose(filled(**{"dram.bandwidth": 1, "dram.channels": 8}).profile())
    assert first.rule == "stores" and " of the run waits for the stores of line 7, which are more than memory takes: " in first.what
    assert first.what.endswith("% of what its 8 channels can") and "--set dram.bandwidth=2" in first.advice
    assert "busy channels" not in {other.rule for other in others}
    assert "stores" not in {finding.rule for finding in diagnose(filled().profile())}


def test_the_summary_says_it_where_it_is_long():
    said = "no warp is left in "
    slow, fast = filled(**{"dram.bandwidth": 1, "dram.channels": 8}), filled()
    text = ["".join(part for part, _ in line) for line in summary(slow)]
    (line,) = [line for line in text if said in line]
    tail = slow.counters["store_tail_cycles"]
    assert f"{tail:,}".replace(",", " ") in line.replace(" ", " ")
    assert not any(said in "".join(part for part, _ in line) for line in summary(fast))


def test_up_to_twice_a_lone_stores_time_it_is_none():
    config = load_config("sm")
    alone = config.l1.latency + config.l2.latency + config.dram.latency
    assert store_tail({"store_tail_cycles": 2 * alone}, config) == 0
    assert store_tail({"store_tail_cycles": 2 * alone + 1}, config) == 2 * alone + 1
    assert store_tail({}, config) == 0


def test_a_run_that_is_stopped_has_no_end():
    result = warploom.GPU("sm").run(warploom.guppy.assemble(FILL), max_cycles=100)
    assert result.status == "timeout" and result.counters["store_tail_cycles"] == 0
