"""From a file to a Program."""

import importlib
import os
import sys

import pytest

from warploom.isa import FRONT_ENDS, load, load_with_warnings
from warploom.isa.diagnostics import SourceError


def message(path, isa=None):
    with pytest.raises(SourceError) as caught:
        load(path, isa)
    return str(caught.value)


def test_every_front_end_of_the_table_is_there_and_has_its_own_endings():
    suffixes = [suffix for front_end in FRONT_ENDS for suffix in front_end.suffixes]
    assert len(suffixes) == len(set(suffixes))
    for front_end in FRONT_ENDS:
        assert callable(importlib.import_module(front_end.module).assemble)


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
    assert [item.message for item in warnings] == ["after this instruction the program runs on behind its end, without a RET"]


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "matmul.asm").write_text("RET")
    (tmp_path / "binary.asm").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "latin.asm").write_bytes(b"; f\xfcr\nRET")
    (tmp_path / "folder.asm").mkdir()
    assert message(tmp_path / "matmull.asm") == (
        f"{tmp_path}/matmull.asm: error: there is no such file\n    fix: look again at the name, did you mean 'matmul.asm'?"
    )
    assert message(tmp_path / "nowhere" / "x.asm") == f"{tmp_path}/nowhere/x.asm: error: there is no such file"
    assert message(tmp_path / "binary.asm") == f"{tmp_path}/binary.asm: error: this is a binary file, not source text: byte 4 is zero"
    assert message(tmp_path / "latin.asm").startswith(f"{tmp_path}/latin.asm: error: this is not text in UTF-8: byte 3 is 0xfc")
    assert message(tmp_path / "folder.asm").startswith(f"{tmp_path}/folder.asm: error: this is a directory, not a file")


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
