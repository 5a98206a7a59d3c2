"""Data of a glTF file: its buffers, what an accessor finds in them, its pictures.

An accessor is `count` elements of one to four numbers, from a place in a buffer on, `byteStride` bytes apart; whole numbers may stand for
0 to 1 or -1 to 1 (`normalized`); a few elements may be replaced (`sparse`). Source: glTF 2.0 Specification, Khronos, chapters 3.6, 3.8.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import struct
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import numpy as np

from warploom.graphics.state import GraphicsError
from warploom.graphics.texture import MOST_SIZE

MAGIC, FILE_HEADER, CHUNK_HEADER, JSON_CHUNK, DATA_CHUNK = b"glTF", 12, 8, 0x4E4F534A, 0x004E4942
COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
WHOLE = {"i1": 127, "u1": 255, "i2": 32767, "u2": 65535}  # what stands for 1
MOST_ELEMENTS = 1 << 26


class Gltf:
    """A file that was read. header: its JSON. Raises GraphicsError for what is not glTF, OSError."""

    def __init__(self, path: str) -> None:
        self.path, self.folder = path, Path(path).parent
        data, self._data = Path(path).read_bytes(), b""
        if data[: len(MAGIC)] == MAGIC:
            data, self._data = _chunks(data)
        try:
            self.header = json.loads(data)
        except ValueError as error:
            raise GraphicsError(f"{path!r} cannot be read: it is not JSON, {error}") from None
        except RecursionError:
            raise GraphicsError(f"{path!r} cannot be read: its brackets are nested too deeply") from None
        if not isinstance(self.header, dict):
            raise GraphicsError(f"{path!r} cannot be read: it is not a glTF object")
        version = str(self.header.get("asset", {}).get("version", "")) if isinstance(self.header.get("asset"), dict) else ""
        if not version.startswith("2."):
            raise GraphicsError(f"{path!r} cannot be read: its version is {version!r}, and 2.0 is read")
        self._buffers: dict[int, bytes] = {}

    def elements(self, number: int) -> np.ndarray:
        """An accessor's elements: [count, numbers of each], float64 where they are floats or normalized, else int64."""
        one = self.entry("accessors", number)
        kind, width, count = COMPONENTS.get(one.get("componentType")), WIDTHS.get(one.get("type")), one.get("count")
        if kind is None or width is None or not isinstance(count, int) or not 0 <= count <= MOST_ELEMENTS:
            raise self._bad(f"accessor {number} has {count} elements of type {one.get('type')}, component {one.get('componentType')}")
        if "bufferView" in one:
            found = self._strided(one["bufferView"], one.get("byteOffset", 0), kind, width, count, f"accessor {number}").copy()
        else:
            found = np.zeros((count, width), kind)
        if "sparse" in one:
            self._replace(found, one["sparse"], kind, width, number)
        if kind[1] == "f":
            return found.astype(np.float64)
        return np.maximum(found / WHOLE[kind[1:]], -1.0) if one.get("normalized") and kind[1:] in WHOLE else found.astype(np.int64)

    def picture(self, number: int) -> np.ndarray | None:
        """A picture's pixels: uint8[height, width, 4]; None where its file is missing."""
        from PIL import Image

        one = self.entry("images", number)
        if "bufferView" in one:
            data = self._view(one["bufferView"], f"image {number}")
        elif (found := self._read(one.get("uri", ""), f"image {number}", missing=True)) is not None:
            data = found
        else:
            return None
        try:
            with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as opened:
                if max(opened.size) > MOST_SIZE:
                    raise self._bad(f"image {number} has {opened.size[0]} x {opened.size[1]} pixels: a side has at most {MOST_SIZE}")
                return np.asarray(opened.convert("RGBA"), np.uint8)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            if isinstance(error, GraphicsError):
                raise
            raise self._bad(f"image {number} is not a picture that can be read ({error})") from None

    def entry(self, name: str, number: Any) -> Any:
        """An entry of one of the lists of the header."""
        table = self.header.get(name, [])
        if not isinstance(number, int) or not isinstance(table, list) or not 0 <= number < len(table):
            raise self._bad(f"there is no {name}[{number}]")
        return table[number]

    def _strided(self, view: int, offset: int, kind: str, width: int, count: int, what: str) -> np.ndarray:
        """Elements of a buffer view: [count, width] of a NumPy type."""
        data, each = self._view(view, what), width * np.dtype(kind).itemsize
        stride = self.entry("bufferViews", view).get("byteStride") or each
        if count and (offset < 0 or stride < 1 or offset + (count - 1) * stride + each > len(data)):
            raise self._bad(f"{what} reads beyond its buffer view, which has {len(data)} bytes")
        shape, strides = (count, width), (stride, np.dtype(kind).itemsize)
        return np.ndarray(shape, kind, data, offset, strides) if count else np.zeros(shape, kind)

    def _replace(self, found: np.ndarray, sparse: Any, kind: str, width: int, number: int) -> None:
        """Elements that stand elsewhere take the places that they name."""
        count, places, values = sparse["count"], sparse["indices"], sparse["values"]
        what, numbers = f"sparse accessor {number}", COMPONENTS.get(places["componentType"], "")
        if numbers[1:2] != "u":
            raise self._bad(f"{what} has places of component {places['componentType']}")
        at = self._strided(places["bufferView"], places.get("byteOffset", 0), numbers, 1, count, what)[:, 0].astype(np.int64)
        if count and at.max() >= len(found):
            raise self._bad(f"{what} replaces element {int(at.max())} of {len(found)}")
        found[at] = self._strided(values["bufferView"], values.get("byteOffset", 0), kind, width, count, what)

    def _view(self, number: int, what: str) -> bytes:
        """The bytes of a buffer view."""
        one = self.entry("bufferViews", number)
        data, begin, size = self._buffer(one["buffer"]), one.get("byteOffset", 0), one["byteLength"]
        if begin < 0 or size < 0 or begin + size > len(data):
            raise self._bad(f"{what}: its buffer view ends at byte {begin + size} of a buffer that has {len(data)}")
        return data[begin : begin + size]

    def _buffer(self, number: int) -> bytes:
        if number not in self._buffers:
            uri = self.entry("buffers", number).get("uri")
            found = self._data if uri is None and number == 0 else self._read(uri or "", f"buffer {number}")
            self._buffers[number] = found or b""
        return self._buffers[number]

    def _read(self, uri: str, what: str, missing: bool = False) -> bytes | None:
        """What a URI leads to: data in it, or a file. missing: None where there is no such file."""
        if uri.startswith("data:"):
            about, _, data = uri.partition(",")
            try:
                return base64.b64decode(data, validate=False) if about.endswith(";base64") else unquote_to_bytes(data)
            except binascii.Error as error:
                raise self._bad(f"{what} has data that is not base64 ({error})") from None
        if "://" in uri or not uri:
            raise self._bad(f"{what} is at {uri!r}: files beside it and data in it are read")
        path = self.folder / unquote_to_bytes(uri).decode("utf-8", "replace")
        if path.is_file():
            return path.read_bytes()
        if missing:
            return None
        raise self._bad(f"{what} is missing: there is no file {uri!r}")

    def _bad(self, said: str) -> GraphicsError:
        return GraphicsError(f"{self.path!r} cannot be read: {said}")


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    """(JSON, data) of a binary file. Raises struct.error where it is too short for a chunk's header."""
    found: dict[int, bytes] = {}
    at = FILE_HEADER
    while at + CHUNK_HEADER <= len(data):
        size, kind = struct.unpack_from("<II", data, at)
        found.setdefault(kind, data[at + CHUNK_HEADER : at + CHUNK_HEADER + size])
        at += CHUNK_HEADER + size + -size % 4
    return found.get(JSON_CHUNK, b""), found.get(DATA_CHUNK, b"")
