"""Selection of memory accesses and of operations on a warp or a block: atomics, barriers, shuffles, votes, what is noted.

An address is a register and a constant. A sum that only one access wants is made part of it: a base that the launch gave plus an
offset of the lane, as AMD's `global_load v, v, s[..]` and NVIDIA's `LDG [R + UR]` have them.
"""

from __future__ import annotations

from warploom.compiler.mir import Half, Hidden, Micro, Operand, Scalar
from warploom.compiler.select_float import FloatRules
from warploom.compiler.ssa import Access, Value
from warploom.isa import uop as u

SPACES = {name: number for number, name in enumerate(u.SPACES)}
DEVICE, BLOCK = u.FENCE_DEVICE, u.FENCE_BLOCK


class MemoryRules(FloatRules):
    """The rules, by the name of the operation."""

    def on_memory(self, value: Value) -> bool:
        """Select an operation with a side effect; False when it is none."""
        if value.op.startswith("atomic_"):
            self._atomic(value)
            return True
        rule = getattr(self, f"_do_{value.op}", None)
        if rule is None:
            return False
        rule(value)
        return True

    def _address(self, value: Value) -> Operand:
        """The register that the access adds its offset to."""
        address = value.args[0]
        if address.op == "add" and self.fold(address):
            made = self.hidden()
            self.bundle.append(Micro("add", made, self.low(address.args[0]), self.low(address.args[1])))
            return made
        operand = self.low(address)
        if isinstance(operand, int):
            made = self.hidden()
            self.bundle.append(Micro("mov", made, operand))
            return made
        return operand

    def _micro(self, value: Value, op: str, dst: Operand, a: Operand, b: Operand = None, c: Operand = None, size: int = 0) -> Micro:
        access = value.access or Access()
        flags = u.SIGNED if op == "load" and access.signed and access.size < 4 else 0
        return Micro(op, dst, a, b, c, int(value.imm), size or access.size, SPACES[access.space], access.view, flags)

    def _do_load(self, value: Value) -> None:
        dst = self.reg(value)
        assert value.access is not None
        size = 4 if value.access.size == 8 and dst.size == 1 else value.access.size
        if value.access.size < 8 and dst.size == 2:
            a = self._address(value)
            high = Micro("sra", Half(dst, 1), Half(dst, 0), 31) if value.lo < 0 else Micro("mov", Half(dst, 1), 0)
            self.add(self._micro(value, "load", Half(dst, 0), a), high, early=True)
            return
        self.add(self._micro(value, "load", dst, self._address(value), size=size))

    def _do_store(self, value: Value) -> None:
        a = self._address(value)
        item = value.args[1]
        wide = value.access is not None and value.access.size == 8
        self.add(self._micro(value, "store", None, a, self.pair(item) if wide else self.low(item)))

    def _atomic(self, value: Value) -> None:
        a = self._address(value)
        wide = value.access is not None and value.access.size == 8
        b, c = ([self.pair(x) if wide else self.low(x) for x in value.args[1:]] + [None, None])[:2]
        self.add(self._micro(value, value.op, self.reg(value) if value.type else None, a, b, c))

    # ---- blocks and warps

    def _do_barrier(self, value: Value) -> None:
        self.add(Micro("barrier"))

    def _do_barrier_count(self, value: Value) -> None:
        self.add(Micro(f"barrier_{value.imm}", self.reg(value), self.lane(value.args[0])))

    def _do_grid_barrier(self, value: Value) -> None:
        self.add(Micro("grid_barrier"))

    def _do_syncwarp(self, value: Value) -> None:
        self.add(Micro("syncwarp", None, self.low(value.args[0])))

    def _do_fence(self, value: Value) -> None:
        self.add(Micro("fence", imm=DEVICE if value.imm == "device" else BLOCK))

    def _do_trap(self, value: Value) -> None:
        self.add(Micro("trap", imm=int(value.imm)))

    def _do_note(self, value: Value) -> None:
        """Register by register: a note names up to as many registers as micro-ops of its bundle."""
        self.code_note(value)

    def code_note(self, value: Value) -> None:
        """Values put on the log of the run: a row of registers that follow one another."""
        words: list[Operand] = []
        for item in value.args:
            words += [self.low(item), self.high(item)] if self.size(item) == 2 or item.type == "f64" else [self.low(item)]
        first = self.hidden(max(len(words), 1))
        self.bundle += [Micro("mov", Hidden(first.number + place), word) for place, word in enumerate(words)]
        self.add(Micro("note", None, first, None, None, int(value.imm), size=len(words)))

    def _do_shuffle(self, value: Value) -> None:
        """The value of the lane whose number the second operand gives."""
        item, lane = value.args
        dst = self.reg(value)
        if dst.size == 1 and item.type != "f64":
            self.add(Micro("shuffle", dst, self.lane(item), self.low(lane)))
            return
        low, high, number = self.low(item), self.high(item), self.low(lane)
        self.add(Micro("shuffle", Half(dst, 0), low, number), Micro("shuffle", Half(dst, 1), high, number), early=True)

    def _do_ballot(self, value: Value) -> None:
        """One bit a lane, spread over the lanes' own registers."""
        pair = self.ballot_scalars()
        self.add(Micro("ballot", pair, self.lane(value.args[0])), Micro("mov", self.reg(value), pair))

    def ballot_scalars(self) -> Scalar:
        """A pair of scalar registers that lives inside a bundle."""
        return Scalar(u.SCALARS - 2)

    def code_special(self, value: Value) -> None:
        """A special register."""
        self.add(Micro("special", self.reg(value), imm=u.SPECIAL_NUMBER[str(value.imm)]))
