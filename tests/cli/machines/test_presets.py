"""`warploom presets`."""

import json

import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.machine.config.presets import load_config, preset_names
from warploom.machine.config.schema import settings
from warploom.machine.core.scheduling.policies import POLICIES


def run(*arguments):
    return CliRunner().invoke(main, ["presets", *(str(argument) for argument in arguments)])


def test_it_lists_every_preset_with_what_it_is():
    lines = run().stdout.splitlines()
    assert "tiny-original  tiny-gpu as published, cycle for cycle, quirks included" in lines
    assert {line.split()[0] for line in lines if line[:1].isalpha()} >= set(preset_names())


def test_it_lists_every_setting_with_meaning_range_and_default():
    shown = run("--settings").stdout
    lines = shown.splitlines()
    for setting in settings():
        assert any(line.startswith(f"{setting.name} ") for line in lines)
    here = lines.index("gpu.cores                             2  1 to 144 cores")
    assert lines[here + 1] == "    cores (NVIDIA: multiprocessors)"
    body = json.loads(run("--settings", "--json").stdout)
    assert [row["name"] for row in body["settings"]] == [setting.name for setting in settings()]
    assert next(row for row in body["settings"] if row["name"] == "gpu.cores") == {
        "name": "gpu.cores",
        "kind": "int",
        "default": 2,
        "meaning": "cores (NVIDIA: multiprocessors)",
        "unit": "cores",
        "range": "1 .. 144",
    }


def test_a_preset_shows_its_values_and_their_sources():
    lines = run("sm").stdout.splitlines()
    body = json.loads(run("sm", "--json").stdout)
    config = load_config("sm")
    assert body["about"] and body["name"] == "sm"
    assert all(row["value"] == config[row["name"]] for row in body["settings"])
    sourced = [row for row in body["settings"] if row["source"]]
    assert sourced and any(line.startswith("    source: ") for line in lines)


def test_a_preset_has_the_sources_of_the_one_that_it_starts_from_unless_it_changes_the_number():
    rows = {row["name"]: row for row in json.loads(run("tiny", "--json").stdout)["settings"]}
    assert rows["gpu.cores"]["source"] == "tiny-gpu src/gpu.sv: NUM_CORES"
    assert rows["quirks.divide_zero"]["source"] == "255, as RISC-V's DIVU: all ones"


def test_all_settings_of_a_preset():
    rows = json.loads(run("tiny", "--settings", "--json").stdout)["settings"]
    assert {row["name"]: row["value"] for row in rows} == load_config("tiny").flat()


def test_a_file_of_ones_own_and_a_changed_setting(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('about = "mine"\nbase = "tiny"\n[gpu]\ncores = 8 # a guess\n[memory]\nbytes = 128\n')
    rows = {row["name"]: row for row in json.loads(run(path, "--set", "core.threads_per_block=2", "--json").stdout)["settings"]}
    assert (rows["gpu.cores"]["value"], rows["gpu.cores"]["source"]) == (8, "a guess")
    assert (rows["core.threads_per_block"]["value"], rows["core.threads_per_block"]["source"]) == (2, "--set")
    assert (rows["memory.bytes"]["value"], rows["memory.bytes"]["source"]) == (128, "")
    assert run(path).stdout.splitlines()[0] == "mine: mine"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tinny"], "there is no preset 'tinny', did you mean 'tiny'?; there are " + ", ".join(preset_names())),
        (
            ["tiny", "--set", "gpu.core=1"],
            "there is no setting 'gpu.core', did you mean 'gpu.cores'?; `warploom presets --settings` lists them all",
        ),
        (["tiny", "--set", "gpu.cores=0"], "gpu.cores = 0: it takes a whole number from 1 to 144 (cores (NVIDIA: multiprocessors))"),
        (
            ["tiny", "--set", "core.scheduler=oldst"],
            f"core.scheduler = 'oldst': it is one of {', '.join(POLICIES)}, did you mean 'oldest'?",
        ),
        (
            ["tiny", "--set", "core.skip_wait=5"],
            "core.skip_wait = 5: it takes true or false (sequencer: an instruction without a memory access skips WAIT)",
        ),
        (
            ["--set", "gpu.cores=1"],
            "--set shows a preset with a setting changed: name the preset, as in `warploom presets tiny --set gpu.cores=4`",
        ),
        (["no.toml"], "no.toml: cannot be read: No such file or directory"),
    ],
)
def test_what_does_not_exist_or_cannot_be_is_refused(arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {message}\n")


@pytest.mark.parametrize("columns", [80, 120])
def test_lines_fit_the_terminal(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    for arguments in ([], ["--settings"], *([name, "--settings"] for name in preset_names())):
        assert max(len(line) for line in run(*arguments).stdout.splitlines()) <= columns


def test_a_file_that_is_no_text_is_no_machine(tmp_path):
    (tmp_path / "my.toml").write_bytes(b"\xff\xfe")
    result = CliRunner().invoke(main, ["presets", str(tmp_path / "my.toml")])
    assert (result.exit_code, result.stderr) == (2, f"error: {tmp_path / 'my.toml'}: cannot be read: it is not text\n")
