"""A browser for the tests of the page: the system's Chromium without a window, driven through Playwright."""

import os
import shutil

import warploom
from tests.places import EXAMPLES

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FRUGAL = ("--renderer-process-limit=1", "--disable-gpu", "--disable-software-rasterizer")  # no process that no page of ours asks for


def missing():
    """Why there is no browser to test with, or ""."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "the package playwright is not installed: pip install 'warploom[test]'"
    return "" if path() else f"there is no browser to test the page with (looked for {', '.join(BROWSERS)})"


def path():
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def start(playwright):
    # Chromium's own sandbox does not run as root, which containers are.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=path(), args=[*arguments, *FRUGAL])


def run(file, preset, **changes):
    keep = {} if preset == "tiny" else {"tracing": True, "recording": True}
    return warploom.GPU(preset, set=changes, engine="python").run(warploom.load(EXAMPLES / file), **keep)


def cycle(view):
    return view.evaluate("explorer.leader.cycle")


def settled(view):
    """Wait until what was asked for is drawn."""
    view.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return view


def texts(view, selector):
    return settled(view).eval_on_selector_all(selector, "elements => elements.map((element) => element.textContent)")
