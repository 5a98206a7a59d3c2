"""The datapath: registers and what computes on them, in both kinds of core."""
