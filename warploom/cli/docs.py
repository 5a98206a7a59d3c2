"""`warploom docs`: the documentation, in a browser or in the terminal, without a network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warploom.cli.common import UserError, say
from warploom.observe.text.needs import MissingPackage

if TYPE_CHECKING:
    from warploom.cli.welcome.pages import Found


MOST_PLACES = 8  # that are shown of a word
LONG = 230  # a sentence, in characters: as much of it is shown


@click.command()
@click.argument("words", metavar="[PAGE|TERM]...", nargs=-1)
@click.option("--list", "as_list", is_flag=True, help="List the pages.")
@click.option("--path", "path_only", is_flag=True, help="Print where the site's first page lies, and open nothing.")
def command(words: tuple[str, ...], as_list: bool, path_only: bool) -> None:
    """Open the documentation in a browser; with a PAGE or a TERM, show that in the terminal.

    A TERM is a word of the glossary, a counter, a stall reason, a setting or a micro-op; of any other word, the pages that have it are
    listed. The site is made from the pages that ship, once, with the extra docs (`pip install 'warploom[docs]'`), and needs no network.
    Pages and terms are shown without it, and without it the pages are listed.

    \b
    Examples:
      warploom docs                    the site, in a browser
      warploom docs warp               what the word means
      warploom docs long_scoreboard    what the stall reason means
      warploom docs core.warps         what the setting does
      warploom docs licence            where a word stands
      warploom docs your-own-kernel    a page, in the terminal
      warploom docs --list             all pages
    """
    from warploom.cli.welcome import pages, site
    from warploom.cli.welcome.shipped import folder

    if folder("docs") is None:
        raise UserError("the documentation is not there: this installation was made without it")
    if as_list:
        _list(pages.titles())
    elif words:
        _find(" ".join(words))
    elif path_only:
        say(str(site.built()))
    else:
        try:
            page = site.built()
        except MissingPackage as missing:  # the pages can be read all the same
            _list(pages.titles())
            say(f"note: {missing}", err=True)
            return
        _open(page)


def _find(word: str) -> None:
    """Show a term or a page; for any other word, where it stands. Raises UserError where it stands nowhere."""
    from warploom.cli.terminal import screen
    from warploom.cli.welcome import pages

    try:
        _show(pages.find(word))
        return
    except UserError:
        found = pages.places(word)
        if not found:
            raise
    say(f"{'1 page has' if len(found) == 1 else f'{len(found)} pages have'} {word!r}{', among them' if len(found) > MOST_PLACES else ''}:")
    for place in found[:MOST_PLACES]:
        say(f"\n{place.page}: {place.heading}" if place.heading else f"\n{place.page}")
        if place.sentence:
            say(screen.wrapped(place.sentence if len(place.sentence) < LONG else f"{place.sentence[:LONG]}…", "  ", "  "))
    say(f"\nread one: warploom docs {found[0].page}")


def _list(titles: dict[str, str]) -> None:
    longest = max(map(len, titles))
    for name, title in titles.items():
        say(f"{name:<{longest}}  {title}")
    say("\nread one: warploom docs NAME")


def _show(found: Found) -> None:
    from warploom.cli.terminal import screen

    if found.page:
        screen.show([[(line, "")] for line in found.text.splitlines()])
        return
    say(screen.wrapped(f"{found.title}: {found.text}", "", "  "))
    if found.more:
        say(f"  more: warploom docs {found.more}")


def _open(page: Path) -> None:
    from warploom.cli.welcome.browser import opened

    if opened(page):
        say(f"{page} is open in a browser", err=True)
    else:
        say(f"no browser was found: open {page} in one, or read here: `warploom docs --list`", err=True)
