"""The cubins of our own kernels: where they lie, and their bytes."""

from pathlib import Path

GOLDEN = Path(__file__).parents[2] / "golden" / "sass"
ARCHITECTURES = (80, 90)


def path_of(architecture: int) -> Path:
    return GOLDEN / f"kernels_sm_{architecture}.cubin"


def bytes_of(architecture: int) -> bytes:
    return path_of(architecture).read_bytes()
