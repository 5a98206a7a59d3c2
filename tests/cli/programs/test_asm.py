"""`warploom asm` and `warploom disasm`, and what all commands share."""

import importlib
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from warploom.cli import COMMANDS, main
from warploom.cli.common import MISTAKES, UserError, mistakes, write_file
from warploom.isa import FRONT_ENDS, tiny

SOURCE = """.threads 8
.data 1 2
    CONST R1, #5      ; five
loop: ADD R2, R2, R1
    CMP R2, R1
    BRn loop
    RET
"""
WORDS = [0x9105, 0x3221, 0x2021, 0x1801, 0xF000]


@pytest.fixture
def kernel(tmp_path):
    path = tmp_path / "kernel.asm"
    path.write_text(SOURCE)
    return path


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_the_listing_shows_address_word_and_source(kernel):
    result = run("asm", kernel)
    assert result.exit_code == 0
    assert result.stderr == ""
    title, listing = result.stdout.split("\n\n")
    assert "".join(title.split()) == f"{kernel}:5instructions,8threads,2bytesofdata"  # a long path is folded
    assert [line.rstrip() for line in listing.splitlines()] == [
        "address  word  binary               line  source",
        "      0  9105  1001 0001 0000 0101     3  CONST R1, #5      ; five",
        "                                        loop:",
        "      1  3221  0011 0010 0010 0001     4  ADD R2, R2, R1",
        "      2  2021  0010 0000 0010 0001     5  CMP R2, R1",
        "      3  1801  0001 1000 0000 0001     6  BRn loop",
        "      4  f000  1111 0000 0000 0000     7  RET",
    ]


@pytest.mark.parametrize(
    ("name", "options"), [("words.hex", []), ("words.json", []), ("words", ["--format", "json"]), ("w.json", ["--format", "hex"])]
)
def test_words_go_out_and_come_back(kernel, tmp_path, name, options):
    words, back = tmp_path / name, tmp_path / "back.asm"
    result = run("asm", kernel, "-o", words, *options)
    assert result.exit_code == 0
    assert result.stderr.startswith(f"5 words written to {words} (")
    assert words.read_text().startswith("{") == ("json" in (options or [name])[-1])
    assert run("disasm", words, "-o", back).exit_code == 0
    program = tiny.assemble(back.read_text())
    assert tiny.words(program) == WORDS
    assert (program.launch.threads, program.data.tolist()) == (8, [1, 2])


def test_words_on_standard_output(kernel):
    assert [line[:4] for line in run("asm", kernel, "--format", "hex").stdout.splitlines()[4:]] == [f"{word:04x}" for word in WORDS]
    assert json.loads(run("asm", kernel, "-o", "-", "--format", "json").stdout)["program"] == WORDS


def test_asm_as_json(kernel):
    result = run("asm", kernel, "--json")
    body = json.loads(result.stdout)
    assert (body["isa"], body["file"], body["threads"], body["program"], body["data"]) == ("tiny", str(kernel), 8, WORDS, [1, 2])
    assert body["labels"] == {"loop": 1}
    assert body["listing"][1] == {
        "address": 1,
        "word": 0x3221,
        "hex": "3221",
        "binary": "0011001000100001",
        "line": 4,
        "text": "ADD R2, R2, R1",
    }
    assert body["warnings"] == []


def test_disasm_prints_source_text(tmp_path):
    path = tmp_path / "words.json"
    path.write_text(json.dumps(WORDS))
    assert run("disasm", path, "--isa", "tiny").stdout == (
        ".threads 1\n\n    CONST R1, #5\nL1:\n    ADD R2, R2, R1\n    CMP R2, R1\n    BRn L1\n    RET\n"
    )
    body = json.loads(run("disasm", path, "--isa", "tiny", "--json").stdout)
    assert (body["program"], body["threads"]) == (WORDS, 1)
    assert tiny.words(tiny.assemble(body["source"])) == WORDS


@pytest.mark.parametrize("text", ["50de\nf000\n", "// of what?\n50de\n", "[1, 2]", '{"program": [1]}', '{"isa": 3, "program": [1]}'])
def test_words_that_do_not_say_whose_they_are_are_nobodys(tmp_path, text):
    path = tmp_path / "k.hex"
    path.write_text(text)
    done = run("disasm", path)
    of = ", ".join(row.name for row in FRONT_ENDS if row.has_words or row.has_code)
    assert done.stderr == f"error: {path} does not say of which instruction set its words are: add --isa NAME, of {of}\n"
    assert run("disasm", path, "--isa", "tiny").exit_code == 0


@pytest.mark.parametrize("form", ["hex", "json"])
def test_words_that_asm_wrote_say_it(kernel, tmp_path, form):
    kernel.write_text(kernel.read_text().replace(".threads 8", ".threads 8\n.block 2"))
    assert run("asm", kernel, "-o", tmp_path / f"k.{form}").exit_code == 0
    text = run("disasm", tmp_path / f"k.{form}").stdout
    assert text.startswith(".threads 8\n.block 2\n.data 1 2\n")
    assert tiny.words(tiny.assemble(text)) == WORDS


def test_warnings_go_to_standard_error(tmp_path):
    path = tmp_path / "w.asm"
    path.write_text(".threads 1\nCONST R13, #1\nRET\n")
    result = run("asm", path)
    assert result.exit_code == 0
    assert result.stderr.splitlines()[0] == f"{path}:2:7: warning: %blockIdx is read-only: the hardware ignores what CONST writes to it"
    assert json.loads(run("asm", path, "--json").stdout)["warnings"][0]["line"] == 2


def test_a_mistake_in_the_source_is_shown_and_ends_with_status_2(tmp_path):
    path = tmp_path / "bad.asm"
    path.write_text(".threads 1\nADDD R1, R2, R3\nCONST R1, #256\nRET\n")
    result = run("asm", path, "-o", tmp_path / "out.hex")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert [line for line in result.stderr.splitlines() if "error" in line] == [
        f"{path}:2:1: error: there is no instruction 'ADDD', did you mean 'ADD'?",
        f"{path}:3:11: error: '#256' is outside 0..255, and an immediate is one byte",
    ]
    assert not (tmp_path / "out.hex").exists()


def test_a_mistake_as_json_is_one_object_on_standard_output(tmp_path):
    path = tmp_path / "bad.asm"
    path.write_text(".threads 1\nADDD R1, R2, R3\nRET\n")
    result = run("asm", "--json", path)
    assert (result.exit_code, result.stderr) == (2, "")
    body = json.loads(result.stdout)
    assert body["status"] == "error"
    assert body["diagnostics"][0] | {"fix": ""} == {
        "severity": "error",
        "message": "there is no instruction 'ADDD', did you mean 'ADD'?",
        "line": 2,
        "column": 1,
        "length": 4,
        "fix": "",
    }
    usage = run("asm", "--json")
    assert usage.exit_code == 2
    assert json.loads(usage.stdout)["error"].startswith("Missing argument 'FILE', as in `warploom asm ")


@pytest.mark.parametrize("command", ["asm", "disasm"])
def test_files_that_cannot_be_read(command, tmp_path):
    for path, said in (
        (tmp_path, "this is a directory, not a file"),
        (tmp_path / "nothing.asm", "there is no such file"),
        (sys.executable, "this is"),
        (os.devnull, "there " + ("is no instruction in this file" if command == "asm" else "are no instruction words in this file")),
    ):
        result = run(command, path)
        assert result.exit_code == 2
        assert said in result.stderr.splitlines()[0]
        assert "Traceback" not in result.stderr


def test_asm_refuses_a_program_without_words():
    result = run("asm", "kernel.guppy")
    assert result.exit_code == 2
    those = ", ".join(
        f"{row.name} ({'/'.join(row.suffixes)})" if row.suffixes else row.name for row in FRONT_ENDS if row.has_words or row.has_code
    )
    assert "()" not in those
    assert result.stderr == f"error: kernel.guppy is a program of guppy, which has no instruction words; these have: {those}\n"
    assert run("asm", "kernel.py").stderr.endswith("; `warploom disasm kernel.py` shows the instructions of its kernels\n")


def test_output_that_cannot_be_written(kernel, tmp_path):
    result = run("asm", kernel, "-o", tmp_path)
    assert (result.exit_code, result.stderr) == (2, f"error: {tmp_path} is a directory: name a file in it\n")
    result = run("asm", kernel, "-o", tmp_path / "nowhere" / "out.hex")
    assert (result.exit_code, result.stderr) == (2, f"error: {tmp_path}/nowhere/out.hex cannot be written: No such file or directory\n")


def test_an_input_is_not_overwritten(kernel, tmp_path):
    assembled, words = tmp_path / "copy.asm", tmp_path / "words.hex"
    assembled.write_bytes(Path(kernel).read_bytes())
    assert run("asm", assembled, "-o", words).exit_code == 0
    link = tmp_path / "link.hex"
    link.symlink_to(words)
    for command, file, output in (("asm", assembled, assembled), ("disasm", words, words), ("disasm", words, link)):
        before = file.read_bytes()
        result = run(command, file, "-o", output)
        assert (result.exit_code, result.stderr) == (2, f"error: -o {output}: this file is an input; name a different one\n")
        assert file.read_bytes() == before


def test_files_are_written_whole_or_not_at_all(tmp_path):
    path, link = tmp_path / "out.txt", tmp_path / "link.txt"
    write_file(path, "first")
    path.chmod(0o640)
    link.symlink_to(path)
    write_file(link, "zweites Stück")
    assert path.read_text(encoding="utf-8") == "zweites Stück"
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_file(os.devnull, b"bytes")
    assert not os.path.isfile(os.devnull)
    with pytest.raises(UserError):
        write_file(tmp_path / ("x" * 300), "too long a name")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link.txt", "out.txt"]


@pytest.mark.parametrize(("module", "name"), MISTAKES)
def test_every_kind_of_mistake_is_an_exception_that_exists(module, name):
    kind = getattr(importlib.import_module(module), name)
    assert issubclass(kind, Exception)
    assert kind in mistakes()


def test_an_unknown_command_names_the_nearest():
    result = run("assm", "x")
    assert result.exit_code == 2
    assert "there is no command 'assm', did you mean 'asm'?" in result.stderr


def test_help_lists_every_command_and_each_has_examples():
    listed = run("--help").stdout
    for name, summary in COMMANDS.items():
        assert name in listed and summary.split()[0] in listed
    for name in ("asm", "disasm"):
        assert f"  warploom {name} " in run(name, "--help").stdout


def test_help_starts_without_the_heavy_libraries():
    heavy = "{'numpy', 'numba', 'rich'}"
    code = f"import sys; from warploom.cli import main; main(['-h'], standalone_mode=False); sys.exit(bool({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage:" in done.stdout


def test_the_module_is_the_command(kernel):
    done = subprocess.run([sys.executable, "-m", "warploom", "asm", str(kernel)], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout == run("asm", kernel).stdout
