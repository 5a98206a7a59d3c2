"""`warploom disasm` of a cubin: control words in words."""

import json

from click.testing import CliRunner

from tests.isa.sass.places import path_of
from warploom.cli import main


def disasm(*arguments):
    return CliRunner().invoke(main, ["disasm", *map(str, arguments)])


def test_control_words_are_told_where_that_is_asked_for():
    plain, told = (disasm(path_of(90), "--kernel", "saxpy", *more).stdout for more in ([], ["--words"]))
    assert "// stall" not in plain
    assert any("EXIT" in line and "// stall 5" in line for line in told.splitlines())
    rows = json.loads(disasm(path_of(90), "--kernel", "saxpy", "--json").stdout)["kernels"][0]["instructions"]
    assert any("for its result" in row["control_text"] for row in rows)


def test_words_are_of_cubins(tmp_path):
    file = tmp_path / "words.hex"
    file.write_text("// .isa tiny\nf000\n")
    assert "is not a cubin" in disasm(file, "--words").stderr


def test_ptx_stands_above_what_became_of_it(tmp_path):
    lines = disasm(path_of(80), "--kernel", "saxpy", "--ptx").stdout.splitlines()
    place = next(number for number, line in enumerate(lines) if "ISETP" in line)
    assert lines[place - 1].strip().startswith("// setp.")
    file = tmp_path / "words.hex"
    file.write_text("// .isa tiny\nf000\n")
    assert "is not a cubin, whose instructions have PTX" in disasm(file, "--ptx").stderr
