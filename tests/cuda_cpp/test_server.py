"""What the device answers with, without a host program."""

import struct
from types import SimpleNamespace

import pytest

from warploom import SourceError
from warploom.cuda_cpp.compiler import HEADER
from warploom.cuda_cpp.protocol import Kind, Request, Status
from warploom.cuda_cpp.server import NOWHERE, device_pointers
from warploom.ptx import DEVICE_WINDOW, read

TEXT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 .ptr .align 1 k0, .param .u64 k1, .param .u64 .ptr .align 1 k2, .param .u64 .ptr .align 1 k3) { ret; }
"""


def test_a_pointer_of_the_host_never_becomes_an_address_of_the_device():
    kernel = SimpleNamespace(form=read(TEXT, "k.cu").kernels["k"])
    host = 0x7FFC_0000_1000
    given = bytearray(struct.pack("<4Q", DEVICE_WINDOW + 4096, host, 0, host))
    parameters, said = device_pointers(kernel, given)
    assert struct.unpack("<4Q", parameters) == (DEVICE_WINDOW + 4096, host, 0, DEVICE_WINDOW + NOWHERE)
    assert said == (
        "error: argument 4 of the kernel, 0x7ffc00001000, is memory of the host, which kernels cannot access: "
        "copy it to memory that cudaMalloc gave, or allocate it with cudaMallocManaged"
    )


def ask(server, kind, text):
    return server.answer(Request(kind, 0, 0, 0, 0, text.encode()))


def test_a_kernel_that_cannot_be_compiled_ends_the_program(server):
    """Going on, it would print results that the kernel has not computed."""
    assert ask(server, Kind.MODULE, TEXT.replace("ret;", "wmma.load x; ret;")).status == 0
    with pytest.raises(SourceError, match=r"wmma\.load is not there yet"):
        ask(server, Kind.FUNCTION, "k")


def test_a_text_that_the_program_brings_itself_is_refused_to_the_program(server):
    assert ask(server, Kind.MODULE, "nothing").status == Status.INVALID_PTX
    assert "does not begin a declaration" in server.heard[0]
    with pytest.raises(SourceError):
        ask(server, Kind.MODULE, HEADER + "a.cu\nnothing")


def test_numbers_past_the_devices_memory_take_none_of_ours(server):
    def request(kind, a, b, c):
        return server.answer(Request(kind, a, b, c, 0, b""))

    address = request(Kind.ALLOCATE, 64, 256, 0).value
    most = (1 << 64) - 1
    assert request(Kind.FILL, address, 1, most).status == Status.INVALID_VALUE
    assert request(Kind.FILL, address, 1, 65).status == Status.INVALID_VALUE
    assert request(Kind.FILL, address, 1, 64).status == 0
    assert request(Kind.ALLOCATE, 64, 256, most).status == Status.INVALID_VALUE
    assert len(server.allocations.held) == 1
