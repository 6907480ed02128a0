"""Run the long matrix of tests and note what came of it in docs/evidence.md: `python scripts/soak.py [PYTEST ARGS]`."""

import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.machine import machine

ROOT = Path(__file__).resolve().parents[1]
EVIDENCE = ROOT / "docs" / "evidence.md"


def commit() -> str:
    """The short commit of the checkout, marked where tracked files differ from it."""
    git = ["git", "-C", str(ROOT)]
    short = subprocess.run([*git, "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True)
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", ".", ":!docs/evidence.md"], check=False)
    return short.stdout.strip() + (" with changes" if changed.returncode else "")


def outcome(report: Path) -> str:
    """How many tests passed, failed and were skipped, by pytest's report, and what tests noted as `evidence`."""
    suite = ElementTree.parse(report).getroot().find("testsuite")  # noqa: S314 - written by pytest just now
    if suite is None:
        return "no report"
    total, failed, skipped = (sum(int(suite.get(name, 0)) for name in names) for names in COUNTS)
    counts = f"{total - failed - skipped} passed, {failed} failed, {skipped} skipped"
    noted = [each.get("value", "") for each in suite.iter("property") if each.get("name") == "evidence"]
    return "; ".join([counts, *noted])


FAMILY = ("-o", "junit_family=xunit1")
"""The form of report in which a test can note something."""

COUNTS = (("tests",), ("failures", "errors"), ("skipped",))
"""The report's counters: all tests, those that failed, those that were skipped."""


def main(arguments: list[str]) -> int:
    """Run the tests and add one line; the exit code is pytest's."""
    tested, began, start = commit(), datetime.now(UTC), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-m", "soak", f"--junitxml={report}", *FAMILY, *arguments]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        came_of_it = outcome(report) if report.is_file() else f"pytest ended with {code}"
    minutes = (time.monotonic() - start) / 60
    what = " ".join(["soak", *arguments])
    with EVIDENCE.open("a", encoding="utf-8") as file:
        file.write(f"| {began:%Y-%m-%d %H:%M} | {tested} | {what} | {came_of_it} | {minutes:.1f} | {machine()} |\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
