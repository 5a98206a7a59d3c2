"""Gates beside cycles: the columns of a comparison, its front, its picture; the ladder's column."""

import json

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom import GPU, load, rtl
from warploom.cli import main
from warploom.study.compare import plan
from warploom.study.comparing import suite_of
from warploom.study.figure import drawn
from warploom.study.gates import cost_chart, front_of, rung_costs, with_cost
from warploom.study.ladder import climb

MATMUL = EXAMPLES / "tiny" / "matmul.asm"
SMALL = {"gpu.cores": 1, "core.threads_per_block": 2}


def row(cycles, transistors, status="done"):
    return {"cycles": cycles, "cost_transistors": transistors, "status": status}


def test_the_front_is_what_nothing_beats():
    cheap, fast, beaten, equal = row(100, 10), row(50, 40), row(100, 11), row(50, 40)
    unknown, failed = row(1, None), row(1, 1, "error")
    assert front_of([fast, cheap, beaten, equal, unknown, failed]) == [cheap, fast, equal]


@pytest.fixture(scope="module")
def channels():
    made = plan(load(MATMUL), {"memory.data_channels": [1, 2]}, gpu="tiny", set=SMALL)
    return made, with_cost(made, suite_of([("", None, made)]).run(engine="python", jobs=1))


def test_a_comparison_has_transistors_and_depth_of_what_varies(channels):
    _, table = channels
    one, two = table.rows
    gpu = {count: rtl.cost("data_controller", GPU("tiny", set=SMALL | {"memory.data_channels": count})) for count in (1, 2)}
    assert (one["cost_transistors"], two["cost_transistors"]) == (gpu[1].transistors, gpu[2].transistors)
    assert one["cost_depth"] < two["cost_depth"]
    assert one["cost_of"] == "1 x data_controller(2, 1 channels)"
    assert one["front"] == "yes"
    assert any("never the area or the clock of a product" in note for note in table.notes)


def test_the_front_is_drawn_through_its_points(channels):
    pytest.importorskip("matplotlib")
    figure = cost_chart(*channels)
    line, *points = figure.panels[0].series
    assert line.name == "front"
    assert {(x, y) for series in points for x, y in zip(series.x, series.y, strict=True)} >= set(zip(line.x, line.y, strict=True))
    assert [series.name for series in points] == ["1", "2"]
    assert drawn(figure, "svg").startswith(b"<?xml")


def test_a_machine_without_a_price_is_named_and_the_others_have_theirs():
    made = plan(load(MATMUL), {"core.divergence": ["uniform", "its"]}, gpu="tiny-simt")
    table = with_cost(made, suite_of([("", None, made)]).run(engine="python", jobs=1))
    assert table["cost_transistors"] == [0, None]
    assert "core.divergence=its: no price, since core.divergence = 'its' has no hardware" in table.notes


def test_the_ladder_says_what_a_rung_adds(monkeypatch, tmp_path):
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))
    monkeypatch.setattr("warploom.study.gates.RUNGS", {"fetch ahead": ("fetcher",), "better scheduler": ("scheduler",)})
    ladder = climb(load(MATMUL), engine="python")
    costs = dict(zip((step.rung.name for step in ladder.steps), rung_costs(ladder), strict=True))
    assert costs["tiny-gpu"] is None
    assert costs["fetch ahead"] > 0
    greedy, robin = (rtl.cost(name, warps=4).transistors for name in ("greedy_oldest", "round_robin"))
    assert costs["better scheduler"] == 2 * (greedy - robin)


def invoke(*arguments):
    return CliRunner().invoke(main, list(arguments))


def test_compare_shows_it_and_marks_the_front(tmp_path):
    picture = tmp_path / "front.png"
    settings = ["--set", "gpu.cores=1", "--set", "core.threads_per_block=2", "--engine", "python", "--jobs", "1"]
    found = invoke("compare", str(MATMUL), "--over", "memory.data_channels=1,2", *settings, "--cost", "-o", str(picture))
    assert found.exit_code == 0, found.output
    assert "transistors  depth  front" in found.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    body = json.loads(invoke("compare", str(MATMUL), "--over", "memory.data_channels=1,2", *settings, "--cost", "--json").stdout)
    assert [set(row) >= {"cost_transistors", "cost_luts", "cost_of", "front"} for row in body["rows"]] == [True, True]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--over", "gpu.cores=1,2"], "none of gpu.cores changes a mechanism that has a price"),
        (
            ["--over", "memory.data_channels=1,2", "--metric", "ipc", "-o", "x.png"],
            "with --cost the picture shows cycles against transistors",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_before_the_first_run(arguments, said):
    found = invoke("compare", str(MATMUL), *arguments, "--cost")
    assert found.exit_code == 2
    assert said in found.stderr
