from dataclasses import replace

from tests.machine.tiny_kernels import assemble, run
from warploom import GPU

STORE = "CONST R1, #7\nSTR %threadIdx, R1\nRET"


def test_its_notebook_form_is_escaped():
    program = assemble("NOP\nRET")
    named = replace(program, name="<script>")
    shown = GPU("tiny", engine="python").run(named)._repr_html_()
    assert "&lt;script&gt; on tiny: done in 27 cycles" in shown
    assert "<script>" not in shown


def test_its_notebook_form_marks_what_changed():
    assert run(STORE)._repr_html_().count("<b>7</b>") == 4
