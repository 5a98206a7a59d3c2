"""C for the RISC-V targets: a stock compiler, a start-up, headers, and what a kernel's parameters are called."""
