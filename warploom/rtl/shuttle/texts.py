"""The texts of a submission: what does not depend on the machine, or has a few places to fill in."""

CONFIG = {
    "//": "PL_TARGET_DENSITY_PCT and CLOCK_PERIOD are the design's; the rest is Tiny Tapeout's.",
    "PL_TARGET_DENSITY_PCT": 60,
    "CLOCK_PERIOD": 100,
    "PL_RESIZER_HOLD_SLACK_MARGIN": 0.1,
    "GRT_RESIZER_HOLD_SLACK_MARGIN": 0.05,
    "RUN_LINTER": 1,
    "LINTER_INCLUDE_PDK_MODELS": 1,
    "CLOCK_PORT": "clk",
    "RUN_KLAYOUT_XOR": 0,
    "RUN_KLAYOUT_DRC": 0,
    "DESIGN_REPAIR_BUFFER_OUTPUT_PORTS": 0,
    "TOP_MARGIN_MULT": 1,
    "BOTTOM_MARGIN_MULT": 1,
    "LEFT_MARGIN_MULT": 6,
    "RIGHT_MARGIN_MULT": 6,
    "FP_SIZING": "absolute",
    "GRT_ALLOW_CONGESTION": 1,
    "FP_IO_HLENGTH": 2,
    "FP_IO_VLENGTH": 2,
    "FP_PDN_VPITCH": 38.87,
    "RUN_CTS": 1,
    "FP_PDN_MULTILAYER": 0,
    "MAGIC_DEF_LABELS": 0,
    "MAGIC_WRITE_LEF_PINONLY": 1,
}
PROTOCOL = """\
Lay a byte on `ui` and a command on `uio[2:0]`. It is taken at a rising clock edge at which the strobe, `uio[3]`, is up.

| command | name | meaning |
|---|---|---|
| 0 | RUN | the GPU leaves reset and runs; `uio[4]` is up when it is done, `uio[5]` when it has found a fault |
| 1 | PROGRAM | `ui` is half an instruction word, the high one first; after the low one the address moves on |
| 2 | DATA | `ui` goes to data memory; the address moves on |
| 3 | THREADS | `ui` is the number of threads; the GPU goes into reset |
| 4 | ADDRESS | `ui` is the address for PROGRAM, DATA and READ |
| 5 | READ | `uo` shows the byte at the address; with the strobe the address moves on |
| 6, 7 | FAULT, FAULT_PC | `uo` shows the kind of the fault (0: none), and the instruction at which it was found |

A kernel: ADDRESS 0, PROGRAM for each half word; ADDRESS 0, DATA for each byte; THREADS, RUN; wait for done; ADDRESS, READ.
"""
INFO = (
    """\
## How it works

A GPU: {hardware}. It executes the eleven instructions of tiny-gpu, one at a time on all threads of a block. Program memory
({words} words of 16 bits) and data memory ({bytes} bytes) are flip-flops that answer at the next clock edge, so a kernel takes as many
cycles as in the model it was built from (warploom).

"""
    + PROTOCOL
    + """
## How to test

`test/` loads the kernel {name} through the pins, runs it, and expects {cycles} cycles and what the model left in memory.

## External hardware

None but the host that loads the kernel: the microcontroller of the demo board.
"""
)
README = (
    """\
# A GPU for Tiny Tapeout

{hardware}; {words} words of program memory and {bytes} bytes of data memory in flip-flops.

Its size is an estimate: {cells} um2 of cells on {die} um2, so `info.yaml` asks for {tiles} tiles. The workflow `gds` says what it
really takes.

## What to do next

1. Put this folder into a repository on GitHub; in its settings, Pages, choose GitHub Actions as the source.
2. Look at the results of the workflows: `test` runs the kernel with Icarus, `gds` makes the layout and checks it, `docs` the datasheet.
3. Submit the repository: <https://app.tinytapeout.com/>

Locally: `cd test && pip install -r requirements.txt && make`.

## The host's protocol

"""
    + PROTOCOL
)
TEST_README = """\
`make` runs `test.py` with cocotb and Icarus Verilog; `make SIM=verilator` takes Verilator. `make GATES=yes` simulates the gates that
the workflow gds has made, when they lie here as `gate_level_netlist.v`.
"""
TEST_PY = '''\
"""{name} through the pins: it must take the model's cycles and leave what the model left in memory."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

PROGRAM = [{program}]
DATA = [{data}]
THREADS = {threads}
CYCLES = {cycles}
FAULT, FAULT_PC = {fault}, {fault_pc}
EXPECTED = [{expected}]
RUN_COMMAND, PROGRAM_COMMAND, DATA_COMMAND, THREADS_COMMAND, ADDRESS_COMMAND, READ_COMMAND, FAULT_COMMAND, FAULT_PC_COMMAND = range(8)
STROBE, DONE, FAULTY = 8, 16, 32


async def clock(dut, ui, uio):
    """A clock cycle with these inputs. Pins change at falling edges, half a period from where they are taken."""
    dut.ui_in.value = ui
    dut.uio_in.value = uio
    await FallingEdge(dut.clk)


async def say(dut, command, value=0):
    await clock(dut, value, command | STROBE)


async def show(dut, command):
    await clock(dut, 0, command)
    return int(dut.uo_out.value)


@cocotb.test()
async def kernel(dut):
    cocotb.start_soon(Clock(dut.clk, 100, "ns").start())
    dut.ena.value = 1
    dut.rst_n.value = 0
    for _ in range(5):
        await clock(dut, 0, 0)
    dut.rst_n.value = 1
    await clock(dut, 0, 0)

    await say(dut, ADDRESS_COMMAND, 0)
    for word in PROGRAM:
        await say(dut, PROGRAM_COMMAND, word >> 8)
        await say(dut, PROGRAM_COMMAND, word & 0xFF)
    await say(dut, ADDRESS_COMMAND, 0)
    for byte in DATA:
        await say(dut, DATA_COMMAND, byte)
    # Flip-flops hold anything at first: the rest of data memory is zero in the model.
    for _ in range(len(EXPECTED) - len(DATA)):
        await say(dut, DATA_COMMAND, 0)

    await say(dut, THREADS_COMMAND, THREADS)
    await say(dut, RUN_COMMAND)
    cycles = 0
    while True:
        await clock(dut, 0, RUN_COMMAND)
        cycles += 1
        if int(dut.uio_out.value) & (DONE | FAULTY):
            break
        assert cycles < {limit}, "the kernel does not end"
    assert cycles == CYCLES, f"{{cycles}} cycles, the model takes {{CYCLES}}"
    assert (await show(dut, FAULT_COMMAND), await show(dut, FAULT_PC_COMMAND)) == (FAULT, FAULT_PC)

    await say(dut, ADDRESS_COMMAND, 0)
    found = []
    for _ in EXPECTED:
        found.append(await show(dut, READ_COMMAND))
        await say(dut, READ_COMMAND)
    assert found == EXPECTED
'''
BENCH = """\
`default_nettype none
`timescale 1ns / 1ps
module tb ();
  reg clk;
  reg rst_n;
  reg ena;
  reg [7:0] ui_in;
  reg [7:0] uio_in;
  wire [7:0] uo_out;
  wire [7:0] uio_out;
  wire [7:0] uio_oe;
`ifdef GL_TEST
  wire VPWR = 1'b1;
  wire VGND = 1'b0;
`endif
  tt_um_warploom user_project (
`ifdef GL_TEST
      .VPWR(VPWR),
      .VGND(VGND),
`endif
      .ui_in(ui_in),
      .uo_out(uo_out),
      .uio_in(uio_in),
      .uio_out(uio_out),
      .uio_oe(uio_oe),
      .ena(ena),
      .clk(clk),
      .rst_n(rst_n)
  );
endmodule
"""
MAKEFILE = """\
SIM ?= icarus
TOPLEVEL_LANG ?= verilog
SRC_DIR = $(CURDIR)/../src
PROJECT_SOURCES = project.v

ifneq ($(GATES),yes)
SIM_BUILD = sim_build/rtl
VERILOG_SOURCES += $(addprefix $(SRC_DIR)/,$(PROJECT_SOURCES))
else
SIM_BUILD = sim_build/gl
COMPILE_ARGS += -DGL_TEST -DFUNCTIONAL -DSIM
VERILOG_SOURCES += $(PDK_ROOT)/sky130A/libs.ref/sky130_fd_sc_hd/verilog/primitives.v
VERILOG_SOURCES += $(PDK_ROOT)/sky130A/libs.ref/sky130_fd_sc_hd/verilog/sky130_fd_sc_hd.v
VERILOG_SOURCES += $(CURDIR)/gate_level_netlist.v
endif
ifeq ($(SIM),verilator)
COMPILE_ARGS += -Wno-lint -Wno-fatal --timing
endif

VERILOG_SOURCES += $(CURDIR)/tb.v
TOPLEVEL = tb
COCOTB_TEST_MODULES = test

include $(shell cocotb-config --makefiles)/Makefile.sim
"""
REQUIREMENTS = "pytest==8.4.2\ncocotb==2.0.1\n"
GDS = """\
name: gds
on: [push, workflow_dispatch]
jobs:
  gds:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
        with:
          submodules: recursive
      - uses: TinyTapeout/tt-gds-action@ttsky26a
        with:
          pdk: sky130A
  precheck:
    needs: gds
    runs-on: ubuntu-24.04
    steps:
      - uses: TinyTapeout/tt-gds-action/precheck@ttsky26a
        with:
          pdk: sky130A
  gl_test:
    needs: gds
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
      - uses: TinyTapeout/tt-gds-action/gl_test@ttsky26a
        with:
          pdk: sky130A
  viewer:
    needs: gds
    runs-on: ubuntu-24.04
    permissions:
      pages: write
      id-token: write
    steps:
      - uses: TinyTapeout/tt-gds-action/viewer@ttsky26a
        with:
          pdk: sky130A
"""
DOCS = """\
name: docs
on: [push, workflow_dispatch]
jobs:
  docs:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
      - uses: TinyTapeout/tt-gds-action/docs@ttsky26a
"""
TEST = """\
name: test
on: [push, workflow_dispatch]
jobs:
  test:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
      - run: sudo apt-get update && sudo apt-get install -y iverilog
      - uses: actions/setup-python@v5
        with:
          python-version: '3.11'
      - run: pip install -r test/requirements.txt
      - run: cd test && make && ! grep failure results.xml
"""
FPGA = """\
name: fpga
on: workflow_dispatch
jobs:
  fpga:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
      - uses: TinyTapeout/tt-gds-action/fpga/ice40up5k@ttsky26a
"""
LICENSE = """\
MIT License

Copyright (c) {author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the
following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
