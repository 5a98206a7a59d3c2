"""Every example of README and documentation is executed, and every table is the one that the source gives."""

import re

import pytest

from tests.documentation import COLUMNS, PAGES, ROOT, TABLE, TABLES, Block, blocks, commands, examples, fits, with_tables

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)\s#]+)(?:#[^)]*)?\)|src(?:set)?=\"(?P<source>[^\"]+)\"")


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_example_gives_the_output_that_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for example in examples(page, tmp_path):
        assert "Traceback" not in example.output
        assert example.good, (
            f"{name_of(page)}, line {example.line}: {example.what}\n--- the page shows\n{example.expected}\n--- it gives\n{example.output}"
        )


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_table_is_the_one_of_the_source(page):
    text = page.read_text(encoding="utf-8")
    assert text == with_tables(text), f"{name_of(page)}: run `python -m tests.documentation` and look at what it changes"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_to_a_file(page):
    text = FENCED.sub("", page.read_text(encoding="utf-8"))  # `kernel[1, 32](a)` is no link
    for found in LINK.finditer(text):
        target = found["target"] or found["source"]
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{name_of(page)}: {target}"


SENTENCE = re.compile(r"error: |note: |\S+:\d+:\d+: |    fix: ")  # messages on standard error are one line each
WIDE = ("--wide", "--log ", "--csv -")  # asked for, and rows of a file


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_outputs_fit_a_terminal_of_80_columns(page):
    too_long = [
        f"line {command.line}: {line}"
        for block in blocks(page.read_text(encoding="utf-8"))
        if block.language == "console"
        for command in commands(block)
        if not any(option in command.command for option in WIDE)
        for line in command.expected
        if len(line) > COLUMNS and not SENTENCE.match(line)
    ]
    assert too_long == []


def test_every_page_is_in_the_contents():
    contents = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    for page in PAGES:
        if page.parent != ROOT:
            assert f'"{page.relative_to(ROOT / "docs").as_posix()}"' in contents


def test_every_command_shows_its_help_in_the_reference():
    from warploom.cli import COMMANDS

    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"$ warploom {name} --help\n" not in page] == []


def test_every_table_is_used():
    used = {found["name"] for page in PAGES for found in TABLE.finditer(page.read_text(encoding="utf-8"))}
    assert used == set(TABLES)


def test_an_ellipsis_stands_for_any_text_and_nothing_else_does():
    assert fits(["a ... c", ""], ["a b b c"])
    assert fits(["first", "...", "last"], ["first", "second", "third", "last"])
    assert not fits(["a b"], ["a  b"])
    assert not fits(["a"], ["a", "b"])
    assert not fits(["a.c"], ["abc"])


def test_a_console_block_is_commands_with_their_outputs():
    found = commands(Block("console", "", 5, "$ warploom asm x.asm\none\ntwo\n$ warploom --version\nthree\n"))
    assert [(command.line, command.command, command.expected) for command in found] == [
        (5, "warploom asm x.asm", ["one", "two"]),
        (8, "warploom --version", ["three"]),
    ]
    with pytest.raises(ValueError, match="line 5: a console block begins with a command"):
        commands(Block("console", "", 5, "one\n$ warploom asm x.asm\n"))


def test_fences_have_a_language_and_a_title():
    text = 'words\n\n```asm title="x.asm"\nRET\n```\n\n```\nplain\n```\n'
    assert list(blocks(text)) == [Block("asm", "x.asm", 4, "RET\n"), Block("", "", 8, "plain\n")]
    with pytest.raises(ValueError, match="the fence in line 1 is never closed"):
        list(blocks("```asm\nRET\n"))


def test_every_anchor_is_a_heading_of_its_page():
    headings = {page: {anchor_of(line) for line in unfenced(page).splitlines() if line.startswith("#")} for page in PAGES}
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([^)\s#:]*)#([^)]+)\)", unfenced(page)):
            where = (page.parent / target).resolve() if target else page
            assert anchor in headings[where], f"{name_of(page)}: {target}#{anchor}"


def test_the_glossary_is_in_alphabetical_order_and_names_a_chapter_for_every_term():
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    terms = [term for term, _, _ in rows if term not in ("term", "---")]
    assert terms == sorted(terms, key=str.casefold) and len(terms) == len(set(terms)) > 60
    for term, meaning, chapter in rows[1:]:
        assert meaning.endswith(".") and LINK.search(chapter), term


def test_the_paths_of_the_first_page_and_of_the_contents_are_the_same():
    first = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").partition("\n## More\n")[0] + "\n## "
    contents = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    paths = re.findall(r"^## (.+?)\n(.*?)(?=^## )", first, re.MULTILINE | re.DOTALL)
    assert len(paths) == 3
    for title, part in paths:
        here = re.findall(r"^(\d+)\. \[([^]]+)\]\(([^)#]+)\)", part, re.MULTILINE)
        there = contents.partition(f'"{title}" = [')[2].partition("] }")[0]
        assert here == re.findall(r'\{ "(\d+) ([^"]+)" = "([^"]+)" \}', there)
        assert [number for number, _, _ in here] == list("123456")


def test_every_question_has_an_answer():
    for page in PAGES:
        for title, part in re.findall(
            r"^## (Questions|Exercises)\n(.*?)(?=^## |\Z)", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            asked, answered = part.split("<details>")[0], part.split("<details>")[-1]
            questions = re.findall(r"^(\d+)\. ", asked, re.MULTILINE)
            assert questions and questions == re.findall(r"^(\d+)\. ", answered, re.MULTILINE), f"{name_of(page)}: {title}"
            assert "<summary>" in part and "</details>" in part, name_of(page)


def unfenced(page):
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchor_of(heading):
    """The anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lstrip("# ").replace("`", "").lower()).strip().replace(" ", "-")
