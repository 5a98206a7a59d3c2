"""The table of compute capabilities: what a line of it means, and lines as the sources have them."""

from warploom.machine.occupancy.capabilities import CAPABILITIES, _row
from warploom.machine.occupancy.residency import Limits


def test_a_line_is_given_in_the_units_of_its_sources():
    made = _row(7, 3, 5, 4, (2, 5), registers=6, registers_per_block=9, registers_per_thread=63, partitions=2, shared_unit=8, reserved=2)
    assert made == Limits(
        lanes=32, warps=7, blocks=3, block_threads=1024, registers=6144, registers_per_block=9216, registers_per_thread=63,
        register_unit=256, partitions=2, shared=5120, shared_per_block=4096, shared_unit=8, shared_reserved=2048, shared_sizes=(2048, 5120),
    )  # fmt: skip


def test_lines_as_the_sources_have_them():
    """cuda_occupancy.h, and the CUDA C++ Programming Guide."""
    volta, ampere, hopper = (CAPABILITIES[name] for name in ("7.0", "8.0", "9.0"))
    assert (volta.shared, volta.shared_per_block, volta.shared_reserved, volta.shared_unit) == (98304, 98304, 0, 256)
    assert (ampere.shared, ampere.shared_per_block, ampere.shared_reserved, ampere.shared_unit) == (167936, 166912, 1024, 128)
    assert (hopper.shared, hopper.shared_per_block, hopper.warps, hopper.blocks) == (233472, 232448, 64, 32)
    assert (volta.registers, volta.registers_per_block, volta.partitions) == (65536, 65536, 4)
