"""Stepping through a run, stops, and going back, over the protocol of machines alone."""
