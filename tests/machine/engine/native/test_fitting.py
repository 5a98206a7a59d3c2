"""Code that is fitted to a machine: which settings it knows, and that it differs from other code in nothing else."""

import os
import time

import numpy as np
import pytest

from warploom.machine.core.core import Core
from warploom.machine.device.device import Gpu
from warploom.machine.engine.layout import records_in
from warploom.machine.engine.native.cache import FORGET_SECONDS, fits_directory, forget_old_fits, has_fits
from warploom.machine.engine.native.fitting import fit_to, fitted, fitted_arguments
from warploom.machine.engine.native.loader import native
from warploom.machine.engine.native.piece import ANY, Array, Fit, Hook, kind_name
from warploom.machine.engine.swaps import Socket
from warploom.machine.engine.unit import groups_of, record, unit
from warploom.machine.run.tables import Tables, Units
from warploom.machine.sequencer.sequencer import SequencerCore, SequencerGpu

Port = record(settings={"width": "i8", "table": ("i4", 3)}, state={"free": "i8"})
Box = record(
    settings={"ports": "i8", "flags": "u8", "number": "i8"},
    launch={"threads": "i8"},
    inputs={"tracing": "i8"},
    state={"first": Port, "more": (Port, 2), "sum": "i8"},
    counters={"turns": "i8"},
)


@unit
def take_turns(box, turns):
    """Reads a setting of each kind of place, and writes everything else."""
    for _ in range(turns):
        box.sum += box.ports * box.first.width + np.int64(box.flags) + box.threads + box.number
        for k in range(2):
            box.more[k].free += box.more[k].width
        box.turns += 1
    return box.sum


@unit
def changes_a_setting(box, turns):
    box.ports = turns
    return box.ports


def boxes(count=1):
    made = np.zeros(count, Box)
    made["ports"], made["flags"], made["threads"], made["number"] = 3, 1 << 63, 7, np.arange(count)
    for port in (made["first"], made["more"]):
        port["width"] = 5
    return made


def names(fit):
    return {name: dict(values) for name, values in fit.known}


def test_it_knows_what_the_machine_sets_and_not_what_a_launch_does():
    assert names(fit_to((boxes()[0], 4, np.zeros(3)))) == {
        kind_name(Box): {"ports": 3, "flags": 1 << 63, "number": 0},
        kind_name(Port): {"width": 5},
    }


def test_a_setting_that_differs_between_records_of_a_kind_is_not_known():
    cores = boxes(3)
    assert names(fit_to((cores,)))[kind_name(Box)] == {"ports": 3, "flags": 1 << 63}
    cores["more"]["width"][2, 1] = 6
    assert kind_name(Port) not in names(fit_to((cores,)))
    assert fit_to((np.zeros(2), 5)).known == ()


def call(function, made, fit=ANY):
    return native().entry(function, (made[0], 1), fit=fit)(made[0], 2)


def test_fitted_code_gives_what_other_code_gives(cache):
    general, fitted = boxes(), boxes()
    assert call(take_turns, general) == call(take_turns, fitted, fit_to((fitted[0],)))
    assert general.tobytes() == fitted.tobytes() and general["turns"] == 2


def test_it_holds_constants_and_reads_everything_else(cache):
    fit, other = fit_to((boxes()[0],)), boxes()
    other["ports"] = 100  # which nobody does to a machine that runs: it shows that the code does not look
    assert call(take_turns, other, fit) == call(take_turns, boxes(), fit)
    other["sum"], other["threads"] = 0, 1007
    assert call(take_turns, other, fit) == call(take_turns, boxes(), fit) + 2000


def test_a_unit_that_writes_a_setting_is_refused(cache):
    assert call(changes_a_setting, boxes()) == 2
    with pytest.raises(Exception, match="a unit writes the setting 'ports', which nothing may once a machine runs"):
        call(changes_a_setting, boxes(), fit_to((boxes()[0],)))


def test_each_fit_is_a_piece_of_its_own_beside_those_for_all_machines(cache):
    call(take_turns, boxes())
    assert not has_fits()
    wide = boxes()
    wide["first"]["width"] = wide["more"]["width"] = 9
    results = [call(take_turns, made, fit_to((made[0],))) for made in (boxes(), wide, boxes())]
    assert results[0] == results[2] != results[1]
    assert has_fits() and len(list(fits_directory().glob("*.piece"))) == 2


def test_a_fit_that_no_run_has_taken_for_a_month_is_forgotten(cache):
    fit = fit_to((boxes()[0],))
    call(take_turns, boxes(), fit)
    (kept,) = fits_directory().glob("*.piece")
    forget_old_fits()
    assert kept.exists()
    os.utime(kept, (0, 0))
    native.cache_clear()
    call(take_turns, boxes(), fit)  # a run takes it
    assert time.time() - kept.stat().st_mtime < FORGET_SECONDS
    os.utime(kept, (0, 0))
    forget_old_fits()
    assert not kept.exists()


def test_a_family_is_made_of_the_machines_that_have_its_settings():
    settings = fit_to((boxes()[0],))
    assert ANY.covers(settings) and settings.covers(settings)
    assert Fit(((kind_name(Box), (("ports", 3),)),)).covers(settings)
    assert not Fit(((kind_name(Box), (("ports", 4),)),)).covers(settings)
    assert not Fit((("elsewhere", (("ports", 3),)),)).covers(settings)


def test_code_for_a_family_lies_with_that_for_all(cache):
    family = Fit(((kind_name(Box), (("ports", 3),)),))
    general, fitted = boxes(), boxes()
    assert call(take_turns, general) == call(take_turns, fitted, family)
    assert not has_fits()
    fitted["ports"] = 100
    assert call(take_turns, fitted, family) == call(take_turns, general)


def test_a_hook_that_is_handed_nothing_of_what_is_known_is_for_all_machines():
    fit, number = fit_to((boxes()[0],)), np.dtype(np.int64)
    for kind in (number, np.dtype(np.float64), Array(number), Tables):
        assert fitted(Hook(take_turns, number, (kind,)), fit).fit == ANY
    for kind in (Box, Port, Array(Box)):
        assert fitted(Hook(take_turns, number, (number, kind)), fit).fit == fit


def test_a_users_function_among_the_hooks_stays_as_it_is():
    fit, number = fit_to((boxes()[0],)), np.dtype(np.int64)
    own = Hook(Socket("scheduler.choose", take_turns, ((number, (Box, number)),)), number, (Box, number))
    units = Units(step=Hook(take_turns, number, (Box, number)), policy=own)
    tables = Tables(memory=np.zeros(4, np.uint32))
    found = fitted_arguments((boxes()[0], tables, units), fit)
    assert found[1] is tables
    assert found[2].step.fit == fit and found[2].policy is own and found[2].control is None


def test_two_kinds_that_look_alike_have_the_same_groups():
    found = {}

    def walk(kind):
        found.setdefault(kind_name(kind), set()).add(tuple(groups_of(kind).items()))
        for name in records_in(kind):
            walk(kind[name].base)

    for kind in (Gpu, Core, SequencerGpu, SequencerCore):
        walk(kind)
    assert len(found) > 50 and {len(groups) for groups in found.values()} == {1}
