"""The bytes of arguments that are numbers, addresses, vectors and structures."""

import numpy as np
import pytest

from warploom.isa.c.debug_types import Member
from warploom.isa.gcn.kernels.metadata import GLOBAL, VALUE, Argument
from warploom.isa.gcn.kernels.values import parts_of
from warploom.isa.launching import BufferError, arguments_of

PAIR = Argument("p", 16, 8, VALUE, members=(Member(".a", 0, "int32"), Member(".b", 4, "float32")))
LINKED = Argument("n", 0, 16, VALUE, members=(Member(".next", 0, "pointer"), Member(".key[0]", 8, "int16"), Member(".key[1]", 10, "int16")))
UNKNOWN = Argument("d", 8, 8, VALUE)
POINTS = Argument("x", 0, 8, GLOBAL, "pointer")


def words(argument, **given):
    """(name, offset, type, bytes) of each piece."""
    found = parts_of("k.co", argument.name, argument, given, {"here": 0x1234})
    return [(one.parameter.name, one.parameter.offset, one.parameter.dtype, one.data.hex()) for one in found]


PIECES = [("p.a", 16, "int32", "07000000"), ("p.b", 20, "float32", "00002040")]


@pytest.mark.parametrize(
    "given",
    [
        {"p": (7, 2.5)},
        {"p": [7, 2.5]},
        {"p.a": 7, "p.b": 2.5},
        {"p": bytes.fromhex("0700000000002040")},
        {"p": np.array((7, 2.5), "<i4,<f4")[()]},
    ],
)
def test_a_structure_is_given_as_its_numbers_as_members_or_as_bytes(given):
    assert words(PAIR, **given) == PIECES


def test_a_pointer_in_a_structure_is_a_buffer_or_an_address():
    for next_node, shown in (("here", "3412"), (0x5678, "7856")):
        assert words(LINKED, n=(next_node, -1, 2)) == [
            ("n.next", 0, "pointer", f"{shown}000000000000"),
            ("n.key[0]", 8, "int16", "ffff"),
            ("n.key[1]", 10, "int16", "0200"),
        ]


def test_numbers_share_what_nothing_is_known_of():
    assert words(UNKNOWN, d=(32, 16)) == [("d[0]", 8, "uint32", "20000000"), ("d[1]", 12, "uint32", "10000000")]
    assert words(UNKNOWN, d=(1.5, -1)) == [("d[0]", 8, "float32", "0000c03f"), ("d[1]", 12, "int32", "ffffffff")]
    assert words(UNKNOWN, d=(1, 2, 3, 4))[3] == ("d[3]", 14, "uint16", "0400")
    assert words(UNKNOWN, d=0x1000000002) == [("d", 8, "uint64", "0200000010000000")]


@pytest.mark.parametrize(
    ("argument", "given", "said"),
    [
        (PAIR, {"p": 7}, "p = 7: it is 2 numbers, a int32, b float32"),
        (PAIR, {"p": (7, 2.5, 1)}, "p = 7,2.5,1: it is 2 numbers, a int32, b float32"),
        (PAIR, {"p": (7.5, 1)}, "p.a = 7.5: it is int32"),
        (PAIR, {"p": ("here", 1)}, "p.a = 'here': it is int32"),
        (PAIR, {"p.a": 1}, "p.b has no value: add --arg p.b=VALUE, or give all of p: 2 numbers, a int32, b float32"),
        (PAIR, {"p.a": 1, "p": (1, 2)}, "p.a is given twice, by itself and in p: leave one of them out"),
        (PAIR, {"p": bytes(9)}, "p is 8 bytes, and is given 9"),
        (LINKED, {"n": ("there", 1, 2)}, "n.next = 'there': there is no such buffer; there are here"),
        (UNKNOWN, {"d": (1, 2, 3)}, "d = 1,2,3: it is 8 bytes, which 3 numbers do not share equally"),
        (UNKNOWN._replace(size=16), {"d": 1}, "d = 1: it is a value of 16 bytes; give its numbers with commas between them, as d=1,2"),
        (UNKNOWN._replace(dtype="int64"), {"d": (1, 2)}, "d = 1,2: it is one number, int64"),
        (POINTS, {"x": (1, 2)}, r"x = \(1, 2\): it is the name of a buffer, or an address"),
    ],
)
def test_what_does_not_fit(argument, given, said):
    with pytest.raises(BufferError, match=f"^k.co: {said}"):
        words(argument, **given)


def test_the_command_line_has_commas_between_numbers():
    texts = {"n": "0x10", "a": "-2.5", "d": "32,16", "w": "1, -2.5,here", "x": "here"}
    assert arguments_of(texts) == {"n": 16, "a": -2.5, "d": (32, 16), "w": (1, -2.5, "here"), "x": "here"}
