"""A reader of Kanata logs, written from the description of the format (Konata, docs/kanata-log-format.md)."""

from dataclasses import dataclass, field


@dataclass
class Operation:
    """stages: (lane, name, first cycle, first one after it), in the order of their begin. producers: of its arrows."""

    number: int
    thread: int
    begin: int
    label: str = ""
    detail: str = ""
    stages: list = field(default_factory=list)
    open: dict = field(default_factory=dict)
    producers: list = field(default_factory=list)
    end: int = -1
    retired: int = -1
    flushed: bool = False

    def lane(self, lane):
        return [(name, start, stop) for number, name, start, stop in self.stages if number == lane]


def read(text):
    """(operations, cycles). Raises AssertionError for what the format does not allow."""
    head, *lines = text.split("\n")
    assert head == "Kanata\t0004"
    assert lines.pop() == ""
    now, found = 0, []
    for line in lines:
        command, *said = line.split("\t")
        if command == "C=":
            now = int(said[0])
        elif command == "C":
            assert int(said[0]) > 0
            now += int(said[0])
        elif command == "I":
            number, _, thread = map(int, said)
            assert number == len(found)
            found.append(Operation(number, thread, now))
        else:
            operation = found[int(said[0])]
            assert operation.end < 0, "nothing follows on the end of an operation"
            _apply(operation, found, command, said[1:], now)
    return found, now


def _apply(operation, found, command, said, now):
    def close(lane):
        name, start = operation.open.pop(lane)
        operation.stages.append((lane, name, start, now))

    if command == "L":
        kind, text = said
        if kind == "0":
            operation.label += text
        else:
            assert kind == "1"
            operation.detail += text.replace("\\n", "\n")
    elif command == "S":
        lane, name = int(said[0]), said[1]
        if lane in operation.open:
            close(lane)
        operation.open[lane] = (name, now)
    elif command == "E":
        assert operation.open[int(said[0])][0] == said[1]
        close(int(said[0]))
    elif command == "W":
        producer, kind = map(int, said)
        assert kind == 0 and producer < len(found)
        operation.producers.append(producer)
    else:
        assert command == "R"
        for lane in list(operation.open):
            close(lane)
        operation.end, operation.retired, operation.flushed = now, int(said[0]), said[1] == "1"
