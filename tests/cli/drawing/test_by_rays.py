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
        (["--rays", "--gpu", "vortex-2024"], "rays need a ray unit, which vortex-2024 does not have; use --gpu vortex-2026"),
        (["--rays", "--gpu", "vortex-2026", "--visits"], "--visits counts for each pixel, which the ray unit does not: leave --gpu out"),
        (["--rays", "--gpu", "vortex-2026", "--stack", "4"], "a machine has its own stack: --set rays.stack=4 in place of --stack"),
        (
            ["--rays", "--gpu", "vortex-2026", "--ladder"],
            "--ladder is about the shader of a raster engine's picture: leave --rays and --both out",
        ),
    ],
)
def test_options_that_do_not_go_together(scene, words, said, tmp_path):
    done = draw(scene, *words, "-o", tmp_path / "out.png")
    assert done.exit_code == 2 and said in done.output and not (tmp_path / "out.png").exists()


def test_a_machine_traces_the_same_picture_and_says_how_long_it_took(scene, tmp_path):
    words = ("--rays", "--size", "12x8", "--set", "rays.stack=2")
    assert draw(scene, "--rays", "--size", "12x8", "-o", tmp_path / "host.png").exit_code == 0
    found = json.loads(draw(scene, *words, "--gpu", "vortex-2026", "--json", "-o", tmp_path / "machine.png").stdout)
    assert (read_picture(tmp_path / "machine.png") == read_picture(tmp_path / "host.png")).all()
    assert found["cycles"] > found["rays"] > 0 and found["nodes"] > 0
    said = draw(scene, *words, "--gpu", "vortex-2026", "-o", tmp_path / "machine.png").stdout
    assert "without shading" not in said and f"{found['cycles'] / found['rays']:.1f} a ray; shading and merging are the host's" in said


def test_a_machine_draws_both_ways_in_one_table(scene, tmp_path):
    done = draw(scene, "--both", "--size", "8x8", "--gpu", "vortex-2026", "-o", tmp_path / "both.png")
    assert done.exit_code == 0 and read_picture(tmp_path / "both.png").shape == (8, 16, 4)
    assert "with the shader" in done.stdout and "without shading" in done.stdout
    assert "0 covered in one of them only" in done.stdout
