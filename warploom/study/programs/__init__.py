"""Programs that studies run: a file each, with its own main, as a user would write it."""
