"""What is counted and written down: reasons, counters, events, faults, and how a run ends."""
