"""The list of settings: made from the sections, each with a kind, a default within its limits, and a meaning."""

import msgspec
import pytest

from warploom.machine.config.schema import Config, _settings, choices_of, ignored, settings
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.core.scheduling.policies import POLICIES

SECTIONS = {name: section for name, section in msgspec.structs.asdict(Config()).items() if isinstance(section, msgspec.Struct)}


def test_every_field_of_a_section_is_a_setting_in_its_order():
    fields = [f"{section}.{name}" for section, values in SECTIONS.items() for name in values.__struct_fields__]
    assert [setting.name for setting in _settings()] == fields
    assert tuple(_settings()) == settings()
    assert Config().flat() == {name: getattr(SECTIONS[name.partition(".")[0]], name.partition(".")[2]) for name in fields}


def test_a_setting_has_its_kind_its_default_within_its_limits_and_a_meaning():
    for name, kind, default, meaning, unit, limits, *_ in map(tuple, _settings()):
        assert kind == type(default).__name__ and meaning and isinstance(unit, str)
        if kind == "bool":
            assert limits == "true | false"
        elif name.endswith("_sequence"):
            assert kind == "str" and default == "" and limits == "count class + ..."
        elif " | " in limits or kind == "str":
            assert str(default) in limits.split(" | ") and (len(limits.split(" | ")) > 1 or name == "core.roles")  # so far one table
        else:
            low, high = map(int, limits.split(" .. "))
            assert low <= default <= high


@pytest.mark.parametrize(("name", "choices"), [("core.divergence", MECHANISMS), ("core.scheduler", POLICIES), ("core.lanes", ())])
def test_names_that_another_file_defines_are_the_choices(name, choices):
    assert choices_of(name) == tuple(choices)
    (found,) = [setting.range for setting in _settings() if setting.name == name]
    assert not choices or found == " | ".join(choices)


def test_a_kind_of_machine_ignores_what_only_the_other_has():
    names = [setting.name for setting in _settings()]
    steps, warps = (ignored(Config(core=type(Config().core)(control=kind))) for kind in ("sequencer", "pipeline"))
    assert warps == {name for name in names if name.startswith(("quirks.", "core.skip_wait", "core.prefetch"))}
    assert not steps & warps
    for used in ("gpu.cores", "core.threads_per_block", "fetch.sets", "memory.data_channels", "quirks.wrap_pc"):
        assert used not in steps
    for unused in ("core.warps", "l1.bytes", "dram.banks", "fetch.buffer", "memory.lookup", "gpu.dispatch"):
        assert unused in steps
