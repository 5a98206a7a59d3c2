"""Reuse cache: the operands that an instruction leaves for the next ones, so that these need not read their register bank.

In hardware: beside the operand latches of a sub-partition a register of each bank for each of the three operand places. The compiler marks
an operand (`R2.reuse` in SASS) that the next instruction to read that bank in that place wants, too: that one takes it from there, and
needs one read less. A warp finds only what it left there itself, and an operand that is not marked leaves nothing: arithmetic that reads
the bank in that place ends what was there. Without it, multiply-adds of three different registers need three reads of two ports.

It belongs to the stage in which arithmetic reads its operands. Loads, stores and samples gather theirs on the way to their units: they
find nothing there, leave nothing and end nothing. Here the same holds for bundles of several micro-ops, which are not an instruction
of such a machine, and for the two registers of a 64-bit operand.

It does not hold values here, because these are read at issue: only which register of which warp is there. Marks are those of a compiler
that sees straight code (`device/reuse_marks.py`).

Source: Huerta et al., "Analyzing modern NVIDIA GPU cores", MICRO 2025, on an RTX A6000; Jia et al., "Dissecting the NVIDIA Volta GPU
architecture via microbenchmarking", 2018, for Volta.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.core.operand_banks import BITS, MAX_BANKS
from warploom.machine.engine.sizes import MAX_SCHEDULERS
from warploom.machine.engine.unit import inlined, record

PLACES = 3  # operands a, b and c
REGISTER_BITS = 8  # a register's number in a mark
REGISTERS = 1 << REGISTER_BITS
READS, KEEPS = 1 << REGISTER_BITS, 2 << REGISTER_BITS  # of a mark: the operand is a register; it stays for the next instruction
MARK_BITS = REGISTER_BITS + 2

ReuseCache = record(
    side_by_side=(MAX_SCHEDULERS,),
    settings=dict(
        banks="i8",                                           # as of the register file, a power of two; 0: there is none
    ),
    state=dict(
        kept=("i8", (MAX_SCHEDULERS, PLACES * MAX_BANKS)),    # [scheduler, place * banks + bank] warp and register + 1; 0: nothing
    ),
    counters=dict(
        hits="i8",                                            # operands that were found
    ),
)  # fmt: skip


@inlined
def reads_without_reused(cache, number, warp, reads, marks):
    """What an instruction of scheduler `number` still reads of each bank, four bits a bank, if marked operands are found.

    reads: BANK_READS of the instruction. marks: its REUSE.
    """
    left = np.int64(marks)
    reads = np.int64(reads)
    place = np.int64(0)
    while left != 0:
        if left & READS != 0:
            register = left & (REGISTERS - 1)
            bank = register & (cache.banks - 1)
            entry = place + bank
            owner = np.int64(warp << REGISTER_BITS | register) + 1
            if cache.kept[number, entry] == owner:
                reads = reads - (np.int64(1) << BITS * bank)
                cache.hits = cache.hits + 1
            cache.kept[number, entry] = owner if left & KEEPS != 0 else 0
        left = left >> MARK_BITS
        place = place + cache.banks
    return reads
