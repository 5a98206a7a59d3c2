"""What each role of an instruction takes on a machine that issues by control words: its pipe, how long it keeps that, when it is done.

One row a role, one fact a column, with its source. Registers are compared with nothing on such a machine, so latencies serve two ends only:
when an instruction lowers the counter that it has raised, and (`early_reads`, the check) whether code reads a register too early.

Sources: "H100": measured on an H100 SXM by this project, with kernels assembled by hand (tests/golden/h100/words).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.isa.needs import uses
from warploom.isa.program import Program
from warploom.isa.schedule import NO_SOURCE, REUSE, ROLE_NAMES, ROLE_NUMBER, ROLES, Schedule
from warploom.machine.config.schema import Config
from warploom.machine.core.operand_banks import BITS
from warploom.machine.core.reuse_cache import KEEPS, MARK_BITS, READS
from warploom.machine.core.role_pipes import FIRST_READER, OWN


class Cost(NamedTuple):
    """What a role takes, in cycles.

    port: the pipe of a sub-partition; "" where the unit of the instruction says it. interval: for which it keeps the entry of the pipe.
    latency: from the issue until the counter of its result is lowered; 0 where the unit says it. serves: for which it keeps the port of
    the whole core behind its pipe. reads: until the counter of its operands is lowered. room: by how many cycles the next one
    issues before the pipe is free, for it waits there. branches, branches_taken: for which it keeps the
    branch unit, where the warp goes on at the next instruction, and elsewhere. after_jump: to the warp's next instruction where that is
    elsewhere. after_part: where some lanes of the warp are elsewhere. after: wherever it is; 0: its stall count. least: to the warp's
    next instruction, whatever its stall count. tick: more of them for each 64 nanoseconds that it is told
    to rest. given, taken: for which it keeps the way of lanes' data to the port of memory, and from there. next_pass: more latency for
    each further value that its lanes have, one pass through the port each.
    """

    port: str = ""
    interval: int = 1
    latency: int = 0
    serves: int = 0
    reads: int = 9
    room: int = 0
    branches: int = 0
    branches_taken: int = 0
    after_jump: int = 0
    after_part: int = 0
    after: int = 0
    least: int = 1
    tick: int = 0
    given: int = 0
    taken: int = 0
    next_pass: int = 0


PORTS = {"integer": u.ALU, "heavy": u.HEAVY, "float": u.FLOAT, "both": u.HEAVY, "double": u.DOUBLE, "special": u.SPECIAL,
         "uniform": u.SCALAR_PORT, "memory": u.SHARED, "index": u.INDEX, "register": u.TEXTURE, "buffer": u.BUFFER}  # fmt: skip
SWITCH = 19  # H100: 14 to stop at a BSYNC, 5 until the other lanes go on
TAKEN_FIRST = 4  # H100: where lanes part, those that take the branch and run first go on 9 cycles later than the others would
SWITCH_BY_NAME = 5  # the same, where lanes execute the BSYNC before they wait

STORED = 11  # H100: from one clock to the next 16 cycles, where an access of shared memory has to have read its operands

HOPPER: Mapping[str, Cost] = {
    "integer": Cost("integer", 2, 4),  # H100: one in two cycles, two of any of them four
    "add": Cost("integer", 2, 4),  # as integer
    "compare": Cost("integer", 2, 13),  # H100: as the others; 13 until a guard may ask for the predicate
    "multiply": Cost("heavy", 2, 4),  # H100: one half of the FMA pipe
    "wide": Cost("heavy", 4, 4, room=2, least=3),  # H100: of n with another instruction each the last issues 3 cycles before the end, not 1
    "high": Cost("heavy", 4, 4),  # H100: 31.6 results a cycle and multiprocessor
    "float": Cost("float", 2, 4),  # H100: one a cycle, of two halves of the pipe
    "half": Cost("both", 2, 4),  # H100: FFMA and HFMA2 in turn take four cycles, so it keeps both halves
    "half_matrix": Cost("double", 2, 8),  # H100: FFMA, IMAD and ALU beside it are free, DFMA is not
    "double": Cost("double", 2, 8),  # H100
    "double_compare": Cost("double", 2, 14),  # H100: 14 until a guard may ask
    "special": Cost("special", 8, 17, room=3),  # H100
    "bits": Cost("special", 8, 17, room=3),  # H100
    "convert": Cost("special", 8, 17, room=3),  # H100
    "uniform": Cost("uniform", 2, 6),  # H100: beside all others
    "uniform_move": Cost("uniform", 2, 1),  # H100: the next instruction may use it
    "uniform_load": Cost("buffer", 1, 1),  # H100: beside UIADD3 and all others
    "lane_to_uniform": Cost("integer", 2, 2),  # H100: nothing waits for its counter; 10 until a lane may use the result
    "special_to_uniform": Cost("index", 2, 35, serves=2, room=3),  # H100
    "clock": Cost("integer", 2, 4),  # H100
    "lane_special": Cost("register", 2, 23, serves=2, room=39, taken=2),  # H100: beside constants; of 128 the last issues 38 early
    "warp_special": Cost("register", 2, 25, serves=2, room=39, taken=2),  # H100
    "constant": Cost("index", 2, 25, serves=2, room=3),  # H100
    "constant_at": Cost("index", 2, 0, serves=2, room=3),  # H100; the constant cache says how long
    "shuffle": Cost("memory", 4, 26, serves=1, given=1, taken=1),  # H100: 24 of a given index
    "vote": Cost("integer", 2, 4),  # H100
    "match": Cost("index", 4, 28, serves=2, room=5, next_pass=11),  # H100: 369 of 32 values; 16 warps 2.1 a value
    "match_all": Cost("index", 4, 28, serves=2, room=5),  # as of one value
    "reduce": Cost("index", 4, 38, serves=2, room=5, given=2),  # H100: beside LDS and LDG, not beside SHFL and STS
    "shared_load": Cost("memory", 2, serves=1, reads=STORED, taken=1),  # H100: one in two cycles of a sub-partition, one a cycle of all
    "shared_store": Cost("memory", 4, serves=1, reads=STORED, given=1),  # H100: one in four
    "load": Cost("memory", 4, serves=1, reads=STORED, taken=1),  # H100
    "store": Cost("memory", 4, serves=1, reads=STORED, given=1),  # as loads
    "atomic": Cost("memory", 4, serves=1, reads=STORED, given=1, taken=1),  # as loads
    "branch": Cost(branches=1, branches_taken=4, after_jump=10),  # H100: whatever its stall count; four warps of a scheduler 3.6 each
    "jump": Cost(branches=4, after=10),  # H100: the same
    "jump_register": Cost(branches=16, after_jump=38, after=38),  # H100: BRX, RET; four warps of a scheduler 16 each
    "call": Cost(branches=4, after_jump=10, after=10),  # H100
    "converge": Cost(branches=4),  # H100
    "join": Cost(branches=4, after=14),  # H100: with BSSY 18 together; four warps of a scheduler 8
    "leave": Cost(branches=4, after=16),  # H100
    "sync_warp": Cost(branches=1, after_part=35),  # H100: its stall count for a whole warp
    "sync_lanes": Cost(branches=1, after=36),  # H100: 36 to 38
    "yield": Cost(branches=16, after=51),  # H100; four warps of a scheduler 16 each
    "sleep": Cost(branches=1, after=77, tick=126),  # H100: 77 of less than half a tick
}
TABLES: Mapping[str, Mapping[str, Cost]] = {"hopper": HOPPER}
PAIRS = ("double", "double_compare")  # roles whose operands are pairs of registers
TWICE = ("wide", "high")  # roles that read their factors twice


def obeys_words(config: Config, program: Program) -> bool:
    """Whether a machine issues a program as its control words say."""
    return config.core.issue == "control" and program.schedule is not None


def names_barriers(config: Config, program: Program) -> bool:
    """Whether lanes come together where a program's instructions say so, and nowhere else."""
    return config.core.divergence == "its" and (program.schedule is not None or uses(program, "converge"))


def costs_of(config: Config) -> list[Cost]:
    """By number of a role."""
    table = TABLES[config.core.roles]
    return [table.get(name, Cost()) for name in ROLES]


def schedule_into(config: Config, schedule: Schedule, code: np.ndarray) -> None:
    """Write what a core that issues by control words has to see of each instruction into its row: word, role, port, registers to read."""
    costs = costs_of(config)
    ports = np.array([PORTS.get(cost.port, -1) for cost in costs], np.int32)[schedule.roles]
    arithmetic = np.isin(code[:, u.ISSUE_UNIT], (u.ALU, u.SPECIAL)) & (ports >= 0)
    code[:, u.CONTROL_WORD], code[:, u.ISSUE_LATENCY] = schedule.words, schedule.roles
    code[arithmetic, u.PORT] = ports[arithmetic]
    if config.operands.banks:
        code[:, u.BANK_READS], code[:, u.REUSE] = 0, 0
        for number in np.flatnonzero(arithmetic).tolist():
            code[number, u.BANK_READS], code[number, u.REUSE] = _reads(schedule, number, config.operands.banks, config.operands.reuse)
        for number in np.flatnonzero(np.isin(schedule.roles, [ROLE_NUMBER[name] for name in ADDRESSED])).tolist():
            code[number, u.BANK_READS] = _address_reads(schedule, number, config.operands.banks)
        code[:, u.BANK_READS] |= _first_sources(schedule) << BITS * config.operands.banks
        if config.operands.banks < OWN:
            code[arithmetic & (ports == u.ALU), u.BANK_READS] |= 1 << FIRST_READER


ADDRESSED = ("shared_load", "shared_store", "load", "store", "atomic")
LONG = ("load", "store", "atomic")  # of 64 bits


def _address_reads(schedule: Schedule, number: int, banks: int) -> int:
    """How often an access reads each bank for its address. H100: DFMA of three pairs takes 3 cycles, and 4 beside LDS, STS or LDG."""
    register = int(schedule.sources[number, 0])
    if register == NO_SOURCE:
        return 0
    found = 1 << BITS * (register % banks)
    return found | 1 << BITS * ((register + 1) % banks) if ROLE_NAMES[schedule.roles[number]] in LONG else found


FACTORS = 2  # a and b
NO_FIRST = ("half_matrix", "double", "double_compare", "vote", "clock", "special", "bits", "convert")  # H100: IMAD.WIDE beside them takes 4


def _first_sources(schedule: Schedule) -> np.ndarray:
    """By instruction: for how many cycles it keeps the port of the first source. H100: IMAD.WIDE does for all of its 4, so that another one
    beside it takes one more; those that read no register, or have a port of their own, do not."""
    kept = (schedule.sources[:, 0] != NO_SOURCE).astype(np.int32)
    kept[np.isin(schedule.roles, [ROLE_NUMBER[name] for name in NO_FIRST])] = 0
    kept[schedule.roles == ROLE_NUMBER["wide"]] *= HOPPER["wide"].interval
    return kept


def _reads(schedule: Schedule, number: int, banks: int, reuse: bool) -> tuple[int, int]:
    """(how often each bank is read, marks of the reuse cache) of an instruction, from the registers that it names and their reuse bits."""
    counts, marks, seen = [0] * banks, 0, set[int]()
    role = schedule.roles[number]
    pairs, twice = role in [ROLE_NUMBER[name] for name in PAIRS], role in [ROLE_NUMBER[name] for name in TWICE]
    word = int(schedule.words[number])
    for place, register in enumerate(schedule.sources[number].tolist()):
        if register == NO_SOURCE or register in seen:
            continue
        seen.add(register)
        counts[register % banks] += 2 if twice and place < FACTORS else 1
        if pairs or (twice and place == FACTORS):
            counts[(register + 1) % banks] += 1
        elif reuse and not twice:
            marks |= (register | READS | (KEEPS if word >> REUSE + place & 1 else 0)) << MARK_BITS * place
    return sum(count << BITS * bank for bank, count in enumerate(counts)), marks
