"""A compiler's schedule: what machine code says of its own time, instruction by instruction.

In machine code of NVIDIA since Volta every instruction carries a *control word*: how many cycles its warp then waits, whether another
warp should go first, which of six counters its result and its operands raise, and which of them have to be at zero before it issues. The
hardware obeys it and compares no registers. How long a result really takes depends on the unit that makes it and on who reads it: the
instruction's *role*, a row of ROLES. How many cycles a role takes is a property of a machine (`machine/config/roles.py`).

Control words are kept as the bits 105 to 125 of the instruction, the lowest first; the places are below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

STALL = 0  # four bits: cycles until the warp's next instruction may issue
RUNS_ON = 1 << 4  # the warp may go on; not set: the scheduler prefers another warp
WRITE, READ = 5, 8  # three bits each: the counter that is raised until the result is written, until the operands are read
WAIT = 11  # six bits: counters that have to be at zero
REUSE = 17  # bits of the operands a, b and c: it stays in the reuse cache
CONTROL_BITS = (1 << 21) - 1  # all of these
LINE = 21  # behind them seven bits of our own: 1 + the line of 64 bytes of constant bank 0 that it reads; 0: it reads none
LINE_BITS, LINE_BYTES = 127, 64
STALL_BITS, WAIT_BITS = 15, 63
COUNTERS = 6
NO_COUNTER = 7
PLAIN = 1 | RUNS_ON | NO_COUNTER << WRITE | NO_COUNTER << READ  # the next one may issue in the next cycle; nothing is waited for

# What an instruction is to those before and after it: the unit that executes it, as far as that shows in time.
ROLES: dict[str, str] = {
    "nothing": "does nothing",
    "integer": "adds, logic, shifts, moves and selections",
    "add": "adds two numbers, on either pipe of integers (VIADD)",
    "compare": "compares, and writes a predicate",
    "multiply": "integer multiply-add, low word",
    "wide": "integer multiply-add of 64 bits",
    "high": "integer multiply-add, high word",
    "float": "single precision",
    "half": "pairs of halves",
    "half_matrix": "pairs of halves on the double pipe (HFMA2.MMA)",
    "double": "double precision",
    "double_compare": "compares doubles, and writes a predicate",
    "special": "approximate functions",
    "bits": "counts bits, finds the highest one, reverses",
    "convert": "conversions between integers and floats",
    "uniform": "arithmetic once a warp",
    "uniform_move": "a number becomes a register of the warp's",
    "uniform_load": "a constant, once a warp",
    "lane_to_uniform": "a lane's register becomes the warp's",
    "special_to_uniform": "a special register becomes the warp's",
    "clock": "a special register that the integer pipe reads",
    "lane_special": "a special register of the lane",
    "warp_special": "a special register of the warp, the block or the multiprocessor",
    "constant": "a constant at an address in the instruction",
    "constant_at": "a constant at an address in a register",
    "shuffle": "a register of another lane",
    "vote": "which lanes have a predicate",
    "match": "which lanes have the same value, one value after the other",
    "match_all": "whether all lanes have the same value",
    "reduce": "a sum, minimum or the like over lanes",
    "shared_load": "loads from shared memory",
    "shared_store": "stores to shared memory",
    "load": "loads",
    "store": "stores",
    "atomic": "atomic operations",
    "texture": "samples",
    "matrix": "matrix instructions",
    "branch": "jumps to a place in the code, perhaps",
    "jump": "jumps to a place in the code",
    "jump_register": "jumps to where a register says, or returns",
    "call": "calls a function",
    "converge": "lanes will wait for each other (BSSY)",
    "join": "lanes wait for each other (BSYNC)",
    "leave": "lanes are not waited for any more (BREAK)",
    "sync_lanes": "waits for the lanes that a register names",
    "sync_warp": "waits for all lanes of the warp",
    "yield": "other lanes of the warp may run",
    "sleep": "waits some nanoseconds",
    "barrier": "waits for the block",
    "fence": "orders accesses",
    "exit": "lanes end",
}
ROLE_ROOM = 64  # room for roles
ROLE_NAMES = tuple(ROLES)
ROLE_NUMBER = {name: number for number, name in enumerate(ROLES)}


@dataclass(frozen=True)
class Schedule:
    """The control word, the role and the operands of each instruction of a program.

    words: int32[instructions], as above, with the line of constants.
    roles: int32[instructions], numbers of ROLES. sources: int32[instructions, 3], the registers of
    operands a, b and c as the register file has them, NO_SOURCE for an operand that is none; of a pair the first.
    guards: int32[instructions], the number of the predicate that guards each, NO_SOURCE for none.
    """

    words: np.ndarray
    roles: np.ndarray
    sources: np.ndarray
    guards: np.ndarray

    def role(self, number: int) -> str:
        """The role of an instruction: of ROLES."""
        return ROLE_NAMES[int(self.roles[number])]

    def waited_for(self, number: int) -> list[int]:
        """The counters that have to be at zero before an instruction issues."""
        return [counter for counter in range(COUNTERS) if int(self.words[number]) >> WAIT + counter & 1]

    def set_by(self, number: int) -> list[int]:
        """The counters that an instruction raises: until its result is written, until its operands are read."""
        return [counter for place in (WRITE, READ) if (counter := int(self.words[number]) >> place & NO_COUNTER) != NO_COUNTER]


NO_SOURCE = -1


def packed(stall: int, runs_on: bool = True, write: int = NO_COUNTER, read: int = NO_COUNTER, wait: int = 0, reuse: int = 0) -> int:
    """A control word from its parts."""
    return stall | RUNS_ON * runs_on | write << WRITE | read << READ | wait << WAIT | reuse << REUSE


def stall_of(word: int) -> int:
    """The cycles from an instruction with this control word to its warp's next one.

    Measured on an H100: 0 counts as two cycles; with a yield at least two pass; from 12 on and without a yield it is one.
    """
    stall = word & STALL_BITS
    if word & RUNS_ON:
        return 2 if stall == 0 else 1 if stall > MOST_WITHOUT_YIELD else stall
    return max(stall, 2)


MOST_WITHOUT_YIELD = 11
