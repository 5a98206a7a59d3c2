"""`python -m warploom`: the same as the command `warploom`."""

from warploom.cli import main

if __name__ == "__main__":
    main(prog_name="warploom")
