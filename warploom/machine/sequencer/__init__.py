"""tiny-gpu: cores that run one instruction at a time, whole. `sequencer.py` is its cycle."""
