"""A large page opens: what a run is packed into is never laid out as text."""

import json
import re
import struct
from base64 import b64decode, b64encode
from zlib import compress, crc32, decompress

import numpy as np
import pytest

from tests.observe.explorer.browser import settled

LARGE = 50_000_000  # characters of a page that a browser would take its time for

# Opening a page takes about as long as unpacking its run; where the packed text is laid out as well, over twenty times as long.
MOST = 6
TRIES = 3  # a machine may have had other work to do at the first
RUN = re.compile(r'(<script type="text/plain"[^>]*>)(.*?)(</script>)', re.DOTALL)
ONLY_UNPACKED = """<script type="module">
import { readRun } from "explorer/decode.js";
await readRun(document.querySelector("script[type='text/plain']").textContent, 1);
window.took = performance.now();
</script>"""


def enlarged(text, size):
    """A page whose run has a memory of `size` bytes that do not compress."""
    data = np.random.default_rng(1).bytes(size)

    def changed(found):
        raw = decompress(b64decode(found[2]))
        [length] = struct.unpack("<I", raw[8:12])
        header, body = json.loads(raw[12 : 12 + length]), raw[12 + length :]
        header["arrays"]["memory"] = [len(body), size]
        header["run"]["memory_bytes"] = size
        head = json.dumps(header).encode()
        rest = struct.pack("<I", len(head)) + head + body + data
        return found[1] + b64encode(compress(raw[:4] + struct.pack("<I", crc32(rest)) + rest, 0)).decode() + found[3]

    return RUN.sub(changed, text)


@pytest.fixture(scope="module")
def large(warps):
    text = enlarged(warps.text, 3 * LARGE // 4 + 100_000)
    assert len(text) > LARGE
    return text


def test_a_large_page_opens_in_the_time_of_unpacking_it(show, large, tmp_path):
    unpacked = re.sub(r"<style>.*?</style>", "", large, count=1, flags=re.DOTALL)
    unpacked = unpacked.replace('<script type="module">import "explorer/main.js";</script>', ONLY_UNPACKED)
    bare = show(unpacked, ready="body")
    bare.wait_for_function("window.took")
    least = bare.evaluate("window.took")
    bare.close()
    for _ in range(TRIES):
        view = settled(show(large))
        took = view.evaluate("performance.now()")
        view.close()
        if took < MOST * least:
            break
    assert took < MOST * least


def test_nothing_of_a_page_that_is_not_for_the_reader_is_laid_out(show, warps):
    """A page that cannot be unpacked keeps its scripts, under the same style."""
    damaged = RUN.sub(lambda found: found[1] + "abc" + found[3], warps.text)
    view = show(damaged, expects_trouble=True)
    boxes = view.eval_on_selector_all("script, style", "all => all.map((one) => [one.outerHTML.slice(0, 60), one.getClientRects().length])")
    assert len(boxes) > 4
    assert [start for start, count in boxes if count] == []
