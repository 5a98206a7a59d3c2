"""Messages: one deadline for the whole of each, however often a byte comes."""

import pytest

from warploom.cuda_cpp import protocol
from warploom.grade.host import wire


class Dripping:
    """A socket on which a byte comes each second; a clock that goes with it."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    def settimeout(self, seconds):
        self.left = seconds

    def recv(self, size):
        if self.left < 1:
            raise TimeoutError
        self.now += 1
        return b"\1"

    def recv_into(self, view):
        view[:1] = self.recv(1)
        return 1


@pytest.mark.parametrize(
    ("module", "ended", "receive"),
    [(wire, wire.Ended, lambda drip: wire.receive(drip, 5)), (protocol, protocol.Closed, lambda drip: protocol.receive(drip, 1 << 62, 5))],
)
def test_bytes_that_come_one_by_one_have_one_deadline(module, ended, receive, monkeypatch):
    drip = Dripping()
    monkeypatch.setattr(module, "time", drip)
    with pytest.raises(ended):
        receive(drip)
    assert drip.now == 5
