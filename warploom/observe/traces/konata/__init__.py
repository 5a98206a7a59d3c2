"""Traces for the Konata pipeline viewer."""
