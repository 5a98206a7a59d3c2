"""Fat binaries, and programs that hold them."""

import numpy as np
import pytest

from tests.isa.sass.places import bytes_of
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.sass.container import CUBIN, ENTRY, HEADER, MAGIC, PTX, cubin_in


def _entry(kind, architecture, data, flags=0x11):
    data = data + bytes(-len(data) % 8)
    return ENTRY.pack(kind, 0x101, ENTRY.size, len(data), 0, 0, 8, 1, architecture, 0, 0, flags, 0, 0) + data


def _fat(*entries):
    body = b"".join(entries)
    return HEADER.pack(MAGIC, 1, HEADER.size, len(body)) + body


BOTH = _fat(_entry(CUBIN, 80, bytes_of(80)), _entry(PTX, 90, b"// text"), _entry(CUBIN, 90, bytes_of(90)))


@pytest.mark.parametrize(("product", "architecture"), [(None, 90), ("sm", 90), ("h100", 90), ("a100", 80), ("a40", 80)])
def test_a_product_takes_the_highest_code_that_it_can(product, architecture):
    assert cubin_in(BOTH, "k.fatbin", product).startswith(bytes_of(architecture))


def test_a_program_of_the_host_is_searched():
    program = b"\x7fELF" + bytes(100) + BOTH + bytes(50)
    assert cubin_in(program, "a.out", "a100").startswith(bytes_of(80))


def test_a_cubin_without_code_is_passed_over():
    several = _fat(_entry(CUBIN, 80, bytes_of(80)[:64]), _entry(CUBIN, 80, bytes_of(80)))
    assert cubin_in(several, "a.out").startswith(bytes_of(80))


@pytest.mark.parametrize(
    ("data", "product", "said"),
    [
        (BOTH, "v100", "it holds code for sm_80, sm_90, and none that v100, sm_70, takes"),
        (_fat(_entry(PTX, 90, b"// text")), None, "it holds PTX and no cubin"),
        (_fat(_entry(CUBIN, 90, b"\x28\xb5\x2f\xfd", 0x8011)), None, "its code for sm_90 is compressed"),
    ],
)
def test_what_does_not_run_is_one_sentence(data, product, said):
    with pytest.raises(SourceError, match=said):
        cubin_in(data, "k.fatbin", product)


def test_a_damaged_one_ends_in_a_sentence():
    for cut in range(0, len(BOTH), 997):
        try:
            open_source(BOTH[:cut], "sass", Options("k.fatbin", machine="a100", more={"kernel": "saxpy"}))
        except (SourceError, ValueError) as failure:
            assert str(failure)


def test_a_fat_binary_is_loaded_as_a_cubin(tmp_path):
    path = tmp_path / "k.fatbin"
    path.write_bytes(BOTH)
    buffers = {"p2": np.ones(4, np.float32), "p3": np.ones(4, np.float32)}
    options = Options(str(path), machine="a100", arguments={"p0": 4, "p1": 1.0}, buffers=buffers, more={"kernel": "saxpy"})
    assert open_source(str(path), None, options).program.isa == "sass-80"
