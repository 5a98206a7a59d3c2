"""External memory for the hardware's test bench: what answers on the channels. The model is `warploom.machine.sequencer.external_memory`.

This is not hardware of the GPU's: it lies outside, and the bench plays it. A request that was up before a clock edge is answered after it.
All reads of a cycle come first; then the writes from the highest channel to the lowest, so that channel 0 wins.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.rtl.hardware import ADDRESSES, Hardware

BYTE, WORD = 8, 16  # bits of a data word, of an instruction


class ExternalMemory:
    """Program memory and data memory. program: instruction words. data: bytes, from address 0; what nothing has written is 0."""

    def __init__(self, hardware: Hardware, program: Sequence[int], data: Sequence[int]) -> None:
        self.channels, self.program_channels = hardware.data_channels, hardware.program_channels
        self.program = [*program, *[0] * (ADDRESSES - len(program))]
        self.data = [*data, *[0] * (ADDRESSES - len(data))]

    def answer(self, requests: int) -> int:
        """The ready lines and the data that answer some requests, both as the bench's vectors have them (`bench.Bench`)."""
        channels, answer = self.channels, 0
        reads, writes = requests & (1 << channels) - 1, requests >> channels & (1 << channels) - 1
        if reads or writes:
            answer = reads | writes << channels
            addresses = requests >> 2 * channels
            data_at = 2 * channels
            for channel in range(channels):
                if reads >> channel & 1:
                    answer |= self.data[addresses >> BYTE * channel & 0xFF] << data_at + BYTE * channel
            if writes:
                addresses >>= BYTE * channels
                values = addresses >> BYTE * channels
                for channel in reversed(range(channels)):
                    if writes >> channel & 1:
                        self.data[addresses >> BYTE * channel & 0xFF] = values >> BYTE * channel & 0xFF
        fetches = requests >> (2 + 3 * BYTE) * channels
        lines = fetches & (1 << self.program_channels) - 1
        if lines:
            place = (2 + BYTE) * channels
            answer |= lines << place
            fetches >>= self.program_channels
            place += self.program_channels
            for channel in range(self.program_channels):
                if lines >> channel & 1:
                    answer |= self.program[fetches >> BYTE * channel & 0xFF] << place + WORD * channel
        return answer
