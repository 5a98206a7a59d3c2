"""Published results made again: what must be exact is exact, what has a shape has that shape."""

from functools import cache
from math import gcd

import pytest

from tests.places import ROOT
from warploom.isa.numbers import grouped
from warploom.machine.core.divergence import MECHANISMS
from warploom.study.experiments import NAMES, divergence_mechanisms, find, replacement
from warploom.study.experiments.experiment import Failed, checked
from warploom.study.experiments.mechanisms import mechanisms
from warploom.study.figure import drawn
from warploom.study.needs import StudyError
from warploom.study.sweep import Outcome, measure, spread
from warploom.units import READY, Mechanism, Replacement, lowest, merge, put_aside, run_group


@cache
def findings(name):
    return find(name).measure(lambda tasks: spread(measure, tasks))


@cache
def rows(name, key):
    return {row[key]: row for row in findings(name).table}


# The scope brings the tests of a study together, so that one process measures it once. This one synthesizes for a minute.
SLOW = pytest.param("mechanism-cost", marks=pytest.mark.slow)
STUDIES = [name if name != "mechanism-cost" else SLOW for name in NAMES]


@pytest.mark.every(3)
@pytest.mark.parametrize("name", STUDIES, scope="module")
def test_a_study_says_what_was_published_what_ours_is_and_why(name):
    found = find(name)
    assert found.name == name
    assert found.title and found.question.endswith("?") and found.source and found.setup
    for claim in findings(name).claims:
        assert claim.what and claim.published and claim.ours and claim.why


@pytest.mark.every(3)
@pytest.mark.parametrize("name", STUDIES, scope="module")
def test_a_study_draws_a_figure_with_labelled_axes(name):
    pytest.importorskip("matplotlib")
    figure = findings(name).figure
    assert drawn(figure, "png").startswith(b"\x89PNG")
    assert figure.title
    for panel in figure.panels:
        assert panel.y_label and (panel.x_label or panel.kind == "bar")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("two-level", "ray-loops", "mechanism-cost")], scope="module")
def test_what_was_published_is_in_the_figure(name):
    assert any(series.published for panel in findings(name).figure.panels for series in panel.series)


def test_sectors_a_request_follow_the_stride():
    found = rows("coalescing", "stride")
    for stride, row in found.items():
        assert row["sectors"] == min(32, 4 * stride)
        assert row["lines"] == stride
    assert found[8]["efficiency"] == found[32]["efficiency"] == 1 / 8
    assert 2 * found[1]["cycles"] < found[8]["cycles"] < 1.02 * found[32]["cycles"]  # memory moves as many sectors at both


def test_passes_a_load_are_the_common_divisor_of_stride_and_banks():
    found = rows("bank-conflicts", "stride")
    for stride, row in found.items():
        assert row["passes"] == (gcd(stride, 32) if stride else 1)
        # A pass is a cycle, and nothing else differs.
        assert row["cycles"] - found[1]["cycles"] == 32 * (row["passes"] - 1)


def test_the_cost_of_divergence_grows_with_the_width_as_the_article_has_it():
    found = rows("divergence-width", "width")
    for order in ("random", "sorted"):
        costs = [row[f"{order}_cost"] for row in found.values()]
        assert costs[0] == 1.0
        assert costs == sorted(costs)
        for row in found.values():
            if row[f"{order}_published"] is not None:
                assert row[f"{order}_cost"] == pytest.approx(row[f"{order}_published"], abs=0.03)
    for width in (8, 16, 32, 64):
        assert found[width]["gain"] == pytest.approx(found[width]["simulator_gain"], rel=0.02)


def test_k_paths_take_k_times_as_long_under_every_mechanism():
    found = rows("serialisation", "paths")
    for name in mechanisms():
        steps = {(found[2 * paths][f"{name}_cycles"] - found[paths][f"{name}_cycles"]) / paths for paths in (1, 2, 4, 8)}
        assert min(steps) == 99.0, "a path is 96 instructions, a jump, a comparison and a branch"
        # Where nothing makes lanes wait for each other behind the paths, they may end one path after the other.
        assert max(steps) <= (100.0 if name == "dwf" else 99.0)
        for paths, row in found.items():
            assert 32 / paths <= row[f"{name}_lanes"] <= 32 / paths + 0.4


def test_warps_hide_latency_as_the_law_says():
    for row in rows("latency-hiding", "warps").values():
        for between in (6, 14, 30):
            assert row[f"ipc_{between}"] == pytest.approx(row[f"law_{between}"], abs=0.03)
    found = rows("latency-hiding", "warps")
    assert found[16]["round_robin"] < 0.60 * found[16]["ipc_14"]


def test_two_level_scheduling_closes_the_gap_that_round_robin_leaves():
    found = rows("two-level", "policy")
    robin, two = found["round robin"], found["two-level, groups of 8"]
    assert robin["idle_share"] > 0.25
    assert two["idle"] < robin["idle"] / 4
    assert two["speedup"] > 1.191
    first, second = findings("two-level").figure.panels
    assert any(rate == 0 for rate in first.series[0].y[:-12]), "round robin has windows in which nothing issues"
    assert all(rate == 1 for rate in second.series[0].y[:-12])


def test_replacement_policies_have_the_hit_rates_that_they_must():
    found = {(row["pattern"], row["size"]): row for row in findings("replacement").table}
    for (pattern, size), row in found.items():
        if pattern == "loop":
            fits = size <= 16
            assert row["lru"] == row["fifo"] == (1.0 if fits else 0.0)
            assert row["random"] == pytest.approx(row["published"], abs=0.03)
        else:
            assert row["lru"] == (1.0 if size <= 8 else 0.0)
            assert row["fifo"] <= row["lru"]
    assert found["loop", 17]["published"] == pytest.approx(1 - 2 / 17, abs=0.01)
    assert found["reuse", 6]["fifo"] < 0.6 < 0.95 < found["reuse", 6]["plru"] < 1.0


def used(s, set, way, now):
    s.stamp[set * s.ways + way] = now


def newest(s, set):
    found = 0
    for way in range(1, s.ways):
        if s.stamp[set * s.ways + way] > s.stamp[set * s.ways + found]:
            found = way
    return found


def lowest_pc(paths, warps, warp):
    """What `minpc` does."""
    if warps.mask[warp] != 0:
        put_aside(paths, warps, warp, READY)
    first = -1
    for row in range(paths.count[warp]):
        if paths.state[warp, row] == READY and (first < 0 or paths.pc[warp, row] < paths.pc[warp, first]):
            first = row
    if first >= 0:
        run_group(paths, warps, warp, first)
        merge(paths, warps, warp)


def oldest_first(s, now):
    """What `oldest` does, of warps that start together."""
    return lowest(s.eligible) if s.eligible != 0 else -1


def with_units(name, units):
    return find(name).measure(lambda tasks: spread(measure, tasks, jobs=1), units)


def test_a_replacement_policy_of_a_user_s_stands_beside_ours(monkeypatch):
    monkeypatch.setattr(replacement, "PATTERNS", {"loop": (17,), "reuse": (6,)})
    monkeypatch.setattr(replacement, "CYCLIC", (17,))
    found = with_units("replacement", {"mru": Replacement(used, used, newest)})
    loop, reuse = found.table
    assert loop["mru"] > 0.9 > loop["lru"] and reuse["mru"] < 0.5 < reuse["lru"]
    assert [series.name for series in found.figure.panels[1].series] == ["lru", "fifo", "plru", "random", "mru"]
    assert "mru" in str(found.table)


def test_a_mechanism_of_a_user_s_stands_beside_ours(monkeypatch):
    body = "if-else"
    monkeypatch.setattr(divergence_mechanisms, "SUITE", {body: divergence_mechanisms.SUITE[body]})
    found = with_units("divergence-mechanisms", {"mine": Mechanism(lowest_pc)})
    (row,) = found.table
    assert row["mine_cycles"] == row["minpc_cycles"] and row["mine_lanes"] == row["minpc_lanes"]
    assert "mine" in [series.name for series in found.figure.panels[0].series]
    assert found.claims[0].ours == "0"


def test_a_scheduler_of_a_user_s_stands_beside_ours():
    found = with_units("two-level", {"mine": oldest_first})
    cycles = {row["policy"]: row["cycles"] for row in found.table}
    assert cycles["mine"] < cycles["round robin"]
    assert [panel.title for panel in found.figure.panels] == ["round robin", "two-level, groups of 8", "mine"]


def test_mechanisms_leave_the_same_memory_and_none_beats_the_limit():
    found = findings("divergence-mechanisms")
    assert next(claim.ours for claim in found.claims if "different values in memory" in claim.what) == "0"
    for row in found.table:
        for name in mechanisms():
            assert row[f"{name}_speedup"] <= row["limit"]
            assert 1 <= row[f"{name}_lanes"] <= 32


@pytest.mark.skipif("minpc" not in MECHANISMS, reason="there is no min-PC to compare with")
def test_min_pc_is_the_stack_on_structured_code_and_better_where_lanes_can_meet_early():
    found = rows("divergence-mechanisms", "kernel")
    for name in ("if-else", "switch", "loop", "break"):
        assert found[name]["minpc_lanes"] == found[name]["stack_lanes"]
    for name in ("short circuit", "goto"):
        assert found[name]["minpc_lanes"] > 1.3 * found[name]["stack_lanes"]
    assert found["continue"]["minpc_lanes"] < found["continue"]["stack_lanes"]


def test_mechanisms_that_there_are_appear_by_themselves():
    assert mechanisms()[0] == "stack"
    assert set(mechanisms()) == set(MECHANISMS) - {"uniform", "masks"}


def test_an_unknown_study_has_a_nearest_name():
    with pytest.raises(StudyError, match=r"^there is no study 'coalesing', did you mean 'coalescing'\?; there are divergence-width, "):
        find("coalesing")


def test_a_run_that_does_not_end_well_stops_a_study():
    with pytest.raises(Failed, match=r"^the run 'b' of this experiment: error: why$"):
        checked("ab", [Outcome("done"), Outcome("error", "why")])


@pytest.mark.slow
def test_gates_are_what_the_mechanisms_remember_and_the_page_has_the_figures():
    found = rows("mechanism-cost", "value")
    assert (found["oldest"]["flip_flops"], found["plru"]["flip_flops"], found["lru"]["flip_flops"]) == (32 * 31 // 2, 15, 16 * 15 // 2)
    assert found["minpc"]["cycles"] < found["stack"]["cycles"]
    assert found["minpc"]["transistors"] > found["stack"]["transistors"]
    page = (ROOT / "docs/studies.md").read_text(encoding="utf-8")
    for row in findings("mechanism-cost").table:
        cells = [row["kind"], row["value"], *(grouped(row[name]) for name in ("cycles", "transistors", "flip_flops", "luts", "depth"))]
        assert f"| {' | '.join(cells)} |" in page
