"""Kernels of a cubin in the memory of a device."""

from warploom.isa.launch import Launch
from warploom.isa.sass import resident
from warploom.isa.sass.cubin import Cubin, Kernel, Relocation, Symbol
from warploom.isa.sass.resident import Resident

TABLE = Symbol("table", 7, 0, 4, False, False)
LAUNCH = Launch(block=1, grid=1)


class Memory:
    def __init__(self, begin):
        self.at, self.written = begin, {}

    def allocate(self, size, align):
        self.at += align
        return self.at

    def write(self, at, data):
        self.written[at] = data


def kernel_with_a_variable():
    kernel = Kernel("k", 5, bytes(32), 8, relocations=(Relocation(0, 56, TABLE, 0),))
    return Resident(Cubin("k.cubin", 80, {"k": kernel}, {}, {}, {7: b"five"}, (), {}, ()), kernel)


def test_code_is_read_once_for_each_device(monkeypatch):
    read = []

    def instructions_of(found, kernel):
        read.append(int.from_bytes(kernel.code[4:8], "little"))
        return ()

    monkeypatch.setattr(resident, "instructions_of", instructions_of)
    made, first, second = kernel_with_a_variable(), Memory(0x1000), Memory(0x9000)
    for device in (first, first, first, second, second):
        made.place(device, device.allocate, device.write)
        made.launched(LAUNCH, b"")
    assert read == [0x1100, 0x9100]
    assert first.written == {0x1100: b"five"}
    assert second.written == {0x9100: b"five"}


def test_what_stops_the_run_is_said_before():
    made = kernel_with_a_variable()
    said = made.warnings(made.launched(LAUNCH, b""))
    assert [one.message.rpartition("; ")[2] for one in said] == ["the run stops there"] * 2
