"""The tables of a Program, checked as a whole before the first cycle.

A machine reads the tables as they are: natively, a register number that no register has is an address outside of the register file.
So every number that is used as an index is compared with what it may be, for all micro-ops at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from warploom.isa import uop as u
from warploom.isa.counts import numbers, repeated, running_sum
from warploom.isa.program import Program
from warploom.isa.regions import RegionError
from warploom.isa.views import (
    FILTERS,
    FORMATS,
    SAMPLER_COLUMNS,
    SAMPLER_FILTER,
    SAMPLER_WRAP_U,
    SAMPLER_WRAP_V,
    VIEW_BASE,
    VIEW_BYTES,
    VIEW_COLUMNS,
    VIEW_FORMAT,
    VIEW_HEIGHT,
    VIEW_LEVELS,
    VIEW_PITCH,
    VIEW_WIDTH,
    VIEW_WRITABLE,
    WRAPS,
)

Check = tuple[np.ndarray, Callable[[int], str]]  # which rows are wrong, and what is said of one of them

MOST_BYTES = (1 << 31) - 1
ADDRESS_BITS = (1 << 32) - 1
MOST_REGISTERS = 1 << 16  # how many a machine has is the machine's to say
MOST_LEVELS = 32
MOST_LOCAL = 1 << 19  # CUDA C++ Programming Guide: 512 KiB of local memory a thread
OPERANDS = {u.DST: "destination", u.A: "source A", u.B: "source B", u.C: "source C"}
WIDE = u.NUMBER["sample"]
IMAGE = u.NUMBER["store_image"]
LOAD = u.NUMBER["load"]
LOAD_SCALAR, STORE_SCALAR = u.NUMBER["load_scalar"], u.NUMBER["store_scalar"]
BRANCH_SCALAR = u.NUMBER["branch_scalar"]


def _operations(chosen: Callable[[u.Operation], bool]) -> np.ndarray:
    """bool[operations]: those for which `chosen` is true."""
    return np.array([chosen(operation) for operation in u.OPERATIONS], bool)


UNIT_OF = np.array([operation.unit for operation in u.OPERATIONS], np.int64)
HAS_TARGET = _operations(lambda operation: "t" in operation.operands)
IS_SPACED = UNIT_OF == u.MEMORY
# Operations that write rows of lane registers by number, and those of which one register of a pair is named.
WRITES_LANES = _operations(lambda operation: operation.name in ("load", "sample", "sample_fixed", "insert_lane"))
MAY_WRITE_LANES = _operations(
    lambda operation: operation.name.startswith(("atomic", "barrier_")) or operation.name in ("call", "jump_register", "split")
)
LINKS = _operations(lambda operation: operation.name in ("call", "jump_register"))
WRITES_PAIR = _operations(lambda operation: operation.name in ("ballot", "read_mask"))
READS_PAIR = _operations(lambda operation: operation.name in ("write_mask", "lane_bit"))
WRITES_SCALAR = _operations(lambda operation: operation.name in ("load_scalar", "get_scalar", "or_lanes"))
IN_MEMORY = _operations(lambda operation: operation.unit == u.MEMORY and operation.name != "store_image")
IN_PAIRS = {
    column: _operations(lambda operation, letter=letter: letter in operation.pairs)  # type: ignore[misc]
    for letter, column in zip("dabc", OPERANDS, strict=True)
}
HAS_OPERAND = {letter: _operations(lambda operation, letter=letter: letter in operation.operands) for letter in "dbc"}  # type: ignore[misc]
IS_DOUBLE = _operations(lambda operation: operation.pairs != "")
MASK_OPERATIONS = (
    "push_mask", "pop_mask", "mask_nonzero", "branch_push", "split", "join", "set_mask", "predicate", "read_mask", "write_mask",
)  # fmt: skip
SETS_MASK = _operations(lambda operation: operation.name in MASK_OPERATIONS)
TEXELS = _operations(lambda operation: operation.name in ("sample", "store_image"))


class ProgramError(ValueError):
    """A program whose tables name something that is not there: a mistake of what made it. One sentence, with instruction and number."""


def check_tables(program: Program, memory_bytes: int) -> None:
    """Raises ProgramError when a number in a program's tables is not what a machine may use as an index.

    memory_bytes: what the machine has, at least what the program wants. A few tens of microseconds for a program of a hundred instructions,
    at its first launch; later ones compare the tables with what has passed.
    """
    _shapes(program)
    _memory(program)
    program.once(("checked", memory_bytes), lambda: _rows(program, memory_bytes))
    _launch(program)


def _rows(program: Program, memory_bytes: int) -> None:
    """All rows of all tables."""
    _first(program, _view_checks(program, memory_bytes), program.views, _of_view)
    _first(program, _sampler_checks(program), program.samplers, lambda program, row: f"{_path(program)}: sampler {row}")
    if len(program):
        _first(program, _micro_op_checks(program), program.uops, _of_micro_op)
        _first(program, _instruction_checks(program), program.code, _of_instruction)


# ---------------------------------------------------------------------------------------------------------
# Shapes


def _shapes(program: Program) -> None:
    tables = (("uops", u.UOP_COLUMNS), ("code", u.CODE_COLUMNS), ("views", VIEW_COLUMNS), ("samplers", SAMPLER_COLUMNS))
    for name, columns in tables:
        table = getattr(program, name)
        if not isinstance(table, np.ndarray) or table.dtype != np.int32 or table.ndim != 2 or table.shape[1] != columns:
            raise ProgramError(f"{_path(program)}: {name} is {_array(table)}, and must be int32[n, {columns}]")
        if not table.flags.c_contiguous:
            raise ProgramError(f"{_path(program)}: the rows of {name} do not follow one another: make it with numpy.ascontiguousarray")
    data = program.data
    if not isinstance(data, np.ndarray) or data.dtype != np.uint8 or data.ndim != 1:
        raise ProgramError(f"{_path(program)}: data is {_array(data)}, and must be uint8[n]")
    if len(program.text) != len(program.code):
        raise ProgramError(f"{_path(program)}: {len(program.text)} texts for {len(program.code)} instructions")
    for name, least, most in (
        ("registers", 0, MOST_REGISTERS), ("scalars", 0, u.SCALARS), ("lock_width", 1, u.REGISTERS), ("value_bits", 1, 32),
        ("memory_bytes", 0, 1 << 32),
    ):  # fmt: skip
        if not least <= getattr(program, name) <= most:
            raise ProgramError(f"{_path(program)}: {name} = {getattr(program, name)}: it must be {least} to {most}")


def _array(table: Any) -> str:
    if not isinstance(table, np.ndarray):
        return f"a {type(table).__name__}"
    return f"{table.dtype}[{', '.join(map(str, table.shape))}]"


# ---------------------------------------------------------------------------------------------------------
# Rows


def _first(program: Program, checks: Iterator[Check], table: np.ndarray, place: Callable[[Program, int], str]) -> None:
    """Raises ProgramError for the first row that is wrong."""
    for wrong, said in checks:
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ProgramError(f"{place(program, row)}: {said(row)}")


def _outside(values: np.ndarray, stop: int) -> np.ndarray:
    """Which values are not 0 to stop - 1."""
    return values.view(np.uint32) >= np.uint32(stop) if values.dtype == np.int32 else (values < 0) | (values >= stop)


def _micro_op_checks(program: Program) -> Iterator[Check]:
    columns = np.ascontiguousarray(program.uops.T)
    op = columns[u.OP]

    def numbered(column: int, what: str, stop: int) -> Check:
        return _numbered(columns[column], what, _outside(columns[column], stop), f"there are 0 to {stop - 1}")

    yield numbered(u.OP, "operation", len(u.OPERATIONS))
    yield numbered(u.SPACE, "address space", len(u.SPACES))
    yield numbered(u.LATENCY, "latency class", len(u.LATENCIES))
    unit = UNIT_OF[op]
    unit = np.where((unit == u.MEMORY) & (columns[u.SPACE] == u.SHARED_SPACE), u.SHARED, unit)
    yield (
        columns[u.UNIT] != unit,
        lambda row: f"unit {columns[u.UNIT][row]}: {_name(op, row)} is of unit {unit[row]} ({u.UNITS[unit[row]]})",
    )
    flags = columns[u.FLAGS]
    yield (
        _outside(flags, u.FLAG_VALUES),
        lambda row: (
            f"flags {flags[row]}: SIGNED = {u.SIGNED}, NEGATE = {u.NEGATE}, NEGATE_PREDICATE = {u.NEGATE_PREDICATE}, YIELDS = {u.YIELDS}, "
            f"HIGHEST_LEADS = {u.HIGHEST_LEADS}, LEADER_DECIDES = {u.LEADER_DECIDES}"
        ),
    )
    sizes = columns[u.SIZE]
    scalar = (op == LOAD_SCALAR) | (op == STORE_SCALAR)
    wide = IN_MEMORY[op] & (sizes == u.WIDE) & ~scalar
    yield (
        (sizes != 4) & (sizes != 1) & (sizes != 2) & ~wide,
        lambda row: f"size {sizes[row]}: it is 1, 2 or 4 bytes{', or 8' if IN_MEMORY[op[row]] and not scalar[row] else ''}",
    )
    for column, what in OPERANDS.items():
        yield _operand(program, columns[column], what, immediate=column != u.DST)
    yield from _destinations(columns, op)
    yield from _pairs(program, columns, op)
    predicate = columns[u.PREDICATE]
    yield (
        (predicate != u.NONE) & _outside(predicate - u.SCALAR, u.SCALARS - 1),
        lambda row: f"predicate {predicate[row]}: it is a pair of scalar registers, of which there are {u.SCALARS}",
    )
    yield (
        scalar & (predicate != u.NONE),
        lambda row: f"predicate {predicate[row]}: {_name(op, row)} does not ask it",
    )
    yield (
        SETS_MASK[op] & (predicate != u.NONE),
        lambda row: f"predicate {predicate[row]}: {_name(op, row)} sets the mask itself, and has none",
    )
    reads_only = IS_SPACED[op] & (columns[u.SPACE] == u.CONSTANT_SPACE) & (op != LOAD) & (op != LOAD_SCALAR)
    yield reads_only, lambda row: f"{_name(op, row)} in constant memory, which can only be read"
    own = IS_SPACED[op] & ((columns[u.SPACE] == u.CONSTANT_SPACE) | (columns[u.SPACE] == u.LOCAL_SPACE)) & (columns[u.VIEW] != u.NONE)
    yield own, lambda row: f"view {columns[u.VIEW][row]} of {u.SPACES[columns[u.SPACE][row]]} memory: views are of global memory"
    target, meeting = columns[u.TARGET], columns[u.RECONVERGE]
    yield HAS_TARGET[op] & (target < 0), lambda row: f"target {target[row]}: it is an instruction number, from 0"
    yield meeting < u.NONE, lambda row: f"reconvergence point {meeting[row]}: it is an instruction number, from 0, or NONE"
    special = op == u.NUMBER["special"]
    yield (
        special & _outside(columns[u.IMM], len(u.SPECIALS)),
        lambda row: f"special register {columns[u.IMM][row]}: there are 0 to {len(u.SPECIALS) - 1}",
    )
    matches = op == u.NUMBER["match_any"]
    yield matches & _outside(columns[u.IMM], 2), lambda row: f"half {columns[u.IMM][row]}: match_any gives half 0 or 1 of the lanes"
    yield from _views_of(program, columns, op)


def _operand(program: Program, codes: np.ndarray, what: str, *, immediate: bool) -> Check:
    """An operand code names a register that there is: one of the program's, a hidden one, a scalar one."""
    known = codes == u.NONE
    if immediate:
        known = known | (codes == u.IMMEDIATE)
    known = known | ~_outside(codes, min(program.registers, u.HIDDEN)) | ~_outside(codes - u.HIDDEN, u.REGISTERS - u.HIDDEN)
    known = known | ~_outside(codes - u.SCALAR, u.SCALARS)

    def said(row: int) -> str:
        code = int(codes[row])
        if code >= u.SCALAR:
            return f"{what} is scalar register {code - u.SCALAR}: a warp has {u.SCALARS}"
        return f"{what} is register {code}: the program says that it has {program.registers}"

    return ~known, said


def _numbered(values: np.ndarray, what: str, wrong: np.ndarray, rule: str) -> Check:
    """A check of one column: `what`, the number, and the rule that it breaks."""
    return wrong, lambda row: f"{what} {values[row]}: {rule}"


def _destinations(columns: np.ndarray, op: np.ndarray) -> Iterator[Check]:
    target = columns[u.DST]
    lane = ~_outside(target, u.REGISTERS)
    yield WRITES_LANES[op] & ~lane, lambda row: f"destination {target[row]}: {_name(op, row)} writes lane registers"
    yield (op == WIDE) & _outside(target, u.REGISTERS - 3), lambda row: f"destination {target[row]}: sample writes four registers"
    single = ~_outside(target - u.SCALAR, u.SCALARS)
    linked = MAY_WRITE_LANES[op] & ~lane & (target != u.NONE) & ~(LINKS[op] & single)
    yield linked, lambda row: f"destination {target[row]}: {_name(op, row)} writes a lane register"
    yield WRITES_SCALAR[op] & ~single, lambda row: f"destination {target[row]}: {_name(op, row)} writes a scalar register"
    tested = columns[u.A]
    outside = (op == BRANCH_SCALAR) & _outside(tested - u.SCALAR, u.SCALARS)
    yield outside, lambda row: f"source A is {u.operand_name(tested[row])}: {_name(op, row)} asks a scalar register"
    for pairs, column in ((WRITES_PAIR, u.DST), (READS_PAIR, u.A)):
        codes = columns[column]
        rule = f"it is a pair of scalar registers, of which there are {u.SCALARS}"
        yield _numbered(codes, OPERANDS[column], pairs[op] & _outside(codes - u.SCALAR, u.SCALARS - 1), rule)


def _pairs(program: Program, columns: np.ndarray, op: np.ndarray) -> Iterator[Check]:
    """64 bits lie in two lane registers of the program, or in two hidden ones; those that go to memory may come from two scalar ones."""
    yield from _wide_values(program, columns, op)
    if not IS_DOUBLE[op].any():
        return
    known = min(program.registers, u.HIDDEN)
    for column, paired in IN_PAIRS.items():
        codes = columns[column]
        wrong = _outside(codes, known - 1) & _outside(codes - u.HIDDEN, u.REGISTERS - u.HIDDEN - 1)
        yield _numbered(codes, OPERANDS[column], paired[op] & wrong, "it is a pair of lane registers, this one and the next")
    target, sizes = columns[u.DST], columns[u.SIZE]
    yield IS_DOUBLE[op] & _outside(target, u.REGISTERS), lambda row: f"destination {target[row]}: {_name(op, row)} writes lane registers"
    yield IS_DOUBLE[op] & (sizes != 4), lambda row: f"size {sizes[row]}: {_name(op, row)} has no other than 4"


def _wide_values(program: Program, columns: np.ndarray, op: np.ndarray) -> Iterator[Check]:
    wide = IN_MEMORY[op] & (columns[u.SIZE] == u.WIDE)
    if not wide.any():
        return
    known = min(program.registers, u.HIDDEN)
    for letter, column in (("d", u.DST), ("b", u.B), ("c", u.C)):
        codes = columns[column]
        wrong = _outside(codes, known - 1) & _outside(codes - u.HIDDEN, u.REGISTERS - u.HIDDEN - 1)
        rule = "it is a pair of registers, this one and the next"
        if letter == "d":
            wrong &= ~(MAY_WRITE_LANES[op] & (codes == u.NONE))
        else:
            wrong &= _outside(codes - u.SCALAR, u.SCALARS - 1)
        yield _numbered(codes, OPERANDS[column], wide & HAS_OPERAND[letter][op] & wrong, rule)


def _views_of(program: Program, columns: np.ndarray, op: np.ndarray) -> Iterator[Check]:
    view, count = columns[u.VIEW], len(program.views)
    yield (view != u.NONE) & _outside(view, count), lambda row: f"view {view[row]}: the program has {count}"
    of_block = IS_SPACED[op] & (columns[u.SPACE] == u.SHARED_SPACE) & (view != u.NONE)
    if of_block.any():
        ends = program.views[:, VIEW_BASE].astype(np.int64) + program.views[:, VIEW_BYTES]
        most = program.launch.shared_bytes
        yield of_block & (ends[view] > most), lambda row: f"view {view[row]} ends at byte {ends[view[row]]} of {most} of shared memory"
    texels = TEXELS[op]
    if not texels.any():
        return
    yield texels & (view == u.NONE), lambda row: f"view {view[row]}: {_name(op, row)} needs one"
    sampler, samplers = columns[u.IMM], len(program.samplers)
    yield (op == WIDE) & _outside(sampler, samplers), lambda row: f"sampler {sampler[row]}: the program has {samplers}"
    images = op == IMAGE
    if not images.any():
        return
    rows = program.views.astype(np.int64)
    sizes = np.array([form.bytes for form in FORMATS], np.int64)
    formats = np.clip(rows[:, VIEW_FORMAT], 0, len(FORMATS) - 1)
    ends = (rows[:, VIEW_HEIGHT] - 1) * rows[:, VIEW_PITCH] + rows[:, VIEW_WIDTH] * sizes[formats]
    flat = (rows[:, VIEW_WIDTH] <= 0) | (rows[:, VIEW_HEIGHT] <= 0)
    wrong = flat | (sizes[formats] != 4) | (rows[:, VIEW_PITCH] < 0) | (ends > rows[:, VIEW_BYTES]) | (rows[:, VIEW_BASE] % 4 != 0)
    yield images & wrong[view], lambda row: f"view {view[row]}: store_image writes texels of 4 bytes, in rows that lie inside the view"


def _instruction_checks(program: Program) -> Iterator[Check]:
    columns = np.ascontiguousarray(program.code.T)
    first, count = columns[u.FIRST_UOP].astype(np.int64), columns[u.COUNT].astype(np.int64)
    total = len(program.uops)
    yield (first < 0) | (first >= total), lambda row: f"first micro-op {first[row]}: the program has {total}"
    yield (count < 1) | (first + count > total), lambda row: f"{count[row]} micro-ops from {first[row]} on: the program has {total}"
    unit, latency = columns[u.ISSUE_UNIT], columns[u.ISSUE_LATENCY]
    yield _outside(unit, len(u.UNITS)), lambda row: f"issue unit {unit[row]}: there are 0 to {len(u.UNITS) - 1}"
    yield _outside(latency, len(u.LATENCIES)), lambda row: f"issue latency {latency[row]}: there are 0 to {len(u.LATENCIES) - 1}"
    yield _bundles(program, first, count, unit)
    uses, writes = columns[u.USES], columns[u.WRITES]
    yield _outside(uses, u.MAX_USES + 1), lambda row: f"{uses[row]} register groups: an instruction has at most {u.MAX_USES}"
    yield (writes < 0) | (writes > uses), lambda row: f"{writes[row]} register groups are written, of {uses[row]}"
    groups = u.SCALAR_GROUP + u.SCALARS
    named = numbers(u.MAX_USES)[:, None] < uses
    wrong = named & _outside(columns[u.USE : u.USE + u.MAX_USES], groups)
    yield wrong.any(axis=0), lambda row: f"register group {columns[u.USE + np.argmax(wrong[:, row]), row]}: there are 0 to {groups - 1}"
    for column in (u.READ_A, u.READ_B):
        yield _operand(program, columns[column], f"read port {'AB'[column - u.READ_A]}", immediate=True)
    sources, line = len(program.sources), columns[u.LINE]
    yield (line != 0) & _outside(columns[u.FILE], sources), lambda row: f"source {columns[u.FILE][row]}: the program has {sources}"
    yield line < 0, lambda row: f"line {line[row]}: lines count from 1, and 0 is none"
    address = columns[u.ADDRESS].astype(np.int64) & ADDRESS_BITS
    if len(address) > 1 and np.isin(program.uops[:, u.OP], (u.NUMBER["jump_register"], u.NUMBER["call"])).any():
        falls = np.concatenate([[False], np.diff(address) < 0])  # one that is issued in halves has one address
        yield (
            falls,
            lambda row: f"address {address[row]:#x}: instructions lie in the order of their addresses, where addresses are jumped to",
        )


def _bundles(program: Program, first: np.ndarray, count: np.ndarray, unit: np.ndarray) -> Check:
    """A bundle is issued to one unit; beside it, it may only have arithmetic, and one of memory accesses to shared memory: of an address
    that can be in either, each lane decides. The constant cache and the load/store unit are two."""
    units = program.uops[:, u.UNIT]
    arithmetic = (units == u.ALU) | (units == u.SPECIAL)
    plain = (unit == u.ALU) | (unit == u.SPECIAL)
    owner = repeated(numbers(len(first)), count)
    members = numbers(len(owner)) - repeated(running_sum(count) - count, count) + repeated(first, count)
    either = (units[members] == u.SHARED) & (unit[owner] == u.MEMORY)
    foreign = ~arithmetic[members] & (units[members] != unit[owner]) & ~either
    wrong = np.zeros(len(first), bool)
    wrong[owner[foreign]] = True
    constant = (units == u.MEMORY) & (program.uops[:, u.SPACE] == u.CONSTANT_SPACE)
    mixed = np.zeros(len(first), bool)
    mixed[owner[constant[members]]] = True
    others = np.zeros(len(first), bool)
    others[owner[(units[members] == u.MEMORY) & ~constant[members]]] = True
    wrong |= mixed & others
    matching = np.zeros(len(first), bool)
    matching[owner[units[members] == unit[owner]]] = True
    wrong |= ~plain & ~matching
    return (
        wrong,
        lambda row: (
            f"issue unit {unit[row]} ({u.UNITS[unit[row]]}), and its micro-ops are of "
            + ", ".join(dict.fromkeys(u.UNITS[number] for number in units[first[row] : first[row] + count[row]]))
        ),
    )


def _view_checks(program: Program, memory_bytes: int) -> Iterator[Check]:
    if not len(program.views):
        return
    columns = program.views.T.astype(np.int64)
    form, base, size = columns[VIEW_FORMAT], columns[VIEW_BASE], columns[VIEW_BYTES]
    yield _outside(form, len(FORMATS)), lambda row: f"format {form[row]}: there are 0 to {len(FORMATS) - 1}"
    if program.regions:
        yield from _regions_of_views(program, base, size)
    else:
        of_block = _views_of_shared_memory(program)
        yield (
            (base < 0) | (size < 0) | ((base + size > memory_bytes) & ~of_block),
            lambda row: f"{size[row]} bytes from byte {base[row]} on: memory has {memory_bytes}",
        )
    yield _outside(columns[VIEW_WRITABLE], 2), lambda row: f"writable {columns[VIEW_WRITABLE][row]}: it is 0 or 1"
    yield (
        _outside(columns[VIEW_LEVELS], MOST_LEVELS + 1),
        lambda row: f"{columns[VIEW_LEVELS][row]} levels: there are at most {MOST_LEVELS}",
    )
    for column, what in ((VIEW_WIDTH, "width"), (VIEW_HEIGHT, "height"), (VIEW_PITCH, "pitch")):
        yield _numbered(columns[column], what, columns[column] < 0, "it is not negative")


def _views_of_shared_memory(program: Program) -> np.ndarray:
    """bool[views]: those through which shared memory is accessed, and no other."""
    found = np.zeros((2, len(program.views)), bool)
    used = program.uops[(program.uops[:, u.VIEW] >= 0) & (program.uops[:, u.VIEW] < len(program.views))]
    shared = used[:, u.SPACE] == u.SHARED_SPACE
    found[0, used[shared, u.VIEW]] = True
    found[1, used[~shared, u.VIEW]] = True
    return found[0] & ~found[1]


def _memory(program: Program) -> None:
    """Regions and constants are what they say."""
    constants = program.constants
    if not isinstance(constants, np.ndarray) or constants.dtype != np.uint8 or constants.ndim != 1:
        raise ProgramError(f"{_path(program)}: constants are {_array(constants)}, and must be uint8[n]")
    if not program.regions:
        return
    if len(program.data) or program.memory_bytes:
        raise ProgramError(f"{_path(program)}: a program with regions has its data in them; data and memory_bytes are empty")
    try:
        program.address_space()
    except RegionError as error:
        raise ProgramError(f"{_path(program)}: {error}") from None


def _regions_of_views(program: Program, base: np.ndarray, size: np.ndarray) -> Iterator[Check]:
    """A view lies in one region; one of texels in that from address 0 on, where a texture unit finds its texels without a decoder."""
    starts = base & ADDRESS_BITS
    ends = starts + size
    inside = np.zeros(len(base), bool)
    for region in program.regions:
        inside |= (region.base <= starts) & (ends <= region.end)
    yield (
        (size < 0) | ~inside,
        lambda row: (
            f"{size[row]} bytes from {starts[row]:#x} on do not lie in one region{program.address_space().nearest(int(starts[row]))}"
        ),
    )
    sampled = np.zeros(len(base), bool)
    sampled[program.uops[TEXELS[program.uops[:, u.OP]], u.VIEW]] = True
    first = next((region.end for region in program.regions if region.base == 0), 0)
    yield sampled & (ends > first), lambda row: f"{starts[row]:#x}: textures and images lie in the region that begins at address 0"


def _sampler_checks(program: Program) -> Iterator[Check]:
    if not len(program.samplers):
        return
    for column, what, stop in (
        (SAMPLER_FILTER, "filter", len(FILTERS)), (SAMPLER_WRAP_U, "wrap u", len(WRAPS)), (SAMPLER_WRAP_V, "wrap v", len(WRAPS)),
    ):  # fmt: skip
        values = program.samplers[:, column]
        yield _numbered(values, what, (values < 0) | (values >= stop), f"there are 0 to {stop - 1}")


def _launch(program: Program) -> None:
    launch, path = program.launch, _path(program)
    for name, value, least, most in (
        ("shared_bytes", launch.shared_bytes, 0, MOST_BYTES),
        ("local_bytes", launch.local_bytes, 0, MOST_LOCAL),
        ("argument", launch.argument, 0, (1 << 32) - 1),
    ):  # fmt: skip
        if not least <= value <= most:
            raise ProgramError(f"{path}: the launch's {name} is {value}: it must be {least} to {most}")
    if len(launch.scalars) > program.scalars:
        raise ProgramError(
            f"{path}: the launch writes {len(launch.scalars)} scalar registers: the program says that it has {program.scalars}"
        )
    for register, name in launch.registers:
        if name not in u.SPECIAL_NUMBER:
            raise ProgramError(f"{path}: the launch writes the special register {name!r}, which does not exist")
        if not 0 <= register < max(program.registers, 1):
            raise ProgramError(f"{path}: the launch writes register {register}: the program says that it has {program.registers}")


# ---------------------------------------------------------------------------------------------------------
# Where


def _path(program: Program) -> str:
    return program.source.path


def _name(op: np.ndarray, row: int) -> str:
    return u.OPERATIONS[int(op[row])].name


def _of_instruction(program: Program, row: int) -> str:
    if program.code[row, u.LINE] > 0 and 0 <= program.code[row, u.FILE] < len(program.sources):
        return f"{program.where(row)}, instruction {row}"
    return f"instruction {row} ({program.text[row]})"


def _of_micro_op(program: Program, row: int) -> str:
    first = program.code[:, u.FIRST_UOP].astype(np.int64)
    owners = np.flatnonzero((first <= row) & (row < first + program.code[:, u.COUNT]))
    return f"{_of_instruction(program, int(owners[0]))}, micro-op {row}" if len(owners) else f"{_path(program)}: micro-op {row}"


def _of_view(program: Program, row: int) -> str:
    name = f" ({program.view_names[row]})" if row < len(program.view_names) else ""
    return f"{_path(program)}: view {row}{name}"
