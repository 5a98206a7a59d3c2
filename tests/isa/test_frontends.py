"""From a file to a Program."""

import importlib
import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

import warploom
from tests.places import EXAMPLES
from warploom.cli import main
from warploom.isa import FRONT_ENDS, frontends, load, load_with_warnings
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import ArgumentType, Kernel, Options, type_of


def message(path, isa=None):
    with pytest.raises(SourceError) as caught:
        load(path, isa)
    return str(caught.value)


def test_every_front_end_of_the_table_is_there_and_has_its_own_endings():
    suffixes = [suffix for front_end in FRONT_ENDS if not front_end.claims for suffix in front_end.suffixes]
    assert len(suffixes) == len(set(suffixes))  # the others say which of the files are theirs
    for front_end in FRONT_ENDS:
        assert callable(importlib.import_module(front_end.module).load)


def test_the_ending_chooses_the_front_end(tmp_path):
    path = tmp_path / "kernel.ASM"
    path.write_text(".threads 2\nRET\n")
    program = load(path)
    assert (program.isa, program.launch.threads, program.source.path) == ("tiny", 2, str(path))


def test_a_name_chooses_the_front_end_of_any_file(tmp_path):
    path = tmp_path / "kernel"
    path.write_text("\ufeff.threads 2\r\nNOP\r\n", encoding="utf-8")
    program, warnings = load_with_warnings(str(path), isa="tiny")
    assert len(program) == 1
    assert [item.message for item in warnings] == ["after this instruction the program runs past its end, without a RET"]


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "matmul.asm").write_text("RET")
    (tmp_path / "binary.asm").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "latin.asm").write_bytes(b"; f\xfcr\nRET")
    (tmp_path / "folder.asm").mkdir()
    assert message(tmp_path / "matmull.asm") == (
        f"{tmp_path}/matmull.asm: error: there is no such file\n    fix: look again at the name, did you mean 'matmul.asm'?"
    )
    assert message(tmp_path / "nowhere" / "x.asm") == f"{tmp_path}/nowhere/x.asm: error: there is no such file"
    said = "this is a binary file, not source text: byte 4 is zero; it looks like an ELF file"
    assert message(tmp_path / "binary.asm") == f"{tmp_path}/binary.asm: error: {said}"
    assert message(tmp_path / "latin.asm").startswith(f"{tmp_path}/latin.asm: error: this is not text in UTF-8: byte 3 is 0xfc")
    assert message(tmp_path / "folder.asm").startswith(f"{tmp_path}/folder.asm: error: this is a directory, not a file")


def test_binary_files_are_called_what_they_look_like(tmp_path):
    path = tmp_path / "saxpy.elf"
    good = (EXAMPLES / "vortex" / "saxpy.elf").read_bytes()
    for data, said in (
        (b"XELF" + good[4:], "; it looks like an ELF file whose first four bytes are damaged"),
        (b"PK\3\4\0\0", "; it looks like a zip archive"),
        (b"abcd\0", "byte 4 is zero"),
    ):
        path.write_bytes(data)
        assert message(path).endswith(said)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the administrator may read everything")
def test_a_file_without_permission(tmp_path):
    path = tmp_path / "secret.asm"
    path.write_text("RET")
    path.chmod(0)
    assert message(path) == f"{path}: error: this file cannot be read: Permission denied"


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs an endless file")
def test_an_endless_file():
    assert message("/dev/zero", "tiny") == "/dev/zero: error: this file is larger than 16 MiB, which no program is"


def test_an_ending_or_a_name_that_is_not_known():
    assert message("kernel.asn").startswith(
        "kernel.asn: error: the ending '.asn' belongs to no instruction set\n    fix: name the file .asm for tiny"
    )
    assert message("kernel").startswith("kernel: error: the name has no ending that says which instruction set it is")
    assert message("kernel").endswith("or say which instruction set it is: --isa NAME")
    assert message("kernel.asm", "tinny").startswith("kernel.asm: error: there is no instruction set 'tinny', did you mean 'tiny'?")


def test_only_the_front_end_in_question_is_imported(tmp_path):
    path = tmp_path / "kernel.asm"
    path.write_text(".threads 1\nRET")
    code = f"import sys; from warploom.isa import load; load({str(path)!r}); sys.exit('warploom.isa.guppy' in sys.modules)"
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == 0


def test_short_branches_become_predicates_where_that_is_asked_for(tmp_path):
    path = tmp_path / "odd.asm"
    path.write_text(".threads 4\nCMP %threadIdx, R0\nBRz END\nADD R1, R1, R1\nEND:\nRET\n")
    assert any("BRz" in line and "=" not in line for line in load(path).text)
    assert "@!s0 ADD R1, R1, R1" in load(path, if_convert=1).text


# ---- front ends of other packages

TOY = '''
"""A language of one instruction a line: `store VALUE` writes a value to the thread's byte. A toy, to try the interface with."""
from pathlib import Path
import numpy as np
from warploom.isa.diagnostics import Diagnostics
from warploom.isa.frontend import FrontEnd, Loaded
from warploom.isa.launching import started
from warploom.isa.program import Launch, Position, Program, Source
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.reading import text_of
from warploom.isa.uop import IMMEDIATE, Uop

FRONT_END = FrontEnd("toy", (".toy",), "toy_front_end", "a toy", "sm", takes=("path", "bytes", "function"))


def build(lines, source, name):
    diagnostics, builder = Diagnostics(source), ProgramBuilder()
    for number, line in enumerate(lines, 1):
        word, _, value = line.partition(" ")
        if word != "store" or not value.isdecimal():
            diagnostics.error(Position(number), f"{line!r} is not an instruction", len(line), "write store 7")
            continue
        builder.add([Uop("mov", dst=1, a=IMMEDIATE, imm=int(value)), Uop("store", a=0, b=1, size=1)], text=line, position=Position(number))
    diagnostics.raise_if_errors()
    builder.add([Uop("exit")], text="end")
    uops, code, text = builder.arrays()
    launch = Launch(4, 4, registers=((0, "thread"),))
    return Program("toy", name, uops, code, text, 2, ("i", "v"), (source,), launch=launch)


class Kernel:
    def __init__(self, function):
        self.function, self.name, self.made = function, function.__name__, {}
        self.parameters = function.__code__.co_varnames[: function.__code__.co_argcount]

    def program(self, types):
        key = tuple(sorted(types.items()))
        if key not in self.made:
            lines = [f"store {types[name].dimensions}" for name in self.parameters]
            self.made[key] = build(lines, Source("\\n".join(lines), self.name), self.name)
        return self.made[key]


def load(source, options):
    if callable(source):
        return Loaded(Kernel(source))
    path = options.path or str(source)
    text = text_of(source, path)
    return Loaded(started(build(text.splitlines(), Source(text, path), Path(path).stem), options))
'''


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A package on the path that registers a front end, and one whose front end is broken."""
    site = tmp_path / "site"
    for name, text in (("toy_front_end", TOY), ("broken_front_end", "import no_such_module_anywhere")):
        (site / f"{name}-1.0.dist-info").mkdir(parents=True)
        (site / f"{name}-1.0.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (site / f"{name}-1.0.dist-info" / "entry_points.txt").write_text(f"[warploom.frontends]\n{name} = {name}:FRONT_END\n")
        (site / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(site))
    frontends._outside.cache_clear()
    yield site
    frontends._outside.cache_clear()
    sys.modules.pop("toy_front_end", None)


def test_another_package_brings_a_front_end(toy, tmp_path):
    path = tmp_path / "k.toy"
    path.write_text("store 7\n")
    program = load(path)
    assert (program.isa, program.where(0)) == ("toy", f"{path}:1 (store 7)")
    assert warploom.GPU("sm").run(program).memory[:5].tolist() == [7, 7, 7, 7, 0]
    assert load(b"store 9", "toy").text == ("store 9", "end")
    assert "toy" in [row.name for row in frontends.known()]


def test_every_command_works_on_it(toy, tmp_path):
    path = tmp_path / "k.toy"
    path.write_text("store 7\n")
    done = CliRunner().invoke(main, ["run", str(path), "--threads", "2", "--json"])
    assert (done.exit_code, json.loads(done.stdout)["memory"]["data"][:3]) == (0, [7, 7, 0])
    assert "store 7" in CliRunner().invoke(main, ["profile", str(path)]).stdout
    refused = CliRunner().invoke(main, ["asm", str(path)])
    said = f"error: {path} is a program of toy, which has no instruction words; these have: tiny (.asm)"
    assert (refused.exit_code, refused.stderr[: len(said)]) == (2, said)


def test_its_mistakes_are_shown_as_those_of_any_other(toy, tmp_path):
    path = tmp_path / "k.toy"
    path.write_text("stor 7\n")
    assert message(path) == f"{path}:1:1: error: 'stor 7' is not an instruction\n    stor 7\n    ^~~~~~\n    fix: write store 7"


def test_a_function_becomes_a_kernel_that_makes_programs_for_types(toy):
    def kernel(scalar, array):
        pass

    made = frontends.open_source(kernel).program
    assert isinstance(made, Kernel) and made.parameters == ("scalar", "array")
    types = {"scalar": type_of(1), "array": type_of([1, 2])}
    assert made.program(types) is made.program(dict(types))
    assert made.program(types).text == ("store 0", "store 1", "end")
    assert types["array"] == ArgumentType("int64", 1, True)
    assert message(kernel).startswith("kernel: error: the types of the arguments of 'kernel' are not known: scalar, array")
    with pytest.raises(warploom.LaunchError, match="the argument 'scalar' has no value"):
        warploom.GPU("sm").run(made)


def test_a_front_end_that_cannot_be_loaded_is_named_where_nothing_else_fits(toy):
    said = "the front end 'broken_front_end' (broken_front_end:FRONT_END) cannot be loaded: ModuleNotFoundError"
    assert said in message("kernel.nobody")
    assert said in message("kernel.asm", "broken")


def test_what_no_front_end_takes():
    names = ", ".join(row.name for row in FRONT_ENDS)
    assert message(b"RET") == f"<bytes>: error: bytes do not say which instruction set they are\n    fix: name one: {names}"
    assert message(lambda: None) == "<lambda>: error: there is no front end for Python functions"
    assert message(lambda: None, "tiny") == "<lambda>: error: the front end 'tiny' takes no function, it takes path, bytes"


def test_bytes_are_text_of_an_instruction_set():
    assert load(b".threads 3\nRET", "tiny").launch.threads == 3
    assert load(b".threads 3\nret", "guppy", options=Options(threads=5)).launch.threads == 5


def test_other_packages_are_not_looked_for_when_one_of_ours_is_meant(tmp_path):
    path = tmp_path / "kernel.asm"
    path.write_text(".threads 1\nRET")
    code = f"import sys; from warploom.isa import load; load({str(path)!r}); sys.exit('importlib.metadata' in sys.modules)"
    assert (
        os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-S", "-c", "import sys; sys.path[:0] = " + repr(sys.path) + "; " + code])
        == 0
    )


def test_a_short_run_of_an_instruction_set_of_ours_asks_no_other_packages(tmp_path):
    """Each of these modules takes a tenth of what a small kernel does."""
    buffer = tmp_path / "one.csv"
    buffer.write_text("1.0")
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}; from warploom.cli import main; main(sys.argv[1:], standalone_mode=False); "
        "sys.exit(', '.join(sys.modules.keys() & {'importlib.metadata', 'numpy.ma', 'numba'}) or 0)"
    )
    given = ("--quiet", "--engine", "python", "--threads", "1", "--arg", "a=2", "--buffer", f"x={buffer}", "--buffer", f"y={buffer}")
    command = [sys.executable, "-S", "-c", code, "run", str(EXAMPLES / "vortex" / "saxpy.elf"), *given]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
