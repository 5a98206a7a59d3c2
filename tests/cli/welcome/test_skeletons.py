"""Every skeleton does what its last line promises, as it is."""

import importlib.util
import shlex

import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.cli.welcome.skeletons import SKELETONS, TEXTS, kind_of

NEEDS = {"c": "ziglang", "pixel": "ziglang", "vertex": "ziglang", "opencl": "ziglang", "cuda": "ziglang"}
# Half a minute to a minute each: native code of their own.
SLOW = ("cuda", "pixel", "shader", "vertex_shader", "replacement", "prefetcher", "set_hash")
RUN = [pytest.param(kind, marks=pytest.mark.slow) if kind in SLOW else kind for kind in SKELETONS]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", RUN)
def test_it_runs_as_it_is(kind, here):
    if kind in NEEDS and importlib.util.find_spec(NEEDS[kind]) is None:
        pytest.skip(f"the package {NEEDS[kind]} is not installed")
    name = f"first{SKELETONS[kind].ending}"
    written = CliRunner().invoke(main, ["new", name, "--kind", kind])
    assert written.exit_code == 0, written.output
    command = written.stdout.splitlines()[-1].removeprefix("next: ")
    assert "{" not in command and "{file}" not in (here / name).read_text()
    done = CliRunner().invoke(main, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("kind", [kind for kind, row in SKELETONS.items() if row.ending not in (".toml", ".ipynb")])
def test_the_commands_that_its_text_names_exist(kind, here):
    texts = SKELETONS[kind].files(kind, here / f"first{SKELETONS[kind].ending}")
    lines = [line for line in next(iter(texts.values())).splitlines() if "warploom " in line and "import" not in line]
    named = {line.partition("warploom ")[2].split()[0] for line in lines}
    assert named and named <= {"run", "profile", "check", "explore", "picture", "unit", "compare", "presets", "draw"}


def test_an_ending_means_the_first_kind_that_has_it(here):
    assert kind_of(here / "a.py") == "python"
    found = {name: kind_of(here / name) for name in ("unit.py", "my_prefetcher.py", "Policy.py", "hash.py", "picture.py", "prefetcher.asm")}
    assert list(found.values()) == ["scheduler", "prefetcher", "scheduler", "set_hash", "picture", "tiny"]
    assert [kind_of(here / name) for name in ("pixel.c", "my_shader.c", "pixel.py", "shader.py")] == ["pixel"] * 2 + ["shader"] * 2
    vertices = ("vertex.c", "my_shader_vertex.c", "vertex.py", "vertex_shader.py")
    assert [kind_of(here / name) for name in vertices] == ["vertex"] * 2 + ["vertex_shader"] * 2
    tasks = ("machine.toml", "mine.toml", "task.toml", "homework_2.toml")
    assert [kind_of(here / name) for name in tasks] == ["machine"] * 2 + ["task"] * 2
    assert {path.stem for path in TEXTS.glob("*.txt")} == set(SKELETONS)


def test_nothing_is_overwritten_and_nothing_half_written(here):
    (here / "k.csv").write_text("mine")
    done = CliRunner().invoke(main, ["new", "k.cl"])
    assert (done.exit_code, done.stderr) == (2, "error: k.csv exists already: name a different file, or remove it\n")
    assert [path.name for path in here.iterdir()] == ["k.csv"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "error: name the file: `warploom new kernel.py`; --help lists all kinds\n"),
        (["x.py", "--kind", "tiny"], "error: x.py: a skeleton of kind tiny is a file that ends in .asm: x.asm\n"),
        (["no/such/folder/x.py"], "error: no/such/folder/x.py cannot be written: No such file or directory\n"),
    ],
)
def test_mistakes(words, said):
    done = CliRunner().invoke(main, ["new", *words])
    assert (done.exit_code, done.stderr) == (2, said)


def test_an_ending_that_says_nothing():
    assert "the ending '.zip' does not say what to write; there are .py," in CliRunner().invoke(main, ["new", "x.zip"]).stderr
