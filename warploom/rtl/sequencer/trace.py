"""Trace: which signal of the hardware stands for which field of the model's trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Const, Value

from warploom.rtl.sequencer.controller import Controller
from warploom.rtl.sequencer.core import Core
from warploom.rtl.sequencer.gpu import Gpu
from warploom.rtl.sequencer.registers import COUNT


def fields(gpu: Gpu) -> dict[str, Value]:
    """The signal of every field, by the names of the flat trace and in their order."""
    return {name: Value.cast(signal) for name, signal in _fields(gpu)}


def _fields(gpu: Gpu) -> Iterator[tuple[str, Any]]:
    dispatcher, size = gpu.dispatcher, gpu.hardware.threads_per_block
    yield "done", dispatcher.done
    yield "thread_count", gpu.control_register.threads
    yield "blocks_dispatched", dispatcher.dispatched
    yield "blocks_done", dispatcher.ended
    for number, core in enumerate(gpu.cores):
        yield from ((f"cores[{number}].{name}", signal) for name, signal in _core(gpu, number, core))
    yield from ((f"data_ctrl.{name}", signal) for name, signal in _controller(gpu.data, gpu.hardware.cores, size))
    yield from ((f"prog_ctrl.{name}", signal) for name, signal in _controller(gpu.program, 1, gpu.hardware.cores))
    faults = gpu.faults
    for name in ("kind", "core", "pc", "lanes"):
        yield f"fault.{name}", getattr(faults, name) if faults is not None else Const(0, 1)


def _core(gpu: Gpu, number: int, core: Core) -> Iterator[tuple[str, Any]]:
    dispatcher, sequencer, fetcher = gpu.dispatcher, core.sequencer, core.fetcher
    yield "start", dispatcher.start[number]
    yield "reset", dispatcher.reset[number]
    yield "done", sequencer.done
    yield "block_id", dispatcher.block[number]
    yield "thread_count", dispatcher.thread_count[number]
    yield "core_state", sequencer.state
    yield "current_pc", sequencer.pc
    yield "instruction", fetcher.instruction
    yield "fetcher_state", fetcher.state
    yield "fetch_valid", fetcher.valid
    yield "fetch_addr", fetcher.address
    yield "fetch_ready", fetcher.ready
    yield "fetch_data", fetcher.data
    for thread in range(gpu.hardware.threads_per_block):
        yield from ((f"threads[{thread}].{name}", signal) for name, signal in _thread(core, thread))


def _thread(core: Core, thread: int) -> Iterator[tuple[str, Any]]:
    lsu, registers, pc = core.lsus[thread], core.registers[thread], core.pcs[thread]
    yield "lsu_state", lsu.state
    yield "lsu_out", lsu.out
    yield "rs", registers.rs
    yield "rt", registers.rt
    yield "alu_out", core.alus[thread].out
    yield "nzp", pc.nzp
    yield "next_pc", pc.next_pc
    yield "rv", lsu.read_valid
    yield "ra", lsu.read_address
    yield "wv", lsu.write_valid
    yield "wa", lsu.write_address
    yield "wd", lsu.write_data
    yield "rr", lsu.read_ready
    yield "rd", lsu.read_data
    yield "wr", lsu.write_ready
    for number in range(COUNT):
        yield f"regs[{number}]", registers.lane[number]


def _controller(controller: Controller, groups: int, width: int) -> Iterator[tuple[str, Any]]:
    """groups: parts of a mask of consumers, a field each. width: consumers of a group."""
    masks = {"serving": controller.serving, "req_rv": controller.read_request}
    if controller.writes:
        masks["req_wv"] = controller.write_request
    masks["ack_rr"] = controller.read_ready
    if controller.writes:
        masks["ack_wr"] = controller.write_ready
    for name, mask in masks.items():
        for group in range(groups):
            yield f"{name}[{group}]", mask[group * width : (group + 1) * width]
    for channel in range(controller.channels):
        yield from ((f"channels[{channel}].{name}", signal) for name, signal in _channel(controller, channel))


def _channel(controller: Controller, channel: int) -> Iterator[tuple[str, Any]]:
    yield "state", controller.state[channel]
    yield "consumer", controller.consumer[channel]
    yield "rv", controller.memory_read[channel]
    yield "ra", controller.memory_read_address[channel]
    yield "rr", controller.memory_read_ready[channel]
    yield "rd", controller.memory_read_data[channel]
    if controller.writes:
        yield "wv", controller.memory_write[channel]
        yield "wa", controller.memory_write_address[channel]
        yield "wd", controller.memory_write_data[channel]
        yield "wr", controller.memory_write_ready[channel]
