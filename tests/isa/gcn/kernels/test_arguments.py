"""Arguments that a file gives no name, and places in LDS."""

import numpy as np
import pytest

from warploom.isa.frontend import Options
from warploom.isa.gcn.kernels.arguments import dynamic_shared, placed
from warploom.isa.gcn.kernels.metadata import GLOBAL, LOCAL, VALUE, Argument
from warploom.isa.launch import Launch
from warploom.isa.launching import BufferError

LAUNCH = Launch(threads=64, block=64)
UNNAMED = [Argument("", 0, 8, GLOBAL, element="int32"), Argument("", 8, 4, LOCAL), Argument("", 12, 4, LOCAL), Argument("", 16, 4, VALUE)]


def test_what_has_no_name_is_known_by_its_place():
    given = {"arg1": 20, "arg2": 8, "arg3": 7}
    local, whole = dynamic_shared("k.co", UNNAMED, given, 10)
    assert (local, whole) == ({"arg1": 16, "arg2": 48}, 56)
    made = placed("k.co", "k", UNNAMED, 20, LAUNCH, Options(buffers={"arg0": [1, 2]}, arguments=given), local)
    words = [int.from_bytes(made.segment[place : place + 4], "little") for place in (0, 8, 12, 16)]
    assert words == [made.buffers[0].base, 16, 48, 7]
    assert made.buffers[0].bytes == 8


def test_a_pointer_to_lds_says_how_many_bytes():
    with pytest.raises(BufferError, match=r"k.co: arg1 = -1: it points to LDS; give the number of bytes that it points to"):
        dynamic_shared("k.co", UNNAMED, {"arg1": -1}, 0)


def test_hidden_arguments_after_the_bytes_that_are_given():
    """Who gives a struct as bytes gives the arguments of the source; those of the compiler follow, unless they are given too."""
    arguments = [Argument("s", 0, 12, VALUE), Argument("", 12, 4, "hidden_block_count_x"), Argument("", 16, 2, "hidden_group_size_x")]
    launch = Launch(grid=3, block=64)
    for given, after in ((bytes(range(12)), [3, 64]), (bytes(range(16)), [0x0F0E0D0C, 64]), (bytes(20), [0, 0])):
        made = placed("k.co", "k", arguments, 20, launch, Options(buffers={"argument": np.frombuffer(given, "u1")}))
        assert made.segment[: len(given)] == given
        assert [int.from_bytes(made.segment[place : place + size], "little") for place, size in ((12, 4), (16, 2))] == after
