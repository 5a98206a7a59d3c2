"""warploom: a GPU you can read, run, watch and build, in Python.

    program = warploom.load("matadd.asm")
    result = warploom.GPU("tiny").run(program)
    print(result)

The names below are loaded when they are first used: `import warploom` alone loads neither NumPy nor Numba.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warploom import rtl
    from warploom.gpu import GPU
    from warploom.isa import guppy, tiny
    from warploom.isa.diagnostics import SourceError
    from warploom.isa.frontends import load
    from warploom.isa.program import Program
    from warploom.kernel import cuda
    from warploom.kernel.checking import check
    from warploom.machine.accounting.status import LaunchError
    from warploom.machine.config.presets import load_config
    from warploom.machine.config.schema import Config
    from warploom.machine.engine.sizes import ConfigError
    from warploom.machine.occupancy.calculator import machine_occupancy, occupancy
    from warploom.result import Result
    from warploom.study.comparing import compare

_HOMES = {
    "GPU": "warploom.gpu",
    "Config": "warploom.machine.config.schema",
    "ConfigError": "warploom.machine.engine.sizes",
    "LaunchError": "warploom.machine.accounting.status",
    "Program": "warploom.isa.program",
    "Result": "warploom.result",
    "SourceError": "warploom.isa.diagnostics",
    "check": "warploom.kernel.checking",
    "compare": "warploom.study.comparing",
    "load": "warploom.isa.frontends",
    "load_config": "warploom.machine.config.presets",
    "machine_occupancy": "warploom.machine.occupancy.calculator",
    "occupancy": "warploom.machine.occupancy.calculator",
}
_MODULES = {"cuda": "warploom.kernel.cuda", "guppy": "warploom.isa.guppy", "rtl": "warploom.rtl", "tiny": "warploom.isa.tiny"}

__all__ = [
    "GPU",
    "Config",
    "ConfigError",
    "LaunchError",
    "Program",
    "Result",
    "SourceError",
    "check",
    "compare",
    "cuda",
    "guppy",
    "load",
    "load_config",
    "machine_occupancy",
    "occupancy",
    "rtl",
    "tiny",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        found = importlib.import_module(_MODULES[name])
    elif name in _HOMES:
        found = getattr(importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'warploom' has no attribute {name!r}")
    globals()[name] = found
    return found


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext warploom` in a notebook: makes the cell magic `%%warploom` known."""
    importlib.import_module("warploom.cli.magic").register(shell)


def __dir__() -> list[str]:
    return sorted(__all__)
