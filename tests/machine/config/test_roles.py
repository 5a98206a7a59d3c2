"""Roles: what each takes, and what a core is told of an instruction."""

import numpy as np

from tests.h100_words import program
from warploom.isa import uop as u
from warploom.isa.schedule import ROLE_NUMBER, ROLES
from warploom.machine.config.presets import load_config
from warploom.machine.config.roles import HOPPER, PORTS, TABLES, costs_of, obeys_words
from warploom.machine.core.partitions import LATENCY_CLASSES
from warploom.machine.device.decode import decode


def test_tables_name_roles_and_pipes_that_exist():
    assert len(ROLES) <= LATENCY_CLASSES
    for table in TABLES.values():
        assert set(table) <= set(ROLES)
        assert {cost.port for cost in table.values()} <= {"", *PORTS}


def test_costs_are_by_number():
    costs = costs_of(load_config("h100-sxm"))
    assert costs[ROLE_NUMBER["special"]] == HOPPER["special"]
    assert costs[ROLE_NUMBER["join"]].after == 14


def test_words_are_obeyed_where_machine_and_program_have_them():
    found = program(0)
    assert obeys_words(load_config("h100-sxm"), found)
    assert not obeys_words(load_config("h100"), found)


def test_what_a_core_is_told():
    found = program(2)
    code = decode(load_config("h100-sxm"), found)
    number = next(n for n, text in enumerate(found.text) if text.startswith("IADD3"))
    assert code[number, u.PORT] == u.ALU and code[number, u.ISSUE_LATENCY] == ROLE_NUMBER["integer"]
    assert np.array_equal(code[:, u.CONTROL_WORD], found.schedule.words)
    wide = next(n for n, text in enumerate(found.text) if text.startswith("IMAD.WIDE"))
    assert code[wide, u.BANK_READS] == 2 + 2 + 1 | 1 << 4 | 4 << 8  # R0 and R62 twice, R2 and R3 once; the port of first sources
