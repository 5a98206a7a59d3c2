"""The protocol's two sides, and the structures that cross it, say the same."""

import re
import struct

from warploom.cuda_cpp.compiler import INCLUDE, RUNTIME
from warploom.cuda_cpp.properties import DeviceProperties
from warploom.cuda_cpp.protocol import LAUNCH, REPLY, REQUEST, Kind


def test_kinds_are_those_of_the_header():
    text = (RUNTIME / "protocol.h").read_text()
    listed = re.search(r"enum Kind : uint32_t \{(.*?)\n\};", text, re.S)[1]
    assert {name: int(number) for name, number in re.findall(r"^    (\w+) = (\d+)", listed, re.M)} == {
        kind.name: int(kind) for kind in Kind
    }


def test_the_window_is_where_pointers_of_ptx_are():
    from warploom.ptx import DEVICE_WINDOW

    assert int(re.search(r"WINDOW = (0x\w+)ull", (RUNTIME / "window.h").read_text())[1], 16) == DEVICE_WINDOW


def test_fields_of_device_properties_are_in_the_order_of_the_header():
    text = (INCLUDE / "driver_types.h").read_text()
    body = re.search(r"struct cudaDeviceProp \{(.*?)\n\};", text, re.S)[1]
    fields = [
        re.sub(r"\[\d+\]", "", name)
        for line in re.findall(r"^    [\w ]*?(?:char|int|size_t|cudaUUID_t) (.*?);", body, re.M)
        for name in line.split(", ")
    ]
    assert fields == [name for name, *_ in DeviceProperties._fields_]


def test_sizes():
    assert (REQUEST.size, REPLY.size, LAUNCH.size) == (48, 24, struct.calcsize("8I"))
