"""A unit of the device that reads and writes through a cache of its own, against the words that it asks for."""

import numpy as np

from tests.machine.programs import Assembly, machine
from warploom.machine.engine.unit import mirror
from warploom.machine.memory import client as clients


def client_of(**settings):
    code = Assembly()
    code("exit")
    gpu = mirror(machine(code.program()).gpu.reshape(1))[0]
    one = gpu.clients[3]
    clients.configure(one, 3, 0, *(settings.get(name, usual) for name, usual in (("size", 512), ("ways", 2), ("mshrs", 2))), 64, 6)
    return gpu, one


def test_a_sector_is_asked_for_once_and_found_after_its_answer():
    gpu, one = client_of()
    first = clients.read(gpu, one, np.int64(0x100), np.int64(5))
    assert first >= 0 and clients.read(gpu, one, np.int64(0x13C), np.int64(5)) == first  # the same line
    second = clients.read(gpu, one, np.int64(0x140), np.int64(6))
    assert second not in (first, clients.REFUSED)
    assert clients.read(gpu, one, np.int64(0x200), np.int64(6)) == clients.REFUSED  # two may be on their way
    clients.tell_client(gpu.clients, np.int64((3 << clients.ENTRY_BITS) + first))
    assert clients.take_answers(one, np.int64(50)) == 1 << first
    assert clients.read(gpu, one, np.int64(0x104), np.int64(51)) == clients.FOUND
    assert clients.read(gpu, one, np.int64(0x200), np.int64(52)) >= 0
    assert (int(one.hits), int(one.misses), int(one.merged), int(one.stalls)) == (1, 3, 1, 1)


def test_without_a_cache_every_word_that_is_not_on_its_way_is_asked_for():
    gpu, one = client_of(size=0)
    entry = clients.read(gpu, one, np.int64(0x100), np.int64(5))
    clients.tell_client(gpu.clients, np.int64((3 << clients.ENTRY_BITS) + entry))
    clients.take_answers(one, np.int64(9))
    assert clients.read(gpu, one, np.int64(0x100), np.int64(10)) >= 0
    assert int(one.misses) == 2
