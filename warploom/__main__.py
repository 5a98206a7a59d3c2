"""`python -m warploom`: the same as the command `warploom`. As there, nothing is imported from the current folder."""

import os
import sys

if __name__ == "__main__":
    if sys.path and sys.path[0] in ("", os.getcwd()):
        del sys.path[0]
    from warploom.cli.entry import run

    run()
