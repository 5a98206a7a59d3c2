"""Fuzzing: everything that reads what a user hands over is fed with what nobody means well with.

    python -m tests.fuzz --minutes 10            all targets, in turn
    python -m tests.fuzz --target data --seed 7  one of them, from a seed
    python -m tests.fuzz --replay FILE           an input that was found, once more

What reads a file is a row of `targets.TARGETS`; a loader that comes later adds one. A row takes bytes and does with them what a command
would. It may end in a mistake of the user's (`cli.common.MISTAKES`), and in nothing else: no other exception, no wait, no endless run.
Inputs are pieces of the examples and of `corpus/`, changed at random (`mutate.py`); the suite runs a short part of it (tests/test_fuzz.py).
An input that fails is written to `found/`; when it is mended it moves to `corpus/`, where it stays a test.
"""
