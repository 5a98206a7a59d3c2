"""The latency classes: how long an operation takes, which pipe takes it and for how long, in one table.

The settings `latency.NAME`, and those settings of `pipes` that concern a class (the pipe, the interval, the sequence), are made from the
rows; so are the rules of `pipes.py` about them. An operation of `isa/uop.py` names its class.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from warploom.isa.uop import L_SCALAR, LATENCIES
from warploom.machine.engine.fields import choice, number, shaped

EXAMPLE = "1 special + 4 fma"  # of a sequence
SCALAR = LATENCIES[L_SCALAR]  # the class of what the scalar unit executes, whatever the operation


class LatencyClass(NamedTuple):
    """A class of operations.

    takes: what they are, as the setting of its latency says it. like: the class whose latency it has if its own is 0, which is then the
    default; without one its latency is a number of its own. pipe: the pipe of a sub-partition that takes it, unless a setting says so:
    choice: its name and meaning, if there is one, and pipes: the pipes that it may name. interval: the operations, in the setting of the
    cycles from one to the next; "" if only the pipe's lanes decide. sequence: an operation, in the setting of what hardware makes it of;
    "" if it is one instruction.
    """

    name: str
    takes: str
    like: str = ""
    pipe: str = "integer"
    choice: tuple[str, str] = ("", "")
    pipes: tuple[str, ...] = ()
    interval: str = ""
    sequence: str = ""


CLASSES = (
    LatencyClass("alu", "integer and logic"),
    LatencyClass(
        "multiply", "integer multiply", interval="integer multiplies",
        choice=("multiply", "the pipe that multiplies integers; of a float pipe with two halves the first"), pipes=("integer", "float"),
    ),
    LatencyClass("divide", "integer divide", interval="integer divides, which are long sequences,", sequence="an integer divide"),
    LatencyClass("float", "float add", pipe="float"),
    LatencyClass(
        "float_compare", "float compare, minimum, maximum", like="float", pipe="float",
        choice=("compare", "the pipe that compares floats, and finds the smaller and the larger"), pipes=("integer", "float"),
    ),
    LatencyClass(
        "half", "arithmetic and comparison of 16-bit floats", like="float", pipe="float", interval="operations on 16-bit floats",
        choice=("half", "the pipe for 16-bit floats: the float pipe, or one of their own of as many lanes"), pipes=("float", "half"),
    ),
    LatencyClass("float_multiply", "float multiply", pipe="float"),
    LatencyClass("fma", "multiply-add", pipe="float"),
    LatencyClass("float_divide", "float divide", pipe="float", interval="float divides", sequence="a float divide"),
    LatencyClass(
        "float_root", "float square root, rounded as IEEE 754 says", like="special", pipe="special", sequence="a float square root"
    ),
    LatencyClass(
        "float_reciprocal", "float reciprocal, rounded as IEEE 754 says", like="special", pipe="special", sequence="a float reciprocal"
    ),
    LatencyClass("special", "reciprocal root, sine, logarithm, and all that is approximate", pipe="special"),
    LatencyClass(
        "convert", "between integer and float", pipe="float", interval="conversions between integer and float",
        choice=("convert", "the pipe that converts between integer and float"), pipes=("integer", "float", "special"),
    ),
    LatencyClass(
        "bits", "leading and trailing zeros, ones, bits in reverse order",
        choice=("bits", "the pipe that counts and reverses bits"), pipes=("integer", "special"),
    ),
    LatencyClass("double", "double add, multiply, multiply-add, compare", pipe="double"),
    LatencyClass(
        "double_convert", "from and to 64-bit floats", like="double", pipe="double",
        choice=("double_convert", "the pipe that converts from and to 64-bit floats"), pipes=("double", "special"),
    ),
    LatencyClass(
        "double_divide", "double divide and square root", pipe="double", interval="double divides and roots",
        sequence="a double divide or root",
    ),
    LatencyClass("mask", "comparison of lanes into a mask register of AVX-512", like="alu"),
    LatencyClass(
        "shuffle", "a value of a different lane of the warp", like="alu", interval="shuffles",
        choice=("shuffle", "what moves values between lanes: a pipe, or the way to the load/store unit and shared memory"),
        pipes=("integer", "load_store"),
    ),
    LatencyClass(SCALAR, "arithmetic in the scalar unit, where there is one (pipes.scalar)"),
)  # fmt: skip
CLASS_OF = {one.name: one for one in CLASSES}  # memory and control have none: what they take is not a latency
SEQUENCES = tuple(one.name for one in CLASSES if one.sequence)


def class_latency_settings() -> list[tuple[str, Any, int]]:
    """The settings of section `latency`: (name, declaration, default), one a class."""
    found = []
    for one in CLASSES:
        meaning = f"{one.takes}; 0: as {one.like}" if one.like else one.takes
        least = 0 if one.like else 1
        found.append((one.name, number(meaning, "cycles", at_least=least, at_most=4096), least))
    return found


def class_pipe_settings() -> list[tuple[str, Any, Any]]:
    """Those of section `pipes` that concern a class: which pipe takes it, the cycles from one to the next, the sequence that it is."""
    chosen = [(one.choice[0], choice(one.choice[1], *one.pipes), one.pipe) for one in CLASSES if one.pipes]
    return [
        *chosen,
        *((f"{one.name}_interval", interval_of(one.interval), 0) for one in CLASSES if one.interval),
        *((f"{one.name}_sequence", _sequence_of(one.sequence), "") for one in CLASSES if one.sequence),
    ]


def interval_of(what: str) -> Any:
    """The declaration of a setting with cycles from one instruction to the next."""
    return number(f"cycles from one instruction of {what} to the next; 0: as its lanes say", "cycles", at_most=4096)


def _sequence_of(operation: str) -> Any:
    meaning = (
        f"what {operation} is made of: latency classes and how many instructions of each (control: issue slots alone), as in {EXAMPLE!r}"
    )
    return shaped(f"{meaning}; '': one instruction", "instructions", "count class + ...")
