"""Hardware with one wrong line."""

import importlib
import inspect
import textwrap


def mutate(monkeypatch, place, right, wrong):
    """Put a wrong piece of text in the place of the right one, in one method: `sequencer.alu.Alu.elaborate`."""
    module_name, kind, method = place.rsplit(".", 2)
    module = importlib.import_module(f"warploom.rtl.{module_name}")
    owner = getattr(module, kind)
    source = textwrap.dedent(inspect.getsource(getattr(owner, method)))
    assert source.count(right) >= 1, f"{place} has no {right!r} any more"
    space = dict(vars(module))
    exec(source.replace(right, wrong), space)
    monkeypatch.setattr(owner, method, space[method])
