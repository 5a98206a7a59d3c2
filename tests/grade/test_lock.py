"""What a locked process may read."""

from warploom.grade import lock


def test_the_systems_files_are_named_by_where_they_are():
    """A link to /usr/lib would open what is hidden below it."""
    assert all(one == one.resolve() for one in lock._system())


def test_what_is_hidden_among_the_systems_files_is_not_readable_for_a_program(tmp_path, monkeypatch):
    library, puzzles = tmp_path / "lib", tmp_path / "lib" / "python3" / "warploom" / "puzzles"
    puzzles.mkdir(parents=True)
    for file in (library / "libc.so", puzzles.parent / "gpu.py", puzzles / "reference.cu"):
        file.write_text("")
    monkeypatch.setattr(lock, "_system", lambda: [library])
    program = tmp_path / "program"
    assert lock._readable_of([puzzles], program) == [program, library / "libc.so", puzzles.parent / "gpu.py"]
    assert lock._readable_of([tmp_path / "elsewhere"], program) == [program, library]
    assert not any(
        one == puzzles or puzzles.is_relative_to(one) for one in lock._readable_of([puzzles], None) if one.is_relative_to(library)
    )
