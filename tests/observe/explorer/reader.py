"""A reader of a page's data that knows only what the format's description says, and shares no code with the writer."""

import base64
import json
import re
import struct
import zlib


def runs(page):
    return [read(text) for text in re.findall(r'<script type="text/plain" class="packed"[^>]*>(.*?)</script>', page, re.DOTALL)]


def common(page):
    """What all runs of a page have in common."""
    return json.loads(re.search(r'<script[^>]*id="common"[^>]*>(.*?)</script>', page, re.DOTALL)[1])


def read(text):
    """(header, tables: {name: {column: list}}, arrays: {name: bytes})."""
    raw = zlib.decompress(base64.b64decode(text, validate=True))
    assert raw[:4] == b"WLR1"
    checksum, length = struct.unpack("<II", raw[4:12])
    assert zlib.crc32(raw[8:]) == checksum
    header, body = json.loads(raw[12 : 12 + length]), raw[12 + length :]
    tables = {}
    for name, table in header["tables"].items():
        tables[name] = {column: numbers(body[first : first + size]) for column, (first, size) in table["columns"].items()}
        assert {len(values) for values in tables[name].values()} == {table["rows"]}
    return header, tables, {name: body[first : first + size] for name, (first, size) in header["arrays"].items()}


def numbers(data):
    found, value, part, shift = [], 0, 0, 0
    for byte in data:
        part |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            value += part >> 1 if part % 2 == 0 else -((part >> 1) + 1)
            found.append(value)
            part = shift = 0
    assert shift == 0
    return found


def words(data):
    count = len(data) // 4
    return [data[row] | data[row + count] << 8 | data[row + 2 * count] << 16 | data[row + 3 * count] << 24 for row in range(count)]
