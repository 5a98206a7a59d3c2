"""The profile as a table in the terminal and as a page."""
