"""What the vector unit computes for graphics only: faces of a cube map, and products in which 0 times anything is 0.

In hardware: a texture that is the six faces of a cube is looked up by a direction. The largest of its three parts says which face it meets;
the two others, over twice the largest, say where. Comparisons and multiplexers do this without a division.

Source: AMD "Vega" Instruction Set Architecture, section 12.11.
"""

from __future__ import annotations

from warploom.isa.gcn.code import ONES, SIGN, Code, Number, Value
from warploom.isa.gcn.vector.floats import Lower
from warploom.isa.gcn.vector.vector_alu import sources


def refused(what: str) -> Lower:
    """An instruction that is decoded only."""

    def lower(code: Code) -> None:
        code.refuse(f"{what} is something that this machine does not have")

    return lower


def _product(code: Code, a: Value, b: Value) -> int:
    zero = code.lane("or", code.lane("feq", a, Number(0)), code.lane("feq", b, Number(0)))
    return code.lane("sel", Number(0), code.lane("fmul", a, b), zero)


def legacy_multiply(code: Code) -> None:
    """0 times anything is 0."""
    code.put("mov", _product(code, *sources(code)))


def legacy_multiply_add(code: Code) -> None:
    """a * b + c, rounded twice; 0 times anything is 0."""
    a, b, c = sources(code)
    code.put("fadd", _product(code, a, b), c)


def _chosen(code: Code, of_x: Value, of_y: Value, of_z: Value) -> int:
    """What belongs to the largest part of a direction: z before y before x where they are equal."""
    x, y, z = (code.lane("and", value, Number(ONES & ~SIGN)) for value in sources(code))
    is_z = code.lane("and", code.lane("fle", x, z), code.lane("fle", y, z))
    return code.lane("sel", of_z, code.lane("sel", of_y, of_x, code.lane("fle", x, y)), is_z)


def _below(code: Code, value: Value) -> int:
    return code.lane("flt", value, Number(0))


def _minus(code: Code, value: Value) -> int:
    return code.lane("xor", value, Number(SIGN))


def face(code: Code) -> None:
    """The number of the face, 0 to 5, as a float: +x, -x, +y, -y, +z, -z."""
    numbers = [code.lane("add", _below(code, value), Number(2 * place)) for place, value in enumerate(sources(code))]
    code.put("u2f", _chosen(code, *numbers))


def major(code: Code) -> None:
    """Twice the largest part."""
    found = _chosen(code, *sources(code))
    code.put("fadd", found, found)


def across(code: Code) -> None:
    """The place on the face from left to right, before the division."""
    x, _, z = sources(code)
    of_x = code.lane("sel", z, _minus(code, z), _below(code, x))
    of_z = code.lane("sel", _minus(code, x), x, _below(code, z))
    code.put("mov", _chosen(code, of_x, x, of_z))


def down(code: Code) -> None:
    """The place on the face from top to bottom, before the division."""
    _, y, z = sources(code)
    of_y = code.lane("sel", _minus(code, z), z, _below(code, y))
    code.put("mov", _chosen(code, _minus(code, y), of_y, _minus(code, y)))
