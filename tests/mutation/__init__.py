"""Mutation testing: do the tests notice when the machine has a fault?

    python -m tests.mutation                          200 faults, chosen at random
    python -m tests.mutation --seed 7 --faults 50     the same ones every time
    python -m tests.mutation --only core/divergence   faults of one folder, or of one file
    python -m tests.mutation --near --faults 9999 --only core/divergence/its.py     all of a file, by its own tests: half a second a fault
    python -m tests.mutation --near --faults 9999 --only compiler/fold.py           of a room beside the machine
    python -m tests.mutation --again 600              what 60 s of tests do not notice may pass ten minutes of them

A fault is one operator of one function in `warploom/machine/`, or with `--near` in compiler/, checks/, isa/ or kernel/: a comparison, a
sum, a bound, a constant, a condition, a statement that is left out (`faults.py`). The faulty function runs in plain Python; no file is
changed and nothing is compiled. There are two stages:

1. A process collects tests, and is forked for each fault (`near.py`). The fork gives the function its faulty code (`planting.py`) and runs
   tests that reach it (`reach.py` knows which) until one fails: first those of the file that mirrors it. With `--near` this is all, with
   the latter tests alone, and no time goes into the question what reaches what.
2. What they do not notice is imported in the place of the right function (`importing.py`), by a process of its own, and all tests that
   reach it run until one fails (`trial.py`). `--patience` says how many seconds of tests a fault may pass, `--again` how many those may
   pass that have passed so many.

A test that takes much longer than it should, has failed too.

A fault that no test notices is a *survivor*: a test is missing, or it changes nothing that anybody can see. The latter are in
`equivalent.toml`, each with the reason.

Why not mutmut or cosmic-ray, the two libraries that do this for Python. mutmut (3.8) leaves functions with decorators as they are, and
every unit has one. cosmic-ray (8.7) writes each fault into the source tree and starts the whole test command for it, in which most of the
time goes into what does not reach the fault. Neither can keep a unit from being compiled, which takes longer than most tests.
"""
