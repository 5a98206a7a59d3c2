"""Runs the trial units, in a copy of the package that has them, and prints what came of it as JSON: `run_trial.py ENGINE`."""

import json
import sys

import warploom
from tests.machine.programs import FREE, LANE, Assembly, finished
from warploom.isa.uop import PORTS
from warploom.machine.accounting import reasons as r

WORDS, COUNTS, MORE = FREE, FREE + 1, FREE + 2


def main(engine):
    code = Assembly()
    code.op("shl", WORDS, LANE, imm=2)
    code("count_ones", dst=COUNTS, a=WORDS)
    code.op("add", MORE, COUNTS, imm=100)
    code("exit")
    made = finished(code.program(threads=16), engine=engine, core__warps=4, core__schedulers=1, core__blocks=4, core__threads_per_block=4)
    profile = made.profile[1]
    print(
        json.dumps(
            {
                "package": warploom.__file__,
                "counts": made.cores[0]["registers"]["lane"][:4, COUNTS, :4].tolist(),
                "sums": made.cores[0]["registers"]["lane"][:4, MORE, :4].tolist(),
                "taken": int(made.cores[0]["population"]["taken"]),
                "waited": int(profile[r.MATH_PIPE_THROTTLE]),
                "results": int(made.profile[2][r.WAIT]),
                "cycles": made.cycle,
                "filled": [int(word) for word in made.memory[511:604]],
                "ports": list(PORTS),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
