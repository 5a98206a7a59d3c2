"""`warploom draw --rays` and `--both`."""

import json

import pytest

from tests.cli.drawing.test_draw import SCENE, draw
from warploom.isa.pictures import read_picture


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.py"
    path.write_text(SCENE)
    return path


def test_rays_draw_what_the_raster_engine_draws(scene, tmp_path):
    for how in ("--raster", "--rays", "--both"):
        done = draw(scene, how, "--size", 20, "-o", tmp_path / f"{how}.png")
        assert done.exit_code == 0, done.output
    one, other, both = (read_picture(tmp_path / f"{how}.png") for how in ("--raster", "--rays", "--both"))
    assert (abs(one.astype(int) - other) <= 2).all() and one.max() > 100
    assert (both[:, :20] == one).all() and (both[:, 20:] == other).all()
    assert "raster engine" in done.output and "0 covered in one of them only" in done.output


def test_facts_as_json(scene, tmp_path):
    picture = tmp_path / "both.png"
    found = json.loads(draw(scene, "--both", "--visits", "--branches", 2, "--stack", 1, "--size", "16x8", "--json", "-o", picture).stdout)
    assert found["rays"]["rays"] == 128 and found["rays"]["triangles"] == 1 and found["raster"]["triangles"] == 1
    assert found["different_silhouette"] == 0
    assert read_picture(picture).shape[:2] == (8, 32)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--visits"], "--visits counts what rays visit: add --rays or --both"),
        (["--branches", "2"], "--branches is for rays: add --rays or --both"),
        (["--stack", "3"], "--stack is for rays: add --rays or --both"),
        (["--rays", "--quads"], "--quads is about quads of the raster engine: leave --rays and --both out"),
        (["--rays", "--tile", "8"], "--tile is about the raster engine: leave --rays out"),
        (["--both", "--gpu", "vortex-2024"], "--both draws on the host, without a machine: leave --gpu out"),
    ],
)
def test_options_that_do_not_go_together(scene, words, said, tmp_path):
    done = draw(scene, *words, "-o", tmp_path / "out.png")
    assert done.exit_code == 2 and said in done.output and not (tmp_path / "out.png").exists()
