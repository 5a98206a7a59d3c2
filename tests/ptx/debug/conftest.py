"""A kernel as a compiler writes it with debug information: a loop, a struct in two registers, an array in shared memory."""

from pathlib import Path

import pytest

from warploom.ptx import read

TEXT = Path(__file__).with_name("names.ptx").read_text(encoding="utf-8")
KERNEL = "_Z4sumsPKfPfi"


@pytest.fixture(scope="session")
def sums():
    return read(TEXT, "names.ptx").compile(KERNEL, {}).program
