"""Programs that are run with kernels in them."""

import warnings

from warploom.kernel.script import run_script


def test_a_warning_about_a_programs_syntax_is_shown_once(tmp_path):
    path = tmp_path / "literal.py"
    path.write_text("if 1 is 3: pass\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run_script(path)
    assert [one.category for one in caught] == [SyntaxWarning]
