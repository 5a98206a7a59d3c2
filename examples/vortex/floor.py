"""Renders floor.c with Vortex's texture unit, and writes the picture: python examples/vortex/floor.py floor.png"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import warploom
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

ELF = Path(__file__).with_suffix(".elf")  # warploom cc floor.c -o floor.elf
WIDTH, HEIGHT, SIDE = 128, 64, 64
TEXELS = 0x100000
UNIT, ADDRESS, SIZE, FORMAT, FILTER, WRAP, OFFSETS = range(6, 13)  # device configuration registers


def bricks() -> list[np.ndarray]:
    """The levels of detail, uint8[side, side, 4]: blue, green, red, alpha."""
    y, x = np.mgrid[:SIDE, :SIDE]
    mortar = (y % 16 < 2) | ((x + 8 * (y // 16 % 2)) % 32 < 2)
    levels = [np.where(mortar[..., None], (200, 195, 185, 255), (60, 75, 160, 255)).astype(np.uint8)]
    while len(levels[-1]) > 1:
        half = len(levels[-1]) // 2
        levels.append(levels[-1].reshape(half, 2, half, 2, 4).mean(axis=(1, 3)).astype(np.uint8))
    return levels


def render(engine: str = "auto") -> np.ndarray:
    """The picture, uint8[height, width, 3]."""
    levels = bricks()
    log_side = SIDE.bit_length() - 1
    registers = {UNIT: 0, ADDRESS: TEXELS >> 6, SIZE: log_side << 16 | log_side, FORMAT: 0, FILTER: 1, WRAP: 1 << 16 | 1}
    offset = 0
    for number, level in enumerate(levels):
        registers[OFFSETS + number] = offset
        offset += level.size
    buffers = {
        "out": np.zeros(WIDTH * HEIGHT, np.uint32),
        f"texels@{TEXELS:#x}": np.concatenate([level.ravel() for level in levels]),
        "dcr": np.array(list(registers.items())),
    }
    options = Options(path=str(ELF), threads=WIDTH * HEIGHT, arguments={"width": WIDTH, "height": HEIGHT}, buffers=buffers)
    result = warploom.GPU("vortex-2024", engine=engine).run(warploom.load(ELF, options=options))
    pixels = read_buffer(result.program, result.memory, "out").view(np.uint8).reshape(HEIGHT, WIDTH, 4)
    return pixels[..., 2::-1]


if __name__ == "__main__":
    Image.fromarray(render()).resize((4 * WIDTH, 4 * HEIGHT), Image.Resampling.NEAREST).save(sys.argv[1])
