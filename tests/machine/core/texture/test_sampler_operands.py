"""Where an image store takes its operands from: registers of lanes, scalar registers, the immediate, each for any of the three."""

from itertools import product

import numpy as np
import pytest

from tests.machine.core.texture.sampler_model import Image
from warploom.isa.uop import IMMEDIATE, Uop, scalar
from warploom.machine.core.texture.sampler import store_image
from warploom.machine.datapath.register_file import WarpRegisters
from warploom.machine.engine.unit import mirror, zeros


@pytest.mark.parametrize("places", list(product(("lane", "scalar", "immediate"), repeat=3)))
def test_each_operand_of_an_image_store_comes_from_its_own_place(places):
    """(2, 1) = 0x11223344 from registers of lanes, (3, 0) = 0x55667788 from scalar ones, and the immediate is 1."""
    image = Image("rgba8", 4, 2)
    registers = zeros((), WarpRegisters)
    registers["lane"][1:4, :4] = [[2], [1], [0x11223344]]
    registers["scalar"][:3] = 3, 0, 0x55667788
    registers["active"][:1] = 0xFFFFFFFF
    values = {"lane": (2, 1, 0x11223344), "scalar": (3, 0, 0x55667788), "immediate": (1, 1, 1)}
    codes = {"lane": (1, 2, 3), "scalar": (scalar(0), scalar(1), scalar(2)), "immediate": (IMMEDIATE,) * 3}
    a, b, c = (codes[place][number] for number, place in enumerate(places))
    x, y, packed = (values[place][number] for number, place in enumerate(places))
    memory = image.memory.copy()
    uops = np.array([Uop("store_image", a=a, b=b, c=c, imm=1, view=0).row()], np.int32)
    store_image(mirror(registers), uops, 0, 4, memory, image.view)
    expected = image.memory.copy()
    expected[image.address[0, x, y] // 4] = packed
    assert memory.tolist() == expected.tolist()
