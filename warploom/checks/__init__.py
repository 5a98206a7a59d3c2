"""Checks: what a kernel does that no order of its threads makes right. One file a checker, and a hook by which the machine asks them."""
