"""Presets: what a file may say, which file it starts from, where its numbers come from, and what is said of one that is wrong."""

import pytest

from warploom.machine.config.presets import about, inherited_sources, load_config, parse_setting, sources
from warploom.machine.config.schema import Config
from warploom.machine.engine.sizes import ConfigError


def written(place, name="my.toml", text=""):
    path = place / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"\xff\xfe", "cannot be read: it is not text"),
        (b"[gpu\n", "not TOML: Expected ']' at the end of a table declaration (at line 1, column 5)"),
        (b"a = " + b"[" * 100_000, "cannot be read: it is nested too deeply"),
        (b"base = 3\n", "base must be the name of a preset"),
        (b"cores = 4\n", "'cores' stands outside a section; write [section] above its settings"),
        (
            b"[gpu]\nclocks = 4\n",
            "there is no setting 'gpu.clocks', did you mean 'gpu.clock'?; `warploom presets --settings` lists them all",
        ),
        (b'base = "my.toml"\n', "its `base` leads back to itself"),
    ],
)
def test_a_file_that_cannot_be_is_refused_with_the_reason(tmp_path, text, said):
    path = tmp_path / "my.toml" if text is None else written(tmp_path, text=text)
    with pytest.raises(ConfigError) as error:
        load_config(path)
    assert str(error.value) == f"{path}: {said}"


def test_a_file_starts_from_the_file_beside_it_and_else_from_the_preset_of_that_name(tmp_path):
    written(tmp_path, "first.toml", 'about = "one"\nbase = "tiny"\n[gpu]\ncores = 8 # a guess\n[memory]\nbytes = 128 # measured\n')
    path = written(tmp_path, "second.toml", 'base = "first.toml"\n[memory]\nbytes = 64\n')
    config = load_config(path)
    assert (config.name, config.gpu.cores, config.memory.bytes) == ("second", 8, 64)
    assert (about(path), about(tmp_path / "first.toml")) == ("", "one")
    assert sources(path) == {}
    assert sources(tmp_path / "first.toml") == {"gpu.cores": "a guess", "memory.bytes": "measured"}
    inherited = inherited_sources(path)
    assert inherited["gpu.cores"] == "a guess"
    assert "memory.bytes" not in inherited  # its own number, which has no source
    assert load_config(path, {"gpu.cores": 3}).gpu.cores == 3
    assert load_config(load_config(path)).flat() == config.flat()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("gpu.cores=4", ("gpu.cores", 4)), (" a = true ", ("a", True)), ("a=oldest", ("a", "oldest")), ('a="b=c"', ("a", "b=c"))],
)
def test_a_setting_is_a_name_and_a_value(text, expected):
    assert parse_setting(text) == expected


@pytest.mark.parametrize("text", ["gpu.cores", "=4", "gpu.cores=", " = ", ""])
def test_a_setting_without_a_name_or_a_value_is_none(text):
    with pytest.raises(ConfigError) as error:
        parse_setting(text)
    assert str(error.value) == f"{text!r}: a setting is written section.name=value, as in gpu.cores=4"


@pytest.mark.parametrize(("setting", "most"), [("pipes.integer_lanes", 64), ("pipes.integer_interval", 4096)])
def test_a_pipe_is_at_most_as_wide_as_a_warp_and_its_interval_as_long_as_a_latency(setting, most):
    changes = {"core.control": "pipeline", "pipes.owner": "scheduler"}
    assert load_config(Config(), {**changes, setting: most}).flat()[setting] == most
    with pytest.raises(ConfigError, match=f"{setting} = {most + 1}: it takes a whole number from 0 to {most} "):
        load_config(Config(), {**changes, setting: most + 1})
