"""Programs with their own host code as submissions: Python that launches its kernels, and CUDA C++.

    runner.py    inputs as text, what is printed as outputs, one case after the other
    child.py     a locked process, its streams, and the questions that it asks
    wire.py      messages between the two
    python.py    the judge's side of a Python program: its launches
    guest.py     the other side: the program, whose launches are sent to the judge
    cuda.py      the judge's side of a CUDA program, which speaks the protocol of `warploom.cuda_cpp`
    launches.py  what the launches cost, and what they leave in memory

The host code is a stranger's and runs locked in. Its launches are run, and counted, by the judge: of a Python program the judge
compiles the kernel from the submission's text, of a CUDA program the PTX. So host code can hand over any data, and counts nothing.
"""
