"""A machine put aside and taken up again."""

import json

import pytest

from tests.machine.device.test_rooms import STORES, machine
from warploom.machine.run.driver import drive
from warploom.machine.run.image import Image, ImageError


def test_a_machine_goes_on_from_its_image_as_if_nothing_had_been():
    straight, half, other = (machine(STORES) for _ in range(3))
    drive(straight, engine="python")
    drive(half, engine="python", max_cycles=20)
    image = Image.read(half.image().written())
    image.put_into(other)
    assert other.cycle == half.cycle == 20 and other.state() == half.state()
    drive(other, engine="python")
    assert other.state() == straight.state() and other.cycle == straight.cycle


def test_what_came_into_use_after_an_image_is_zero_again():
    made = machine(STORES)
    before, state = made.image(), made.state()
    drive(made, engine="python")
    assert made.memory.any()
    before.put_into(made)
    assert made.state() == state and not made.memory.any()


def test_the_description_says_what_stays_and_how_much_is_in_use():
    made = machine(STORES)
    found = json.loads(made.image().description)
    assert found["configuration"]["core"]["lanes"] == 32 and found["program"]["name"] == "test"
    assert found["in_use"]["memory"] == 0 and found["arrays"]["memory"] == made.memory.nbytes and found["cycle"] == 0
    assert sum(found["in_use"].values()) == sum(array.nbytes for array in made.arrays())


def test_another_machine_or_a_damaged_image_is_refused():
    image = machine(STORES).image()
    with pytest.raises(ImageError, match="of a machine with another configuration"):
        image.put_into(machine(STORES, core__branch_latency=3))
    with pytest.raises(ImageError, match="its description says"):
        Image.read(image.written()[:-1])
    with pytest.raises(ImageError, match="not an image"):
        Image.read(b"\0" * 40)
