"""What the device answers with, without a host program."""

import struct
from types import SimpleNamespace

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
