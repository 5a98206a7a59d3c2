"""Selection of whole numbers of one word. Pairs are in `select_wide.py`.

Division rounds down, as Python's does: where signs may differ, the quotient that rounds towards zero is corrected in the same bundle.
"""

from __future__ import annotations

from warploom.compiler.mir import Half, Micro, Operand
from warploom.compiler.ranges import fits, words_are_signed
from warploom.compiler.select_wide import WideRules
from warploom.compiler.ssa import Value
from warploom.isa import uop as u

SAME = {"add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "or", "xor": "xor"}
COMPARE = {"eq": "seq", "ne": "sne"}
COUNTS = ("popc", "clz", "ctz", "brev")


class IntegerRules(WideRules):
    """The rules, by the name of the operation. dense: see `select.select`."""

    dense = False

    def on_integer(self, value: Value) -> bool:
        """Select an operation on whole numbers; False when it is none."""
        rule = getattr(self, f"_{value.op}", None)
        if value.op in SAME:
            if self.size(value) == 2:
                self.wide_arithmetic(value)
            elif value.op == "add" and (mad := self._product(value)) is not None:
                self.word("mad", value, *mad)
            elif self.dense and value.type == "i1" and (compared := self._compared(value)) is not None:
                self.word(SAME[value.op], value, *compared)
            else:
                self.word(SAME[value.op], value, *map(self.low, value.args))
            return True
        if value.op in ("eq", "ne", "lt"):
            self._comparison(value)
            return True
        if value.op in COUNTS:
            self._count(value)
            return True
        if rule is None:
            return False
        rule(value)
        return True

    def _product(self, value: Value) -> tuple[Operand, Operand, Operand] | None:
        """The operands of `mad`, where a sum has a product that nothing else wants."""
        into = value if self.dense else None
        for product, other in (value.args, value.args[::-1]):
            if product.op == "mul" and self.size(product) == 1 and product is not other and self.fold(product, into):
                return self.low(product.args[0]), self.low(product.args[1]), self.low(other)
        return self._scaled(value) if self.dense else None

    def _scaled(self, value: Value) -> tuple[Operand, Operand, Operand] | None:
        """The same of a sum with what is shifted by a fixed number, as LEA and IMAD.WIDE have it."""
        for scaled, other in (value.args, value.args[::-1]):
            fixed = scaled.op == "shl" and scaled.args[1].op == "const" and 0 <= int(scaled.args[1].imm) < 32 and scaled is not other
            if fixed and scaled.args[0].op != "const" and self.size(scaled) == 1 and self.fold(scaled, value):
                return self.low(scaled.args[0]), 1 << int(scaled.args[1].imm), self.low(other)
        return None

    def _compared(self, value: Value) -> tuple[Operand, Operand] | None:
        """Operands of logic on truths, of which one is compared within the instruction (ISETP.LT.AND and its like)."""
        for one, other in (value.args, value.args[::-1]):
            if one.op not in ("eq", "ne", "lt") or one is other or words_are_signed(*one.args) is None or not self.fold(one):
                continue
            made = self.hidden()
            name = COMPARE.get(one.op) or ("slt" if words_are_signed(*one.args) else "sltu")
            self.bundle.append(Micro(name, made, self.low(one.args[0]), self.low(one.args[1])))
            return made, self.low(other)
        return None

    def _comparison(self, value: Value) -> None:
        x, y = value.args
        signed = words_are_signed(x, y)
        if signed is None:
            self.wide_comparison(value)
        elif value.op in COMPARE:
            self.word(COMPARE[value.op], value, self.low(x), self.low(y))
        else:
            self.word("slt" if signed else "sltu", value, self.low(x), self.low(y))

    def _min(self, value: Value) -> None:
        signed = words_are_signed(*value.args)
        if signed is None:
            self.wide_smaller(value)
        else:
            self.word(value.op if signed else value.op + "u", value, *map(self.low, value.args))

    _max = _min

    def _shl(self, value: Value) -> None:
        x, n = value.args
        if self.size(value) == 2:
            self.wide_shift(value)
        elif fits(n, (0, 31)):
            self.word("shl", value, self.low(x), self.low(n))
        else:
            made, kept = self.hidden(), self.hidden()
            self.bundle += [Micro("shl", made, self.low(x), self.low(n)), Micro("sltu", kept, self.low(n), 32)]
            self.word("sel", value, made, 0, kept)

    def _shr(self, value: Value) -> None:
        x, n = value.args
        if self.size(x) == 2:
            self.wide_shift(value)
            return
        amount = self.low(n)
        if not fits(n, (0, 31)):  # from 32 on only signs are left
            amount = self.hidden()
            self.bundle.append(Micro("minu", amount, self.low(n), 31))
            if x.lo >= 0:
                whole, kept, made = self.low(x), self.hidden(), self.hidden()
                self.bundle += [Micro("sltu", kept, self.low(n), 32), Micro("shr", made, whole, amount)]
                self.word("sel", value, made, 0, kept)
                return
        self.word("shr" if x.lo >= 0 else "sra", value, self.low(x), amount)

    def _floordiv(self, value: Value) -> None:
        self._division(value, "div")

    def _floormod(self, value: Value) -> None:
        self._division(value, "rem")

    def _quot(self, value: Value) -> None:
        self.word("div", value, *map(self.low, value.args))  # towards zero, of two signed words

    def _rest(self, value: Value) -> None:
        self.word("rem", value, *map(self.low, value.args))

    def _division(self, value: Value, op: str) -> None:
        x, y = value.args
        signed = words_are_signed(x, y)
        if signed is None:
            self.wide_division(value)
            return
        if x.lo >= 0 and y.lo >= 0:
            self.word(op + "u", value, self.low(x), self.low(y))
            return
        a, b = self.low(x), self.low(y)
        rest, signs, off, fixed = self.hidden(), self.hidden(), self.hidden(), self.hidden()
        self.bundle += [
            Micro("rem", rest, a, b), Micro("xor", signs, rest, b), Micro("slt", signs, signs, 0), Micro("sne", off, rest, 0),
            Micro("and", off, off, signs),
        ]  # fmt: skip
        if op == "rem":
            self.bundle.append(Micro("add", fixed, rest, b))
            self.word("sel", value, fixed, rest, off)
        else:
            self.bundle.append(Micro("div", fixed, a, b))
            self.word("sub", value, fixed, off)

    def _wrap(self, value: Value) -> None:
        x, bits = value.args[0], int(value.imm)
        if bits == 64:
            self.wide_move(value, x)
        elif bits == 32:
            self.word("mov", value, self.low(x))
        elif value.type == "u64":
            self.word("and", value, self.low(x), (1 << bits) - 1)
        else:
            made = self.hidden()
            self.bundle.append(Micro("shl", made, self.low(x), 32 - bits))
            self.word("sra", value, made, 32 - bits)

    def _from_end(self, value: Value) -> None:
        index, size = value.args
        if index.lo >= 0:
            self.wide_move(value, index)
            return
        if self.size(index) == 2 or self.size(value) == 2:
            self.wide_from_end(value)
            return
        made = self.hidden()
        self.bundle += [Micro("sra", made, self.low(index), 31), Micro("and", made, made, self.low(size))]
        self.word("add", value, self.low(index), made)

    def _count(self, value: Value) -> None:
        x = value.args[0]
        if int(value.imm) == 64:
            self.wide_count(value)
            return
        self.word(value.op, value, self.low(x))

    def _mulhi(self, value: Value) -> None:
        signed = value.type == "i64"
        self.word("mulh" if signed else "mulhu", value, *map(self.low, value.args))

    def _sel(self, value: Value) -> None:
        condition, x, y = value.args
        dst, chosen = self.reg(value), self.low(condition)
        if dst.size == 1:
            self.word("sel", value, self.low(x), self.low(y), chosen)
            return
        words = [(self.low(x), self.low(y)), (self.high(x), self.high(y))]
        self.add(*(Micro("sel", Half(dst, k), p, q, chosen) for k, (p, q) in enumerate(words)))

    def _special(self, value: Value) -> None:
        self.add(Micro("special", self.reg(value), imm=u.SPECIAL_NUMBER[str(value.imm)]))
