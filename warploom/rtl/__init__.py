"""Hardware: the units of the model once more, in Amaranth, under the same names; and what compares, proves, prices and writes them out.

    from warploom import rtl
    print(rtl.lockstep(program, warploom.GPU("tiny-original")))

It needs the extra `rtl`: pip install 'warploom[rtl]'. Nothing else of the package needs it. The names below are loaded when they
are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warploom.rtl.beside import UnitLockstep, lockstep_units
    from warploom.rtl.export import build
    from warploom.rtl.fpga.bitstream import bitstream
    from warploom.rtl.hardware import Hardware, NoHardware
    from warploom.rtl.prices import Cost, cost
    from warploom.rtl.proofs.prover import Proof, prove
    from warploom.rtl.shuttle.submission import submission
    from warploom.rtl.side_by_side import Difference, Lockstep, lockstep
    from warploom.rtl.testbench import NoReplay

_HOMES = {
    "Difference": "side_by_side",
    "Hardware": "hardware",
    "Lockstep": "side_by_side",
    "NoHardware": "hardware",
    "NoReplay": "testbench",
    "Proof": "proofs.prover",
    "submission": "shuttle.submission",
    "UnitLockstep": "beside",
    "bitstream": "fpga.bitstream",
    "build": "export",
    "Cost": "prices",
    "cost": "prices",
    "lockstep": "side_by_side",
    "lockstep_units": "beside",
    "prove": "proofs.prover",
}
__all__ = [
    "Cost",
    "Difference",
    "Hardware",
    "Lockstep",
    "NoHardware",
    "NoReplay",
    "Proof",
    "UnitLockstep",
    "bitstream",
    "build",
    "cost",
    "lockstep",
    "lockstep_units",
    "prove",
    "submission",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'warploom.rtl' has no attribute {name!r}")
    from warploom.observe.text.needs import needed

    needed("amaranth", "the hardware", "rtl")
    found = getattr(importlib.import_module(f"warploom.rtl.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
