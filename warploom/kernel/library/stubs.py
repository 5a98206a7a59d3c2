"""What names of `cuda` are outside of a kernel: objects that know their name, and say so when they are used there."""

from __future__ import annotations

from typing import Any, NoReturn

from warploom.kernel.syntax.known_names import starts


class Intrinsic:
    """A name of kernels."""

    def __init__(self, path: str) -> None:
        self.kernel_name = path

    def __call__(self, *args: Any, **named: Any) -> NoReturn:
        """It has a meaning in kernels only."""
        raise RuntimeError(f"{self.kernel_name} works in a kernel only")

    def __getattr__(self, name: str) -> Intrinsic:
        if name.startswith("__"):
            raise AttributeError(name)
        path = f"{self.kernel_name}.{name}"
        if not starts(path):
            raise AttributeError(f"there is no {path}")
        return Intrinsic(path)

    def __repr__(self) -> str:
        return f"<{self.kernel_name}>"
