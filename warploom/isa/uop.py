"""The micro-op: the one instruction format that the machine executes.

Every front end lowers its instructions to rows of one NumPy array (`int32[n, UOP_COLUMNS]`). The machine
knows nothing else of an instruction set. `OPERATIONS` has one row an operation: its name, its
meaning, the unit that executes it, its latency class, its operands and where a lane may go from it; the ALU, the listing,
the control-flow analysis and the documentation are made from that table or checked against it.

An *instruction* of the source program is a bundle of one or more micro-ops that issues as one: one PC,
one issue slot, one mask, one source position. It is a row of a second array
(`int32[m, CODE_COLUMNS]`), which names its first micro-op, how many follow, and which
registers the scoreboard checks. The micro-ops of a bundle execute in order; a front end whose
instruction must read all its sources before it writes (`mov r0.xy, r0.yx`) copies through hidden registers.

Operands. A lane has 32-bit registers, numbered 0, 1, 2 ...; a warp has scalar 32-bit registers (masks,
counters), written `scalar(0)`, `scalar(1)` ...; `IMMEDIATE` stands for the micro-op's one 32-bit
immediate; `NONE` for no operand. A mask of more than 32 lanes is a pair of scalar registers, low half
first.

A predicate leaves lanes out of one micro-op, on top of the warp's mask, in every unit: they write no register, access no memory, do not
branch and do not end, and stand at the next instruction. Operations on a warp as a whole (nop, fence, yield, trap, exit_warp) are
executed where at least one lane takes part. An operation that sets the mask itself has no predicate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

# ---------------------------------------------------------------------------------------------------------
# Columns of a micro-op row.
OP = 0            # the operation: a number of OPERATIONS
DST = 1           # destination: lane register or scalar register
A = 2             # sources
B = 3
C = 4
IMM = 5           # 32 bits, used where an operand is IMMEDIATE, and as the offset of a memory access
PREDICATE = 6     # NONE, or a scalar register (pair) with the lanes that take part
SIZE = 7          # bytes: of a memory access (1, 2, 4, 8); of the result elsewhere (1 and 2 truncate it)
SPACE = 8         # address space of a memory access: a number of SPACES
TARGET = 9        # where a control operation goes: an instruction number; of jump_register for the analysis alone
RECONVERGE = 10   # where lanes that disagree reconverge: an instruction number, or NONE
UNIT = 11         # functional unit: a number of UNITS
LATENCY = 12      # latency class: a number of LATENCIES
VIEW = 13         # NONE, or the row of Program.views that bounds a memory access or describes a texture
FLAGS = 14        # bits: SIGNED, NEGATE, NEGATE_PREDICATE, YIELDS, HIGHEST_LEADS, LEADER_DECIDES, NVIDIA_NAN, *_UNORDERED
DATAPATH = 15     # which part of the datapath computes the result: a number of DATAPATHS
UOP_COLUMNS = 16

# FLAGS
SIGNED = 1        # a load narrower than 32 bits extends the sign
NEGATE = 2        # a branch is taken where the condition is zero
NEGATE_PREDICATE = 4  # the predicate names the lanes that are left out
YIELDS = 8        # a jump back: those that jump wait for somebody, perhaps for lanes of their own warp
HIGHEST_LEADS = 16  # of operands that a warp takes from one lane: the highest active one; else the lowest
LEADER_DECIDES = 32  # where the program manages masks, and lanes disagree at a branch or jump, all go where that one lane goes
NVIDIA_NAN = 64   # a float result that is NaN is NVIDIA's: see `nvidia_nan`. Else RISC-V's canonical one
GLOBAL_UNORDERED = 128  # a barrier that does not order accesses to global memory, by its language's rules; machines order all the same
SHARED_UNORDERED = 256  # ... to shared memory
FLAG_VALUES = 512  # flags are 0 .. FLAG_VALUES - 1
WIDE = 8          # the SIZE of a memory access of 64 bits, whose values are pairs of registers
FENCE_DEVICE, FENCE_BLOCK = range(2)  # immediates of a fence: who has to see what was stored

# Columns of an instruction row.
FIRST_UOP = 0     # its first micro-op
COUNT = 1         # how many micro-ops it has
ISSUE_UNIT = 2    # the unit whose issue port it takes (of its micro-ops the one that is not ALU, if there is one)
ISSUE_LATENCY = 3 # latency class of the whole bundle
WORD = 4          # the encoded instruction, low 32 bits
WORD_HIGH = 5
USES = 6          # how many register groups the scoreboard checks
WRITES = 7        # the first WRITES of them are written
USE = 8           # the groups: columns USE .. USE + MAX_USES - 1
MAX_USES = 18     # a load of sixteen registers, its address and its mask
READ_A = 26       # lane registers that the register file's two read ports are given, whatever the operation
READ_B = 27
LINE = 28         # line of the source, from 1; 0 for none
COLUMN = 29       # column of the source, from 1
ADDRESS = 30      # where the instruction lies in program memory, in the instruction set's own unit
FILE = 31         # which of the program's sources LINE and COLUMN are in, from 0
CODE_COLUMNS = 32  # a core reads the first half of a row, one line of its host's cache, and seldom the rest

# A core with warps is handed decoded instructions: in the place of their words stands what it issues them by.
PORT = WORD       # where it is issued: a number of PORTS
BANK_READS = WORD_HIGH  # how many registers it reads of each register bank, four bits a bank
REUSE = READ_A    # which operands it takes from the reuse cache or leaves there: `machine/core/reuse_cache.py`
CONTROL_WORD = READ_B  # where issue obeys them: `isa/schedule.py`; its latency class is its role then

# ---------------------------------------------------------------------------------------------------------
# Operand codes. Lane register r is r; the others lie above all lane registers.
NONE = -1
IMMEDIATE = -2
SCALAR = 1 << 16  # scalar register s is SCALAR + s


HIDDEN = 512        # lane registers HIDDEN .. REGISTERS - 1 are hidden: they live inside a bundle and are never locked
REGISTERS = 576     # lane registers that a thread can have
SCALARS = 160       # scalar registers that a warp can have
HIDDEN_SCALARS = 144  # scalar registers from here on are hidden too
SCALAR_GROUP = REGISTERS  # scoreboard group of scalar register 0; lane registers' groups lie below


def scalar(number: int) -> int:
    """The operand code of scalar register `number`."""
    return SCALAR + number


# ---------------------------------------------------------------------------------------------------------
# Ports of a scheduler: a unit each, and the pipes that arithmetic has beside the ALU where these are apart. ALU is the integer pipe then.
# A float pipe may have two halves: FLOAT is either, HEAVY the one that multiplies integers too, LIGHT the other where it is not the ALU.
# A scheduler may have those before "slots", its issue slots, for itself (`machine/core/partitions.py`); units after that belong to the
# whole core, and there may be as many as one likes.
PORTS = ("alu", "special", "memory", "shared", "texture", "control", "buffer", "float", "double", "scalar", "heavy", "light", "half",
         "slots", "raster", "merger", "rays", "ray_answers")  # fmt: skip
(ALU, SPECIAL, MEMORY, SHARED, TEXTURE, CONTROL, BUFFER,  # BUFFER: the instruction buffer itself, which always can
 FLOAT, DOUBLE, SCALAR_PORT, HEAVY, LIGHT, HALF, SLOTS, RASTER, MERGER, RAYS, RAY_ANSWERS) = range(len(PORTS))  # fmt: skip
UNITS = PORTS  # a unit, whose issue port an operation takes, has the number of its port; pipes and slots are never an operation's
EMPTIES = 16  # in the number of a read_converging: the barrier has no lanes after it
INDEX = HALF  # machines that issue by control words have no pipe of halves alone; theirs is the way to constants and special registers

# Parts of the datapath (machine/datapath/): which one computes the result of an ALU or special-function operation.
DATAPATHS = ("none", "integer", "floating_point", "special_function", "cross_lane", "special_register", "double_precision", "note",
             "rounding", "function_table")  # fmt: skip
(NO_DATAPATH, INTEGER, FLOATING_POINT, SPECIAL_FUNCTION, CROSS_LANE, SPECIAL_REGISTER, DOUBLE_PRECISION, NOTE,
 ROUNDING, FUNCTION_TABLE) = range(len(DATAPATHS))  # fmt: skip

# Latency classes: a preset gives cycles for each (section `latency`).
LATENCIES = (
    "alu", "multiply", "divide", "float", "float_multiply", "fma", "float_divide", "special", "convert", "control", "memory", "bits",
    "double", "double_divide", "scalar", "mask", "shuffle", "float_compare", "float_root", "float_reciprocal", "double_convert",
    "half",
)  # fmt: skip
(L_ALU, L_MULTIPLY, L_DIVIDE, L_FLOAT, L_FLOAT_MULTIPLY, L_FMA, L_FLOAT_DIVIDE, L_SPECIAL, L_CONVERT, L_CONTROL, L_MEMORY, L_BITS,
 L_DOUBLE, L_DOUBLE_DIVIDE, L_SCALAR, L_MASK, L_SHUFFLE, L_FLOAT_COMPARE, L_FLOAT_ROOT, L_FLOAT_RECIPROCAL,
 L_DOUBLE_CONVERT, L_HALF) = range(len(LATENCIES))  # fmt: skip

RAY_REGISTERS = 14  # that `await_ray` writes: status; t, u, v; triangle, instance, geometry, custom number; the ray in the instance's space
QUAD_REGISTERS = 14  # that `take_quad` writes: status, place and mask, three edges at four pixels

# Address spaces.
SPACES = ("global", "shared", "local", "constant")
GLOBAL_SPACE, SHARED_SPACE, LOCAL_SPACE, CONSTANT_SPACE = range(len(SPACES))

# Special registers: what `special` reads, and what a launch puts into registers before the first instruction.
SPECIAL_REGISTERS = {
    "zero": "0",
    "lane": "lane number in the warp",
    "warp": "warp number in the block",
    "core": "core number",
    "warp_slot": "warp number in the core",
    "thread": "thread number in the block",
    "block": "block number in the grid",
    "block_threads": "threads per block, as launched",
    "grid_threads": "all threads of the launch",
    "global_thread": "block * block_threads + thread",
    "clock": "cycles in which the scheduler has picked this warp since its launch (guppy)",
    "cycle": "cycles since the start, low 32 bits",
    "lanes": "lanes per warp",
    "warps": "warp slots a core",
    "cores": "cores",
    "mask_low": "active lanes 0..31",
    "mask_high": "active lanes 32..63",
    "block_capacity": "threads that a block can have on this machine (tiny-gpu's %blockDim)",
    "argument": "the launch's argument pointer",
    "core_warps": "warps of the core that have not ended, bit w = warp w",
    "core_thread_instructions": "instructions that threads of the core have executed, low 32 bits",
    "thread_x": "thread number in the block in x: thread = x + block_dim_x * (y + block_dim_y * z)",
    "thread_y": "... in y",
    "thread_z": "... in z",
    "block_x": "block number in the grid in x",
    "block_y": "... in y",
    "block_z": "... in z",
    "block_dim_x": "threads per block in x",
    "block_dim_y": "... in y",
    "block_dim_z": "... in z",
    "grid_dim_x": "blocks of the grid in x",
    "grid_dim_y": "... in y",
    "grid_dim_z": "... in z",
}
SPECIALS = tuple(SPECIAL_REGISTERS)
SPECIAL_NUMBER = {name: number for number, name in enumerate(SPECIALS)}
# What a core counts as it runs and a program can ask for (`read_counter`), each since the start. A thread-instruction is one of one lane.
PERFORMANCE_COUNTERS = {
    "cycles": "cycles",
    "thread_instructions": "thread-instructions",
    "idle": "issue slots in which the core issued nothing",
    "scoreboard_stalls": "warp-cycles of waiting for a register",
    "arithmetic_stalls": "of those, for one that an operation of fixed latency writes",
    "load_stalls": "of those, for one that a load writes, or a special function",
    "operand_stalls": "cycles in which an instruction waited for registers of an earlier one to be read",
    "alu_stalls": "cycles in which an instruction waited for an ALU",
    "load_store_stalls": "cycles in which an instruction waited for room in the load/store unit",
    "special_stalls": "cycles in which an instruction waited for the special functions",
    "texture_stalls": "cycles in which an instruction waited for room in the texture unit",
    "fetches": "instructions that were fetched",
    "fetch_misses": "of those, not found in the instruction cache",
    "loads": "loads and atomics, thread-instructions",
    "stores": "stores, thread-instructions",
    "branches": "branches and jumps, thread-instructions",
    "load_latency": "cycles from issue to answer, summed over the lanes of loads that the load/store unit has answered",
    "cache_reads": "transactions of loads at the first-level cache",
    "cache_read_misses": "of those, not found there",
    "cache_writes": "transactions of stores there",
    "cache_write_misses": "of those, not found there",
    "cache_stalls": "cycles in which the load/store unit waited for an MSHR",
    "scratchpad_reads": "loads of shared memory, thread-instructions",
    "scratchpad_writes": "stores to it, thread-instructions",
    "scratchpad_stalls": "passes of shared memory beyond the first of each access",
    "next_reads": "transactions of all cores at the second-level cache",
    "next_read_misses": "of those, not found there, or not all of it",
    "memory_reads": "sectors that DRAM has delivered, for all cores",
    "memory_writes": "sectors that have been written to it, of all cores",
}  # fmt: skip
COUNTER_NUMBER = {name: number for number, name in enumerate(PERFORMANCE_COUNTERS)}
HIGH_HALF = 64  # added to the number of a counter: its upper 32 bits
IN_A_ROW = ("thread", "block", "global_thread")  # what numbers threads and blocks in one dimension,
BY_DIMENSION = SPECIALS[SPECIAL_NUMBER["thread_x"] :]  # ... and what does in several


# Control flow of an operation: where a *lane* may go from it. An operation that only sets lanes apart and puts them together leads
# to the next instruction.
NEXT = "n"              # the next instruction
TO_TARGET = "t"         # the target
ENDS = "e"              # nowhere: the lane ends
POPS = "p"              # the place on top of the mask stack, which is taken off
PUSHES_TARGET = "m"     # puts the target on the mask stack
PUSHES_RECONVERGENCE = "r"    # puts the reconvergence point on the mask stack
CALLS = "c"             # the target, a function that may come back to the next instruction
THROUGH_REGISTER = "x"  # the next instruction after a call through a register; where no way back is kept, out of the function


class Operation(NamedTuple):
    """One row of the table: everything about an operation that is not its behaviour."""

    name: str
    unit: int  # a number of UNITS
    datapath: int  # a number of DATAPATHS
    latency: int  # a number of LATENCIES
    operands: str  # letters: d destination, a b c sources, i immediate, m memory address (a + imm), t target, r reconvergence
    meaning: str
    flow: str = NEXT  # where a lane may go from here: letters, see above
    pairs: str = ""  # those of the letters d a b c that stand for a pair of lane registers r, r + 1 with 64 bits, low word first


def _rows() -> list[Operation]:
    special_register = [("special", L_ALU, "di", "d = special register number i; in a scalar d, of lane 0")]
    integer = [
        ("mov", L_ALU, "da", "d = a"),
        ("add", L_ALU, "dab", "d = a + b"),
        ("sub", L_ALU, "dab", "d = a - b"),
        ("mul", L_MULTIPLY, "dab", "d = low 32 bits of a * b"),
        ("mulh", L_MULTIPLY, "dab", "d = high 32 bits of a * b, both signed"),
        ("mulhu", L_MULTIPLY, "dab", "d = high 32 bits of a * b, both unsigned"),
        ("mulhsu", L_MULTIPLY, "dab", "d = high 32 bits of a * b, a signed, b unsigned"),
        ("mad", L_MULTIPLY, "dabc", "d = low 32 bits of a * b + c"),
        ("div", L_DIVIDE, "dab", "d = a / b signed, towards zero; -1 when b is 0; -2^31 / -1 gives -2^31"),
        ("divu", L_DIVIDE, "dab", "d = a / b unsigned; all ones when b is 0"),
        ("rem", L_DIVIDE, "dab", "d = remainder of div, with the sign of a; a when b is 0; 0 of -2^31 / -1"),
        ("remu", L_DIVIDE, "dab", "d = remainder of divu; a when b is 0"),
        ("and", L_ALU, "dab", "d = a & b"),
        ("or", L_ALU, "dab", "d = a | b"),
        ("xor", L_ALU, "dab", "d = a ^ b"),
        ("shl", L_ALU, "dab", "d = a << (b & 31)"),
        ("shr", L_ALU, "dab", "d = a >> (b & 31), zeros come in"),
        ("sra", L_ALU, "dab", "d = a >> (b & 31), the sign comes in"),
        ("min", L_ALU, "dab", "d = the smaller, signed"),
        ("max", L_ALU, "dab", "d = the larger, signed"),
        ("minu", L_ALU, "dab", "d = the smaller, unsigned"),
        ("maxu", L_ALU, "dab", "d = the larger, unsigned"),
        ("seq", L_ALU, "dab", "d = 1 where a == b, else 0"),
        ("sne", L_ALU, "dab", "d = 1 where a != b, else 0"),
        ("slt", L_ALU, "dab", "d = 1 where a < b signed, else 0"),
        ("sltu", L_ALU, "dab", "d = 1 where a < b unsigned, else 0"),
        ("compare", L_ALU, "dab", "d = 4 where a < b unsigned, 2 where equal, 1 where above"),
        ("sel", L_ALU, "dabc", "d = a where c != 0, else b"),
        ("clz", L_BITS, "da", "d = leading zeros of a; 32 when a is 0"),
        ("ctz", L_BITS, "da", "d = trailing zeros of a; 32 when a is 0"),
        ("popc", L_BITS, "da", "d = number of ones in a"),
        ("brev", L_BITS, "da", "d = a with its bits in reverse order"),
        ("carry", L_ALU, "dabc", "d = what a + b + c carries into bit 32: 0, 1 or 2"),
        ("borrow", L_ALU, "dabc", "d = 1 where a - b - c is below 0, all unsigned, else 0"),
        ("shrd", L_ALU, "dabc", "d = low 32 bits of the 64 bits a (high) and b (low), shifted right by c & 31"),
    ]
    floating_point = [
        ("fadd", L_FLOAT, "dab", "d = a + b, 32-bit float"),
        ("fsub", L_FLOAT, "dab", "d = a - b, 32-bit float"),
        ("fmul", L_FLOAT_MULTIPLY, "dab", "d = a * b, 32-bit float"),
        ("fma", L_FMA, "dabc", "d = a * b + c, 32-bit float, rounded once"),
        ("fmad", L_FMA, "dabc", "d = a * b + c, 32-bit float, rounded twice"),
        ("fdiv", L_FLOAT_DIVIDE, "dab", "d = a / b, 32-bit float, IEEE 754"),
        ("fmin", L_FLOAT_COMPARE, "dab", "d = the smaller float; the other one where one is NaN, the canonical NaN where both are; "
         "-0 below +0"),
        ("fmax", L_FLOAT_COMPARE, "dab", "d = the larger float; the other one where one is NaN, the canonical NaN where both are; "
         "-0 below +0"),
        ("feq", L_FLOAT_COMPARE, "dab", "d = 1 where a == b as floats, else 0"),
        ("flt", L_FLOAT_COMPARE, "dab", "d = 1 where a < b as floats, else 0"),
        ("fle", L_FLOAT_COMPARE, "dab", "d = 1 where a <= b as floats, else 0"),
        ("floor", L_FLOAT, "da", "d = the largest whole float not above a; -0 and infinities stay"),
        ("fclass", L_FLOAT, "da", "d = RISC-V's ten class bits of the float a"),
        ("f2i", L_CONVERT, "da", "d = a as a signed integer, towards zero, saturated; NaN gives the largest"),
        ("f2u", L_CONVERT, "da", "d = a as an unsigned integer, towards zero, saturated; NaN gives the largest"),
        ("i2f", L_CONVERT, "da", "d = the signed integer a as a float, nearest even"),
        ("u2f", L_CONVERT, "da", "d = the unsigned integer a as a float, nearest even"),
        ("h2f", L_CONVERT, "da", "d = the 16-bit float in the low half of a as a 32-bit float"),
        ("f2h", L_CONVERT, "da", "d = the 32-bit float a as a 16-bit float in the low half, nearest even"),
        ("fround", L_FLOAT, "dab", "d = the float a as a whole float, rounded in RISC-V's mode b (0 to 4); -0 and infinities stay"),
        ("fnan", L_ALU, "dabc", "d = c; where that is NaN, x86's NaN of an operation on a and b: a if that is NaN, quiet, else b, "
         "else 0xffc00000"),
    ]
    double_precision = [
        ("dadd", L_DOUBLE, "dab", "dab", "d = a + b, 64-bit float"),
        ("dsub", L_DOUBLE, "dab", "dab", "d = a - b, 64-bit float"),
        ("dmul", L_DOUBLE, "dab", "dab", "d = a * b, 64-bit float"),
        ("dfma", L_DOUBLE, "dabc", "dabc", "d = a * b + c, 64-bit float, rounded once"),
        ("ddiv", L_DOUBLE_DIVIDE, "dab", "dab", "d = a / b, 64-bit float, IEEE 754"),
        ("dsqrt", L_DOUBLE_DIVIDE, "da", "da", "d = square root of a, 64-bit float, IEEE 754"),
        ("dmin", L_DOUBLE, "dab", "dab", "d = the smaller 64-bit float, as fmin"),
        ("dmax", L_DOUBLE, "dab", "dab", "d = the larger 64-bit float, as fmax"),
        ("deq", L_DOUBLE, "dab", "ab", "d = 1 where a == b as 64-bit floats, else 0"),
        ("dlt", L_DOUBLE, "dab", "ab", "d = 1 where a < b as 64-bit floats, else 0"),
        ("dle", L_DOUBLE, "dab", "ab", "d = 1 where a <= b as 64-bit floats, else 0"),
        ("f2d", L_DOUBLE_CONVERT, "da", "d", "d = the 32-bit float a as a 64-bit float"),
        ("d2f", L_DOUBLE_CONVERT, "da", "a", "d = the 64-bit float a as a 32-bit float, nearest even"),
        ("i2d", L_DOUBLE_CONVERT, "da", "d", "d = the signed integer a as a 64-bit float"),
        ("u2d", L_DOUBLE_CONVERT, "da", "d", "d = the unsigned integer a as a 64-bit float"),
        ("d2i", L_DOUBLE_CONVERT, "da", "a", "d = the 64-bit float a as a signed integer, as f2i"),
        ("d2u", L_DOUBLE_CONVERT, "da", "a", "d = the 64-bit float a as an unsigned integer, as f2u"),
        ("d2h", L_DOUBLE_CONVERT, "da", "a", "d = the 64-bit float a as a 16-bit float in the low half, nearest even, rounded once"),
        ("l2d", L_DOUBLE_CONVERT, "da", "da", "d = the signed 64-bit integer a as a 64-bit float, nearest even"),
        ("ul2d", L_DOUBLE_CONVERT, "da", "da", "d = the unsigned 64-bit integer a as a 64-bit float, nearest even"),
        ("d2l", L_DOUBLE_CONVERT, "da", "da", "d = the 64-bit float a as a signed 64-bit integer, as f2i"),
        ("d2ul", L_DOUBLE_CONVERT, "da", "da", "d = the 64-bit float a as an unsigned 64-bit integer, as f2u"),
    ]
    rounding = [
        ("exact_add", L_FLOAT, "dab", "d", "d = a + b, 32-bit floats, as a 64-bit one rounded to odd"),
        ("exact_sub", L_FLOAT, "dab", "d", "d = a - b, as exact_add"),
        ("exact_mul", L_FLOAT_MULTIPLY, "dab", "d", "d = a * b, as exact_add"),
        ("exact_fma", L_FMA, "dabc", "d", "d = a * b + c, as exact_add"),
        ("exact_div", L_FLOAT_DIVIDE, "dab", "d", "d = a / b, as exact_add"),
        ("exact_sqrt", L_FLOAT_DIVIDE, "da", "d", "d = square root of a, as exact_add"),
        ("exact_float", L_CONVERT, "da", "d", "d = the 32-bit float a as a 64-bit one"),
        ("exact_int", L_CONVERT, "da", "d", "d = the signed integer a as a 64-bit float"),
        ("exact_uint", L_CONVERT, "da", "d", "d = the unsigned integer a as a 64-bit float"),
        ("round_float", L_FLOAT, "dab", "a", "d = the 64-bit float a as a 32-bit one, rounded in RISC-V's mode b"),
        ("round_float_flags", L_FLOAT, "dab", "a", "d = RISC-V's flags of round_float"),
        ("round_int", L_CONVERT, "dab", "a", "d = the 64-bit float a as a signed integer, rounded in RISC-V's mode b, saturated"),
        ("round_int_flags", L_CONVERT, "dab", "a", "d = RISC-V's flags of round_int"),
        ("round_uint", L_CONVERT, "dab", "a", "d = the 64-bit float a as an unsigned integer, rounded in RISC-V's mode b, saturated"),
        ("round_uint_flags", L_CONVERT, "dab", "a", "d = RISC-V's flags of round_uint"),
    ]
    cross_lane = [
        ("ballot", L_ALU, "da", "scalar pair d = one bit per lane, 1 where the lane takes part (mask, predicate) and a != 0"),
        ("shuffle", L_SHUFFLE, "dabc", "d = a of lane b of the segment, b unsigned modulo its c lanes (NONE: all of the warp); active or "
         "not; a scalar d takes lane 0's b"),
        ("shuffle_up", L_SHUFFLE, "dabc", "d = a of the lane b lanes below, or its own a where that is not in its segment of c lanes"),
        ("shuffle_down", L_SHUFFLE, "dabc", "d = a of the lane b lanes above, or its own a where that is not in its segment of c lanes"),
        ("shuffle_xor", L_SHUFFLE, "dabc", "d = a of the lane whose number differs in the bits of b, or its own a where that lane is in a "
         "segment of c lanes after its own"),
        ("permute", L_SHUFFLE, "dab", "d of lane b (unsigned, modulo the warp's) = a of this lane, where it takes part; of several "
         "the highest lane's; 0 where none"),
        ("lane_bit", L_ALU, "da", "d = this lane's bit of the scalar pair a, 0 or 1"),
        ("insert_lane", L_ALU, "dab", "d of lane b (unsigned, modulo the warp's) = a of that lane, active or not; other lanes keep theirs"),
        ("get_scalar", L_ALU, "dai", "scalar d = the scalar register with number a + i; 0 where there is none"),
        ("put_scalar", L_ALU, "abi", "the scalar register with number a + i = b; nothing where there is none"),
        ("get_register", L_ALU, "dai", "d = the lane register with number a + i, a being lane 0's; register 0 where there is none"),
        ("put_register", L_ALU, "abi", "the lane register with number a + i, a being lane 0's, = b; nothing where there is none"),
        ("or_lanes", L_ALU, "dab", "scalar d = the OR of b and the a of each lane that takes part (mask, predicate)"),
        ("match_any", L_ALU, "dai", "bit l of d = 1 where lane 32 i + l takes part (mask, predicate) and its a is the same"),
    ]
    special_function = [
        ("fsqrt", L_FLOAT_ROOT, "da", "d = square root of a, 32-bit float, IEEE 754"),
        ("frcp", L_FLOAT_RECIPROCAL, "da", "d = 1 / a, 32-bit float, IEEE 754"),
        ("frsqrt", L_SPECIAL, "da", "d = 1 / square root of a, to 0.501 units in the last place; infinite, with its sign, for a zero"),
        ("fsin", L_SPECIAL, "da", "d = sine of a (radians), to 0.501 units in the last place; NaN for an infinity"),
        ("fcos", L_SPECIAL, "da", "d = cosine of a (radians), to 0.501 units in the last place; NaN for an infinity"),
        ("fexp2", L_SPECIAL, "da", "d = 2 to the power a, to 0.501 units in the last place"),
        ("flog2", L_SPECIAL, "da", "d = logarithm of a to base 2, to 0.501 units in the last place; -infinity for a zero, NaN below"),
    ]
    memory = [
        ("load", "dmi", "d = memory[a + i] (a NONE: memory[i]), SIZE bytes, zero or sign extended; 8 bytes take registers d and d + 1"),
        ("store", "mbi", "memory[a + i] = low SIZE bytes of b; of 8 bytes b is a pair"),
        ("store_image", "abc", "texel (a, b) of VIEW = packed c; lanes outside the image do nothing"),
        ("atomic_add", "dmb", "d = old memory[a + i]; memory = old + b"),
        ("atomic_min", "dmb", "d = old; memory = the smaller, signed"),
        ("atomic_max", "dmb", "d = old; memory = the larger, signed"),
        ("atomic_minu", "dmb", "d = old; memory = the smaller, unsigned"),
        ("atomic_maxu", "dmb", "d = old; memory = the larger, unsigned"),
        ("atomic_and", "dmb", "d = old; memory = old & b"),
        ("atomic_or", "dmb", "d = old; memory = old | b"),
        ("atomic_xor", "dmb", "d = old; memory = old ^ b"),
        ("atomic_exchange", "dmb", "d = old; memory = b"),
        ("atomic_cas", "dmbc", "d = old; memory = c where old == b"),
        ("atomic_inc", "dmb", "d = old; memory = 0 where old >= b unsigned, else old + 1"),
        ("atomic_dec", "dmb", "d = old; memory = b where old is 0 or above b unsigned, else old - 1"),
        ("atomic_rsub", "dmb", "d = old; memory = b - old"),
        ("atomic_fadd", "dmb", "d = old; memory = old + b as floats, rounded to nearest"),
        ("atomic_fmin", "dmb", "d = old; memory = the smaller float, as fmin"),
        ("atomic_fmax", "dmb", "d = old; memory = the larger float, as fmax"),
        ("atomic_hadd", "dmb", "d = old; memory = old + b as two 16-bit floats, each rounded to nearest"),
        ("atomic_bfadd", "dmb", "d = old; memory = old + b as two bfloat16s, the high halves of floats, each rounded to nearest"),
        ("load_scalar", "dmi", "scalar d = memory[a + i] at lane 0's address, SIZE bytes as in load; once, whatever the mask"),
        ("store_scalar", "mbi", "memory[a + i] = low SIZE bytes of b at lane 0's address; once, whatever the mask"),
    ]
    texture = [
        ("sample", "dab", "registers d .. d+3 = texel (r, g, b, a) of VIEW at (a, b), sampler row i of Program.samplers, detail level c"),
        ("sample_fixed", "dabci", "d = texel at (a, b), level c, in fixed point, of the texture whose registers lie from address i on"),
    ]
    raster = [
        ("take_quad", "di", "registers d .. d + 13 = the next quad that the raster engine hands out to this lane: triangle << 1 | 1, or 0 "
         "where there is none; row << 18 | column << 4 | covered pixels; the values of edge 0 at its four pixels, of edge 1, of edge 2"),
    ]
    merger = [
        ("merge", "abc", "a fragment goes to the output merger: a = y << 16 | x << 1 | face, b its colour, c its depth"),
    ]
    rays = [
        ("trace_ray", "dabci", "a ray begins its walk: registers a .. a + 7 = origin, direction, tmin, tmax; b = address of the scene; "
         "c = mask << 16 | flags; d = handle. i = 1: both are the warp's, in lanes 1 and 3 of b"),
    ]
    ray_answers = [
        ("await_ray", "da", "waits for the rays of handle a; registers d .. d + 13 = status; t, u, v; triangle, instance, geometry, custom "
         "number; origin and direction in the space of the instance"),
        ("resume_ray", "abc", "the walk that was waited for last continues: a = 0: its candidate does not count, 1: it does, 2: and "
         "that is all; b = t of what is in a box, c: not looked at"),
    ]
    control = [
        ("nop", "", "nothing", NEXT),
        ("branch", "atr", "lanes where (a & i) != 0 go to the target (NEGATE: where it is 0); RECONVERGE is where they reconverge",
         NEXT + TO_TARGET),
        ("jump", "t", "all active lanes go to the target", TO_TARGET),
        ("jump_register", "da", "all active lanes go to the instruction at address a + i, low bit dropped (not of a scalar a); "
         "d = address of the next one, in a scalar d too; "
         "t: where that is, if it is known",
         THROUGH_REGISTER),
        ("call", "dt", "d = address of the next instruction, in a scalar d too; all active lanes go to the target", CALLS),
        ("exit", "", "the active lanes end", ENDS),
        ("exit_warp", "", "the whole warp ends, whatever its mask, once its pending writes have landed", ENDS),
        ("push_mask", "t", "push (mask, target); next", PUSHES_TARGET + NEXT),
        ("pop_mask", "", "pop (mask, target): the mask is restored, the target is next", POPS),
        ("mask_nonzero", "a", "mask = active lanes where a != 0; when none is left, as pop_mask", NEXT + POPS),
        ("branch_push", "atr", "T = active where a != 0, F = the rest: push (mask, r); push (F, t) if F; run T, or pop if none",
         PUSHES_RECONVERGENCE + NEXT + TO_TARGET),
        ("split", "da", "Vortex split: mask = lanes where a != 0; the others wait on the stack to run the same instructions; "
         "d = entries of the stack before, and a split on which all agree leaves nothing there (d NONE: it does)", NEXT),
        ("join", "a", "Vortex join: pop the stack: the lanes that wait run from after their split, or all together from here; "
         "nothing where the stack has a entries (a not NONE)", NEXT),
        ("set_mask", "a", "Vortex tmc: mask = a of one lane, bit l = lane l; 0 ends the warp", NEXT + ENDS),
        ("predicate", "ab", "Vortex pred: mask = active lanes where a != 0; when there are none, b of one lane, 0 ends the "
         "warp (NONE: as before)", NEXT),
        ("spawn", "ab", "Vortex wspawn: warps 1 .. a - 1 of the core start at address b with lane 0; those from a on end", NEXT),
        ("spawn_alone", "ab", "Vortex wspawn from 2023 on: waits until no other warp of the core runs; then as spawn", NEXT),
        ("core_barrier", "abi", "Vortex bar: waits until b warps have come to barrier a of the core; where bit 31 of a is set, until "
         "b cores have, with all of their warps; fewer warps, or cores, than i are not waited for", NEXT),
        ("read_counter", "di", "d = number i of PERFORMANCE_COUNTERS, low 32 bits; from HIGH_HALF on, high 32 bits of i - HIGH_HALF", NEXT),
        ("halt", "", "the device stops: all warps of all cores end", ENDS),
        ("read_mask", "d", "scalar pair d = active lanes", NEXT),
        ("write_mask", "a", "active lanes = scalar pair a & the lanes that have a thread", NEXT),
        ("barrier", "ai", "waits until b warps (NONE: all of the block) have arrived at barrier a + i", NEXT),
        ("barrier_arrive", "ai", "counts an arrival at barrier a + i and continues", NEXT),
        ("barrier_count", "dcai", "d = how many threads of the block have c != 0, when all of them have come to barrier a + i", NEXT),
        ("barrier_and", "dcai", "d = 1 where all threads of the block have c != 0, else 0, when all have come to barrier a + i", NEXT),
        ("barrier_or", "dcai", "d = 1 where some thread of the block has c != 0, else 0, when all have come to barrier a + i", NEXT),
        ("grid_barrier", "", "waits until all blocks of the grid have come; the grid must fit on the machine at once", NEXT),
        ("sync_warp", "ab", "the lanes in a (0 to 31; NONE: all) and b (32 to 63) that have not ended wait for each other, where a "
         "mechanism lets each of them run on its own (its); nothing elsewhere", NEXT),
        ("fence", "i", "waits until this warp's earlier memory accesses are done: i = 0, for all of the device; 1, for its block", NEXT),
        ("yield", "", "a hint: a different path of this warp may run", NEXT),
        ("sleep", "a", "a hint: the lanes rest for about a nanoseconds; a different path of this warp may run", NEXT),
        ("trap", "i", "stops the kernel with fault number i", ENDS),
        ("illegal", "i", "stops the kernel: the word i is not an instruction", ENDS),
        ("read_only_register", "i", "stops the kernel: control register i of the instruction set can only be read", ENDS),
        ("branch_scalar", "at", "the active lanes, if any, go to the target where scalar a & i is not 0 (NEGATE: where it is 0)",
         NEXT + TO_TARGET),
        ("converge", "i", "the lanes of convergence barrier i are the active ones, on its", NEXT),
        ("await_lanes", "i", "on its, waits until all lanes of convergence barrier i that have not ended are here", NEXT),
        ("leave_lanes", "i", "the active lanes are none of convergence barrier i's any more", NEXT),
        ("read_converging", "di", "d = lanes of convergence barrier i & 15, which has none then where i & 16; 0 but on its", NEXT),
        ("write_converging", "ai", "the lanes of convergence barrier i are a of one lane", NEXT),
    ]
    buffer = [("await", "ai", "nothing, in the instruction buffer: a stall for register a, or others that its instruction uses, is "
               "waitcnt, and where i is not 0 one until all accesses of the warp's lanes but the last i - 1 are done")]
    note = [("note", L_ALU, "abci", "a row on the log of the run: number i, the thread, and what a, b and c hold in it")]
    alu = (
        (INTEGER, integer), (SPECIAL_REGISTER, special_register), (FLOATING_POINT, floating_point), (CROSS_LANE, cross_lane), (NOTE, note),
    )  # fmt: skip
    rows = [Operation(name, ALU, part, latency, operands, meaning) for part, table in alu for name, latency, operands, meaning in table]
    rows += [
        Operation(name, ALU, part, latency, operands, meaning, NEXT, pairs)
        for part, table in ((DOUBLE_PRECISION, double_precision), (ROUNDING, rounding))
        for name, latency, operands, pairs, meaning in table
    ]
    rows += [
        Operation(name, SPECIAL, SPECIAL_FUNCTION, latency, operands, meaning) for name, latency, operands, meaning in special_function
    ]
    looked_up = "d = word a + i of the program's tables of functions (`Program.functions`); 0 where there is none"
    rows.append(Operation("look_up", SPECIAL, FUNCTION_TABLE, L_SPECIAL, "dai", looked_up))
    rows += [Operation(name, MEMORY, NO_DATAPATH, L_MEMORY, operands, meaning) for name, operands, meaning in memory]
    rows += [Operation(name, TEXTURE, NO_DATAPATH, L_MEMORY, operands, meaning) for name, operands, meaning in texture]
    rows += [Operation(name, CONTROL, NO_DATAPATH, L_CONTROL, operands, meaning, flow) for name, operands, meaning, flow in control]
    rows += [Operation(name, BUFFER, NO_DATAPATH, L_CONTROL, operands, meaning) for name, operands, meaning in buffer]
    rows += [Operation(name, RASTER, NO_DATAPATH, L_MEMORY, operands, meaning) for name, operands, meaning in raster]
    rows += [Operation(name, MERGER, NO_DATAPATH, L_MEMORY, operands, meaning) for name, operands, meaning in merger]
    rows += [Operation(name, RAYS, NO_DATAPATH, L_MEMORY, operands, meaning) for name, operands, meaning in rays]
    rows += [Operation(name, RAY_ANSWERS, NO_DATAPATH, L_MEMORY, operands, meaning) for name, operands, meaning in ray_answers]
    return rows


def pairs_of(operation: Operation, size: int) -> str:
    """Those of the letters d a b c that stand for a pair of registers: as the table says, or the values of a memory access of 8 bytes."""
    if operation.unit == MEMORY and size == WIDE:
        return "".join(letter for letter in "dbc" if letter in operation.operands)
    return operation.pairs


def registers_written(operation: Operation, size: int = 4) -> int:
    """How many registers an operation writes, from its destination on. size: bytes of a memory access."""
    if "d" not in operation.operands:
        return 0
    several = {"sample": 4, "take_quad": QUAD_REGISTERS, "await_ray": RAY_REGISTERS}
    return several.get(operation.name, 2 if "d" in pairs_of(operation, size) else 1)


OPERATIONS: tuple[Operation, ...] = tuple(_rows())
NUMBER: dict[str, int] = {operation.name: number for number, operation in enumerate(OPERATIONS)}


class Uop(NamedTuple):
    """One micro-op as a front end writes it; `row()` gives what the machine reads."""

    name: str
    dst: int = NONE
    a: int = NONE
    b: int = NONE
    c: int = NONE
    imm: int = 0
    predicate: int = NONE
    size: int = 4
    space: int = GLOBAL_SPACE
    target: int = NONE
    reconverge: int = NONE
    view: int = NONE
    flags: int = 0
    latency: int = NONE  # NONE: the operation's own class

    def row(self) -> list[int]:
        """`UOP_COLUMNS` integers. The immediate is taken modulo 2^32."""
        number = NUMBER[self.name]
        operation = OPERATIONS[number]
        unit = SHARED if operation.unit == MEMORY and self.space == SHARED_SPACE else operation.unit
        latency = operation.latency if self.latency == NONE else self.latency
        imm = (self.imm + (1 << 31)) % (1 << 32) - (1 << 31)
        return [
            number, self.dst, self.a, self.b, self.c, imm, self.predicate, self.size,
            self.space, self.target, self.reconverge, unit, latency, self.view, self.flags, operation.datapath,
        ]  # fmt: skip

    def __str__(self) -> str:
        shown = [f"{name}={operand_name(code)}" for name, code in zip(self._fields[1:5], self[1:5], strict=True) if code != NONE]
        return f"{self.name} {' '.join(shown)}".rstrip()


MAKES_NAN = frozenset((
    "fadd", "fsub", "fmul", "fma", "fmad", "fdiv", "fmin", "fmax", "floor", "fround", "h2f", "f2h",
    "dadd", "dsub", "dmul", "dfma", "ddiv", "dsqrt", "dmin", "dmax", "f2d", "d2f", "d2h",
    "fsqrt", "frcp", "frsqrt", "fsin", "fcos", "fexp2", "flog2",
))  # fmt: skip


def nvidia_nan(name: str) -> int:
    """The flag of a micro-op of an instruction set of NVIDIA's: NVIDIA_NAN for operations whose result may be a NaN, else 0.

    Of 32 bits that NaN is 0x7fffffff, of 16 bits 0x7fff. Of 64 bits it is the one of an operand, made quiet, with its sign: that of b, else
    of c, else of a (a quotient: of a, else of b); where no operand is NaN, 0xfff8000000000000. Conversions from and to 64 bits keep the
    sign and the highest bits. Measured on an H100.
    """
    return NVIDIA_NAN if name in MAKES_NAN else 0


def operand_name(code: int) -> str:
    """How a listing writes an operand: `v3` lane register, `s2` scalar register, `#imm`, `-` for none."""
    if code == NONE:
        return "-"
    if code == IMMEDIATE:
        return "#imm"
    return f"s{code - SCALAR}" if code >= SCALAR else f"v{code}"


def listing(row: Sequence[int] | np.ndarray) -> str:
    """A micro-op row as text: `add v3, v1, #5`."""
    operation = OPERATIONS[int(row[OP])]
    parts = []
    for letter in operation.operands:
        if letter in "dabc":
            code = int(row[(DST, A, B, C)["dabc".index(letter)]])
            if code != NONE:
                parts.append(f"#{int(row[IMM])}" if code == IMMEDIATE else operand_name(code))
        elif letter == "m":
            base, offset = int(row[A]), int(row[IMM])
            parts.append(f"[{offset}]" if base == NONE else f"[{operand_name(base)}{f'{offset:+d}' if offset else ''}]")
        elif letter == "t":
            parts.append(f"->{int(row[TARGET])}")
        elif letter == "r" and int(row[RECONVERGE]) != NONE:
            parts.append(f"reconverge {int(row[RECONVERGE])}")
    if operation.name == "special":
        parts.append("%" + SPECIALS[int(row[IMM])])
    predicate = int(row[PREDICATE])
    prefix = f"@{'!' if int(row[FLAGS]) & NEGATE_PREDICATE else ''}{operand_name(predicate)} " if predicate != NONE else ""
    size = {1: ".b8", 2: ".b16", 8: ".b64"}.get(int(row[SIZE]), "")
    return f"{prefix}{operation.name}{size} {', '.join(parts)}".rstrip()
