"""Comparisons: which runs there are, and what their table says."""

import pytest

import warploom
from tests.places import EXAMPLES
from warploom.machine.accounting.status import LaunchError
from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.memory.replacement import oldest_way
from warploom.study import sweep
from warploom.study.chart import chart
from warploom.study.compare import plan, values_of
from warploom.study.comparing import suite_of
from warploom.study.needs import StudyError
from warploom.units import Mechanism, Replacement, UnitError, lowest, merge

DIVERGE = """
.threads 4
CONST R1, #2
CMP %threadIdx, R1
BRn FIRST
MUL R2, %threadIdx, R1
BRnzp END
FIRST:
ADD R2, %threadIdx, R1
END:
STR %threadIdx, R2
RET
"""
PLACES = ".threads 4\nCONST R0, #7\nADD R0, R0, %blockIdx\nSTR %threadIdx, R0\nRET\n"


def stamped(s, set, way, now):
    s.stamp[set * s.ways + way] = now


def diverge():
    return warploom.tiny.assemble(DIVERGE, path="diverge.asm")


def suite(made):
    return suite_of([("", None, made)])


def run(made, **options):
    return suite(made).run(**options)


def table(program, over, **options):
    made = plan(program, over, gpu=options.pop("gpu", None), set=options.pop("set", None))
    return run(made, **{"engine": "python", "jobs": 1, **options})


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("uniform,stack", ("uniform", "stack")),
        ("1,2,4,8..12", (1, 2, 4, 8, 9, 10, 11, 12)),
        ("8..64:8", (8, 16, 24, 32, 40, 48, 56, 64)),
        ("1..64*2", (1, 2, 4, 8, 16, 32, 64)),
        ("3..100*3", (3, 9, 27, 81)),
        ("1..243*3", (1, 3, 9, 27, 81, 243)),
        ("true, false", (True, False)),
        ("4,4..5,5", (4, 5)),
        ("7..7", (7,)),
        ("1..10:4", (1, 5, 9)),
    ],
)
def test_values_are_words_numbers_and_ranges(text, values):
    assert values_of("x.y", text) == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8..1", "x.y=8..1: the range 8..1 ends before it begins"),
        ("0..8*2", "x.y=0..8*2: a range that is multiplied begins at 1 or more, with a factor of 2 or more"),
        ("1..8*1", "x.y=1..8*1: a range that is multiplied begins at 1 or more, with a factor of 2 or more"),
        ("1..8:0", "x.y=1..8:0: the step of a range is at least 1"),
        ("1..x", "x.y=1..x: a range is written first..last, first..last:step or first..last*factor, as in 1..64*2"),
        ("1,,2", "x.y=1,,2: write values with commas between them, as in 1,2,8..16"),
        ("1..99999999", "x.y=1..99999999: more than 10000 values; take fewer"),
    ],
)
def test_values_that_are_none_are_told(text, message):
    with pytest.raises(ConfigError) as error:
        values_of("x.y", text)
    assert str(error.value) == message


def test_every_combination_is_a_row_and_the_last_setting_changes_fastest():
    found = table(diverge(), {"core.divergence": "stack", "core.warps": "1..2", "gpu.cores": [1, 2]}, gpu="tiny-simt")
    assert list(zip(found["core.warps"], found["gpu.cores"], strict=True)) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert found["status"] == ["done"] * 4


def test_a_row_has_what_the_run_has():
    found = table(warploom.load("examples/tiny/matmul.asm"), {"memory.data_channels": [1, 4]})
    for row in found:
        result = warploom.GPU("tiny", set={"memory.data_channels": row["memory.data_channels"]}).run(
            warploom.load("examples/tiny/matmul.asm")
        )
        assert (row["cycles"], row["instructions"]) == (result.cycles, result.instructions)
        assert row["data_requests"] == result.counters["data_requests"]
    assert found["cycles"] == [596, 491]
    assert found["speedup"] == [1.0, 596 / 491]


def test_a_fault_is_a_row_that_says_so():
    found = table(diverge(), {"core.divergence": ["uniform", "stack"]}, gpu="tiny-simt")
    assert found["status"] == ["error", "done"]
    assert found["message"][0].startswith("diverge.asm:5 (BRn FIRST): ")
    assert found["speedup"] == [None, 1.0]
    assert found.notes == (f"core.divergence=uniform: error: {found['message'][0]}",)


def test_a_timeout_is_a_row_that_says_so():
    found = table(diverge(), {"core.warps": [1, 2]}, gpu="tiny-simt", max_cycles=5)
    assert found["status"] == ["timeout", "timeout"]
    assert found.notes == ("all runs: timeout: still running after 5 cycles",)


def test_a_combination_that_cannot_be_is_a_row_that_says_so():
    found = table(diverge(), {"core.warps": [1, 4], "core.schedulers": [1, 4]}, gpu="tiny-simt")
    assert found["status"] == ["done", "impossible", "done", "done"]
    assert found["cycles"][1] is None
    assert found.notes[0] == "core.warps=1, core.schedulers=4: impossible: core.schedulers = 4: more than core.warps = 1"


def test_rows_with_another_memory_are_named():
    found = table(warploom.tiny.assemble(PLACES), {"core.threads_per_block": [4, 2], "gpu.cores": [1, 2]})
    first, second, third, fourth = found["memory"]
    assert first == second != third == fourth
    assert "core.threads_per_block=2: the final memory differs from that of core.threads_per_block=4, gpu.cores=1" in found.notes


def test_a_setting_that_changes_nothing_is_named():
    found = table(diverge(), {"core.stack_depth": [8, 16], "core.branch_latency": [1, 8]}, gpu="tiny-simt")
    assert found.notes == ("core.stack_depth changes nothing for this program on tiny-simt",)
    found = table(warploom.tiny.assemble(PLACES), {"gpu": "tiny,tiny-original"})
    assert found.notes == ("cycles are of each machine's own clock", "these machines run this program alike")


def test_settings_of_warps_take_a_machine_that_has_some_and_say_so():
    made = plan(diverge(), {"core.divergence": "uniform,stack"})
    assert made.base.name == "tiny-simt"
    assert made.notes == ("the machine is tiny-simt, since core.divergence is for cores with warps and tiny has none",)
    assert plan(diverge(), {"gpu.cores": "1..2"}).base.name == "tiny"
    assert plan(diverge(), {"core.skip_wait": "true,false"}).base.name == "tiny"
    assert plan("examples/guppy/saxpy.guppy", {"core.lanes": [8, 16]}).base.name == "guppy"


@pytest.mark.parametrize(
    ("over", "options", "message"),
    [
        ({"gpu": "sm,"}, {}, "gpu: write presets with commas between them, as gpu=a100,h100"),
        ({"gpu": "sm,a100"}, {"gpu": "h100"}, "gpu is set and varied at the same time: leave one of the two out"),
        (
            {"core.warp": "1,2"},
            {},
            "there is no setting 'core.warp', did you mean 'core.warps'?; `warploom presets --settings` lists them all",
        ),
        (
            {"replacement": "lru,mine.py:lfu"},
            {},
            "there is no setting 'replacement', did you mean 'unit.replacement'? A slot's units are compared under that name",
        ),
        ({"core.warps": []}, {}, "core.warps: there is no value to try; write some, as core.warps=1,2,4"),
        ({"gpu.cores": [1]}, {"set": {"gpu.cores": 2}}, "gpu.cores is set and varied at the same time: leave one of the two out"),
        ({"gpu.cores": "1,199"}, {}, "gpu.cores = 199: it takes a whole number from 1 to 144 (cores (NVIDIA: multiprocessors))"),
        ({"core.schedulers": [8]}, {"gpu": "tiny-simt"}, "core.schedulers = 8: more than core.warps = 4"),
        (
            {"l1.mshrs": "1..256", "l2.mshrs": "1..256"},
            {},
            "these values make 65536 runs, and a comparison has at most 10000: take fewer values",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(over, options, message):
    with pytest.raises(ConfigError) as error:
        plan(diverge(), over, **options)
    assert str(error.value) == message


def test_a_program_that_no_machine_can_start_is_an_error():
    with pytest.raises(LaunchError):
        table(diverge().with_launch(threads=64, block=64), {"core.branch_latency": [1, 2]}, gpu="tiny-simt", set={"core.warps": 1})


def test_an_engine_that_is_none_is_an_error():
    with pytest.raises(StudyError, match=r"^engine = 'fast': it is one of auto, native, python$"):
        run(plan(diverge(), {"gpu.cores": [1]}), engine="fast")


def test_python_gets_a_data_frame():
    pandas = pytest.importorskip("pandas")
    frame = warploom.compare("examples/tiny/matmul.asm", over={"memory.data_channels": "1..4*2"}, jobs=1)
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["cycles"]) == [596, 526, 491]
    assert list(frame.columns[:4]) == ["memory.data_channels", "status", "message", "cycles"]


def test_without_pandas_python_gets_a_table(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    found = warploom.compare(diverge(), over={"gpu.cores": [1, 2]}, set={"core.control": "pipeline", "core.divergence": "stack"}, jobs=1)
    assert [row["gpu.cores"] for row in found.rows] == [1, 2]


def test_numbers_make_lines_and_words_make_bars():
    made = plan(diverge(), {"core.divergence": ["uniform", "stack"], "core.branch_latency": [1, 2, 4, 8]}, gpu="tiny-simt")
    found = run(made, engine="python", jobs=1)
    (panel,) = chart(suite(made), found).panels
    assert (panel.kind, panel.log_x, panel.x_label, panel.legend) == ("line", True, "core.branch_latency (cycles)", "core.divergence")
    assert [series.name for series in panel.series] == ["stack"]
    assert panel.series[0].y == tuple(found["cycles"][4:])
    made = plan(diverge(), {"core.scheduler": "round_robin,oldest"}, gpu="tiny-simt")
    (panel,) = chart(suite(made), run(made, engine="python", jobs=1), "lane_share").panels
    assert (panel.kind, panel.series[0].x, panel.y_label) == ("bar", ("round_robin", "oldest"), "lane share (%)")


def test_a_chart_of_nothing_is_refused():
    made = plan(diverge(), {"core.divergence": ["uniform", "masks"]}, gpu="tiny-simt")
    with pytest.raises(StudyError, match=r"^no run has ended well, so there is nothing to draw$"):
        chart(suite(made), run(made, engine="python", jobs=1))


MATMUL = EXAMPLES / "tiny" / "matmul.asm"


def lowest_first(s, now):
    return lowest(s.eligible) if s.eligible != 0 else -1


MINE = "from warploom.units import lowest\n\ndef choose(s, now):\n    return lowest(s.eligible) if s.eligible != 0 else -1\n"


def test_units_are_compared_as_settings_are(tmp_path):
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    mine = f"{tmp_path / 'mine.py'}:choose"
    found = table(MATMUL, {"unit.scheduler": f"oldest,{mine}", "core.warps": [2, 4]}, gpu="tiny-simt")
    assert [(row["unit.scheduler"], row["core.warps"]) for row in found.rows] == [("oldest", 2), ("oldest", 4), (mine, 2), (mine, 4)]
    assert set(found["status"]) == {"done"}
    by_setting = table(MATMUL, {"core.scheduler": ["oldest"], "core.warps": [2, 4]}, gpu="tiny-simt")
    assert found["cycles"][:2] == by_setting["cycles"]


def test_a_function_is_compared_under_its_name_in_other_processes_too(tmp_path):
    found = table(MATMUL, {"unit.scheduler": ["oldest", lowest_first], "core.warps": "1..8"}, gpu="tiny-simt", jobs=2)
    assert list(dict.fromkeys(found["unit.scheduler"])) == ["oldest", "lowest_first"]
    assert set(found["status"]) == {"done"}


@pytest.mark.parametrize(
    ("slot", "unit", "name"),
    [
        ("scheduler", POLICIES["lowest"].choose, "lowest_first"),
        ("replacement", Replacement(stamped, stamped, oldest_way), "Replacement"),
        ("divergence", Mechanism(merge), "Mechanism"),
    ],
)
def test_one_unit_alone_is_one_value(slot, unit, name):
    assert plan(diverge(), {f"unit.{slot}": unit}, gpu="tiny-simt").over[f"unit.{slot}"] == (name,)


@pytest.mark.parametrize(
    ("over", "more", "error", "message"),
    [
        ({"unit.sheduler": "oldest"}, {}, UnitError, "there is no slot 'sheduler', did you mean 'scheduler'?"),
        ({"unit.scheduler": "oldest,yongest"}, {}, UnitError, "scheduler = 'yongest': take a function"),
        (
            {"unit.scheduler": "oldest", "core.scheduler": "oldest"},
            {},
            ConfigError,
            "unit.scheduler and core.scheduler choose",
        ),
        (
            {"unit.scheduler": "oldest"},
            {"units": {"scheduler": "oldest"}},
            ConfigError,
            "unit.scheduler is set and varied",
        ),
        ({"unit.scheduler": [lowest_first]}, {"gpu": "tiny"}, ConfigError, "the slot 'scheduler' is for machines with warps"),
    ],
)
def test_units_that_cannot_be_compared_are_refused(over, more, error, message):
    with pytest.raises(error) as caught:
        plan(MATMUL, over, **{"gpu": "tiny-simt", **more})
    assert str(caught.value).startswith(message)


def test_the_machine_is_one_with_warps_where_a_unit_needs_them():
    made = plan(MATMUL, {"unit.scheduler": "oldest"})
    assert made.base.core.control == "pipeline"


def noted(s, set, way, now):
    s.stamp[set * s.ways + way] = now


def first_way(s, set):
    return 0


first = Replacement(noted, noted, first_way)


def test_a_unit_of_several_functions_is_shown_by_the_name_that_its_file_gives_it():
    found = table(MATMUL, {"unit.replacement": ["lru", first], "unit.divergence": [Mechanism(merge)]}, gpu="sm")
    assert found["unit.replacement"] == ["lru", "first"]
    assert found["unit.divergence"] == ["Mechanism"] * 2  # that one has no name


def test_two_units_with_one_name_are_told_apart_by_their_places():
    def made(value):
        def choose(s, now):
            return lowest(s.eligible) if s.eligible != value else -1

        return choose

    def choose(s, now):
        return lowest(s.eligible) if s.eligible != 0 else -1

    found = table(MATMUL, {"unit.scheduler": ["oldest", made(0), choose]}, gpu="tiny-simt")
    here = "test_compare.py:"
    assert [name.partition(" ")[0] for name in found["unit.scheduler"]] == ["oldest", "choose", "choose"]
    assert all(here in name for name in found["unit.scheduler"][1:])
    assert len(set(found["unit.scheduler"])) == 3


def test_a_function_that_no_other_process_can_import_is_compared_in_this_one(monkeypatch):
    monkeypatch.setattr(sweep, "ALONE", 0)  # seconds until runs are spread
    found = table(MATMUL, {"unit.scheduler": ["oldest", lambda s, now: lowest(s.eligible) if s.eligible else -1]}, gpu="tiny-simt", jobs=2)
    assert list(found["unit.scheduler"]) == ["oldest", "<lambda>"]
    assert set(found["status"]) == {"done"}
