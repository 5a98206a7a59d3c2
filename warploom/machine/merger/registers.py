"""The output merger's settings: functions, factors, masks.

The numbers are those of Vortex of 2024 and 2026 (github.com/vortexgpgpu/skybox d06a998, hw/rtl/VX_types.vh); the names those of WebGPU.
"""

from __future__ import annotations

from warploom.machine.engine.unit import record

COMPARES = ("always", "never", "less", "less-equal", "equal", "greater-equal", "greater", "not-equal")
ALWAYS, NEVER, LESS, LESS_EQUAL, EQUAL, GREATER_EQUAL, GREATER, NOT_EQUAL = range(len(COMPARES))

STENCIL_OPERATIONS = ("keep", "zero", "replace", "increment-clamp", "decrement-clamp", "invert", "increment-wrap", "decrement-wrap")
KEEP, ZERO, REPLACE, INCREMENT_CLAMP, DECREMENT_CLAMP, INVERT, INCREMENT_WRAP, DECREMENT_WRAP = range(len(STENCIL_OPERATIONS))

BLEND_MODES = ("add", "subtract", "reverse-subtract", "min", "max", "logic")
ADD, SUBTRACT, REVERSE_SUBTRACT, MIN, MAX, LOGIC = range(len(BLEND_MODES))

FACTORS = (
    "zero", "one", "src", "one-minus-src", "dst", "one-minus-dst", "src-alpha", "one-minus-src-alpha", "dst-alpha",
    "one-minus-dst-alpha", "constant", "one-minus-constant", "constant-alpha", "one-minus-constant-alpha", "src-alpha-saturated",
)  # fmt: skip
(
    F_ZERO, F_ONE, F_SOURCE, F_NOT_SOURCE, F_DESTINATION, F_NOT_DESTINATION, F_SOURCE_ALPHA, F_NOT_SOURCE_ALPHA, F_DESTINATION_ALPHA,
    F_NOT_DESTINATION_ALPHA, F_CONSTANT, F_NOT_CONSTANT, F_CONSTANT_ALPHA, F_NOT_CONSTANT_ALPHA, F_SATURATED,
) = range(len(FACTORS))  # fmt: skip

LOGIC_OPERATIONS = (
    "clear", "and", "and-reverse", "copy", "and-inverted", "noop", "xor", "or", "nor", "equivalent", "invert", "or-reverse",
    "copy-inverted", "or-inverted", "nand", "set",
)  # fmt: skip

FRONT, BACK = range(2)

Merger = record(
    settings=dict(
        color_write="i8",                  # bit c: byte c of a colour may be written
        depth_compare="i8",                # ALWAYS ...: new depth with stored depth
        depth_write="i8",                  # 1: a depth that passes is stored
        stencil_compare=("i8", 2),         # front, back: ALWAYS ...: reference & mask with stored & mask
        stencil_pass=("i8", 2),            # KEEP ...: where both tests pass
        stencil_depth_fail=("i8", 2),      # where the depth test fails
        stencil_fail=("i8", 2),            # where the stencil test fails
        stencil_reference=("i8", 2),
        stencil_mask=("i8", 2),
        stencil_write=("i8", 2),           # bits of a stencil value that may be written
        blend_color=("i8", 2),             # of red, green and blue, of alpha: ADD ...
        source_factor=("i8", 2),           # the same: F_ZERO ...
        destination_factor=("i8", 2),
        blend_constant="i8",               # a colour, alpha in the highest byte
        logic_operation="i8",              # 0 to 15, where the blend mode is LOGIC
    ),
)  # fmt: skip
