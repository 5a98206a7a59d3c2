"""The role of opcodes, and the schedule of a kernel."""

import pytest

from tests.h100_words import program
from tests.isa.sass.places import bytes_of
from warploom.isa.sass.control.roles import ROLE_OF, role_of, schedule_of
from warploom.isa.sass.cubin import read
from warploom.isa.sass.table import ROWS, decoded
from warploom.isa.schedule import NO_SOURCE, ROLES


def test_every_role_of_the_table_exists():
    assert set(ROLE_OF.values()) <= set(ROLES)


@pytest.mark.parametrize("architecture", [80, 90])
def test_the_schedule_of_our_own_kernels(architecture):
    for kernel in read(bytes_of(architecture), "k").kernels.values():
        instructions = decoded(kernel.code, architecture)
        schedule = schedule_of(instructions)
        assert len(schedule.words) == len(schedule.roles) == len(schedule.sources) == len(instructions)
        for one, word in zip(instructions, schedule.words.tolist(), strict=True):
            assert (word & 15, word >> 11 & 63) == (one.control.stall, one.control.wait)


def test_roles_by_what_instructions_are():
    names = list(ROLES)
    found = program(0)
    roles = {text.split()[0]: names[role] for text, role in zip(found.text, found.schedule.roles.tolist(), strict=True)}
    assert roles["IMAD.WIDE"] == "wide" and roles["CS2R"] == "clock" and roles["ULDC.64"] == "uniform_load"
    assert roles["S2R"] == "lane_special" and roles["LDC.64"] == "constant" and roles["ISETP.NE.AND"] == "compare"
    number = next(n for n, text in enumerate(found.text) if text.startswith("IMAD.WIDE"))
    assert found.schedule.sources[number].tolist() == [0, 62, 2]
    number = next(n for n, text in enumerate(found.text) if text.startswith("MOV"))
    assert found.schedule.sources[number].tolist() == [NO_SOURCE] * 3


def test_every_opcode_has_a_role():
    assert all(role_of(type("One", (), {"name": row.name, "row": row, "word": row.code, "values": {}, "at": lambda *_: 0})()) in ROLES
               for row in ROWS if row.name not in ("BRA", "WARPSYNC"))  # fmt: skip
