"""What is committed is what the generators make."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import regen


@pytest.fixture(scope="session")
def tools() -> None:
    """Skips where the pinned generators are neither installed nor to be had."""
    try:
        regen.Tools()
    except SystemExit as reason:
        pytest.skip(f"the generators cannot be installed here: {reason}")


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("tools")
def test_generating_again_elsewhere_gives_the_committed_files(tmp_path: Path) -> None:
    """About 5 s on 2 cores once the generators are installed, which takes about 5 s more."""
    regen.generate(tmp_path)
    assert regen.generated_files(tmp_path)
    assert regen.differences(tmp_path) == []


def test_every_generated_module_says_so() -> None:
    for path, content in regen.generated_files(regen.ROOT).items():
        if path.suffix == ".py":
            first = content.decode().partition("\n")[0]
            assert first.startswith("# Generated from "), path
            assert first.endswith(" by scripts/regen; do not edit."), path


def test_the_server_serves_the_contract_itself() -> None:
    assert (regen.ROOT / regen.SERVED_CONTRACT).read_bytes() == (regen.ROOT / regen.CONTRACT).read_bytes()


def test_twins_are_formatted_by_the_formatter_that_checks_them() -> None:
    def ruff_version(pins: str) -> str:
        lines = (regen.ROOT / pins).read_text(encoding="utf-8").splitlines()
        return next(line.split()[0] for line in lines if line.startswith("ruff=="))

    assert ruff_version("templates/constraints.txt") == ruff_version("requirements.lock")


def test_the_generators_are_the_ones_that_were_chosen() -> None:
    pins = (regen.ROOT / "templates/constraints.txt").read_text(encoding="utf-8").splitlines()
    chosen = (regen.ROOT / "templates/tools.in").read_text(encoding="utf-8").splitlines()
    assert {line for line in chosen if "==" in line} <= {line.split()[0] for line in pins if "==" in line}
