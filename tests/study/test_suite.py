"""Several kernels and several seeds: what the table says together, and how it is drawn."""

import math

import numpy as np
import pytest

import warploom
from warploom.study.chart import chart
from warploom.study.compare import plan
from warploom.study.comparing import compare, suite_of
from warploom.study.figure import Series, coincide, drawn
from warploom.study.needs import StudyError
from warploom.study.samples import estimate
from warploom.study.suite import ALL_KERNELS, Samples, summary

CHANNELS = {"memory.data_channels": [1, 2, 4]}
TWO_CORES = {"gpu.cores": [1, 2]}


def stores(count):
    """Every thread stores `count` times: more stores wait longer for a channel."""
    text = ".threads 4\n" + "STR %threadIdx, %threadIdx\n" * count + "RET\n"
    return warploom.tiny.assemble(text, path=f"stores{count}.asm")


def loop(count):
    """A program that takes longer for a larger seed."""
    return warploom.tiny.assemble(".threads 4\n" + "CONST R1, #1\n" * count + "STR %threadIdx, R1\nRET\n", path="loop.asm")


def suite(programs, over=CHANNELS, seeds=(None,), gpu="tiny"):
    return suite_of(
        [(program.name, seed, plan(program, over, gpu=gpu)) for program, seed in zip(programs, seeds * len(programs), strict=False)]
    )


def seeded(over=TWO_CORES, seeds=(1, 2, 6)):
    return suite_of([("loop", seed, plan(loop(seed), over, gpu="tiny")) for seed in seeds])


def run(made):
    return made.run(engine="python", jobs=1)


def test_several_kernels_of_which_nothing_varies_are_compared_with_the_first():
    made = suite([stores(1), stores(4)], over={})
    found = run(made)
    one, four = found["cycles"]
    assert list(found["speedup"]) == [1.0, one / four] and four > one
    together = summary(made, found)
    assert [row["kernel"] for row in together.rows] == ["stores1", "stores4"] and together.notes == ("speed-up: over stores1",)
    with pytest.raises(StudyError, match=r"^a plot has something along its axis, and nothing varies: add --over "):
        chart(made, found)
    with pytest.raises(StudyError, match=r"^nothing varies: name a setting and its values, as .*, or several programs$"):
        compare(stores(1))


def test_machines_are_compared_under_the_name_gpu():
    made = suite_of([("loop", None, plan(loop(3), {"gpu": "tiny,tiny-simt", "gpu.cores": [1, 2]}, set={"memory.data_channels": 2}))])
    assert (made.first.where, made.first.notes) == ("tiny, tiny-simt", ("cycles are of each machine's own clock",))
    assert [config.name for config in made.first.configs] == ["tiny", "tiny", "tiny-simt", "tiny-simt"]
    assert {config["memory.data_channels"] for config in made.first.configs} == {2}
    assert len(set(run(made)["cycles"])) > 1


def test_several_kernels_have_the_geometric_mean_of_their_speed_ups():
    made = suite([stores(1), stores(4)])
    found = run(made)
    together = summary(made, found)
    assert found.names[:2] == ("kernel", "memory.data_channels")
    assert together["kernel"] == ["stores1"] * 3 + ["stores4"] * 3 + [ALL_KERNELS] * 3
    one, four, mean = (together["speedup"][place : place + 3] for place in (0, 3, 6))
    assert one[0] == four[0] == mean[0] == 1
    assert mean[2] == pytest.approx(math.sqrt(one[2] * four[2]))
    assert one[2] != four[2]
    assert together["cycles"][6:] == [None] * 3
    assert together.notes[0] == "speed-up: over memory.data_channels=1, the same kernel"


def test_seeds_have_a_mean_and_an_interval():
    made = seeded()
    found = run(made)
    assert found["seed"] == [1, 1, 2, 2, 6, 6]
    together = summary(made, found)
    cycles = [row["cycles"] for row in found if row["gpu.cores"] == 1]
    expected = estimate(cycles)
    assert (together["cycles"][0], together["cycles_interval"][0]) == (expected.mean, expected.half)
    assert expected.half > 0
    assert together["speedup_interval"] == [0, 0]  # each seed over itself
    assert "±" in str(together)


def test_a_program_that_does_not_look_at_its_seed_is_told():
    made = suite_of([("loop", seed, plan(loop(3), TWO_CORES, gpu="tiny")) for seed in (1, 2)])
    assert "loop: every seed gives the same runs" in summary(made, run(made)).notes


def test_where_a_kernel_faults_there_is_no_geometric_mean():
    diverge = warploom.tiny.assemble(
        ".threads 4\nCONST R1, #2\nCMP %threadIdx, R1\nBRn low\nADD R2, R1, R1\nlow:\nSTR %threadIdx, R2\nRET\n", path="diverge.asm"
    )
    made = suite([stores(1), diverge], {"core.divergence": ["uniform", "stack"]}, gpu="tiny-simt")
    together = summary(made, run(made))
    assert together["speedup"][-2:] == [None, 1.0]  # both kernels end well under stack, which the others are then relative to
    assert "no geometric mean where a kernel has not ended well: core.divergence=uniform" in together.notes
    assert any(note.startswith("diverge: core.divergence=uniform: error: ") for note in together.notes)


def test_kernels_of_different_machines_ask_for_one():
    lanes = warploom.load("examples/guppy/if_else.guppy")
    with pytest.raises(StudyError, match=r"^these kernels have different usual machines \(tiny for stores1, guppy for if_else\): name one"):
        suite_of([(one.name, None, plan(one, {"gpu.cores": [1, 2]})) for one in (stores(1), lanes)])


def test_a_name_that_two_kernels_have_is_their_place():
    made = [("a/loop.asm", None, plan(loop(1), TWO_CORES)), ("b/loop.asm", None, plan(loop(2), TWO_CORES))]
    assert suite_of(made).kernels == ("a/loop.asm", "b/loop.asm")
    with pytest.raises(StudyError, match=r"^loop is compared twice: name it once$"):
        suite_of([made[0], made[0]])


def test_from_python():
    options = {"engine": "python", "jobs": 1, "gpu": "tiny"}
    frame = compare([stores(1), stores(4)], TWO_CORES, **options)
    assert list(frame["kernel"]) == ["stores1"] * 2 + ["stores4"] * 2
    frame = compare(loop, TWO_CORES, seeds=np.arange(1, 3, dtype=np.int64), **options)
    assert list(frame["seed"]) == [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("program", "seeds", "message"),
    [
        ([], None, "no program is compared: name at least one"),
        (loop, None, "loop makes a program from a seed: name the seeds, as seeds=range(1, 6)"),
        (loop, [1], "an interval needs two seeds or more, as 1..5"),
        (loop, [1, 0.5], "seed 0.5: a seed is a whole number"),
        ("examples/tiny/matmul.asm", [1, 2], "seeds: examples/tiny/matmul.asm is the same for every seed; give a function that makes"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(program, seeds, message):
    with pytest.raises(StudyError) as error:
        compare(program, TWO_CORES, seeds=seeds)
    assert str(error.value).startswith(message)


# ---- pictures


def test_kernels_are_drawn_relative_with_their_geometric_mean():
    made = suite([stores(1), stores(4)])
    (panel,) = chart(made, run(made)).panels
    assert [series.name for series in panel.series] == ["stores1", "stores4", ALL_KERNELS]
    assert {series.y[0] for series in panel.series} == {1.0}
    assert panel.y_label == "speed-up over\nmemory.data_channels=1"
    bars = suite([stores(1), stores(4)], {"memory.data_channels": [1, 4]})
    (panel,) = chart(bars, run(bars), "ipc").panels
    assert (panel.kind, panel.series[0].x) == ("bar", ("stores1", "stores4", ALL_KERNELS))
    assert panel.y_label == "ipc, relative to\nmemory.data_channels=1"


def test_seeds_have_error_bars():
    made = seeded()
    found = chart(made, run(made))
    (panel,) = found.panels
    assert panel.title == "means of 3 seeds, with their intervals of 95 %"
    assert panel.series[0].errors[0] == Samples(made, run(made)).mean("loop", {"gpu.cores": 1}, "cycles").half
    assert b"intervals of 95 %" in drawn(found, "svg")


def test_lines_that_lie_on_one_another_are_drawn_relative_below():
    made = suite([stores(4)], CHANNELS | TWO_CORES)
    found = run(made)
    assert len(chart(made, found).panels) == 1  # the same cycles: ratios would show nothing either
    for number, row in enumerate(found.rows):
        row["cycles"] = 1000 - 100 * (number // 2) + number % 2
    above, below = chart(made, found).panels
    assert above.y_label == "cycles"
    assert (below.y_label, below.reference) == ("cycles, relative to\ngpu.cores=1", 1.0)
    assert [series.y[0] for series in below.series] == [1.0, 1.001]
    assert chart(made, found, relative=True).panels == (below,)


def test_when_lines_coincide():
    assert coincide([Series("a", (1, 2), (100, 200)), Series("b", (1, 2), (101, 199))])
    assert not coincide([Series("a", (1, 2), (100, 200)), Series("b", (1, 2), (100, 200))])  # nothing to see in ratios either
    assert not coincide([Series("a", (1, 2), (100, 200)), Series("b", (1, 2), (100, 150))])
    assert not coincide([Series("a", (1, 2), (100, None)), Series("b", (1, 2), (None, 200))])
