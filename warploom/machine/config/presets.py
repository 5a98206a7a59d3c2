"""Presets: machines by name. A preset is a TOML file (`presets/*.toml`), or a user's own.

It names the preset that it starts from (`base = "tiny"`) and the settings that differ. The comment after a setting
says where the number comes from; `sources` reads it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from warploom.isa.diagnostics import nearest
from warploom.isa.numbers import shown
from warploom.isa.program import lines_of
from warploom.isa.reading import bytes_of, read_text
from warploom.machine.config.check import check_effective, check_together, check_used
from warploom.machine.config.products import answer
from warploom.machine.config.schema import Config, Setting, check_name, settings
from warploom.machine.engine.sizes import ConfigError

PRESETS = Path(__file__).parent / "presets"


def preset_names() -> tuple[str, ...]:
    """The presets that come with the package."""
    return tuple(sorted(path.stem for path in PRESETS.glob("*.toml")))


def load_config(name: str | Path | Config = "tiny", changes: Mapping[str, Any] | None = None) -> Config:
    """A preset's name, a TOML file's path or another Config, with `changes` by full setting name. Raises ConfigError."""
    flat, title = (name.flat(), name.name) if isinstance(name, Config) else _read(name, ())
    for setting, value in (changes or {}).items():
        check_name(setting)
        flat[setting] = value
    config = _build(flat, title)
    check_together(config)
    check_effective(config, changes or {})
    if not isinstance(name, Config) and _preset_path(name).parent != PRESETS:
        check_used(config, _own(_tree(_preset_path(name))), before=f"{name}: ", add='base = "{}"')
    return config


def _own(tree: Mapping[str, Any]) -> Iterator[str]:
    """The settings that a file names itself."""
    return (f"{section}.{setting}" for section, values in tree.items() if isinstance(values, dict) for setting in values)


def _read(name: str | Path, seen: tuple[str, ...]) -> tuple[dict[str, Any], str]:
    path = _preset_path(name)
    if str(path) in seen:
        raise ConfigError(f"{path}: its `base` leads back to itself")
    tree = _tree(path)
    flat: dict[str, Any] = {}
    base = tree.pop("base", None)
    tree.pop("about", None)
    if base is not None:
        if not isinstance(base, str):
            raise ConfigError(f"{path}: base must be the name of a preset")
        flat, _ = _read(_base_path(path, base), (*seen, str(path)))
    for section, values in tree.items():
        if not isinstance(values, dict):
            raise ConfigError(f"{path}: {section!r} stands outside a section; write [section] above its settings")
        for setting, value in values.items():
            full = f"{section}.{setting}"
            try:
                check_name(full)
            except ConfigError as error:
                raise ConfigError(f"{path}: {error}") from None
            flat[full] = value
    return flat, path.stem


def _tree(path: Path) -> dict[str, Any]:
    """A preset's file, read."""
    try:
        return tomllib.loads(bytes_of(path).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        reason = "it is not text" if isinstance(error, UnicodeDecodeError) else reason
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else reason
        said = "not TOML" if isinstance(error, tomllib.TOMLDecodeError) else "cannot be read"
        raise ConfigError(f"{path}: {said}: {reason}") from None


def _base_path(path: Path, base: str) -> str | Path:
    """What a preset starts from: a file beside it, or another preset's name."""
    near = path.parent / base
    return near if base.endswith(".toml") and near.exists() else base


def _preset_path(name: str | Path) -> Path:
    text = str(name)
    if text.endswith(".toml") or "/" in text:
        return Path(text)
    if text not in preset_names():
        known = None if text.casefold() in preset_names() else answer(text)
        near = f"; {known}" if known else nearest(text, preset_names())
        raise ConfigError(f"there is no preset {text!r}{near}; there are {', '.join(preset_names())}")
    return PRESETS / f"{text}.toml"


def _build(flat: Mapping[str, Any], title: str) -> Config:
    by_name = {setting.name: setting for setting in settings()}
    tree: dict[str, Any] = {"name": title}
    for full, value in flat.items():
        section, name = full.split(".")
        setting = by_name[full]
        choices = setting.range.split(" | ") if setting.kind != "bool" and "|" in setting.range else []
        chosen = value if isinstance(value, str) == (setting.kind == "str") else ""
        chosen = str(chosen) if setting.kind == "int" else chosen  # of a number the names are its digits
        if choices and chosen not in choices and not callable(value):
            raise ConfigError(f"{full} = {shown(value)}: it is one of {', '.join(choices)}{nearest(str(value), choices)}")
        tree.setdefault(section, {})[name] = value
    try:
        return msgspec.convert(tree, Config)
    except (msgspec.ValidationError, RecursionError) as error:
        _, _, place = str(error).partition(" - at `$.")
        full = place.rstrip("`")
        setting = by_name.get(full, Setting(full, "", None, "", "", ""))
        raise ConfigError(f"{full} = {shown(flat.get(full))}: it takes {_article(setting)} ({setting.meaning})") from None


def _article(setting: Setting) -> str:
    return f"a whole number from {setting.range.replace(' .. ', ' to ')}" if setting.kind == "int" else setting.range.replace(" | ", " or ")


def parse_setting(text: str) -> tuple[str, Any]:
    """`gpu.cores=4` as (name, value); the value is written as in TOML, quotes may be left out. Raises ConfigError."""
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not equals or not name or not value:
        raise ConfigError(f"{text!r}: a setting is written section.name=value, as in gpu.cores=4")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):  # also a number of thousands of digits, and brackets in brackets
        return name, value


def about(name: str | Path) -> str:
    """What a preset says of itself, in one line; "" when it says nothing. Raises ConfigError."""
    return str(_tree(_preset_path(name)).get("about", ""))


def sources(name: str | Path) -> dict[str, str]:
    """Where each number of a preset comes from: the comment after it, by full setting name. Raises ConfigError."""
    return {setting: comment for setting, comment in _comments(_preset_path(name)) if comment}


def inherited_sources(name: str | Path) -> dict[str, str]:
    """As `sources`, with those of the presets that it starts from, where it does not change the number. Raises ConfigError."""
    path, found = _preset_path(name), {}
    base = _tree(path).get("base")
    if isinstance(base, str):
        found = inherited_sources(_base_path(path, base))
    return {setting: comment for setting, comment in (found | dict(_comments(path))).items() if comment}


def _comments(path: Path) -> Iterator[tuple[str, str]]:
    """(full setting name, the comment after it or "") of every setting in a preset's file."""
    section = ""
    for line in lines_of(read_text(path)):
        text, _, comment = line.partition("#")
        text = text.strip()
        if text.startswith("["):
            section = text.strip("[]")
        elif "=" in text and section:
            yield f"{section}.{text.partition('=')[0].strip()}", comment.strip()
