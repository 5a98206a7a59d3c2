"""A program's device, made for its run."""

import pytest

from warploom.cuda_cpp.runner import run
from warploom.gpu import GPU
from warploom.isa.diagnostics import SourceError
from warploom.kernel.device.context import CURRENT


def test_a_limit_of_addresses_below_the_devices_memory_ends_in_a_sentence(tmp_path, monkeypatch):
    source = tmp_path / "a.cu"
    source.write_text("int main() { }\n")

    def refused(*_):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(GPU, "device", refused)
    CURRENT.use(GPU("sm", engine="python"))
    try:
        with pytest.raises(SourceError, match=r"there is no room for the device's memory, .* GiB"):
            run(source, (), ())
    finally:
        CURRENT.use(None)
