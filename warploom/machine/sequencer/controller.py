"""Memory controller: many consumers share a few channels to an external memory.

In hardware: one small state machine a channel, and a mask with one bit a consumer that says who is being served. A consumer
(a thread's load/store unit, a core's fetcher) holds its request line up until it sees its ready line; the
controller holds the ready line up until it sees the request line fall: a four-way handshake. A channel is taken for
the whole of it, which is why one channel carries a request only every 7 cycles for data and every 5 for
instructions, whatever the memory's own speed.

An idle channel takes the first requesting consumer that nobody serves yet, lowest number first, always: with too
few channels the last consumers starve. The serving mask is the one thing in here that is not clocked: a
channel sees at once what the channels before it took in the same cycle.

States of a channel: IDLE, READ_WAIT and WRITE_WAIT (the memory's answer is awaited), READ_RELAY and WRITE_RELAY (the
answer lies at the consumer, whose request line is awaited to fall).

Source: tiny-gpu, src/controller.sv. Consumers come in groups (the threads of a core), a mask of 64 bits each.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, bit, has, lowest
from warploom.machine.engine.sizes import MAX_LANES
from warploom.machine.engine.unit import inlined, record, unit

MAX_GROUPS = 64
MAX_CHANNELS = 64

IDLE, READ_WAIT, WRITE_WAIT, READ_RELAY, WRITE_RELAY = 0, 2, 3, 4, 5  # the numbers of the hardware description

Controller = record(
    settings=dict(
        groups="i8",                                        # groups of consumers
        width="i8",                                         # consumers of a group; consumer = group * width + bit
        channels="i8",
    ),
    inputs=dict(
        # from the consumers
        read_request=("u8", MAX_GROUPS),                    # request lines, bit b of word g = consumer b of group g
        write_request=("u8", MAX_GROUPS),
        read_address=("u4", (MAX_GROUPS, MAX_LANES)),       # by consumer: a byte's or an instruction's number, stable while the line is up
        write_address=("u4", (MAX_GROUPS, MAX_LANES)),
        write_data=("u4", (MAX_GROUPS, MAX_LANES)),         # by consumer: the word to be written
        # from the memory
        memory_read_ready=("i8", MAX_CHANNELS),             # by channel: 1 = a read is answered
        memory_write_ready=("i8", MAX_CHANNELS),            # by channel: 1 = a write is done
        memory_read_data=("u4", MAX_CHANNELS),              # by channel: what was read
    ),
    state=dict(
        # its own registers
        serving=("u8", MAX_GROUPS),                         # consumers that have a channel, bits as in `read_request`
        busy="i8",                                          # channels that are not IDLE
        state=("i8", MAX_CHANNELS),                         # by channel: IDLE ... WRITE_RELAY
        group=("i8", MAX_CHANNELS),                         # by channel: group of the consumer served now, or last
        index=("i8", MAX_CHANNELS),                         # by channel: its bit in the group
        # to the consumers
        read_ready=("u8", MAX_GROUPS),                      # ready lines, bits as in `read_request`
        write_ready=("u8", MAX_GROUPS),
        read_data=("u4", (MAX_GROUPS, MAX_LANES)),          # by consumer: what was read for it last
        # to the memory
        memory_read=("i8", MAX_CHANNELS),                   # by channel: request line, 0 or 1
        memory_write=("i8", MAX_CHANNELS),
        memory_read_address=("u4", MAX_CHANNELS),
        memory_write_address=("u4", MAX_CHANNELS),
        memory_write_data=("u4", MAX_CHANNELS),
        sampled_read=("i8", MAX_CHANNELS),                  # by channel: its request line before the edge, as the memory sampled it
        sampled_write=("i8", MAX_CHANNELS),
    ),
    counters=dict(
        busy_cycles="i8",                                   # cycles of all channels that were not IDLE
        requests="i8",                                      # requests taken
    ),
)  # fmt: skip


@inlined
def clock_edge(controller):
    """One clock edge of all channels, in order. The memory's request lines are sampled as they were before it.

    Returns 0 when no channel has moved and none had a request to the memory.
    """
    moved = np.int64(0)
    controller.busy_cycles = controller.busy_cycles + controller.busy
    for channel in range(controller.channels):
        controller.sampled_read[channel] = controller.memory_read[channel]
        controller.sampled_write[channel] = controller.memory_write[channel]
        state = controller.state[channel]
        moved = moved + controller.sampled_read[channel] + controller.sampled_write[channel]
        if state == IDLE:
            moved = moved + pick_consumer(controller, channel)
        elif state == READ_WAIT:
            if controller.memory_read_ready[channel] != 0:
                group, index = controller.group[channel], controller.index[channel]
                controller.memory_read[channel] = 0
                controller.read_ready[group] |= bit(index)
                controller.read_data[group, index] = controller.memory_read_data[channel]
                controller.state[channel] = READ_RELAY
        elif state == WRITE_WAIT:
            if controller.memory_write_ready[channel] != 0:
                controller.memory_write[channel] = 0
                controller.write_ready[controller.group[channel]] |= bit(controller.index[channel])
                controller.state[channel] = WRITE_RELAY
        elif state == READ_RELAY:
            group, index = controller.group[channel], controller.index[channel]
            if not has(controller.read_request[group], index):
                controller.read_ready[group] &= ~bit(index)
                release(controller, channel)
                moved = moved + 1
        else:
            group, index = controller.group[channel], controller.index[channel]
            if not has(controller.write_request[group], index):
                controller.write_ready[group] &= ~bit(index)
                release(controller, channel)
                moved = moved + 1
    return moved


@unit
def pick_consumer(controller, channel):
    """An idle channel picks the lowest consumer that requests and is not served; its read before its write.

    Returns 1 when there was one.
    """
    for group in range(controller.groups):
        reads = controller.read_request[group] & ~controller.serving[group]
        wanting = reads | (controller.write_request[group] & ~controller.serving[group])
        if wanting != EMPTY:
            index = lowest(wanting)
            controller.serving[group] |= bit(index)
            controller.group[channel] = group
            controller.index[channel] = index
            controller.busy = controller.busy + 1
            controller.requests = controller.requests + 1
            if has(reads, index):
                controller.memory_read[channel] = 1
                controller.memory_read_address[channel] = controller.read_address[group, index]
                controller.state[channel] = READ_WAIT
            else:
                controller.memory_write[channel] = 1
                controller.memory_write_address[channel] = controller.write_address[group, index]
                controller.memory_write_data[channel] = controller.write_data[group, index]
                controller.state[channel] = WRITE_WAIT
            return 1
    return 0


@unit
def release(controller, channel):
    """The consumer has seen its answer: the channel is idle, and picks again at the next edge."""
    controller.serving[controller.group[channel]] &= ~bit(controller.index[channel])
    controller.busy = controller.busy - 1
    controller.state[channel] = IDLE
