"""From the words of PTX to a Module. Names of registers are unique in a function: those of an inner `{ }` get a number of their own."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace

from warploom.ptx.debug.descriptions import Descriptions
from warploom.ptx.module import (
    BYTES,
    Function,
    Instruction,
    Label,
    Memory,
    Module,
    Name,
    Number,
    Operand,
    Parameter,
    Place,
    Variable,
    Vector,
)
from warploom.ptx.tokens import Lines, Token, Unreadable

LINKAGE = (".visible", ".extern", ".weak", ".common")
SPACES = (".global", ".const", ".shared", ".local", ".param")
MOST_REGISTERS = 1 << 20  # that one `.reg` may declare
MOST_BYTES = 1 << 32
END = Token("end", "", Place())


class Parser:
    """Reads one text. Raises Unreadable."""

    def __init__(self, text: str, path: str, library: Callable[[str], bool]) -> None:
        self.lines = Lines(library)
        self.tokens = list(self.lines.tokens(text))
        self.at = 0
        self.module = Module(path, self.lines.target, files=self.lines.files, text=text)
        self.debug = Descriptions(text)
        self.scopes: list[dict[str, str]] = []
        self.scope_count = 0

    # ---- words

    def peek(self, ahead: int = 0) -> Token:
        """A word that comes."""
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else END._replace(place=self.tokens[-1].place if self.tokens else Place())

    def take(self, *wanted: str) -> Token:
        """The next word, which is one of those wanted, if there are any."""
        token = self.peek()
        if token.kind == "end" or (wanted and token.text not in wanted):
            found = "the text ends" if token.kind == "end" else f"{token.text!r} stands here"
            raise Unreadable(token.place, f"{' or '.join(map(repr, wanted)) or 'more'} is wanted, and {found}")
        self.at += 1
        return token

    def skip(self, text: str) -> bool:
        """Take a word if it comes."""
        if self.peek().text != text or self.peek().kind == "string":
            return False
        self.at += 1
        return True

    def whole(self) -> int:
        """A whole number, with its sign."""
        if self.skip("-"):
            return -self.whole()
        token = self.take()
        if token.kind != "number":
            raise Unreadable(token.place, f"a whole number is wanted, and {token.text!r} stands here")
        return _whole(token)

    # ---- the text

    def parse(self) -> Module:
        """The whole text."""
        while self.peek().kind != "end":
            self._declaration()
        return self.module

    def _declaration(self) -> None:
        linkage = []
        while self.peek().text in LINKAGE:
            linkage.append(self.take().text)
        word = self.peek().text
        if word in (".entry", ".func"):
            self._function(".extern" in linkage)
        elif word in SPACES:
            for one in self._variables(".extern" in linkage):
                self.module.variables[one.name] = one
        elif word == ";":
            self.take()
        elif word in (".alias", ".pragma", ".file", ".attribute"):
            while not self.skip(";"):
                self.take()
        else:
            raise Unreadable(self.peek().place, f"{word!r} does not begin a declaration")

    def _function(self, external: bool) -> None:
        begin = self.take()
        while self.peek().text in (".noreturn", ".attribute"):
            if self.take().text == ".attribute":
                self._parameters()
        results = self._parameters() if begin.text == ".func" and self.peek().text == "(" else ()
        name = self.take().text
        parameters = self._parameters() if self.peek().text == "(" else ()
        made = Function(
            name, begin.text == ".entry", parameters, results, external=external, place=begin.place, debug=self.debug, said_as=name
        )
        while self.peek().text not in ("{", ";"):
            word = self.take().text
            if word in (".maxntid", ".reqntid"):
                made.most_threads = self.whole()
                while self.skip(","):
                    made.most_threads *= self.whole()
        if self.skip(";"):
            self.module.functions.setdefault(name, replace(made, external=True))
            return
        self.scopes, self.scope_count = [], 0
        self._block(made)
        self.module.functions[name] = made

    def _parameters(self) -> tuple[Parameter, ...]:
        found: list[Parameter] = []
        offset = 0
        self.take("(")
        while not self.skip(")"):
            align = size = 0
            pointer = False
            name = ""
            while self.peek().text not in (",", ")"):
                token = self.take()
                if token.text == ".align":
                    number = self.whole()
                    align = align if pointer else number
                elif token.text == ".ptr":
                    pointer = True
                elif token.text[1:] in BYTES and token.kind == "dot":
                    size = BYTES[token.text[1:]]
                elif token.kind == "name":
                    name = token.text
                elif token.text == "[":
                    size *= 0 if self.peek().text == "]" else self.whole()
                    self.take("]")
            align = align or max(size, 1)
            offset = -(-offset // align) * align
            if offset + size > MOST_BYTES:
                raise Unreadable(self.peek().place, f"the parameter {name} has more bytes than there are")
            found.append(Parameter(name, size, align, offset, pointer))
            offset += size
            self.skip(",")
        return tuple(found)

    # ---- variables

    def _variables(self, external: bool = False) -> list[Variable]:
        """Of `.shared .align 4 .b8 a[64], b[4];`."""
        space = self.take().text[1:]
        align = size = 0
        while self.peek().kind == "dot":
            word = self.take().text[1:]
            if word == "align":
                align = self.whole()
            elif word == "attribute":
                self._parameters()
            elif word in ("v2", "v4"):
                size = -int(word[1])
            elif word in BYTES:
                size = BYTES[word] * (-size if size < 0 else 1)
        if not size:
            raise Unreadable(self.peek().place, f"a type is wanted before {self.peek().text!r}")
        found = []
        while True:
            found.append(self._variable(space, size, align or size, external))
            if not self.skip(","):
                break
        self.take(";")
        return found

    def _variable(self, space: str, item: int, align: int, external: bool) -> Variable:
        token = self.take()
        name, count = token.text, 1
        if self.peek().text == "<":  # several, as registers
            self.take()
            self.whole()
            self.take(">")
        array = False
        while self.skip("["):
            array = True
            count *= 0 if self.peek().text == "]" else self.whole()
            self.take("]")
        data = bytearray()
        addresses: list[tuple[int, str, int]] = []
        if self.skip("="):
            self._initial(item, data, addresses)
        size = max(item * count, len(data)) if array else item
        if size > MOST_BYTES or len(data) > size or align & (align - 1):
            raise Unreadable(token.place, f"{name} has {size} bytes, aligned to {align}: no memory is like that")
        return Variable(name, space, size, align, bytes(data), tuple(addresses), external)

    def _initial(self, item: int, data: bytearray, addresses: list[tuple[int, str, int]]) -> None:
        if self.skip("{"):
            while not self.skip("}"):
                self._initial(item, data, addresses)
                self.skip(",")
            return
        token = self.peek()
        if token.kind == "name":
            self.take()
            generic = token.text == "generic" and self.skip("(")
            mask = token.text == "mask" and self.skip("(")  # of an address one byte
            if mask:
                raise Unreadable(token.place, "a byte of an address as an initial value is not there yet")
            name = self.take().text if generic else token.text
            if generic:
                self.take(")")
            more = self.whole() if self.skip("+") else 0
            addresses.append((len(data), name, more))
            data.extend(bytes(item))
            return
        number = self._number()
        value = number.value
        if number.kind == "f64" and item == 4:
            value = int.from_bytes(struct.pack("<f", struct.unpack("<d", value.to_bytes(8, "little"))[0]), "little")
        data.extend((value % (1 << 8 * item)).to_bytes(item, "little"))

    # ---- bodies

    def _block(self, function: Function) -> None:
        self.take("{")
        self.scopes.append({})
        self.scope_count += 1
        number = self.scope_count
        while not self.skip("}"):
            token = self.peek()
            if token.text == "{":
                self._block(function)
            elif token.text == ".reg":
                self._registers(function, number)
            elif token.text in SPACES or token.text in LINKAGE:
                external = False
                while self.peek().text in LINKAGE:
                    external |= self.take().text == ".extern"
                for one in self._variables(external):
                    inner = self._renamed(one.name, number)
                    function.variables[inner] = replace(one, name=inner)
            elif token.text == ".pragma" or token.text in (".callprototype", ".calltargets"):
                while not self.skip(";"):
                    self.take()
            elif token.kind == "name" and self.peek(1).text == ":":
                self._label(function, number)
            elif token.text == ";":
                self.take()
            else:
                function.body.append(self._instruction())
        self.scopes.pop()

    def _label(self, function: Function, number: int) -> None:
        name = self.take().text
        self.take(":")
        if self.peek().text == ".branchtargets":
            self.take()
            names = [self.take().text]
            while self.skip(","):
                names.append(self.take().text)
            self.take(";")
            function.targets[name] = tuple(self._resolved(one) for one in names)
        elif self.peek().text in (".callprototype", ".calltargets"):
            while not self.skip(";"):
                self.take()
        else:
            function.body.append(Label(self._renamed(name, number)))

    def _renamed(self, name: str, number: int) -> str:
        inner = name if number == 1 else f"{name}#{number}"
        self.scopes[-1][name] = inner
        return inner

    def _resolved(self, name: str) -> str:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), name)

    def _registers(self, function: Function, number: int) -> None:
        self.take(".reg")
        kind = ""
        while self.peek().kind == "dot":
            word = self.take().text[1:]
            kind = word if word in BYTES else kind
        while True:
            token = self.take()
            if self.skip("<"):
                count = self.whole()
                self.take(">")
                if not 0 <= count <= MOST_REGISTERS:
                    raise Unreadable(token.place, f"{count} registers: at most {MOST_REGISTERS} can be declared together")
                names = [f"{token.text}{place}" for place in range(count)]
            else:
                names = [token.text]
            for name in names:
                function.registers[self._renamed(name, number)] = kind
            if not self.skip(","):
                break
        self.take(";")

    def _instruction(self) -> Instruction:
        guard = None
        place = self.peek().place
        if self.skip("@"):
            negated = self.skip("!")
            guard = Name(self._resolved(self.take().text), negated=negated)
        token = self.take()
        if token.kind != "name":
            raise Unreadable(token.place, f"an instruction is wanted, and {token.text!r} stands here")
        modifiers = []
        while self.peek().kind == "dot":
            modifiers.append(self.take().text[1:])
        operands = []
        while not self.skip(";"):
            operands.append(self._operand())
            if self.peek().text != ";":
                self.take(",")
        return Instruction(token.text, tuple(modifiers), tuple(operands), guard, place)

    def _operand(self) -> Operand:
        token = self.peek()
        if token.text == "[":
            return self._memory()
        if token.text in ("{", "("):
            close = "}" if token.text == "{" else ")"
            self.take()
            items = []
            while not self.skip(close):
                items.append(self._operand())
                self.skip(",")
            return Vector(tuple(items))
        if token.text == "!":
            self.take()
            return self._name()._replace(negated=True)
        if token.kind in ("number", "float") or token.text in ("-", "~"):
            return self._number()
        return self._name()

    def _name(self) -> Name:
        token = self.take()
        if token.kind != "name":
            raise Unreadable(token.place, f"an operand is wanted, and {token.text!r} stands here")
        component = ""
        if self.peek().kind == "dot":
            component = self.take().text[1:]
        second = self._resolved(self.take().text) if self.skip("|") else ""
        offset = 0
        if self.peek().text in ("+", "-"):
            offset = (1 if self.take().text == "+" else -1) * self.whole()
        return Name(self._resolved(token.text), component, offset, second)

    def _memory(self) -> Memory:
        self.take("[")
        base = self._operand()
        if not isinstance(base, Name | Number):
            raise Unreadable(self.peek().place, "an address is a register, a variable or a number")
        offset = base.offset if isinstance(base, Name) else 0
        if isinstance(base, Name):
            base = base._replace(offset=0)
        while self.peek().text in ("+", "-"):
            offset += (1 if self.take().text == "+" else -1) * self.whole()
        more = []
        while self.skip(","):
            more.append(self._operand())
        self.take("]")
        return Memory(base, offset, tuple(more))

    def _number(self) -> Number:
        if self.skip("-"):
            number = self._number()
            sign = {"f32": 1 << 31, "f64": 1 << 63}.get(number.kind)
            return Number(-number.value) if sign is None else Number(number.value ^ sign, number.kind)
        if self.skip("~"):
            return Number(~self._number().value)
        token = self.take()
        if token.kind == "float":
            if token.text[:2] in ("0f", "0F"):
                return Number(int(token.text[2:], 16), "f32")
            if token.text[:2] in ("0d", "0D"):
                return Number(int(token.text[2:], 16), "f64")
            return Number(int.from_bytes(struct.pack("<d", float(token.text)), "little"), "f64")
        if token.kind != "number":
            raise Unreadable(token.place, f"a number is wanted, and {token.text!r} stands here")
        return Number(_whole(token))


def _whole(token: Token) -> int:
    text = token.text.rstrip("U")
    if text[:2] in ("0x", "0X", "0b", "0B"):
        return int(text, 0)
    if text.startswith("0") and len(text) > 1:
        if not set(text) <= set("01234567"):
            raise Unreadable(token.place, f"{token.text}: an octal number has the digits 0 to 7")
        return int(text, 8)
    return int(text)
