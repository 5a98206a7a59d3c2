"""Variables, their types and their places, from DWARF."""

import pytest

from tests.ptx.debug.conftest import KERNEL, TEXT
from warploom.isa.views import ViewShape
from warploom.ptx.debug.described import Reader, register_name


@pytest.fixture(scope="module")
def said():
    return Reader(TEXT).of(KERNEL)


def test_parameters_stand_in_their_order(said) -> None:
    assert said.parameters == ("in", "out", "n")


def test_a_struct_in_registers_is_its_members(said) -> None:
    kinds = {one.name: (one.kind, one.bytes) for one in said.pieces}
    assert kinds["both.x"] == ("f", 4) and kinds["both.y"] == ("i", 4) and kinds["in"] == ("u", 8)


def test_a_place_is_a_register_or_a_number_between_two_lines(said) -> None:
    held = next(one for one in said.pieces if one.name == "both.x").held
    lines = TEXT.splitlines()
    assert all(lines[one.first - 1].startswith("$L__") for one in held)
    assert (held[0].register, held[0].number) == ("", 0) and held[-1].register == "%r15"


def test_an_array_in_shared_memory_has_its_shape(said) -> None:
    assert [(one.name, one.shape) for one in said.arrays] == [("tile", ViewShape((4, 32), 4, floats=True))]
    assert said.arrays[0].symbol == "_ZZ4sumsPKfPfiE4tile"


def test_a_register_has_the_characters_of_its_name() -> None:
    assert register_name(0x257231) == "%r1" and register_name(0x25726431) == "%rd1"
