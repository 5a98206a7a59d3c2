import random
import struct

import pytest

from tests.isa.sass.places import ARCHITECTURES, bytes_of, path_of
from warploom.isa.diagnostics import SourceError
from warploom.isa.sass import cubin
from warploom.isa.sass.attributes import KernelParameter, Malformed, records

KERNELS = {"saxpy", "matmul", "histogram", "reduce", "collatz", "mandelbrot", "smooth", "doubles", "bits", "reverse"}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_cubin_names_its_architecture_and_its_kernels(architecture):
    found = cubin.read(bytes_of(architecture), str(path_of(architecture)))
    assert found.architecture == architecture
    assert set(found.kernels) == KERNELS


@pytest.mark.parametrize(("architecture", "base"), [(80, 0x160), (90, 0x210)])
def test_parameters_have_places_and_sizes(architecture, base):
    told = cubin.read(bytes_of(architecture), "k.cubin").kernels["saxpy"].attributes
    assert (told.base, told.size) == (base, 24)
    assert told.parameters == tuple(KernelParameter(number, *place) for number, place in enumerate([(0, 4), (4, 4), (8, 8), (16, 8)]))


def test_shared_memory_of_sm_90_has_the_bytes_that_the_system_takes():
    sizes = {number: cubin.read(bytes_of(number), "k.cubin").kernels["matmul"].shared_bytes for number in ARCHITECTURES}
    assert sizes == {80: 2048, 90: 2048 + 1024}


def test_constants_of_the_file_are_a_bank():
    weights = struct.pack("<5f", 0.0625, 0.25, 0.375, 0.25, 0.0625)
    assert cubin.read(bytes_of(80), "k.cubin").banks[3] == weights


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_lines_are_those_of_the_source(architecture):
    found = cubin.read(bytes_of(architecture), str(path_of(architecture)))
    lines = found.kernels["saxpy"].lines
    texts = {found.sources[one.file].lines[one.line - 1].strip() for one in lines.values()}
    assert "y[i] = a * x[i] + y[i];" in texts
    assert found.sources[1].path.endswith("kernels.cu")
    assert set(lines) == set(range(0, len(found.kernels["saxpy"].code), 16))


def test_registers_are_those_that_the_file_says():
    kernels = cubin.read(bytes_of(80), "k.cubin").kernels
    assert kernels["saxpy"].registers == 10
    assert all(4 <= kernel.registers <= 255 for kernel in kernels.values())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data[:30], "cut off: it has 30 bytes"),
        (lambda data: data[:18] + b"\x3e\x00" + data[20:], "this ELF file is for machine 62 with 64 bits"),
        (lambda data: data[:49] + b"\x64" + data[50:], "this cubin is for sm_100; there are sm_70, "),
        (lambda data: b"hello", "this is not an ELF file"),
        (lambda data: data[:0x28] + bytes(8) + data[0x30:], "this cubin has no table of symbols"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(change, said):
    with pytest.raises(SourceError, match=said):
        cubin.read(change(bytes_of(90)), "k.cubin")


def test_parameters_outside_their_bank_are_refused():
    data = bytes_of(80)
    place = data.index(struct.pack("<BBHIHH", 4, 0x0A, 8, 0, 0x160, 24)[:4])
    while data[place + 8 : place + 12] != struct.pack("<HH", 0x160, 24):
        place = data.index(b"\x04\x0a\x08\x00", place + 1)
    with pytest.raises(SourceError, match=r"the parameters of '\w+' end at byte 65\d+ of a bank of"):
        cubin.read(data[: place + 10] + b"\xff\xff" + data[place + 12 :], "k.cubin")


def test_attributes_that_end_in_the_middle_are_refused():
    with pytest.raises(Malformed, match="attribute 0xa of 8 bytes"):
        list(records(b"\x04\x0a\x08\x00\x01"))
    with pytest.raises(Malformed, match="format 9"):
        list(records(b"\x09\x0a\x08\x00"))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_damaged_cubin_never_raises_anything_else(architecture):
    """Bytes of headers, tables and attributes are changed, and the file is cut off."""
    chosen = random.Random(architecture)
    data = bytes_of(architecture)
    headers = struct.unpack_from("<Q", data, 0x28)[0]
    spans = [(0, 64), (headers, len(data)), (0, len(data))]
    refused = 0
    for _ in range(300):
        damaged = bytearray(data)
        low, high = chosen.choice(spans)
        for _ in range(chosen.choice((1, 2, 8, 64))):
            damaged[chosen.randrange(low, high)] = chosen.choice((0, 1, 0x7F, 0x80, 0xFF, chosen.randrange(256)))
        if chosen.random() < 0.2:
            del damaged[chosen.randrange(len(damaged)) :]
        try:
            cubin.read(bytes(damaged), "k.cubin")
        except SourceError as error:
            assert str(error)
            refused += 1
    assert 30 < refused < 300
