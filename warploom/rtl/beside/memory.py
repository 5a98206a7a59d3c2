"""The first-level cache's tags and its miss-status holding registers beside the model: every lookup, every miss, every line that comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warploom.rtl.beside.recorder import Tap, Unit, Watch, Watcher
from warploom.rtl.beside.steps import Step
from warploom.rtl.memory.cache import Tags
from warploom.rtl.memory.mshr import Mshr
from warploom.rtl.model import Config, Program, cache, mshr, tag_match

MOST_BLOCKS = 256  # of a cache whose tags are flip-flops
MOST_ENTRIES = 32  # of a table that is compared at once


class TagsWatcher(Watcher):
    """Tags, sectors and replacement of every first-level cache."""

    name = "tags"
    takes_longer = "lookups and fills of one cycle follow each other"

    def __init__(self, config: Config, program: Program, most: int) -> None:
        super().__init__(config, program, most)
        self.used: dict[str, tuple[int, dict[int, int]]] = {}  # the cycle, and by set the ways used in it
        self.seed = 1
        self.line_bits = self.sector_bits = 1

    @classmethod
    def used_by(cls, config: Config, program: Program) -> bool:
        """Whether there is a first-level cache that hardware can have: small, written through, sets by the low bits of a line."""
        l1 = config.l1
        simple = l1.hash == "modulo" and not l1.allocate and l1.write == "through"
        return config.has.warps and 0 < l1.bytes // l1.line <= MOST_BLOCKS and simple and not _sets(config) & (_sets(config) - 1)

    def taps(self) -> Mapping[Unit, Tap]:
        """Lookups and fills."""
        return {cache.lookup: self.lookup, cache.fill: self.fill}

    def ours(self, tags: Any) -> bool:
        """Whether this is a first-level cache, and not the one that all cores share: that one has different sets."""
        own = int(tags.sets) == _sets(self.config) and int(tags.ways) == _ways(self.config)
        return own and not self.full

    def lookup(self, tags: Any, line: Any, sectors: Any, now: Any) -> Watch:
        """Sectors are asked for."""
        if not self.ours(tags):
            yield
            return
        self.begin(tags)
        drive = {"lookup": 1, "line": int(line), "wanted": int(sectors), "again": self.again(tags, line, now)}
        hit = self.way(tags, line) >= 0
        missing = yield
        if hit:
            self.use(tags, line, now)
        self.step(tags, drive, {"missing": int(missing), "hit": int(hit)})

    def fill(self, tags: Any, line: Any, sectors: Any, now: Any) -> Watch:
        """Sectors arrive."""
        if not self.ours(tags):
            yield
            return
        self.begin(tags)
        drive = {"fill": 1, "line": int(line), "wanted": int(sectors), "again": self.again(tags, line, now)}
        hit = self.way(tags, line) >= 0
        gone = int((yield))
        if not hit:
            self.use(tags, line, now)
        before = {"hit": int(hit), "evicts": int(gone >= 0), "way": self.way(tags, line)}
        self.step(tags, drive, before | ({"gone": gone} if gone >= 0 else {}))

    def begin(self, tags: Any) -> None:
        """The first that is seen of a cache: what its shift register starts from."""
        if not self.traces:
            self.seed = int(tags.replacement.random)

    def where(self, tags: Any) -> str:
        """Which core's it is."""
        return f"first-level cache {self.number_of(tags)}"

    def step(self, tags: Any, drive: dict[str, int], before: dict[str, int]) -> None:
        """Write a step down, and how wide its numbers are."""
        self.line_bits = max(self.line_bits, drive["line"].bit_length())
        self.sector_bits = max(self.sector_bits, drive["wanted"].bit_length())
        self.note(self.where(tags), Step(self.now, drive, before))

    def way(self, tags: Any, line: Any) -> int:
        """Where a line lies, or -1."""
        return int(tag_match.find_way(tags, cache.set_of(tags, line), line))

    def again(self, tags: Any, line: Any, now: Any) -> int:
        """lru: the ways of the line's set that were used in this cycle already."""
        cycle, ways = self.used.get(self.where(tags), (-1, {}))
        return ways.get(int(cache.set_of(tags, line)), 0) if cycle == now and self.config.l1.replacement == "lru" else 0

    def use(self, tags: Any, line: Any, now: Any) -> None:
        """A line is used in this cycle."""
        cycle, ways = self.used.get(self.where(tags), (-1, {}))
        ways = ways if cycle == now else {}
        place = int(cache.set_of(tags, line))
        ways[place] = ways.get(place, 0) | 1 << self.way(tags, line)
        self.used[self.where(tags)] = (int(now), ways)

    def hardware(self) -> Any:
        """The tags of one cache."""
        sets, ways = _sets(self.config), _ways(self.config)
        bits = max(self.line_bits, sets.bit_length())
        return Tags(sets, ways, bits, self.sector_bits, self.config.l1.replacement, self.seed)


class MshrWatcher(Watcher):
    """Every miss, and every line that comes."""

    name = "mshrs"
    takes_longer = "those who wait for a line are told one per cycle"

    def __init__(self, config: Config, program: Program, most: int) -> None:
        super().__init__(config, program, most)
        self.asked: dict[tuple[int, int], int] = {}  # (table, line): the sectors that were asked for
        self.line_bits = self.sector_bits = self.waiter_bits = self.waiters = 1

    @classmethod
    def used_by(cls, config: Config, program: Program) -> bool:
        """Whether there is a first-level cache, with a table that can be compared at once."""
        return config.has.warps and config.l1.bytes > 0 and config.l1.mshrs <= MOST_ENTRIES

    def taps(self) -> Mapping[Unit, Tap]:
        """Room, misses, and lines that have come."""
        return {
            mshr.allocate: self.allocate,
            mshr.merge: self.merge,
            mshr.release: self.release,
            mshr.may_allocate: self.may_allocate,
        }

    def where(self, table: Any) -> str:
        """Which cache's it is."""
        return f"MSHRs {self.number_of(table)}"

    def may_allocate(self, table: Any) -> Watch:
        """Is there room for a line that is not on its way? The line of all ones never is."""
        room = yield
        if not self.full:
            self.note(self.where(table), Step(self.now, {"line": -1}, {"known": 0, "room": int(bool(room))}))

    def allocate(self, table: Any, line: Any, sectors: Any, waiter: Any) -> Watch:
        """A miss to a new line."""
        entry = yield
        if not self.full and entry >= 0:
            self.asked[self.number_of(table), int(line)] = int(sectors)
            self.miss(table, int(line), int(entry), int(sectors), int(waiter), known=0)

    def merge(self, table: Any, entry: Any, sectors: Any, waiter: Any) -> Watch:
        """A miss to a line that is on its way."""
        line = int(table.table.line[entry])
        if not self.full:
            self.came(table, line, int(table.sectors[entry]))
        yield
        if not self.full:
            self.asked[self.number_of(table), line] = int(table.sectors[entry])
            self.miss(table, line, int(entry), int(sectors), int(waiter), known=1)

    def miss(self, table: Any, line: int, entry: int, sectors: int, waiter: int, known: int) -> None:
        """Write a miss down."""
        self.line_bits = max(self.line_bits, line.bit_length() + 1)
        self.sector_bits, self.waiter_bits = max(self.sector_bits, sectors.bit_length()), max(self.waiter_bits, waiter.bit_length())
        self.waiters = max(self.waiters, int(table.count[entry]))
        drive = {"miss": 1, "line": line, "wanted": sectors, "waiter": waiter}
        after = {"known": 1, "asked": int(table.sectors[entry]), "waiting": int(table.count[entry]), "used": int(table.table.used)}
        self.note(self.where(table), Step(self.now, drive, {"known": known, "room": 1}, after))

    def came(self, table: Any, line: int, left: int) -> None:
        """Sectors that have come since the table was looked at last."""
        key = self.number_of(table), line
        there = self.asked[key] & ~left
        if there:
            self.asked[key] = left
            self.note(self.where(table), Step(self.now, {"come": 1, "line": line, "wanted": there}, {}, {"known": 1, "asked": left}))

    def release(self, table: Any, entry: Any) -> Watch:
        """All of a line has come: who waits is told, in order."""
        line = int(table.table.line[entry])
        waiters, link = [], int(table.first[entry])
        while link:
            waiters.append(int(table.waiter[link - 1]))
            link = int(table.next[link - 1])
        yield
        if not self.full and (self.number_of(table), line) in self.asked:
            self.came(table, line, 0)
            del self.asked[self.number_of(table), line]
            for place, waiter in enumerate(waiters):
                before = {"waiting": len(waiters) - place, "first": waiter}
                self.note(self.where(table), Step(self.now, {"take": 1, "line": line}, before))
            self.note(self.where(table), Step(self.now, {"line": line}, {"known": 0, "used": int(table.table.used)}))

    def hardware(self) -> Any:
        """A table with room for as many waiters as the configuration, or as there were."""
        l1 = self.config.l1
        return Mshr(l1.mshrs, l1.merges or self.waiters, self.line_bits, self.sector_bits, self.waiter_bits)


def _sets(config: Config) -> int:
    return config.l1.sets or max(config.l1.bytes // config.l1.line // config.l1.ways, 1)


def _ways(config: Config) -> int:
    return config.l1.bytes // config.l1.line // _sets(config)
