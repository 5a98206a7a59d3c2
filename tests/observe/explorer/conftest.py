"""Pages in a browser, and the runs that most tests look at."""

from types import SimpleNamespace

import pytest

from tests.observe.explorer import browser
from tests.observe.explorer.browser import run
from warploom.observe.explorer.page import page
from warploom.observe.facts.timeline import timeline


@pytest.fixture(scope="module")
def chromium():
    if reason := browser.missing():
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = browser.start(playwright)
        yield opened
        opened.close()


@pytest.fixture
def show(chromium, tmp_path):
    """show(text of a page): the page, opened from a file without a network; what it complains of makes the test fail."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    context.set_default_timeout(120_000)  # a slow machine fails no test
    troubles = []

    def opened(text, fragment="", expects_trouble=False, script="", ready="#app:not([hidden])"):
        file = tmp_path / "page.html"
        file.write_text(text, encoding="utf-8")
        view = context.new_page()
        view.add_init_script(script)
        view.on("pageerror", lambda error: troubles.append(str(error)))
        view.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        view.goto(f"file://{file}{fragment}")
        view.wait_for_selector("#trouble:not([hidden])" if expects_trouble else ready)
        if expects_trouble:
            troubles.clear()
        return view

    yield opened
    context.close()
    assert troubles == []


@pytest.fixture(scope="module")
def tiny():
    result = run("tiny/matadd.asm", "tiny")
    return SimpleNamespace(result=result, text=page(result), trace=list(result.trace()))


@pytest.fixture(scope="module")
def warps():
    result = run("tiny/diverge.asm", "tiny-simt")
    return SimpleNamespace(result=result, text=page(result), line=timeline(result))
