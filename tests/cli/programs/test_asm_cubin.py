"""`warploom asm` of a cubin: the words that the file holds."""

import json

from click.testing import CliRunner

from tests.isa.sass.places import bytes_of, path_of
from warploom.cli import main
from warploom.isa.sass.cubin import read


def asm(*arguments):
    return CliRunner().invoke(main, ["asm", *map(str, arguments)])


def test_words_are_those_of_the_file(tmp_path):
    code = read(bytes_of(80), "k.cubin").kernels["saxpy"].code
    written = asm(path_of(80), "--kernel", "saxpy", "-o", tmp_path / "words.bin")
    data = (tmp_path / "words.bin").read_bytes()
    assert written.exit_code == 0
    assert data and code.startswith(data)
    listed = [line.split() for line in written.stdout.splitlines() if "EXIT" in line]
    assert all(int(row[1] + row[2], 16).to_bytes(16, "little") in code for row in listed)
    told = json.loads(asm(path_of(80), "--kernel", "saxpy", "--format", "json").stdout)["kernels"]["saxpy"]
    assert b"".join(int(row["word"], 16).to_bytes(16, "little") for row in told) == data


def test_kernels_are_of_cubins(tmp_path):
    file = tmp_path / "one.asm"
    file.write_text("RET\n")
    assert "is not a cubin" in asm(file, "--kernel", "saxpy").stderr
    assert "there is no kernel 'sax'" in asm(path_of(80), "--kernel", "sax").stderr
    assert "sass writes hex, json, bin" in asm(path_of(80), "--format", "elf").stderr
