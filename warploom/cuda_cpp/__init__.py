"""CUDA C++: a `.cu` file with its host code, unmodified, on a simulated GPU.

    words.py       what nvcc's command line says
    compiler.py    clang: device code to PTX, host code to an executable
    chevrons.py    launches as nvcc takes them and clang does not
    build.py       the executable of a program, kept by content
    include/       the headers that programs include
    runtime/       the CUDA Runtime of a host program, and its protocol
    protocol.py    what a host program says, in Python
    server.py      the device that answers
    modules.py     PTX that a program brings: variables and kernels
    properties.py  what the device says of itself
    host.py        the host program: a process, its output, its end
    start.py       the process is begun, before the simulator is imported where the cache has the program
    program.py     all of it: `run`

The host program is a process of its own. It speaks to the device over one socket; what it prints, reads and returns is its own.
"""
