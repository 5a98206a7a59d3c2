"""What would it give: the changes of the machine that bear on a finding, and how long the same run takes with each.

A change says how much of the time a cause really costs, which the share of the waits does not: a wait that goes may uncover the next
one. It measures the model with everything else left as it is; nobody builds a machine for one kernel.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from warploom.machine.config.check import check_used
from warploom.machine.config.presets import load_config, parse_setting
from warploom.machine.config.schema import Config, ConfigError, settings
from warploom.observe.diagnosis.finding import Finding, Trial

MOST = 8  # runs at most
OF_ONE = 4  # changes of one finding at most
LONGER = 2  # times the cycles of the run that is compared with, after which a change is given up

TWICE, HALF, ON, OTHERS = "twice", "half", "on", "others"
FIRST_SETS = 64  # of an instruction cache that was not there


class Lever(NamedTuple):
    """A setting that bears on a cause, and how it is changed: TWICE or HALF the number, ON, or each of the OTHERS of its names."""

    setting: str
    how: str


# By rule. What the advice of a finding names itself (`--set NAME=VALUE`) comes first and is not repeated here.
LEVERS: dict[str, tuple[Lever, ...]] = {
    "scattered": (
        Lever("lsu.coalesce", ON), Lever("lsu.ports", TWICE), Lever("l2.latency", HALF), Lever("dram.bandwidth", TWICE),
        Lever("l1.bytes", TWICE), Lever("dram.latency", HALF),
    ),
    "bank conflicts": (Lever("shared.banks", TWICE), Lever("shared.latency", HALF)),
    "atomics": (Lever("l2.atomic_lanes", TWICE), Lever("l2.atomic_latency", HALF)),
    "divergence": (Lever("core.divergence", OTHERS),),
    "ended lanes": (Lever("core.warps", TWICE),),
    "doubles": (Lever("pipes.double_lanes", TWICE), Lever("latency.double", HALF)),
    "barriers": (Lever("core.blocks", TWICE), Lever("core.scheduler", OTHERS)),
    "spin": (Lever("core.divergence", OTHERS),),
    "slow operation": (Lever("latency.divide", HALF), Lever("latency.special", HALF), Lever("latency.float_divide", HALF)),
    "tail": (Lever("gpu.cores", TWICE),),
    "fetch": (Lever("fetch.sets", TWICE), Lever("core.prefetch", ON)),
    "issue": (Lever("core.schedulers", TWICE),),
    "busy channels": (Lever("memory.data_channels", TWICE), Lever("dram.bandwidth", TWICE)),
    "stores": (Lever("dram.bandwidth", TWICE),),
    "latency": (Lever("core.warps", TWICE), Lever("dram.latency", HALF), Lever("latency.float", HALF), Lever("core.scheduler", OTHERS)),
    "throttle": (Lever("lsu.queue", TWICE),),
    "data memory": (Lever("core.skip_wait", ON),),
}  # fmt: skip
NAMED = re.compile(r"--set ([\w.]+=[\w.]+)")


def changes(config: Config, finding: Finding) -> list[str]:
    """The changes to try of one finding, as `core.divergence=its`: those that this machine can have, OF_ONE at most."""
    said = [*NAMED.findall(finding.advice), *(text for lever in LEVERS.get(finding.rule, ()) for text in _values(config, lever))]
    return [text for text in dict.fromkeys(said) if changed(config, text) is not None][:OF_ONE]


def changed(config: Config, text: str) -> Config | None:
    """The machine with a change; None where it cannot have it, has no use for it, or has it already."""
    name, value = parse_setting(text)
    try:
        check_used(config, [name], add="")
        found = load_config(config, {name: value})
    except ConfigError:
        return None
    return found if found[name] != config[name] else None


def _values(config: Config, lever: Lever) -> Iterator[str]:
    known = next(setting for setting in settings() if setting.name == lever.setting)
    now = config[lever.setting]
    if lever.how == OTHERS:
        yield from (f"{lever.setting}={name}" for name in known.range.split(" | ") if name not in (now, "uniform", "masks"))
    elif lever.how == ON:
        yield f"{lever.setting}=true"
    elif lever.how == HALF:
        yield from [f"{lever.setting}={now // 2}"] if now > 1 else []
    elif now or lever.setting == "fetch.sets":
        yield f"{lever.setting}={2 * now or FIRST_SETS}"


def tried(
    config: Config, findings: Sequence[Finding], cycles: int, run: Callable[[Config, int, str], Any], *, most: int = MOST
) -> list[Finding]:
    """The findings, each with what its changes gave: the first finding's are tried first, until there were `most` runs.

    cycles: of the run that was looked at. run: makes a run of a machine, of so many cycles at most, and is told the change; it returns
    something with status, cycles and fault, as a Result, or None where the program cannot run on it.
    """
    known: dict[str, Trial | None] = {}
    found = []
    for finding in findings:
        trials = []
        for text in changes(config, finding):
            if text not in known:
                machine = changed(config, text)
                if machine is None or len(known) >= most:
                    continue
                result = run(machine, LONGER * cycles, text)
                known[text] = None if result is None else Trial(text, result.status, result.cycles, cycles)
            if (trial := known[text]) is not None:
                trials.append(trial)
        found.append(replace(finding, trials=tuple(trials)))
    return found
