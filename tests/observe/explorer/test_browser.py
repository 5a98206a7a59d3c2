"""The page in a browser, opened from a file: two runs, words, keys, colours, hostile text and damaged data."""

import re
from base64 import b64decode, b64encode
from zlib import compress, decompress

import pytest

import warploom
from tests.observe.explorer.browser import run, texts
from warploom.machine.accounting import events as e
from warploom.observe.explorer.page import page

HOSTILE = "</script><script>window.evil = 1</script><img src=x onerror='window.evil = 2'>"


def test_two_runs_keep_the_same_cycle_or_the_same_instruction(show):
    first, second = run("tiny/diverge.asm", "tiny-simt"), run("tiny/diverge.asm", "tiny-simt", **{"divergence.first": "taken"})
    view = show(page(first, second, names=["fall through", "taken"]))
    where = {}
    for result in (first, second):
        rows = [row for row in result.detail.events.tolist() if row[e.KIND] == e.ISSUE and row[e.PC] == 9]
        where[id(result)] = rows[0][e.TIME]
    assert where[id(first)] != where[id(second)]
    view.evaluate(f"explorer.go({where[id(first)]})")
    assert view.evaluate("explorer.views[1].cycle") == where[id(first)]
    view.keyboard.press("s")
    assert view.evaluate("explorer.views.map((view) => view.cycle)") == [where[id(first)], where[id(second)]]
    assert texts(view, ".picture h2")[1].startswith("Btaken")


def test_every_key_of_the_list_is_known_and_terms_are_explained(show, warps):
    view = show(warps.text)
    view.keyboard.press("?")
    assert view.locator("dialog.help").is_visible()
    assert view.locator("dialog.help kbd").count() > 25
    view.keyboard.press("Escape")
    assert not view.locator("dialog.help").is_visible()
    view.locator(".list th [data-term=mask]").first.hover()
    view.wait_for_selector("#hint:not([hidden])")
    assert view.locator("#hint").text_content().startswith("mask: which lanes of a warp execute")
    unknown = view.evaluate(
        "[...document.querySelectorAll('[data-term]')].map((e) => e.dataset.term).filter((t) => t && !explorer.hint.meaning(t))"
    )
    assert unknown == []


def test_colours_follow_the_system_and_the_key(show, warps):
    view = show(warps.text)
    theme = "document.documentElement.dataset.theme"
    view.emulate_media(color_scheme="dark")
    view.wait_for_function(f"() => {theme} === 'dark'")
    view.keyboard.press("t")
    view.keyboard.press("t")
    assert view.evaluate(theme) == "light"


def test_text_of_a_kernel_is_never_markup(show):
    program = warploom.tiny.assemble(f".threads 4 ; {HOSTILE}\nCONST R1, #7\nSTR %threadIdx, R1\nRET\n", path=f"{HOSTILE}.asm")
    view = show(page(warploom.GPU("tiny", engine="python").run(program)))
    view.keyboard.press("End")
    assert HOSTILE in texts(view, ".line[data-line='1'] pre")[0]
    assert view.evaluate("window.evil") is None
    assert view.locator("img").count() == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda raw: b"WLR9" + raw[4:], "is in version 9 of its format, and the page reads version 1"),
        (lambda raw: raw[:-1] + bytes([raw[-1] ^ 1]), "does not fit its checksum"),
        (lambda raw: b"nope" + raw[4:], "are not a run of warploom"),
    ],
)
def test_data_that_do_not_fit_are_named(show, tiny, change, message):
    def changed(found):
        return found[1] + b64encode(compress(change(decompress(b64decode(found[2]))))).decode() + found[3]

    text = re.sub(r'(class="packed"[^>]*>)(.*?)(</script>)', changed, tiny.text)
    assert message in show(text, expects_trouble=True).locator("#trouble").text_content()


def test_a_cut_off_page_says_so(show, tiny):
    text = re.sub(r'(class="packed"[^>]*>)(.*?)(</script>)', lambda found: found[1] + found[2][:400] + found[3], tiny.text)
    assert "damaged or cut off" in show(text, expects_trouble=True).locator("#trouble").text_content()
