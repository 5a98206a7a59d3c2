"""Programs that are run with kernels in them."""

import warnings

import pytest

from warploom import SourceError
from warploom.kernel.script import misuse, run_script


def test_a_warning_about_a_programs_syntax_is_shown_once(tmp_path):
    path = tmp_path / "literal.py"
    path.write_text("if 1 is 3: pass\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run_script(path)
    assert [one.category for one in caught] == [SyntaxWarning]


def test_a_mistake_in_a_kernel_keeps_its_place_where_pythons_library_passes_it_on(tmp_path):
    path = tmp_path / "mistake.py"
    path.write_text("import numpy as np\nfrom numba import cuda\n@cuda.jit\ndef k(a):\n    a[0.5] = 1\nk[1, 1](np.zeros(4))\n")
    with pytest.raises(SourceError) as caught:
        run_script(path)
    assert misuse(caught.value) is None  # it has a place already
