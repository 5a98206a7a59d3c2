"""What of a configuration the hardware is made of, and what of it has no hardware."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warploom.rtl.model import Config, Program

ADDRESSES = 256  # what 8 bits can name: instructions, and bytes of data memory


class NoHardware(ValueError):
    """A setting, or a program, for which there is no hardware. One sentence that names it and says what to do."""


@dataclass(frozen=True)
class Hardware:
    """Parameters of the hardware, by the names of their settings. The values here are those of the preset `tiny-original`."""

    cores: int = 2
    threads_per_block: int = 4
    data_channels: int = 4
    program_channels: int = 1
    memory_bytes: int = 256
    skip_wait: bool = False
    prefetch: bool = False
    partial_block: bool = True
    last_lane_decides: bool = True
    compare_flags: bool = True
    divide_zero: bool = True
    wrap_pc: bool = True

    @classmethod
    def of(cls, config: Config) -> Hardware:
        """The hardware of a configuration. Raises NoHardware for a setting that has none."""
        _check(config)
        return cls(
            cores=config.gpu.cores,
            threads_per_block=config.core.threads_per_block,
            data_channels=config.memory.data_channels,
            program_channels=config.memory.program_channels,
            memory_bytes=min(config.memory.bytes, ADDRESSES),
            skip_wait=config.core.skip_wait,
            prefetch=config.core.prefetch,
            partial_block=config.quirks.partial_block,
            last_lane_decides=config.quirks.last_lane_decides,
            compare_flags=config.quirks.compare_flags,
            divide_zero=config.quirks.divide_zero,
            wrap_pc=config.quirks.wrap_pc,
        )

    @property
    def faults(self) -> bool:
        """Whether this hardware can find a fault at all."""
        return self.divergence_faults or self.pc_faults or self.address_faults

    @property
    def divergence_faults(self) -> bool:
        """Whether threads that disagree on a branch are a fault."""
        return not self.last_lane_decides

    @property
    def pc_faults(self) -> bool:
        """Whether a program counter that runs off the program is a fault."""
        return not self.wrap_pc

    @property
    def address_faults(self) -> bool:
        """Whether there are addresses beyond data memory."""
        return self.memory_bytes < ADDRESSES

    def __str__(self) -> str:
        def several(count: int, what: str) -> str:
            return f"{count} {what}{'s' if count != 1 else ''}"

        shape = f"{several(self.cores, 'core')} x {several(self.threads_per_block, 'thread')}"
        return f"{shape}, {self.data_channels} data and {several(self.program_channels, 'program channel')}"

    def settings(self) -> dict[str, int | bool]:
        """Every parameter by its name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def check_program(program: Program) -> None:
    """Raises NoHardware for a program that is not tiny-gpu's."""
    if program.isa != "tiny":
        raise NoHardware(f"{program.name} is a program for {program.isa}: the decoder that there is in hardware reads tiny-gpu's words")


def _check(config: Config) -> None:
    if not config.has.twin:
        raise NoHardware(
            f"core.control = {config.core.control!r} has no hardware as a whole machine: there is that of cores that run one instruction "
            "at a time, as the presets tiny-original and tiny have them; of cores with warps there are the units"
        )
    if config.fetch.sets:
        raise NoHardware(f"fetch.sets = {config.fetch.sets}: the instruction cache has no hardware; set fetch.sets=0")
    if config.quirks.wrap_pc and config.memory.program_words != ADDRESSES:
        raise NoHardware(
            f"memory.program_words = {config.memory.program_words}: with quirks.wrap_pc the program counter has 8 bits; "
            f"add --set memory.program_words={ADDRESSES} or quirks.wrap_pc=false"
        )
