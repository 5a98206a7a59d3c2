"""Run the suite, and print what runs wholly on warploom, what is wrong, and what is not supported, by reason.

python -m tests.numba_suite [pytest's -k expression]
"""

import collections
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

CHOSEN = "cudapy or doc_examples or cudasim"


def main() -> int:
    """The exit status: 1 when a test that ran wholly on warploom failed, 2 when none could run."""
    root = Path(__file__).parents[2]
    with tempfile.TemporaryDirectory() as place:
        results = Path(place) / "results.jsonl"
        environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "WARPLOOM_SUITE": str(results), "PYTHONPATH": str(root)}
        command = [
            sys.executable, "-m", "pytest", "--import-mode=importlib", "--pyargs", "numba.cuda.tests",
            "-k", sys.argv[1] if len(sys.argv) > 1 else CHOSEN,
            "-p", "tests.numba_suite.plugin", "-p", "no:cacheprovider", "-W", "ignore", "--continue-on-collection-errors", "-q", "-n", "0",
        ]  # fmt: skip
        done = subprocess.run(command, cwd=place, env=environment, check=False, capture_output=True, text=True)
        rows = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
        if not rows:
            print("no test ran; the last words of pytest:", *(done.stdout + done.stderr).splitlines()[-5:], sep="\n    ", file=sys.stderr)
            return 2
    if "WARPLOOM_SUITE_KEEP" in os.environ:
        Path(os.environ["WARPLOOM_SUITE_KEEP"]).write_text("\n".join(map(json.dumps, rows)))
    return report(rows)


def package():
    """Whose tests they are: numba-cuda stands before the copy of it that Numba has, and has other tests."""
    try:
        return f"numba-cuda {version('numba-cuda')}"
    except PackageNotFoundError:
        return f"the copy inside of Numba {version('numba')}: numba-cuda is not installed"


def report(rows):
    """Print the table; returns the exit status."""
    launching = [row for row in rows if row["launches"]]
    whole = [row for row in launching if row["done"] == row["launches"]]
    failed = [row for row in whole if row["outcome"] != "passed"]
    wrong = [row for row in failed if not row["asks"]]
    print(f"{len(rows)} tests of {package()}, {len(launching)} launch a kernel")
    print(f"{len(whole)} run wholly on warploom ({len(whole) / max(len(launching), 1):.1%}), {len(wrong)} of them with wrong results")
    for group in ("doc_examples", "test_warp_ops", "syncwarp"):
        of = [row for row in rows if group in row["id"]]
        print(f"{group}: {sum(row['outcome'] == 'passed' for row in of)} of {len(of)} pass")
    times = sorted(one for row in rows for one in row["compiling"])
    if times:
        print(f"kernels compiled: {len(times)}, 95 % of them in {1000 * times[int(0.95 * len(times))]:.0f} ms or less")
    for row in failed:
        if row["asks"]:
            print(f"  {row['id'].rpartition('::')[2]} asks for {row['asks']}")
    for row in wrong:
        print(f"  {row['id'].rpartition('numba/cuda/tests/')[2]}: {row.get('said', '').strip().splitlines()[-1:]}")
    reasons = collections.Counter()
    for row in launching:
        for one in set(row["why"]):
            reasons[one] += 1
    print("\ntests  not supported because")
    for one, count in reasons.most_common():
        print(f"{count:>5}  {one}")
    return 1 if wrong else 0


sys.exit(main())
