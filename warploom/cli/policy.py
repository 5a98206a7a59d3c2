"""A scheduling policy from a user's own file: `--unit scheduler=policy.py:choose`, or `--scheduler policy.py:choose`."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from warploom.cli.common import UserError


def load_policy(text: str, option: str = "--scheduler") -> Callable[..., int]:
    """The function that `FILE.py:NAME` names. The file is executed. Raises UserError."""
    file, colon, name = text.rpartition(":")
    if not colon or not file or not name:
        raise UserError(f"{option} {text!r}: write a file and a function in it, as policy.py:choose; --set core.scheduler=NAME takes ours")
    path = Path(file)
    if not path.is_file():
        raise UserError(f"{option} {text}: there is no file {file}")
    module = _module(path, text, option)
    policy = getattr(module, name, None)
    if not callable(policy):
        there = ", ".join(
            key for key, value in vars(module).items() if callable(value) and getattr(value, "__module__", "") == module.__name__
        )
        raise UserError(f"{option} {text}: {file} has no function {name!r}; it has {there or 'none'}")
    return policy


def _module(path: Path, text: str, option: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"warploom_policy_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UserError(f"{option} {text}: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the file is the user's: whatever it raises is shown with its place, not as a stack trace of ours
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise UserError(f"{option} {text}: {place.filename}:{place.lineno}: {type(error).__name__}: {error}") from None
    return module
