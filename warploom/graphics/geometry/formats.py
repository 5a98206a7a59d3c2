"""Formats of vertex attributes: how numbers lie in a buffer, and what the vertex shader gets.

Names are those of WebGPU, as float32x3 or unorm8x4, and those of Vulkan, as R32G32B32_SFLOAT or R8G8B8A8_UNORM. unorm stands for 0 to 1,
snorm for -1 to 1, and the least whole number of an snorm is -1 too; uscaled, sscaled are whole numbers as floats. Two formats are packed in
a word of 32 bits. Sources: WebGPU, W3C, 10.3 GPUVertexFormat; Vulkan 1.3, Khronos, 49.1 Format Definition.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from warploom.graphics.state import GraphicsError
from warploom.isa.diagnostics import nearest

KINDS = {
    "unorm": "u", "snorm": "i", "uscaled": "u", "sscaled": "i", "uint": "u", "sint": "i", "float": "f",
}  # fmt: skip
WIDTHS = {"u": (8, 16, 32), "i": (8, 16, 32), "f": (16, 32)}
NORMALIZED_WIDTHS = (8, 16)
PACKED = "10-10-10-2"
VULKAN_PACKED = "A2B10G10R10_%s_PACK32"
VULKAN = re.compile(r"(?P<parts>(?:[RGBA]\d+)+)_(?P<kind>UNORM|SNORM|USCALED|SSCALED|UINT|SINT|SFLOAT)")
WEBGPU = re.compile(r"(?P<kind>[a-z]+?)(?P<bits>\d+)(?:x(?P<count>[234]))?(?P<bgra>-bgra)?")
EXAMPLES = ("float32x3", "unorm8x4", "snorm16x2", "uint16x4", "float16x4", "unorm10-10-10-2", "unorm8x4-bgra", "R32G32B32_SFLOAT")
DEFAULTS = (0, 0, 0, 1)  # of components that a format lacks


class Format(NamedTuple):
    """kind: of KINDS. bits: of a component; 0: packed. components: 1 to 4. bgra: blue comes first in the buffer."""

    kind: str
    bits: int
    components: int
    bgra: bool = False

    @property
    def size(self) -> int:
        """Bytes of an attribute."""
        return self.bits // 8 * self.components or 4


def format_of(name: str) -> Format:
    """The format with a name. Raises GraphicsError."""
    found = _packed(name) or _vulkan(name) or _webgpu(name)
    if found is None:
        raise GraphicsError(f"{name!r} is not a vertex format{nearest(name, EXAMPLES)}; there are formats as {', '.join(EXAMPLES)}")
    return found


def _packed(name: str) -> Format | None:
    for kind in ("unorm", "snorm", "uint", "sint", "uscaled", "sscaled"):
        if name in (f"{kind}{PACKED}", VULKAN_PACKED % kind.upper()):
            return Format(kind, 0, 4)
    return None


def _vulkan(name: str) -> Format | None:
    found = VULKAN.fullmatch(name)
    if found is None:
        return None
    parts = re.findall(r"([RGBA])(\d+)", found["parts"])
    letters, widths = "".join(letter for letter, _ in parts), {int(bits) for _, bits in parts}
    kind = found["kind"].lower().replace("sfloat", "float")
    if len(widths) > 1 or letters not in ("R", "RG", "RGB", "RGBA", "BGR", "BGRA"):
        return None
    return _checked(Format(kind, widths.pop(), len(letters), letters[0] == "B"))


def _webgpu(name: str) -> Format | None:
    found = WEBGPU.fullmatch(name)
    if found is None:
        return None
    bgra = found["bgra"] is not None
    made = _checked(Format(found["kind"], int(found["bits"]), int(found["count"] or 1), bgra))
    return None if bgra and made != Format("unorm", 8, 4, True) else made


def _checked(given: Format) -> Format | None:
    letter = KINDS.get(given.kind, "")
    widths = WIDTHS.get(letter, ())
    if given.kind not in ("uint", "sint", "float"):
        widths = tuple(width for width in widths if width in NORMALIZED_WIDTHS)
    return given if given.bits in widths else None


def decoded(data: np.ndarray, form: Format) -> np.ndarray:
    """What the shader gets of attributes: float32[n, components], or int64 of uint and sint. data: uint8[n, form.size]."""
    raw = _words(data) if form.bits == 0 else np.ascontiguousarray(data).view(f"<{KINDS[form.kind]}{form.bits // 8}")
    if form.bits == 0 and KINDS[form.kind] == "i":
        widths = np.array([10, 10, 10, 2], np.int64)
        raw = raw - ((raw >> (widths - 1)) << widths)
    if form.bgra:
        raw = raw[:, [2, 1, 0, *range(3, form.components)]]
    if form.kind in ("uint", "sint"):
        return np.asarray(raw.astype(np.int64))
    if form.kind in ("unorm", "snorm"):
        bits = np.array([10, 10, 10, 2], np.int64) if form.bits == 0 else np.int64(form.bits)
        most = (1 << (bits - (form.kind == "snorm"))) - 1
        return np.asarray(np.maximum(raw / most, -1.0).astype(np.float32))
    return np.asarray(raw.astype(np.float32))


def _words(data: np.ndarray) -> np.ndarray:
    """The parts of packed words, lowest bits first: int64[n, 4]."""
    words = np.ascontiguousarray(data).view("<u4").astype(np.int64)
    return np.concatenate([words & 1023, words >> 10 & 1023, words >> 20 & 1023, words >> 30], axis=1)


def widened(values: np.ndarray, count: int) -> np.ndarray:
    """Attributes with `count` components: what is missing is 0, and the fourth 1; what is too much is left out."""
    here = values.shape[1]
    if here >= count:
        return values[:, :count]
    return np.concatenate([values, np.tile(np.array(DEFAULTS[here:count], values.dtype), (len(values), 1))], axis=1)
