"""Patches of a kernel's words."""

import numpy as np
import pytest

from tests.isa.sass.places import path_of
from warploom.checks.early_reads import early_reads
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import BufferError

X, Y = np.zeros(32, np.float32), np.zeros(32, np.float32)


def _program(*patches):
    path = str(path_of(90))
    more = {"kernel": "saxpy", "patches": patches}
    return open_source(path, None, Options(path, arguments={"n": 32, "a": 2.0}, buffers={"x": X, "y": Y}, more=more))[0]


def test_a_stall_count_is_changed_and_the_check_finds_what_that_breaks():
    plain, patched = _program(), _program("0x60:stall=5")
    assert plain.text == patched.text
    assert early_reads(plain) == []
    assert [(one.register, one.cycles, one.takes) for one in early_reads(patched)] == [("P0", 8, 13)]


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("0x60", "a patch is written ADDRESS:FIELD=NUMBER"),
        ("0x64:stall=1", "there is no instruction at 0x64"),
        ("0x60:stal=1", "has no field 'stal', did you mean 'stall'?"),
        ("0x60:stall=99", "0x63 does not fit into 4 bits"),
    ],
)
def test_a_patch_that_cannot_be_made(patch, said):
    with pytest.raises(BufferError) as error:
        _program(patch)
    assert said in str(error.value)
