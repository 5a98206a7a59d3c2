from dataclasses import replace

from tests.machine.tiny_kernels import assemble, run
from tests.places import EXAMPLES
from warploom import GPU, load

STORE = "CONST R1, #7\nSTR %threadIdx, R1\nRET"


def test_its_notebook_form_is_escaped():
    program = assemble("NOP\nRET")
    named = replace(program, name="<script>")
    shown = GPU("tiny", engine="python").run(named)._repr_html_()
    assert "&lt;script&gt; on tiny: done in 27 cycles" in shown
    assert "<script>" not in shown


def test_its_notebook_form_marks_what_changed():
    assert run(STORE)._repr_html_().count("<b>7</b>") == 4


def test_a_notebook_shows_what_limits_a_run():
    shown = GPU("guppy", engine="python", set={"core.warps": 8}).run(load(EXAMPLES / "guppy/load_strided.guppy"))._repr_html_()
    assert "<li>46 % of the time warps wait for the loads of t0 at line 10: each moves 32 lines where 2 would do" in shown
    assert "of what is possible: issue 43 %" in shown
