"""From writer to reader: the fewest cycles between two instructions with which the second one gets the first one's result.

A result reaches different pipes at different times, so the latency is a fact of the pair: who writes, who reads. A row a writer, a column a
reader, each number measured on an H100 (359 pairs, assembled by hand; tests/golden/h100/words/values.json): the least stall count of the
writer with which the reader, and all longer ones, got the new value. What is read earlier is the old one.
"""

from __future__ import annotations

from collections.abc import Mapping

# Which class a role is when it reads, and when it writes a register.
READER: Mapping[str, str] = {
    **dict.fromkeys(("integer", "compare", "clock", "vote"), "integer"),
    **dict.fromkeys(("multiply", "wide", "high", "float"), "float"),
    "add": "add",
    "half": "half",
    **dict.fromkeys(("half_matrix", "double", "double_compare"), "double"),
    "lane_to_uniform": "to_uniform",
}  # fmt: skip
OTHERS = "special"  # of all roles that are not named: special functions, shuffles, and memory's addresses and data
WRITER: Mapping[str, str] = {
    **dict.fromkeys(("integer", "clock", "vote", "compare"), "integer"),
    **dict.fromkeys(("multiply", "high", "float", "wide"), "float"),
    "add": "add",
    "half": "half",
    **dict.fromkeys(("half_matrix", "double", "double_compare"), "double"),
}  # fmt: skip
READERS = ("integer", "float", "half", "double", "special", "to_uniform", "add")
_LANES = {
    "integer": (4, 5, 5, 6, 4, 4, 4),
    "float": (5, 4, 5, 6, 4, 5, 4),
    "add": (4, 4, 5, 6, 4, 4, 4),  # the least that ptxas 13 leaves beside either pipe
    "wide_low": (3, 1, 3, 4, 2, 3, 1),  # the low word of a product of 64 bits; a float's third source comes a cycle later
    "half": (5, 5, 4, 6, 4, 5, 5),
    "double": (8, 8, 8, 8, 6, 8, 8),
}  # fmt: skip
LANES: Mapping[tuple[str, str], int] = {
    (writer, reader): cycles for writer, row in _LANES.items() for reader, cycles in zip(READERS, row, strict=True)
}  # fmt: skip

HIGH_LATER = 2  # cycles that a product of 64 bits reads the high word of its third source later: the least that ptxas 13 leaves

GUARD, OPERAND = "guard", "operand"
PREDICATES: Mapping[tuple[str, str], int] = {  # of a compare, of any other that writes a predicate, of a compare of doubles
    ("integer", OPERAND): 4, ("integer", GUARD): 13,
    ("double", OPERAND): 6, ("double", GUARD): 14,
}  # fmt: skip

LANE, UNIFORM, ADDRESS = (
    "lane",
    "uniform",
    "address",
)  # who reads a uniform register: a lane's instruction, the warp's, a constant's address
UNIFORMS: Mapping[tuple[str, str], int] = {
    ("uniform", LANE): 6, ("uniform", UNIFORM): 4, ("uniform", ADDRESS): 11,
    ("uniform_move", LANE): 1, ("uniform_move", UNIFORM): 1, ("uniform_move", ADDRESS): 5,
    ("vote", LANE): 6, ("vote", UNIFORM): 2, ("vote", ADDRESS): 11,  # of VOTEU: the least that ptxas 13 leaves
    ("lane_to_uniform", LANE): 10, ("lane_to_uniform", UNIFORM): 8, ("lane_to_uniform", ADDRESS): 15,
}  # fmt: skip
