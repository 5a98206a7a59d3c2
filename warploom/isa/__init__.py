"""What a program is: front ends that read instruction sets, the micro-op that they all lower to, the Program."""

from warploom.isa.frontends import FRONT_ENDS, FrontEnd, load, load_with_warnings

__all__ = ["FRONT_ENDS", "FrontEnd", "load", "load_with_warnings"]
