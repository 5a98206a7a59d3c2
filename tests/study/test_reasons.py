"""What is said where no machine of a comparison is possible."""

from warploom.study.reasons import reasons_of


def test_one_reason_is_one_sentence():
    assert reasons_of([{"a": 1}, {"a": 2}], ["no room", "no room"]) == "no room"


def test_each_machine_has_its_own_and_equal_ones_are_said_once():
    points = [{"a": number, "b": 0} for number in range(6)]
    said = reasons_of(points, ["too few", "too many", "too many", "too many", "too many", "too many"])
    assert said == ("none of these machines can run it\n  a=0, b=0: too few\n  a=1, b=0; a=2, b=0; a=3, b=0; 2 more: too many")


def test_of_many_reasons_the_first_are_told():
    said = reasons_of([{"a": number} for number in range(20)], [f"reason {number}" for number in range(20)])
    assert len(said.splitlines()) == 10 and said.endswith("  and 12 more reasons")


def test_one_more_reason_is_one():
    assert reasons_of([{"a": number} for number in range(9)], [f"reason {number}" for number in range(9)]).endswith("  and 1 more reason")
