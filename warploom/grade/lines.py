"""Where a key of a TOML file stands: the parser does not say it, and a message about it should."""

from __future__ import annotations

import re

TABLE = re.compile(r"\s*\[\[?\s*([\w.\"' -]+?)\s*\]\]?\s*(?:#.*)?$")


def line_of(text: str, table: str, key: str) -> int:
    """The line, from 1, of a key in a table; of the table where the key is not written, or none is asked for; 0 for neither."""
    inside, found = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if header := TABLE.match(line):
            inside = header[1].replace('"', "")
            if inside == table or (not table and inside == key) or (table and inside == f"{table}.{key}"):
                found = number
                if inside != table or not key:
                    return number
        elif inside == table and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]", line):
            return number
    if not found and "." in table:
        outer, _, name = table.rpartition(".")
        return line_of(text, outer, name)
    return found
