"""Kernels in Python, in the dialect of numba.cuda: `from warploom import cuda`.

A decorated function waits until it is launched; then it is compiled for the types of its arguments, and runs.

    cuda.jit (cuda.py) -> Kernel (launch/launch.py) -> types of the arguments (launch/signature.py)
      -> syntax tree (syntax/tree.py) -> SSA (syntax/translator.py, with the rows of names/)
      -> micro-ops (warploom/compiler) -> Program (launch/compile.py) -> GPU.run -> arrays of the host (launch/arguments.py)

The files here are the doors: `cuda.py` for programs, `script.py` and `notebook.py` for files that are run as they are, `frontend.py` for
commands that want one launch, `checking.py` for `warploom.check`. Below them, each room on the next: `library/`, `launch/`, `names/`,
`syntax/`; `types/`, `mathematics/` and `device/` at the bottom.
"""
