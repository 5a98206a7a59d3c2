"""`python -m warploom`: the same as the command `warploom`."""

from warploom.cli.entry import run

if __name__ == "__main__":
    run()
