"""Selection: from SSA to machine code. Every operation that is not part of another one becomes an instruction."""

from __future__ import annotations

from warploom.compiler.edges import copy_before_branches
from warploom.compiler.mir import Half, Instr, MachineBlock, Micro, Operand, Reg
from warploom.compiler.rows import join_rows
from warploom.compiler.select_memory import MemoryRules
from warploom.compiler.ssa import PURE, Block, Value
from warploom.compiler.variables import kind_of

MEMORY = ("load", "store")


class Selector(MemoryRules):
    """All rules. One value is selected at a time, those that use others first, so that a value may become part of its only user."""

    def block_of(self, block: Block) -> list[Instr]:
        """The instructions of a block."""
        self.block = block
        pieces: list[list[Instr]] = []
        last: list[tuple[int, Instr]] = []  # by a value's number the last of its instructions, backwards
        for value in reversed(block.code):
            if value in self.folded or (value.op in PURE and value not in self.uses):
                continue
            self.code, self.at = [], value.at
            self._value(value)
            pieces.append(self.code)
            last += [(value.number, self.code[-1])] if self.code else []
        self._bind(block, last)
        return join_rows(_asked_in_passing([instr for piece in reversed(pieces) for instr in piece]))

    def _bind(self, block: Block, last: list[tuple[int, Instr]]) -> None:
        """Put the variables that a block gives a value after the instruction that is the last before that."""
        for number, name, value, kind, words in block.bound:
            instr = next((instr for before, instr in last if before <= number), None)
            self.bound.append((instr, block, name, value, kind, words))

    def _value(self, value: Value) -> None:
        if self.same_word(value) is not None:
            return
        if self.on_memory(value) or self.on_float(value) or self.on_integer(value):
            return
        raise NotImplementedError(value.op)

    def copies(self, block: Block, after: Block) -> list[tuple[Reg, Operand]]:
        """What is copied at the end of a block for the phis of the next one."""
        place = after.before.index(block)
        found: list[tuple[Reg, Operand]] = []
        for phi in after.phis:
            found += [(self.reg(phi), self._source(phi, phi.args[place]))]
        return found

    def _source(self, phi: Value, value: Value) -> Operand:
        if self.size(phi) == 1:
            return self.low(value)
        if value.op not in ("const", "param") and self.size(value) == 2:
            return self.reg(value)
        made = self.new(2)  # a pair to copy from
        low, high = self.low(value), self.high(value)
        self.add(Micro("mov", Half(made, 0), low), Micro("mov", Half(made, 1), high), early=True)
        return made


def _asked_in_passing(code: list[Instr]) -> list[Instr]:
    """Questions of a kernel that is checked join the instruction after them, where it stands at the same place of the text.

    So they take no cycle of their own, and a kernel with checks issues about as many instructions as without.
    """
    found: list[Instr] = []
    for instr in reversed(code):
        after = found[-1] if found else None
        if after is not None and _asks(instr) and not after.copies and after.at._replace(length=0) == instr.at._replace(length=0):
            found[-1] = Instr([*instr.uops, *after.uops], after.at, True, latency=after.latency, bound=[*instr.bound, *after.bound])
        else:
            found.append(instr)
    return found[::-1]


def _asks(instr: Instr) -> bool:
    return bool(instr.uops) and instr.uops[-1].op == "note" and instr.uops[-1].imm < 0


def select(
    blocks: list[Block], wide: set[Value], regions: dict[Value, int], *, contract: bool = True, dense: bool = False
) -> list[MachineBlock]:
    """Machine code of a function: blocks that were pruned, whose ranges are known.

    dense: as ptxas writes it: a sum with a product or a shifted number is one instruction (IMAD, IMAD.WIDE, LEA) also where all lanes agree
    on a part, so is logic with a comparison (ISETP.AND), an address is computed by an instruction of its own, and what a loop copies at its
    end is copied in front of the branch.
    """
    _split_edges(blocks)
    chosen = Selector(wide, regions, _uses(blocks))
    chosen.contract, chosen.dense = contract, dense
    made = {block: MachineBlock(number, block.at) for number, block in enumerate(blocks)}
    for block in blocks:
        one = made[block]
        one.after = [made[other] for other in block.after]
        one.before = [made[other] for other in block.before]
        if block.condition is not None:
            condition, one.negate = _condition(block.condition)
            chosen.block = block
            one.condition = chosen.low(condition)
        chosen.code, chosen.at = [], block.code[-1].at if block.code else block.at
        copies = [pair for other in block.after if other.phis for pair in chosen.copies(block, other)]
        tail = chosen.code
        one.code = [*chosen.block_of(block), *tail]
        if copies:
            one.code.append(Instr([], block.after[0].phis[0].at, copies=copies))
    for block in blocks:
        made[block].arriving = [reg for phi in block.phis if (reg := chosen.place(phi)) is not None]
    for instr, block, name, value, kind, words in chosen.bound:
        reg = chosen.place(value)
        (made[block] if instr is None else instr).bound.append((name, reg, (kind or kind_of(value)) if reg is not None else "", words))
    machine = [made[block] for block in blocks]
    if dense:
        copy_before_branches(machine)
    return machine


def fold_offsets(blocks: list[Block]) -> None:
    """A constant that is added to an address goes into the access."""
    for block in blocks:
        for value in block.code:
            if value.op in MEMORY or value.op.startswith("atomic_"):
                address = value.args[0]
                if address.op == "add" and address.args[1].op == "const":
                    value.imm = int(address.args[1].imm)
                    value.args[0] = address.args[0]


def _condition(value: Value) -> tuple[Value, bool]:
    """What a branch asks, and whether it goes on where that is zero."""
    negate = False
    while value.op == "eq" and value.args[1].op == "const" and value.args[1].imm == 0 and value.args[0].type == "i1":
        value, negate = value.args[0], not negate
    return value, negate


def _uses(blocks: list[Block]) -> dict[Value, int]:
    uses: dict[Value, int] = {}
    for block in blocks:
        for value in (*block.phis, *block.code):
            for operand in value.args:
                uses[operand] = uses.get(operand, 0) + 1
        if block.condition is not None:
            condition, _ = _condition(block.condition)
            uses[condition] = uses.get(condition, 0) + 1
    return uses


def _split_edges(blocks: list[Block]) -> None:
    """An edge from a branch to a block with phis gets a block of its own, for the copies."""
    for block in list(blocks):
        if len(block.after) != 2:
            continue
        for place, other in enumerate(block.after):
            if other.phis:
                between = Block(max(one.number for one in blocks) + 1, block.at, before=[block], after=[other], ends="jump")
                block.after[place] = between
                other.before[other.before.index(block)] = between
                blocks.insert(max(blocks.index(block), blocks.index(other) - 1) + 1, between)
