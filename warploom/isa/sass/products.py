"""Which product takes which code: that of its own generation, up to its own architecture. `sm` takes any."""

from __future__ import annotations

ARCHITECTURES = {"v100": 70, "t4": 75, "a100": 80, "a40": 86, "rtx3070": 86, "rtx4090": 89, "h100": 90, "h100-sxm": 90}  # of presets
ISA = "sass-"


def fits(has: int, architecture: int) -> bool:
    """Whether a product of an architecture takes code for another."""
    return has // 10 == architecture // 10 and architecture <= has


def refusal(architecture: int, product: object) -> str | None:
    """Why a product does not take code for an architecture, and which do; None where it does."""
    has = ARCHITECTURES.get(product) if isinstance(product, str) else None
    if has is None or fits(has, architecture):
        return None
    others = [name for name, number in ARCHITECTURES.items() if fits(number, architecture)]
    return f"it is code for sm_{architecture}, which {product}, sm_{has}, does not take; choose --gpu {', or '.join([*others, 'sm'])}"


def refused(isa: str, product: object) -> str | None:
    """The same of a program's instruction set; None for one that is not NVIDIA's."""
    number = isa.removeprefix(ISA)
    return refusal(int(number), product) if isa.startswith(ISA) and number.isdecimal() else None
