"""Grading: a task, a submission, and what it is worth.

Three processes take part. The *guest* executes a stranger's Python, locked in, and hands over which functions it has made, as plain data.
The *judge* compiles these functions from the text of the submission, draws the inputs, runs them and counts; it executes no Python of the
submission's. The command starts both, stops them when they take too long, and writes the reports.
"""
