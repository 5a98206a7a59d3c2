"""A test bench in Verilog: it runs a program on the hardware and expects what the model has given.

It plays the memories and the host as `bench.py` and `sequencer/external_memory.py` do, in plain Verilog that any simulator takes: a request
that is up at a clock edge is answered after it, all reads before the writes, and channel 0 has the last word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from warploom.rtl.hardware import ADDRESSES, Hardware, check_program
from warploom.rtl.model import GPU, Program, SequencerMachine, drive, words

MOST_CYCLES = 1_000_000  # of a program that is replayed: a bench that runs for ever proves nothing
PERIOD = 10  # time units of a clock


class NoReplay(ValueError):
    """A program that cannot be replayed. One sentence."""


@dataclass(frozen=True)
class Replay:
    """A program and what the model gave. status: "done" or "error". memory: uint8[bytes]. fault: kind, core, pc, lanes; zeros for none."""

    program: Program
    hardware: Hardware
    status: str
    cycles: int
    memory: np.ndarray
    fault: tuple[int, int, int, int]
    sentence: str

    @classmethod
    def of(cls, program: Program, gpu: GPU) -> Replay:
        """Run a program on the model. Raises NoHardware, LaunchError, NoReplay for a program that does not end."""
        check_program(program)
        hardware = Hardware.of(gpu.config)
        machine = gpu.machine(program)
        assert isinstance(machine, SequencerMachine)
        outcome = drive(machine, max_cycles=MOST_CYCLES)
        if outcome.status == "timeout":
            raise NoReplay(f"{program.name} still runs after {MOST_CYCLES:,} cycles: a test bench replays what ends".replace(",", " "))
        size = min(ADDRESSES, gpu.config.memory.bytes)
        fault = machine.gpu["fault"]
        return cls(
            program=program,
            hardware=hardware,
            status=outcome.status,
            cycles=machine.cycle,
            memory=machine.memory.view(np.uint8)[:size].copy(),
            fault=(int(fault["kind"]), int(fault["core"]), int(fault["pc"]), int(fault["lanes"])),
            sentence=machine.fault_text(),
        )

    def files(self) -> dict[str, str]:
        """The test bench and the contents of its memories, by their names."""
        data = [int(value) for value in self.program.data]
        return {
            "testbench.v": testbench(self),
            "program.hex": _hex(words(self.program), ADDRESSES, 4),
            "data.hex": _hex(data, ADDRESSES, 2),
            "expected.hex": _hex([int(value) for value in self.memory], ADDRESSES, 2),
        }


def testbench(replay: Replay) -> str:
    """The test bench as Verilog."""
    hardware, program = replay.hardware, replay.program
    kind, core, pc, lanes = replay.fault
    return TESTBENCH.format(
        name=program.name,
        hardware=hardware,
        wires=_wires(hardware),
        ports=_ports(hardware),
        answers=_answers(hardware),
        threads=program.launch.threads,
        length=len(program),
        cycles=replay.cycles,
        limit=2 * replay.cycles + 100,
        bytes=len(replay.memory),
        kind=kind,
        core=core,
        pc=pc,
        lanes=lanes,
        last_core=max((hardware.cores - 1).bit_length() - 1, 0),
        last_thread=hardware.threads_per_block - 1,
        width=hardware.threads_per_block,
        half=PERIOD // 2,
    )


def _wires(hardware: Hardware) -> str:
    lines = []
    for memory, channels, bits in (("program", hardware.program_channels, 16), ("data", hardware.data_channels, 8)):
        lines.append(f"  wire [{channels - 1}:0] {memory}_read;")
        lines.append(f"  reg [{channels - 1}:0] {memory}_read_ready = 0;")
        for channel in range(channels):
            lines.append(f"  wire [7:0] {memory}_read_address__{channel};")
            lines.append(f"  reg [{bits - 1}:0] {memory}_read_data__{channel} = 0;")
    channels = hardware.data_channels
    lines += [f"  wire [{channels - 1}:0] data_write;", f"  reg [{channels - 1}:0] data_write_ready = 0;"]
    for channel in range(channels):
        lines += [f"  wire [7:0] data_write_address__{channel};", f"  wire [7:0] data_write_data__{channel};"]
    return "\n".join(lines)


def _ports(hardware: Hardware) -> str:
    names = ["program_read", "program_read_ready", "data_read", "data_read_ready", "data_write", "data_write_ready"]
    for memory, channels in (("program", hardware.program_channels), ("data", hardware.data_channels)):
        names += [f"{memory}_read_{part}__{channel}" for channel in range(channels) for part in ("address", "data")]
    names += [f"data_write_{part}__{channel}" for channel in range(hardware.data_channels) for part in ("address", "data")]
    return ",\n".join(f"    .{name}({name})" for name in names)


def _answers(hardware: Hardware) -> str:
    lines = ["      program_read_ready <= program_read;", "      data_read_ready <= data_read;", "      data_write_ready <= data_write;"]
    for memory, channels in (("program", hardware.program_channels), ("data", hardware.data_channels)):
        for channel in range(channels):
            word = f"{memory}_memory[{memory}_read_address__{channel}]"
            lines.append(f"      {memory}_read_data__{channel} <= {memory}_read[{channel}] ? {word} : 0;")
    for channel in reversed(range(hardware.data_channels)):
        lines.append(f"      if (data_write[{channel}]) data_memory[data_write_address__{channel}] = data_write_data__{channel};")
    return "\n".join(lines)


def _hex(values: list[int], rows: int, digits: int) -> str:
    """A memory for `$readmemh`: every row, so that a simulator has nothing to say of missing ones."""
    return "\n".join(f"{value:0{digits}x}" for value in [*values, *[0] * (rows - len(values))]) + "\n"


TESTBENCH = """\
// {name} on the hardware, with what the model gave: {cycles} cycles.
// {hardware}
module testbench;
  reg clk = 0;
  reg rst = 1;
  reg start = 0;
  reg control_write = 0;
  wire done;
  wire [1:0] fault;
  wire [{last_core}:0] fault_core;
  wire [7:0] fault_pc;
  wire [{last_thread}:0] fault_lanes;
{wires}

  gpu gpu (
    .clk(clk),
    .rst(rst),
    .start(start),
    .control_write(control_write),
    .control(8'd{threads}),
    .program_length(9'd{length}),
    .done(done),
    .fault(fault),
    .fault_core(fault_core),
    .fault_pc(fault_pc),
    .fault_lanes(fault_lanes),
{ports}
  );

  reg [15:0] program_memory [0:255];
  reg [7:0] data_memory [0:255];
  reg [7:0] expected [0:255];
  integer cycles = 0;
  integer wrong = 0;
  integer address;

  initial begin
    $readmemh("program.hex", program_memory);
    $readmemh("data.hex", data_memory);
    $readmemh("expected.hex", expected);
  end

  always #{half} clk = ~clk;

  // One edge of reset, one that loads the device control register, then the kernel. A cycle is an edge after the reset's.
  always @(posedge clk) begin
    if (rst) begin
      rst <= 0;
      control_write <= 1;
    end else if (done || fault != 0 || cycles == {limit}) begin
      report;
    end else begin
      control_write <= 0;
      start <= 1;
      cycles <= cycles + 1;
      // Reads see what lay there before the writes of this cycle; of two writes to one address channel 0's stays.
{answers}
    end
  end

  task report;
    begin
      for (address = 0; address < {bytes}; address = address + 1)
        if (data_memory[address] !== expected[address]) begin
          if (wrong < 8)
            $display("data memory[%0d] is %0d, the model has %0d", address, data_memory[address], expected[address]);
          wrong = wrong + 1;
        end
      if (cycles != {cycles})
        $display("%0d cycles, the model takes {cycles}", cycles);
      if (fault != {kind})
        $display("fault %0d, the model has {kind}", fault);
      else if ({kind} != 0 && (fault_core != {core} || fault_pc != {pc} || fault_lanes != {width}'d{lanes}))
        $display("fault of core %0d at %0d, threads %b; the model has {core}, {pc}, {lanes:b}", fault_core, fault_pc, fault_lanes);
      if (wrong == 0 && cycles == {cycles} && fault == {kind}
          && ({kind} == 0 || (fault_core == {core} && fault_pc == {pc} && fault_lanes == {width}'d{lanes})))
        $display("PASS: {cycles} cycles and {bytes} bytes of memory, as in the model");
      else
        $display("FAIL");
      $finish;
    end
  endtask
endmodule
"""
