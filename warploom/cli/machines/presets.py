"""`warploom presets`: the machines that there are, and every setting of a machine with its meaning, range and source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import json_option, print_json

if TYPE_CHECKING:
    from warploom.machine.config.schema import Setting
    from warploom.observe.text.styled import Line, Piece

NAME, VALUE = 26, 12  # characters of the columns


@click.command()
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--settings", "all_settings", is_flag=True, help="List every setting: of NAME with its value, else with its default.")
@click.option("--set", "changes", multiple=True, metavar="SETTING=VALUE", help="Show NAME with this setting changed.")
@click.option("--gpu", hidden=True, help="The same as NAME.")
@json_option
def command(name: str | None, gpu: str | None, all_settings: bool, changes: tuple[str, ...], as_json: bool) -> None:
    """List the presets; with NAME, a preset or a TOML file of your own, what it sets and where each number comes from.

    A machine of your own is a TOML file: `base = "tiny"`, then sections with the settings that differ.

    \b
    Examples:
      warploom presets                         the machines that there are
      warploom presets tiny                    what one of them sets, and why
      warploom presets tiny --settings         all of its settings
      warploom presets --settings              what --set can change
    """
    from warploom.machine.config.check import check_used
    from warploom.machine.config.presets import about, inherited_sources, load_config, parse_setting, preset_names
    from warploom.machine.config.schema import settings
    from warploom.machine.engine.sizes import ConfigError

    if name is not None and gpu is not None and name != gpu:
        raise ConfigError(f"{name} and --gpu {gpu} name two machines: leave one of them out")
    name = name or gpu
    if changes and name is None:
        raise ConfigError("--set shows a preset with a setting changed: name the preset, as in `warploom presets tiny --set gpu.cores=4`")
    if name is None:
        body: dict[str, Any] = {"presets": [{"name": preset, "about": about(preset)} for preset in preset_names()]}
        if all_settings:
            body["settings"] = [_setting_body(setting) for setting in settings()]
    else:
        config = load_config(name, dict(parse_setting(text) for text in changes))
        check_used(config, [parse_setting(text)[0] for text in changes], before="--set ", add="warploom presets {}")
        changed = {parse_setting(text)[0]: "--set" for text in changes}
        found = inherited_sources(name) | changed
        chosen = [setting for setting in settings() if all_settings or setting.name in found or config[setting.name] != setting.default]
        rows = [_setting_body(setting) | {"value": config[setting.name], "source": found.get(setting.name, "")} for setting in chosen]
        body = {"name": config.name, "about": about(name), "settings": rows}
    if as_json:
        print_json(body)
        return
    from warploom.cli.terminal import screen

    columns = screen.width()
    screen.show(_preset(body, columns, all_settings) if name is not None else _list(body, columns))


def _setting_body(setting: Setting) -> dict[str, Any]:
    return setting._asdict()


def _list(body: dict[str, Any], columns: int) -> Iterator[Line]:
    """The presets; below them, when asked for, every setting with its default."""
    longest = max(len(preset["name"]) for preset in body["presets"])
    for preset in body["presets"]:
        yield from _wrapped([(f"{preset['name']:<{longest}}  ", "bold")], preset["about"], columns, longest + 2)
    yield []
    if "settings" not in body:
        yield [("look closer: `warploom presets tiny`, `warploom presets --settings`", "dim")]
        return
    yield from _table(body["settings"], columns, "default")
    yield []
    yield [("change one with --set NAME=VALUE, or in a TOML file of your own", "dim")]


def _preset(body: dict[str, Any], columns: int, all_settings: bool) -> Iterator[Line]:
    yield from _wrapped([(f"{body['name']}: ", "bold")], body["about"], columns, 2)
    yield []
    yield from _table(body["settings"], columns, "value")
    if not all_settings:
        yield []
        yield [(f"all others have their defaults: `warploom presets {body['name']} --settings`", "dim")]


def _table(rows: list[dict[str, Any]], columns: int, shown: str) -> Iterator[Line]:
    """A setting a row: its name, its value, its range and unit; below that its meaning and source."""
    section = ""
    for row in rows:
        if row["name"].partition(".")[0] != section:
            if section:
                yield []
            section = row["name"].partition(".")[0]
            yield [(f"[{section}]", "bold")]
        value = row[shown]
        differs = shown == "value" and value != row["default"]
        text = str(value).lower() if isinstance(value, bool) else str(value)
        style, below = "bold green" if differs else "", len(text) > 2 * VALUE  # a long value has a line of its own
        name, number = (f"{row['name']:<{NAME}} ", "bold"), (f"{'' if below else text:>{VALUE}}  ", style)
        limits = row["range"].replace(" .. ", " to ").replace(" | ", ", ")
        yield from _wrapped([name, number], f"{limits} {row['unit']}".rstrip(), columns, NAME + VALUE + 3)
        if below:
            yield from _wrapped([("    value: ", "dim")], text, columns, 11, style)
        yield from _wrapped([("    ", "")], row["meaning"], columns, 4)
        if row.get("source"):
            yield from _wrapped([("    source: ", "dim")], row["source"], columns, 12, "dim")


def _wrapped(head: list[Piece], text: str, columns: int, indent: int, style: str = "") -> Iterator[Line]:
    """`head` and `text`; the text's further lines begin at `indent`."""
    import textwrap

    begin = len("".join(piece for piece, _ in head))
    first, *others = textwrap.wrap(text, columns - 1, initial_indent=" " * begin, subsequent_indent=" " * indent) or [""]
    yield [*head, (first[begin:], style)]
    for line in others:
        yield [(line, style)]
