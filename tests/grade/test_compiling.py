"""A compiler that a stranger's text sends for files: it gets none but its own."""

import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from warploom.grade.compiling import compiled


def of(folder):
    return SimpleNamespace(folder=folder)


def test_the_result_and_errors_come_back(tmp_path):
    assert compiled(lambda: 7, of(tmp_path), tmp_path) == 7
    with pytest.raises(KeyError):
        compiled(lambda: {}["x"], of(tmp_path), tmp_path)


def test_few_files_can_be_reached_and_only_there(tmp_path):
    task, work = tmp_path / "task", tmp_path / "work"
    task.mkdir()
    work.mkdir()
    (task / "reference.py").write_text("secret")

    def tries():
        (work / "made.o").write_text("made")
        with tempfile.TemporaryFile() as file:  # lies in the folder as well
            file.write(b"x")
        try:
            return (task / "reference.py").read_text()
        except OSError as error:
            return error

    found = compiled(tries, of(task), work)
    assert (work / "made.o").read_text() == "made"
    if found == "secret":
        pytest.skip("this system has no Landlock")
    assert isinstance(found, PermissionError)
    assert (task / "reference.py").read_text() == "secret"  # the judge itself is not locked
    assert Path(tempfile.gettempdir()) != work
