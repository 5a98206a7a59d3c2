"""Contracts: what every unit in a slot promises, checked on any unit, ours or a user's.

A contract asks what the role promises, and not what the first unit in it did: a replacement policy that takes the line used last is a
replacement policy, and a mechanism whose paths never join is a mechanism.
"""

from warploom.contracts.promise import Promise, Verdict
from warploom.contracts.suites import SUITES, check_unit

__all__ = ["SUITES", "Promise", "Verdict", "check_unit"]
