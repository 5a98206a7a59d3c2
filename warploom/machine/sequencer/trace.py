"""Trace: the state of every block of a tiny machine after a clock edge, with the fields of the original hardware's traces.

What holds for all fields: numbers are plain ints, a mask has bit i for consumer i = core x threads per block + thread.
"""

from __future__ import annotations

from typing import Any

from warploom.isa.program import Program
from warploom.machine.sequencer.decoder import ALU_OUT
from warploom.machine.sequencer.states import DONE

VISIBLE_REGISTERS = 16  # of a thread's register file, as the hardware has it


def trace_line(gpu: Any, cores: Any, program: Program, cycle: int) -> dict[str, Any]:
    """One line: the state that the edge of iteration `cycle` left.

    gpu: 0-dimensional array of SequencerGpu. cores: array of SequencerCore.
    """
    dispatcher = gpu["dispatcher"]
    return {
        "cycle": cycle,
        "done": int(dispatcher["done"]),
        "thread_count": int(dispatcher["threads"]),
        "blocks_dispatched": int(dispatcher["dispatched"]),
        "blocks_done": int(dispatcher["ended"]),
        "cores": [_core(gpu, cores[number], number, program) for number in range(len(cores))],
        "data_ctrl": _controller(gpu["data"], writes=True),
        "prog_ctrl": _controller(gpu["program"], writes=False, requests=int(gpu["fetch_lines"])),
    }


def _core(gpu: Any, core: Any, number: int, program: Program) -> dict[str, Any]:
    dispatcher, fetcher = gpu["dispatcher"], core["fetcher"]
    return {
        "start": int(dispatcher["start"]) >> number & 1,
        "reset": int(dispatcher["reset"]) >> number & 1,
        "done": int(int(core["state"]) == DONE),
        "block_id": int(core["block"]),
        "thread_count": int(core["threads"]),
        "core_state": int(core["state"]),
        "current_pc": int(core["pc"]),
        "instruction": int(fetcher["instruction"]),
        "fetcher_state": int(fetcher["state"]),
        "fetch_valid": int(gpu["fetch_lines"]) >> number & 1,
        "fetch_addr": int(gpu["program"]["read_address"][0, number]),
        "fetch_ready": int(gpu["program"]["read_ready"][0]) >> number & 1,
        "fetch_data": int(gpu["program"]["read_data"][0, number]),
        "threads": [_thread(gpu, core, number, thread, program) for thread in range(int(gpu["threads_per_block"]))],
    }


def _thread(gpu: Any, core: Any, number: int, thread: int, program: Program) -> dict[str, Any]:
    lsu, data, lane = core["lsu"], gpu["data"], core["registers"]["lane"]
    names = program.register_names
    return {
        "lsu_state": next((code for code, name in ((1, "requesting"), (2, "waiting"), (3, "done")) if int(lsu[name]) >> thread & 1), 0),
        "lsu_out": int(lsu["out"][thread]),
        "rs": int(core["rs"][thread]),
        "rt": int(core["rt"][thread]),
        "alu_out": int(lane[ALU_OUT, thread]),
        "nzp": int(lane[names.index("nzp"), thread]) if "nzp" in names else 0,
        "next_pc": int(core["next_pc"][thread]),
        "rv": int(lsu["read_valid"]) >> thread & 1,
        "ra": int(data["read_address"][number, thread]),
        "wv": int(lsu["write_valid"]) >> thread & 1,
        "wa": int(data["write_address"][number, thread]),
        "wd": int(data["write_data"][number, thread]),
        "rr": int(lsu["read_ready"]) >> thread & 1,
        "rd": int(lsu["read_data"][thread]),
        "wr": int(lsu["write_ready"]) >> thread & 1,
        "regs": [int(value) for value in lane[:VISIBLE_REGISTERS, thread]],
    }


def _controller(controller: Any, writes: bool, requests: int | None = None) -> dict[str, Any]:
    width = int(controller["width"])

    def joined(name: str) -> int:
        return sum(int(controller[name][group]) << group * width for group in range(int(controller["groups"])))

    found = {"serving": joined("serving"), "req_rv": joined("read_request") if requests is None else requests}
    if writes:
        found["req_wv"] = joined("write_request")
    found["ack_rr"] = joined("read_ready")
    if writes:
        found["ack_wr"] = joined("write_ready")
    return found | {"channels": [_channel(controller, channel, width, writes) for channel in range(int(controller["channels"]))]}


def _channel(controller: Any, channel: int, width: int, writes: bool) -> dict[str, int]:
    def value(name: str) -> int:
        return int(controller[name][channel])

    found = {
        "state": value("state"),
        "consumer": value("group") * width + value("index"),
        "rv": value("memory_read"),
        "ra": value("memory_read_address"),
        "rr": value("memory_read_ready"),
        "rd": value("memory_read_data"),
    }
    if writes:
        found |= {
            "wv": value("memory_write"),
            "wa": value("memory_write_address"),
            "wd": value("memory_write_data"),
            "wr": value("memory_write_ready"),
        }
    return found
