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
QUAD_REGISTERS = u.REGISTERS - u.HIDDEN - u.QUAD_REGISTERS  # hidden ones of the last quad, and of the last ray before it
RAY_REGISTERS = QUAD_REGISTERS - u.RAY_REGISTERS


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
        scaled = self.dense and any(one.op in ("shl", "mul") for one in address.args)
        if address.op == "add" and not scaled and self.fold(address):
            made = self.hidden()
            self.bundle.append(Micro("add", made, self.low(address.args[0]), self.low(address.args[1])))
            return made
        operand = self.low(address)
        if isinstance(operand, int):
            value.imm = int(value.imm) + operand  # the address alone
            return None
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
        self.code[-1].row = value.access.row if value.access is not None else 0

    def _do_store(self, value: Value) -> None:
        a = self._address(value)
        item = value.args[1]
        wide = value.access is not None and value.access.size == 8
        self.add(self._micro(value, "store", None, a, self.pair(item) if wide else self.low(item)))
        self.code[-1].row = value.access.row if value.access is not None else 0

    def _atomic(self, value: Value) -> None:
        a = self._address(value)
        wide = value.access is not None and value.access.size == 8
        b, c = ([self.pair(x) if wide else self.low(x) for x in value.args[1:]] + [None, None])[:2]
        if value not in self.uses:
            self.add(self._micro(value, value.op, None, a, b, c))
            return
        dst = self.reg(value)
        if wide and dst.size == 1:  # of which only the low word is wanted
            made = self.hidden(2)
            self.add(self._micro(value, value.op, made, a, b, c), Micro("mov", dst, made))
            return
        self.add(self._micro(value, value.op, dst, a, b, c))

    # ---- blocks and warps

    def _do_barrier(self, value: Value) -> None:
        """imm: "arrive" for who does not wait. args: its number, and how many warps it is for; without them the block's own."""
        place, fixed = self._barrier_number(value.args[0] if value.args else None)
        warps = value.args[1] if len(value.args) > 1 else None
        count = None if warps is None else self._in_register(self.low(warps))
        self.add(Micro("barrier_arrive" if value.imm == "arrive" else "barrier", None, place, count, imm=fixed))

    def _do_barrier_count(self, value: Value) -> None:
        place, fixed = self._barrier_number(value.args[1] if len(value.args) > 1 else None)
        self.add(Micro(f"barrier_{value.imm}", self.reg(value), place, None, self.lane(value.args[0]), imm=fixed))

    def _barrier_number(self, number: Value | None) -> tuple[Operand, int]:
        """A barrier's number as a register and what is added to it."""
        if number is None or number.op == "const":
            return None, int(number.imm) if number is not None else 0
        return self.low(number), 0

    def _do_grid_barrier(self, value: Value) -> None:
        self.add(Micro("grid_barrier"))

    def _do_syncwarp(self, value: Value) -> None:
        self.add(Micro("sync_warp", None, self._in_register(self.low(value.args[0]))))

    def _do_fence(self, value: Value) -> None:
        self.add(Micro("fence", imm=DEVICE if value.imm == "device" else BLOCK))

    def _do_trap(self, value: Value) -> None:
        self.add(Micro("trap", imm=int(value.imm)))

    def _do_note(self, value: Value) -> None:
        """Values on the log of the run: three words a micro-op. `imm` numbers the note; one word of 64 bits is two."""
        words: list[Operand] = []
        for item in value.args:
            wide = self.size(item) == 2 or item.type == "f64" or (item.op in ("const", "param") and item.type in ("i64", "u64"))
            words += [self.low(item), self.high(item)] if wide or item.is_int else [self.low(item)]
        rows = [words[k : k + 3] for k in range(0, len(words), 3)] or [[]]
        uops = []
        for row in rows:
            a, b, c = ([self._in_register(word) for word in row] + [None, None, None])[:3]
            uops.append(Micro("note", None, a, b, c, int(value.imm)))
        self.add(*uops)

    def _do_ask(self, value: Value) -> None:
        """A question of a kernel that is checked: a number; or an index of 64 bits, and the extent of its axis."""
        words: list[Operand] = [self.low(value.args[0])]
        if len(value.args) == 2:
            words += [self.high(value.args[0]), self.low(value.args[1])]
        a, b, c = ([self._in_register(word) for word in words] + [None, None])[:3]
        self.add(Micro("note", None, a, b, c, int(value.imm)))

    def _in_register(self, word: Operand) -> Operand:
        if not isinstance(word, int):
            return word
        made = self.hidden()
        self.bundle.append(Micro("mov", made, word))
        return made

    def _do_shuffle(self, value: Value) -> None:
        """`imm` is the operation; operands are what is moved, the lane or the distance, and the lanes of a segment."""
        item, lane, segment = value.args
        dst, op = self.reg(value), str(value.imm)
        number, lanes = self.low(lane), self.low(segment)
        if dst.size == 1:
            self.add(Micro(op, dst, self.low(item), number, lanes))
            return
        low, high = self.low(item), self.high(item)
        self.add(Micro(op, Half(dst, 0), low, number, lanes), Micro(op, Half(dst, 1), high, number, lanes), early=True)

    def _do_match(self, value: Value) -> None:
        """Bits of the lanes that hold the same."""
        item = value.args[0]
        dst = self.reg(value)
        if self.size(item) == 1 and item.type != "f64":
            self.add(Micro("match_any", dst, self.low(item)))
            return
        low, high = self.low(item), self.high(item)
        made = self.hidden()
        self.bundle += [Micro("match_any", made, low), Micro("match_any", dst, high)]
        self.add(Micro("and", dst, dst, made), early=True)

    def _do_ballot(self, value: Value) -> None:
        """One bit a lane, spread over the lanes' own registers."""
        pair = self.ballot_scalars()
        self.add(Micro("ballot", pair, self.lane(value.args[0])), Micro("mov", self.reg(value), pair))

    def _do_take_quad(self, value: Value) -> None:
        """The triangle's number and which pixels of the quad are covered, of the registers that the raster engine fills. They lie where no
        bundle overwrites them: the merger finds the triangle of a fragment there."""
        dst, first = self.reg(value), QUAD_REGISTERS
        words: list[Operand] = [dst] if dst.size == 1 else [Half(dst, 0), Half(dst, 1)]
        moves = [Micro("mov", word, Hidden(first + place)) for place, word in enumerate(words)]
        self.add(Micro("take_quad", Hidden(first)), *moves, early=True)

    def _do_merge(self, value: Value) -> None:
        where, color, depth = (self._in_register(self.low(one)) for one in value.args)
        self.add(Micro("merge", None, where, color, depth))

    def _do_trace_ray(self, value: Value) -> None:
        """A ray's eight floats go into registers side by side; its handle comes back."""
        first = RAY_REGISTERS
        moves = [Micro("mov", Hidden(first + place), self.low(one)) for place, one in enumerate(value.args[:8])]
        scene, flags = (self._in_register(self.low(one)) for one in value.args[8:])
        self.add(*moves, Micro("trace_ray", self.reg(value), Hidden(first), scene, flags))

    def _do_await_ray(self, value: Value) -> None:
        """The status of a ray. The rest of the answer lies in registers that no bundle overwrites, until `ray_answer` takes it."""
        handle = self._in_register(self.low(value.args[0]))
        self.add(Micro("await_ray", Hidden(RAY_REGISTERS), handle), Micro("mov", self.reg(value), Hidden(RAY_REGISTERS)), early=True)

    def _do_ray_answer(self, value: Value) -> None:
        """A register of the answer, after its status, for which the warp waits."""
        if value not in self.uses:
            return
        waited = Micro("mov", self.hidden(), self.low(value.args[0]))
        self.add(waited, Micro("mov", self.reg(value), Hidden(RAY_REGISTERS + int(value.imm))))

    def ballot_scalars(self) -> Scalar:
        """A pair of scalar registers that lives inside a bundle."""
        return Scalar(u.SCALARS - 2)
