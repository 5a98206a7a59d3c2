"""The table of published figures."""

from warploom.machine.config.presets import preset_names
from warploom.study.microbenchmarks.published import _FIGURES, _POINTS, OF_THE_DEVICE, PART_OF, SOURCES, points, published


def test_every_figure_has_a_known_source_and_a_range():
    for key, row in _FIGURES.items():
        for gpu in row:
            found = published(gpu, key)
            assert 0 < found.low <= found.high, (key, gpu)
            assert found.source and set(found.source.split()) <= set(SOURCES), (key, gpu)


def test_every_source_is_used():
    used = {source for row in _FIGURES.values() for _, sources in row.values() for source in sources.split()}
    assert used | {source for row in _POINTS.values() for _, source in row.values()} == set(SOURCES)


def test_points_of_a_curve_go_from_left_to_right():
    for key, row in _POINTS.items():
        for gpu in row:
            known, source = points(gpu, key)
            assert source in SOURCES
            assert [x for x, _ in known] == sorted({x for x, _ in known})


def test_a_part_of_a_gpu_has_the_figures_of_one_multiprocessor():
    assert set(PART_OF) <= set(preset_names())
    assert published("sm", "latency.fma") == published("v100", "latency.fma")
    assert all(published("sm", key) is None and published("v100", key) is not None for key in OF_THE_DEVICE)
    assert all(published("v100", key, whole=False) is None for key in OF_THE_DEVICE)
    assert published("v100", "latency.fma", whole=False) == published("v100", "latency.fma")
    assert published("tiny", "latency.fma") is None
    assert points("tiny", "chase") == ((), "")
