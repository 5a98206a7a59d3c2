"""Where variables are: tokens in registers, bound names, and what is left of both where ways meet."""

from warploom.isa.variables import NO_VARIABLES, Event, Place, Span, Variables


def span(first: int, stop: int, after: tuple[int, ...], *events: Event) -> Span:
    return Span(first, stop, after, events)


def test_a_variable_is_there_from_its_instruction_on_until_its_register_is_written() -> None:
    found = Variables((span(0, 4, (), Event(1, 7, "", 2), Event(1, 7, "i", kind="u"), Event(3, 8, "", 2)),))
    assert found.at(0) == {}
    assert found.at(1) == found.at(2) == {"i": Place("i", 2, 1, "u")}
    assert found.at(3) == {}
    assert found.names == ("i",)


def test_the_last_binding_counts_even_where_the_value_before_it_is_still_there() -> None:
    found = Variables((span(0, 3, (), Event(1, 1, "", 4), Event(1, 1, "x"), Event(2, 2, "", 5), Event(2, 2, "x")),))
    assert found.at(1)["x"].register == 4
    assert found.at(2)["x"].register == 5


def test_a_variable_that_is_no_register_is_gone() -> None:
    found = Variables((span(0, 3, (), Event(1, 1, "", 4), Event(1, 1, "x"), Event(2, 0, "x")),))
    assert "x" in found.at(1) and "x" not in found.at(2)


def test_both_registers_of_a_pair_have_to_be_there() -> None:
    found = Variables((span(0, 4, (), Event(1, 1, "", 4, 2), Event(1, 1, "d", kind="f"), Event(2, 2, "", 5)),))
    assert found.at(1) == {"d": Place("d", 4, 2, "f")}
    assert found.at(2) == {}


def test_where_ways_meet_only_what_is_the_same_on_both_stays() -> None:
    x, y = (Event(1, 1, "", 1), Event(1, 1, "x")), (Event(1, 2, "", 2), Event(1, 2, "y"))
    split = span(0, 1, (1, 2), *x, *y)
    left = span(1, 2, (3,), Event(2, 3, "", 2), Event(2, 3, "y"))
    right = span(2, 3, (3,))
    found = Variables((split, left, right, span(3, 4, ())))
    assert set(found.at(3)) == {"x"}


def test_a_phi_is_there_on_whatever_way_and_a_loop_keeps_it() -> None:
    before = span(0, 1, (1,), Event(1, 1, "", 3))
    head = span(1, 3, (1, 2), Event(1, 5, "", 3), Event(1, 5, "k"), Event(3, 6, "", 3))
    found = Variables((before, head, span(3, 4, ())))
    assert found.at(1)["k"] == found.at(2)["k"] == Place("k", 3)
    assert found.at(3) == {}


def test_what_the_launch_gives_is_always_there() -> None:
    found = Variables((span(0, 2, ()),), (Place("n", 1 << 16),))
    assert found.at(0) == found.at(1) == {"n": Place("n", 1 << 16)}


def test_results_are_named_after_their_first_variable() -> None:
    found = Variables((span(0, 3, (), Event(2, 1, "", 4), Event(2, 1, "x"), Event(3, 1, "alias")),))
    assert found.results == {1: "x"}


def test_a_program_that_says_nothing_has_none() -> None:
    assert not NO_VARIABLES and NO_VARIABLES.at(0) == {} and NO_VARIABLES.results == {}
