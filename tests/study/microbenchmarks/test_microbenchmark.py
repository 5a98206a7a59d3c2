"""Microbenchmarks find what a machine was made to be: a black box whose settings are changed gives other numbers, by as much."""

import pytest

from warploom.machine.config.presets import load_config
from warploom.study.microbenchmarks import NAMES, find
from warploom.study.microbenchmarks.bench import Bench, Unmeasured
from warploom.study.microbenchmarks.core import throughput
from warploom.study.microbenchmarks.report import QUANTITY, number, probe
from warploom.study.needs import StudyError


def measured(name, **changes):
    """Readings of a probe by key, on the preset sm with settings changed (written with __ for the point)."""
    config = load_config("sm", {key.replace("__", "."): value for key, value in changes.items()})
    return {row.reading.key: row for row in probe(name, Bench(config, "native", quick=True)).rows}


@pytest.mark.every(3)
@pytest.mark.parametrize("name", NAMES)
def test_a_probe_describes_itself_and_its_rows_fit(name):
    found = find(name)
    assert found.name == name and found.title and found.how.endswith(".")
    each = probe(name, Bench(load_config("sm"), "native", quick=True))
    assert each.rows and not each.lacks
    keys = [row.reading.key for row in each.rows]
    assert len(set(keys)) == len(keys)
    for row in each.rows:
        assert len(row.reading.what) <= QUANTITY
        assert row.reading.measured > 0
    panels = set(each.finding.axes or {})
    assert {curve.panel for curve in each.finding.curves} == panels


@pytest.mark.parametrize("changes", [{}, {"pipes.owner": "core", "alu.count": 4}], ids=["own pipes", "shared ALUs"])
@pytest.mark.parametrize("kind", ["fma", "add"])
def test_schedulers_that_issue_in_turns_issue_one_instruction_of_a_kind_in_a_cycle(changes, kind):
    config = load_config("sm", {"core.issues_per_turn": 2, **changes})
    assert throughput.instructions_a_cycle(config, kind) == (1, 1 / 4)


@pytest.mark.parametrize(("setting", "value"), [("fma", 9), ("alu", 17), ("divide", 40), ("convert", 12)])
def test_a_latency_is_found_wherever_it_is_set(setting, value):
    before, after = measured("latency"), measured("latency", **{f"latency__{setting}": value})
    change = value - load_config("sm")[f"latency.{setting}"]
    key = f"latency.{setting}"
    assert after[key].reading.measured - before[key].reading.measured == pytest.approx(change, abs=0.05)


def test_a_larger_instruction_cache_of_a_scheduler_has_a_later_knee():
    row = measured("instruction-cache", fetch__l0_sets=48)["icache.knee"]
    assert row.configured == 24 and row.reading.measured == pytest.approx(24, rel=0.08)


def test_stride_33_has_no_conflicts_in_32_banks_and_all_in_33():
    rows = measured("shared", shared__banks=33)
    assert rows["shared.stride-32"].reading.measured == pytest.approx(1, abs=0.2)
    assert rows["shared.stride-33"].reading.measured > 25


def test_ways_and_sets_of_a_cache_are_found():
    rows = measured("ways", l1__sets=32, l1__bytes=32768)
    assert (rows["ways.l1"].reading.measured, rows["ways.l1-sets"].reading.measured) == (8, 32)


def test_a_sector_and_a_line_are_found():
    rows = measured("sectors", lsu__sector=64, l1__line=64, l1__sets=0, l1__ways=4)
    assert (rows["sectors.sector"].reading.measured, rows["sectors.line"].reading.measured) == (64, 64)
    assert rows["sectors.stride-1"].reading.measured == 2


def test_capacities_of_both_levels_are_found():
    rows = measured("chase", l1__bytes=16384, l2__bytes=1 << 20, l2__hash="modulo", memory__hash="modulo")
    assert rows["chase.l1-capacity"].reading.measured == 16
    assert rows["chase.l2-capacity"].reading.measured == pytest.approx(1024, rel=0.03)


def test_blocks_and_warps_that_a_core_holds_are_counted():
    rows = measured("limits", core__blocks=5, core__warps=24, core__threads=768)
    assert (rows["limits.blocks"].reading.measured, rows["limits.warps"].reading.measured) == (5, 24)


def test_a_program_that_does_not_end_well_stops_a_probe():
    from warploom.study.kernels import FREE, Kernel

    k = Kernel()
    k.mov(FREE, 1 << 30)
    k.load(FREE, FREE)
    k.exit()
    with pytest.raises(Unmeasured, match=r"^the program 'astray' of this microbenchmark: error: "):
        Bench(load_config("sm"), "python").run(k.program("astray", threads=1, block=1))


def test_an_unknown_probe_has_a_nearest_name():
    with pytest.raises(StudyError, match=r"^there is no probe 'chace', did you mean 'chase'\?; there are latency, "):
        find("chace")


def test_a_number_has_four_digits_or_is_whole():
    assert [number(value) for value in (0.49996, 27.93, 98304.0, 64.0)] == ["0.5", "27.93", "98304", "64"]


def test_the_longest_grid_and_block_are_found():
    rows = measured("limits", gpu__grid_y=1000, gpu__grid_z=0, core__block_z=7, constant__space=12345)
    found = {key: rows[f"limits.{key}"].reading.measured for key in ("grid-y", "block-z", "constants")}
    assert found == {"grid-y": 1000, "block-z": 7, "constants": 12345}
    assert rows["limits.grid-z"].configured is None


def test_levels_of_the_constant_cache_are_found():
    rows = measured("constant", constant__bytes=1024, constant__latency=30, constant__next_bytes=8192, constant__next_latency=90)
    found = {key: rows[f"constant.{key}"].reading.measured for key in ("hit", "miss", "memory", "capacity", "next-capacity")}
    assert found == pytest.approx({"hit": 30, "miss": 90, "memory": 448, "capacity": 1, "next-capacity": 8}, rel=0.01)


def test_ways_of_the_second_level_are_found_in_any_number_of_slices():
    rows = measured("ways", l1__sets=32, l1__bytes=32768, l2__slices=48, l2__sets=64, l2__bytes=48 * 64 * 12 * 128)
    assert rows["ways.l2"].reading.measured == rows["ways.l2"].configured == 12


@pytest.mark.parametrize(("reads", "reuse", "found"), [(1, False, (3, 3)), (1, True, (3, 2)), (2, False, (2, 2))])
def test_ports_of_the_register_banks_and_reuse_are_found(reads, reuse, found):
    rows = measured("banks", operands__reads=reads, operands__reuse=reuse)
    assert tuple(rows[f"banks.fma-{key}"].reading.measured for key in ("3", "reuse")) == found
    assert not any(row.differs for row in rows.values())


def test_what_a_sequence_is_made_of_is_found():
    """The pipe that takes longest, or the issue slots."""
    rows = measured("throughput", pipes__float_divide_sequence="1 special + 9 fma", pipes__float_root_sequence="1 special + 31 control")
    assert rows["throughput.float-divide"].reading.measured == pytest.approx(4 * 32 / 18, rel=0.01)
    assert rows["throughput.root"].reading.measured == pytest.approx(4 * 32 / 32, rel=0.01)
    assert not any(rows[f"throughput.{key}"].differs for key in ("divide", "float-divide", "root", "reciprocal", "double-divide", "half"))


@pytest.mark.parametrize("gpu", ["sm", "rtx3070"])
def test_rates_and_latencies_are_exact(gpu):
    """Where a jump's code lies in its cache lines, and what was still on its way, made half a percent."""
    config = load_config(gpu, {"gpu.cores": 1})
    for name in ("latency", "mixed", "banks"):
        for row in probe(name, Bench(config, "native")).rows:
            assert row.reading.measured == row.configured, row.reading
    rows = {row.reading.key: row for row in probe("shared", Bench(config, "native", quick=True)).rows}
    assert rows["shared.latency"].reading.measured == config.shared.latency


def test_a_shuffle_is_found_to_be_slower_than_an_add():
    rows = measured("latency", latency__shuffle=31)
    assert rows["latency.shuffle"].reading.measured == 31
    rows = measured("throughput", pipes__shuffle_interval=16)
    assert rows["throughput.shuffle"].reading.measured == rows["throughput.shuffle"].configured == 8


def test_what_a_wider_load_costs_and_brings_is_found():
    rows = measured("width", lsu__write_back=32, shared__latency=21)
    keys = ("l1-latency-32", "l1-latency-64", "l1-latency-128", "shared-latency-128")
    assert [rows[f"width.{key}"].reading.measured for key in keys] == [28, 32, 40, 21]
    rows = measured("width", pipes__load_store_lanes=4)
    for memory in ("l1", "shared"):
        found = [rows[f"width.{memory}-bytes-{bits}"].reading.measured for bits in (32, 64, 128)]
        assert found == pytest.approx([64, 128, 128], rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("gpu", ["gcn", *(pytest.param(name, marks=pytest.mark.slow) for name in ("avx512", "vortex-2022", "vortex-2024"))])
def test_probes_find_what_machines_of_other_kinds_promise(gpu):
    """Lines of 64 bytes, warps of 4 lanes, two warps on a core, an instruction every sixth cycle."""
    for name in ("latency", "throughput", "mixed", "banks", "shared", "sectors", "ways", "l1", "width", "limits"):
        found = probe(name, Bench(load_config(gpu), "native", quick=True))
        assert found.lacks or any(row.configured for row in found.rows) or name == "l1", name
        assert [row.reading for row in found.rows if row.differs] == []


def test_a_warp_is_brought_its_instructions_no_faster_than_they_are_fetched():
    rows = measured("latency", fetch__l0_sets=0, fetch__latency=7)
    assert (rows["latency.alu"].reading.measured, rows["latency.alu"].configured) == (7, 7)
    rows = measured("throughput", fetch__l0_sets=0, fetch__latency=7, fetch__per_cycle=1)
    assert rows["throughput.add-1warp"].reading.measured == pytest.approx(rows["throughput.add-1warp"].configured) == 1 / 7
    assert rows["throughput.add"].reading.measured == pytest.approx(rows["throughput.add"].configured) == 32


def test_sets_are_found_whatever_the_line_is():
    rows = measured("ways", l1__sets=32, l1__bytes=32768, l1__line=64, l2__line=64)
    assert (rows["ways.l1"].reading.measured, rows["ways.l1-sets"].reading.measured) == (16, 32)


def test_a_line_that_is_not_found_is_left_out():
    """Each lane looks up a word of its own."""
    assert "sectors.line" not in measured("sectors", lsu__coalesce=False)
    assert "ways.l1-sets" not in measured("ways", lsu__coalesce=False, l1__sets=32, l1__bytes=32768)


def test_a_probe_whose_program_is_refused_does_not_apply():
    found = probe("chase", Bench(load_config("sm", {"constant.space": 0, "core.thread_registers": 4}), "native", quick=True))
    assert found.rows == () and "registers" in found.lacks


def test_a_fence_after_a_store_waits_for_the_level_that_it_names():
    rows = {key: row.reading.measured for key, row in measured("fence").items()}
    sm = load_config("sm")
    issue = 1  # of the store, which the row leaves out
    assert rows["fence.block-store"] == rows["fence.block"]
    assert rows["fence.store"] + issue == sm.l1.latency + sm.l2.latency + rows["fence.alone"]


@pytest.mark.parametrize("name", ["width", "dram", "l1", "shared"])
def test_where_warps_wait_for_their_instructions_no_setting_promises_what_they_move(name):
    moved = ("width.l1-bytes", "width.shared-bytes", "dram.", "l1.", "shared.stride")
    for latency, promises in ((1, True), (6, False)):
        config = load_config("sm", {"fetch.l0_sets": 0, "fetch.latency": latency})
        assert any(key.startswith(moved) for key in find(name).configured(config)) == promises
