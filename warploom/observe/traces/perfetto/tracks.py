"""Perfetto tracks: packets of a trace, whatever is drawn on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

from warploom.isa.program import Program
from warploom.observe.text.needs import needed
from warploom.observe.traces.vocabulary import instruction, lanes

CYCLE = 1000  # nanoseconds
SEQUENCE = 1  # all packets come from one writer
BATCH = 4096  # packets that are written at once
INCREMENTAL_STATE_CLEARED, NEEDS_INCREMENTAL_STATE = 1, 2
DEVICE = 1  # uuid of the track above all others
COUNTER = 1  # rank of a counter: above the slices


class Tracks:
    """Writes tracks, and what lies on them, as packets; each name is written once. Times are cycles."""

    def __init__(self, file: IO[bytes]) -> None:
        self.messages: Any = needed("perfetto.protos.perfetto.trace.perfetto_trace_pb2", "a Perfetto trace", "traces")
        self._file, self._batch = file, self.messages.Trace()
        self._names: dict[str, int] = {}
        self._keys: dict[str, int] = {}
        self._last = DEVICE
        self._first = True

    def device(self, name: str) -> None:
        """The track above all others."""
        descriptor = self._packet().track_descriptor
        descriptor.uuid = DEVICE
        descriptor.process.pid = 1
        descriptor.process.process_name = name
        descriptor.child_ordering = self.messages.TrackDescriptor.EXPLICIT

    def track(self, name: str, parent: int = DEVICE, description: str = "", place: int = 0) -> int:
        """A new track for slices; returns its number. place: its rank among those of its parent, or 0: below those that are there."""
        return self._descriptor(name, parent, description, place).uuid

    def counter(self, name: str, unit: str, parent: int = DEVICE) -> int:
        """A new track for a number; returns its number."""
        descriptor = self._descriptor(name, parent, "", COUNTER)
        descriptor.counter.unit_name = unit
        return descriptor.uuid

    def _descriptor(self, name: str, parent: int, description: str, place: int) -> Any:
        self._last += 1
        descriptor = self._packet().track_descriptor
        descriptor.uuid, descriptor.parent_uuid, descriptor.name = self._last, parent, name
        descriptor.child_ordering = self.messages.TrackDescriptor.EXPLICIT
        descriptor.sibling_order_rank = place or self._last
        if description:
            descriptor.description = description
        return descriptor

    def begin(self, track: int, cycle: int, name: str, said: dict[str, int | str] | None = None, flows: Iterable[int] = ()) -> None:
        """A slice begins, inside those of the track that are open. said: what is shown of it. flows: arrows that touch it."""
        self._event(track, cycle, self.messages.TrackEvent.TYPE_SLICE_BEGIN, name, said, flows, ())

    def end(self, track: int, cycle: int) -> None:
        """The slice that began last ends: `cycle` is the first one after it."""
        packet = self._packet()
        packet.timestamp = cycle * CYCLE
        packet.track_event.type = self.messages.TrackEvent.TYPE_SLICE_END
        packet.track_event.track_uuid = track

    def slice(
        self, track: int, start: int, stop: int, name: str, said: dict[str, int | str] | None = None, flows: Iterable[int] = ()
    ) -> None:
        """A slice from cycle `start` to `stop` (not included)."""
        self.begin(track, start, name, said, flows)
        self.end(track, stop)

    def instant(
        self,
        track: int,
        cycle: int,
        name: str,
        said: dict[str, int | str] | None = None,
        flows: Iterable[int] = (),
        ends: Iterable[int] = (),
    ) -> None:
        """Something without length. flows, ends: arrows that go through it, or end at it."""
        self._event(track, cycle, self.messages.TrackEvent.TYPE_INSTANT, name, said, flows, ends)

    def value(self, track: int, cycle: int, number: int) -> None:
        """A counter's value from `cycle` on."""
        packet = self._packet()
        packet.timestamp = cycle * CYCLE
        event = packet.track_event
        event.type, event.track_uuid, event.counter_value = self.messages.TrackEvent.TYPE_COUNTER, track, number

    def _event(
        self, track: int, cycle: int, kind: int, name: str, said: dict[str, int | str] | None, flows: Iterable[int], ends: Iterable[int]
    ) -> None:
        packet = self._packet()
        packet.timestamp = cycle * CYCLE
        event = packet.track_event
        event.type, event.track_uuid = kind, track
        event.name_iid = _interned(self._names, packet.interned_data.event_names, name)
        event.flow_ids.extend(flows)
        event.terminating_flow_ids.extend(ends)
        for key, value in (said or {}).items():
            annotation = event.debug_annotations.add()
            annotation.name_iid = _interned(self._keys, packet.interned_data.debug_annotation_names, key)
            if isinstance(value, str):
                annotation.string_value = value
            else:
                annotation.int_value = value

    def _packet(self) -> Any:
        if len(self._batch.packet) >= BATCH:
            self.flush()
        packet = self._batch.packet.add()
        packet.trusted_packet_sequence_id = SEQUENCE
        packet.sequence_flags = NEEDS_INCREMENTAL_STATE
        if self._first:
            packet.sequence_flags |= INCREMENTAL_STATE_CLEARED
            packet.first_packet_on_sequence = True
            self._first = False
        return packet

    def flush(self) -> None:
        """Write what is left: pieces of a trace, one after the other, are a trace."""
        self._file.write(self._batch.SerializeToString())
        self._batch = self.messages.Trace()  # a message that is cleared keeps its memory


def said_of(program: Program, pc: int, mask: int) -> dict[str, int | str]:
    """What is shown of a warp's instruction."""
    said: dict[str, int | str] = {"text": instruction(program, pc), "pc": pc, "lanes": lanes(mask), "active lanes": mask.bit_count()}
    place = program.position(pc)
    return said | {"line": f"{program.source_of(place).path}:{place.line}"} if place.line else said


def _interned(known: dict[str, int], entries: Any, name: str) -> int:
    """The number of a name; a new one is told to the reader once, among a packet's entries of its kind."""
    number = known.get(name)
    if number is None:
        number = known[name] = len(known) + 1
        entry = entries.add()
        entry.iid, entry.name = number, name
    return number
