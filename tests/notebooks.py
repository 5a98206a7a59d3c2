"""Executes the example notebooks and keeps what their cells show.

python -m tests.notebooks    write examples/notebook.ipynb and examples/python/launch.ipynb with the outputs of today
"""

from __future__ import annotations

import base64
import json
import os
import re
from pathlib import Path
from typing import Any

from tests.places import EXAMPLES

NOTEBOOKS = (EXAMPLES / "notebook.ipynb", EXAMPLES / "python" / "launch.ipynb")
KEPT = ("text/plain", "text/html", "image/png")  # what a notebook shows of a value, the last one that there is
FRAME = "<iframe"  # a whole explorer page, which would make a notebook larger than all the rest
INSTEAD = "<p><i>The explorer's page is shown here when the cell is run.</i></p>"


def executed(path: Path) -> dict[str, Any]:
    """The notebook with the outputs that its cells have now. It runs in the folder of the examples."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    from warploom.kernel.device.context import CURRENT

    CURRENT.use(None)  # a GPU whose memory and caches no other notebook has used
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    shell = InteractiveShell()
    shell.display_formatter.active_types = shell.display_formatter.format_types
    for step in ("write_output_prompt", "write_format_data", "finish_displayhook"):
        setattr(shell.displayhook, step, lambda *_: None)  # values are kept as a notebook keeps them, and not printed as well
    before = Path.cwd()
    os.chdir(EXAMPLES)
    try:
        number = 0
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            number += 1
            with capture_output() as shown:
                done = shell.run_cell("".join(cell["source"]), store_history=True)
                done.raise_error()
            cell["execution_count"] = number
            text = [{"name": "stdout", "output_type": "stream", "text": shown.stdout.splitlines(keepends=True)}] if shown.stdout else []
            value = [_output(shell.display_formatter.format(done.result)[0], number)] if done.result is not None else []
            cell["outputs"] = text + value
    finally:
        os.chdir(before)
    return notebook


def _output(data: dict[str, Any], number: int) -> dict[str, Any]:
    kept = {kind: _lines(data[kind]) for kind in KEPT if kind in data}
    if FRAME in "".join(kept.get("text/html", [])):
        kept["text/html"] = [INSTEAD]
    return {"data": kept, "execution_count": number, "metadata": {}, "output_type": "execute_result"}


def _lines(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value.splitlines(keepends=True)


def texts(notebook: dict[str, Any]) -> list[list[str]]:
    """What is written in the outputs of each cell of code, without pictures and tables; a page's length depends on the names of cells."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    written = [["".join(one.get("text", one.get("data", {}).get("text/plain", []))) for one in cell["outputs"]] for cell in cells]
    return [[re.sub(r"[\d ]+ characters of HTML", "characters of HTML", text) for text in cell] for cell in written]


if __name__ == "__main__":
    for each in NOTEBOOKS:
        each.write_text(json.dumps(executed(each), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{each.relative_to(EXAMPLES.parent)} is written")
