"""The documentation's site: made once from the pages that ship, into the user's cache, to be read without a network."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from warploom.cli.common import UserError
from warploom.cli.terminal.progress import Busy
from warploom.cli.welcome.shipped import folder
from warploom.isa.host.children import ISOLATED
from warploom.isa.host.user_cache import make_directory, user_cache
from warploom.observe.text.needs import needed

SETTINGS = "zensical.toml"


def built() -> Path:
    """The site's first page; made where it is not there yet. Raises UserError, and MissingPackage without the extra `docs`."""
    docs = folder("docs")
    settings = next((path for path in (docs / SETTINGS, docs.parent / SETTINGS) if path.is_file()), None) if docs else None
    if docs is None or settings is None:
        raise UserError("the documentation is not there: this installation was made without it")
    home = user_cache() / "docs" / _key(docs, settings)
    first = home / "site" / "index.html"
    if not first.is_file():
        needed("zensical", "the documentation's site", "docs")
        with Busy("making the documentation's site, once", quiet=False):
            _make(docs, settings, home)
    return first


def _key(docs: Path, settings: Path) -> str:
    """A number that changes with the pages."""
    key = hashlib.sha256(settings.read_bytes())
    for path in sorted(docs.rglob("*")):
        if path.is_file():
            found = path.stat()
            key.update(f"{path.relative_to(docs)} {found.st_size} {found.st_mtime_ns}".encode())
    return key.hexdigest()[:16]


def _make(docs: Path, settings: Path, home: Path) -> None:
    """Build beside the place where it goes, so that a half-made site never stands there."""
    make_directory(home.parent)
    with tempfile.TemporaryDirectory(dir=home.parent) as place:
        work = Path(place)
        shutil.copytree(docs, work / "docs")
        text = settings.read_text(encoding="utf-8")
        text = re.sub(
            r"(?m)^site_dir = .*$",
            'site_dir = "site"\nuse_directory_urls = false',
            re.sub(r"(?m)^docs_dir = .*$", 'docs_dir = "docs"', text),
        )
        (work / SETTINGS).write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, *ISOLATED, "-m", "zensical", "build", "-f", SETTINGS], cwd=work, capture_output=True, text=True, check=False
        )
        if done.returncode or not (work / "site" / "index.html").is_file():
            last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason was given"]
            raise UserError(f"the documentation's site could not be made: {last[0]}; pages can be read here: `warploom docs --list`")
        for old in home.parent.iterdir():
            if old != work and old.is_dir():
                shutil.rmtree(old, ignore_errors=True)
        home.mkdir(exist_ok=True)
        (work / "site").rename(home / "site")
