"""The scalar unit: one value a wave, whatever the mask of lanes says.

`scalar_rows.py` is the table of SOP1, SOP2, SOPC and SOPK; `scalar_alu.py` and `scalar_bits.py` say what each row does, in micro-ops.
`flow.py` has branches, barriers and ends, which belong to the same unit.
"""
